"""Fuzzing in processes of their own: a crash, an exception or a hang is noticed and told with its file."""

import contextlib
import multiprocessing
import os
import resource
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from tests.fuzz.subjects import Subject, attempt, content_of, subjects

__all__ = ["Case", "Result", "run_cases"]

SECONDS = 10.0
"""That one file may take."""
STARTING = 120.0
"""That a process may take for the good files of a kind, which it uses first: kernels come from the cache."""
BEGUN = "begun"
MEMORY = "/dev/shm"
"""A folder in memory, where there is one."""
MOST_BYTES = 6 << 30
"""Of memory that a process may ask for."""


@dataclass(frozen=True)
class Case:
    """A file of a kind, by the number of its mutation."""

    kind: str
    seed: int
    number: int

    @property
    def subject(self) -> Subject:
        """The good file that it is made from."""
        good = subjects(self.kind)
        return good[self.number % len(good)]

    @property
    def content(self) -> bytes:
        """The file with its mistakes."""
        return content_of(self.subject, f"{self.kind} {self.seed} {self.number}")


@dataclass(frozen=True)
class Result:
    """What came of a case: an outcome ("taken", "refused", "skipped") or what went wrong ("exception", "crash",
    "hang"), with a text about it."""

    case: Case
    outcome: str
    text: str = ""


def run_cases(cases: Iterator[Case], processes: int) -> Iterator[Result]:
    """Results of cases, in the order in which they end."""
    context = multiprocessing.get_context("spawn")
    workers = [_Worker(context) for _ in range(processes)]
    try:
        for worker in workers:
            worker.next(cases)
        while busy := [worker for worker in workers if worker.case is not None]:
            for connection in wait([worker.connection for worker in busy], timeout=0.2):
                worker = next(worker for worker in busy if worker.connection is connection)
                result = worker.result()
                if result is not None:
                    yield result
                    worker.next(cases)
            for worker in busy:
                if worker.case is not None and worker.late:
                    yield worker.stopped("hang", f"no answer within {SECONDS:g} s")
                    worker.next(cases)
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A process, started again after a crash."""

    def __init__(self, context: Any) -> None:
        self.context, self.case = context, None
        self.start()

    def start(self) -> None:
        self.connection, other = self.context.Pipe()
        self.process = self.context.Process(target=_serve, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def next(self, cases: Iterator[Case]) -> None:
        self.case: Case | None = next(cases, None)
        if self.case is not None:
            self.began, self.limit = time.monotonic(), STARTING
            self.connection.send(self.case)

    @property
    def late(self) -> bool:
        return time.monotonic() - self.began > self.limit

    def result(self) -> Result | None:
        """What came of the case; None where it is only beginning."""
        assert self.case is not None
        try:
            outcome, text = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            return self.stopped("crash", f"the process ended with status {self.process.exitcode}")
        if outcome == BEGUN:
            self.began, self.limit = time.monotonic(), SECONDS
            return None
        return Result(self.case, outcome, text)

    def stopped(self, outcome: str, text: str) -> Result:
        assert self.case is not None
        self.stop()
        self.start()
        return Result(self.case, outcome, text)

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


@cache
def _use_good_files(kind: str, folder: str) -> None:
    """What takes long the first time is done before clocks run."""
    for subject in subjects(kind):
        attempt(subject, subject.content, Path(folder))


def _serve(connection: Connection) -> None:
    """Answer cases until there are no more."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    quick = MEMORY if os.access(MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=quick) as folder, contextlib.chdir(folder), contextlib.suppress(EOFError):
        while True:
            case: Case = connection.recv()
            _use_good_files(case.kind, folder)
            content = case.content
            connection.send((BEGUN, ""))
            try:
                answer = attempt(case.subject, content, Path(folder)), ""
            except Exception:
                answer = "exception", traceback.format_exc()
            connection.send(answer)
