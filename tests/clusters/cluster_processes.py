"""A real Dask scheduler and real workers: processes of this machine that talk over TCP."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class ClusterProcesses:
    """Processes of one cluster; all are ended with it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.workers = folder, []
        self._processes: list[subprocess.Popen] = []
        file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        self.address = json.loads(_when_whole(file))["address"]

    def add_worker(self, **environment: str) -> subprocess.Popen:
        """One worker, which nobody starts again if it dies."""
        worker = self._start("worker", self.address, "--nthreads", "1", "--no-nanny", **environment)
        self.workers.append(worker)
        return worker

    def end(self) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGKILL)
            process.wait()

    def _start(self, *words: str, **environment: str) -> subprocess.Popen:
        command = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
        if words[0] == "worker":
            command += ["--local-directory", str(self.folder)]
        with open(self.folder / "log", "ab") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | environment)
        self._processes.append(process)
        return process


@contextmanager
def cluster_processes(folder: Path, workers: int = 0) -> Iterator[ClusterProcesses]:
    """A scheduler with some workers."""
    folder.mkdir(exist_ok=True)
    cluster = ClusterProcesses(folder)
    try:
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.end()


def _when_whole(file: Path) -> str:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if file.exists():
            text = file.read_text()
            if text.endswith("}"):
                return text
        time.sleep(0.02)
    raise AssertionError("the scheduler did not start")
