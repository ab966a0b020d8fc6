"""The one thread that owns the simulation: it advances it in real time and does, in between, what others ask for."""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

FRAME = 1.0 / 60.0
LONGEST_TURN = 0.25
"""Seconds of real time that one turn may catch up with; what lies beyond is lost, and counted."""


class Loop:
    """Real time, paused or slowed.

    Args:
        advance: called with simulated seconds to go on for.
        draw: called after every turn, and after everything that others asked for.
        failed: called with an exception that one of these raised.

    Attributes:
        playing: whether time passes. rate: simulated seconds a second.
        lost: seconds of simulated time that a slow machine could not keep up with.
        speed: simulated seconds a real second over the last turns, as measured.
        frames: how many turns were made. simulated: seconds that it let pass, all in all.
    """

    def __init__(
        self,
        advance: Callable[[float], None],
        draw: Callable[[], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._advance, self._draw, self._failed = advance, draw, failed
        self._jobs: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._wake = threading.Condition()
        self._alive = True
        self.playing, self.rate = False, 1.0
        self.lost, self.frames, self.simulated = 0.0, 0, 0.0
        self._turns: deque[tuple[float, float]] = deque(maxlen=60)
        self._thread = threading.Thread(target=self._run, name="footfall-studio", daemon=True)

    def start(self) -> None:
        """Begin, paused."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        with self._wake:
            self._alive = False
            self._wake.notify()
        self._thread.join(timeout=5.0)

    def submit(self, job: Callable[[], T]) -> "Future[T]":
        """Let the thread do something between two turns; its own calls are done at once."""
        future: Future[T] = Future()
        if threading.current_thread() is self._thread:
            self._do(job, future)
            return future
        with self._wake:
            if not self._alive:
                future.cancel()
                return future
            self._jobs.append((job, future))
            self._wake.notify()
        return future

    def call(self, job: Callable[[], T], timeout: float = 60.0) -> T:
        """As :meth:`submit`, and wait for the answer."""
        return self.submit(job).result(timeout)

    def play(self, playing: bool) -> None:
        """Let time pass, or stop it."""
        with self._wake:
            self.playing = playing
            self._turns.clear()
            self._wake.notify()

    @property
    def speed(self) -> float:
        """Simulated seconds a real second, as measured over about a second."""
        if len(self._turns) < 2:
            return 0.0
        wall = self._turns[-1][0] - self._turns[0][0]
        return sum(s for _, s in list(self._turns)[1:]) / wall if wall > 0 else 0.0

    def _do(self, job: Callable[[], Any], future: "Future[Any]") -> None:
        try:
            future.set_result(job())
        except Exception as error:
            future.set_exception(error)
            self._failed(error)

    def _run(self) -> None:
        last = due = time.perf_counter()
        while True:
            with self._wake:
                if not self._alive:
                    return
                if not self.playing and not self._jobs:
                    self._wake.wait()
                    last = time.perf_counter()
                    continue
                jobs, self._jobs = self._jobs, deque()
            began = time.perf_counter()
            for job, future in jobs:
                self._do(job, future)
            last += time.perf_counter() - began
            try:
                if self.playing:
                    now = time.perf_counter()
                    passed, last = now - last, now
                    if passed > LONGEST_TURN:
                        self.lost += (passed - LONGEST_TURN) * self.rate
                        passed = LONGEST_TURN
                    self._advance(passed * self.rate)
                    self._turns.append((now, passed * self.rate))
                    self.simulated += passed * self.rate
                self._draw()
                self.frames += 1
            except Exception as error:
                self.playing = False
                self._failed(error)
            if self.playing:
                now = time.perf_counter()
                due = max(due + FRAME, now - FRAME)
                if due > now:
                    time.sleep(due - now)
