"""What happens in a studio (events), the one thread that owns the simulation, and what is done in other threads.

The core emits events; panels and the scene subscribe to them. Nobody in the core knows who listens, and panels need not
know each other.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any, TypeVar

from footfall.errors import FootfallError

E = TypeVar("E")


@dataclass(frozen=True)
class Said:
    """A message for everyone who watches."""

    title: str
    text: str = ""
    bad: bool = False


class TasksChanged:
    """Slow work began, went on or ended."""


@dataclass(frozen=True)
class WorldChanged:
    """Another world is simulated; ``figure`` where another figure walks in it."""

    figure: bool


class Restarted:
    """The walker is back at its start, and its past is forgotten."""


@dataclass(frozen=True)
class Rewound:
    """What came after ``time`` is forgotten."""

    time: float


class TerrainChanged:
    """The ground has another shape."""


class LibraryChanged:
    """There are other controllers to choose from."""


class DocumentChanged:
    """Another controller or another state is being edited, or the controller has other states."""


class NumbersChanged:
    """The state being edited has other numbers."""


class DriveChanged:
    """The walker was asked for something else: a gait, a heading, a balance."""


class PathChanged:
    """The path has other points."""


@dataclass(frozen=True)
class Advanced:
    """The simulation advanced by ``seconds`` of simulated time."""

    seconds: float


class Turned:
    """The loop finished a turn: there may be something new to draw."""


class Events:
    """Subscriptions by kind of event, called in the order in which they were made."""

    def __init__(self) -> None:
        self._acts: dict[type[Any], list[Callable[[Any], None]]] = {}

    def on(self, kind: type[E], act: Callable[[E], None]) -> None:
        """Call ``act`` with every event of a kind from now on."""
        self._acts.setdefault(kind, []).append(act)

    def emit(self, event: object) -> None:
        """Hand an event to all who subscribed to its kind."""
        for act in tuple(self._acts.get(type(event), ())):
            act(event)


T = TypeVar("T")

FRAME = 1.0 / 60.0
LONGEST_TURN = 0.25
"""Seconds of real time that one turn may catch up with; what lies beyond is lost, and counted."""


class RealTimeLoop:
    """Real time, paused or slowed.

    Args:
        advance: called with simulated seconds to go on for.
        draw: called after every turn, and after everything that others asked for.
        failed: called with an exception that one of these raised.

    Attributes:
        playing: whether time passes.
        rate: simulated seconds a second.
        lost: seconds of simulated time that a slow machine could not keep up with.
        speed: simulated seconds a real second over the last turns, as measured.
        frames: how many turns were made.
        simulated: seconds that it let pass, all in all.
        wanted: set while somebody wants pictures; else turns are a third as many.
    """

    def __init__(
        self, advance: Callable[[float], None], draw: Callable[[], None], failed: Callable[[Exception], None]
    ) -> None:
        self._advance, self._draw, self._failed = advance, draw, failed
        self._jobs: deque[tuple[Callable[[], Any], Future[Any]]] = deque()
        self._wake = threading.Condition()
        self._alive = True
        self.playing, self.rate = False, 1.0
        self.lost, self.frames, self.simulated = 0.0, 0, 0.0
        self.wanted = threading.Event()
        self.wanted.set()
        self._turns: deque[tuple[float, float]] = deque(maxlen=60)
        self._thread = threading.Thread(target=self._run, name="footfall-studio", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
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
        future = self.submit(job)
        if not wait((future,), timeout).done:
            raise FootfallError(f"the walker's thread was busy for {timeout:g} s, as while it compiles; try again")
        return future.result()

    def play(self, playing: bool) -> None:
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
                self.wanted.wait(2.0 * FRAME)


AGAIN = 4.0
"""Seconds for which an error is not shown a second time: a drag meets the same one at every move of the mouse."""


@dataclass(eq=False)
class Task:
    """Slow work that everyone is told about while it lasts.

    Attributes:
        words: what is done.
        share: how much of it is done, 0 to 1; None where that is not known.
        began: when, seconds since the epoch.
        cancelled: whether somebody no longer wants it.
    """

    words: str
    share: float | None = None
    began: float = field(default_factory=time.time)
    cancelled: bool = False


class Background:
    """Messages, and work in other threads.

    Attributes:
        events: what happens here.
        loop: the thread that owns the simulation.
        message: what was reported last.
        tasks: the slow work under way.
    """

    events: Events
    loop: RealTimeLoop
    message: str
    tasks: tuple[Task, ...] = ()
    _failed: tuple[str, float] = ("", 0.0)

    def __init__(self) -> None:
        self._waiting: dict[str, Callable[[], Any]] = {}
        self._own = threading.local()
        self._waiting_lock = threading.Lock()

    def say(self, title: str, text: str = "", *, bad: bool = False) -> None:
        """Show a message to everyone who watches."""
        self.message = f"{title}: {text}" if text else title
        self.events.emit(Said(title, text, bad))

    def fail(self, error: Exception) -> None:
        """Show an error to everyone; one that is not a :class:`FootfallError` is logged too."""
        if not isinstance(error, FootfallError):
            logging.getLogger("footfall.studio").error("%s", error, exc_info=error)
        now = time.monotonic()
        if str(error) == self._failed[0] and now - self._failed[1] < AGAIN:
            return
        self._failed = (str(error), now)
        self.say("That did not work", str(error), bad=True)

    def act(self, job: Callable[[], Any]) -> Any:
        """Do something in the simulation's thread, in order; errors are shown to everyone."""
        return self.loop.submit(job)

    def act_newest(self, what: str, job: Callable[[], Any]) -> None:
        """As :meth:`act`; a job of the same name that still waits is left out, as when a slider is dragged faster than
        its values take effect."""
        with self._waiting_lock:
            waits = what in self._waiting
            self._waiting[what] = job
        if not waits:
            self.act(lambda: self._do_newest(what))

    def _do_newest(self, what: str) -> None:
        with self._waiting_lock:
            job = self._waiting.pop(what)
        job()

    def in_background(
        self,
        what: str,
        make: Callable[[], Any],
        enter: Callable[[Any], None],
        after: Callable[[], None] | None = None,
        words: str = "",
    ) -> None:
        """Do something slow in a thread of its own, then hand what it made to the simulation's thread.

        Args:
            what: names the thread.
            make: the work, which may tell how far it is (:meth:`go_on`).
            enter: called with what it made.
            after: called when it is made, or cannot be.
            words: shows everyone what is done; such work can be cancelled: what it makes is then dropped.
        """
        task = self.begin_task(words) if words else Task("")

        def run() -> None:
            self._own.task = task
            try:
                made = make()
            except Exception as error:
                if not task.cancelled:
                    self.fail(error)
                return
            finally:
                self.end_task(task)
                if after is not None:
                    after()
            if not task.cancelled:
                self.act(lambda: enter(made))

        threading.Thread(target=run, name=f"footfall-{what}", daemon=True).start()

    # -- slow work -------------------------------------------------------------------------------------------------

    def begin_task(self, words: str) -> Task:
        task = Task(words)
        self.tasks = (*self.tasks, task)
        self.events.emit(TasksChanged())
        return task

    def go_on(self, share: float) -> None:
        """Tell everyone how much of this thread's work is done, in whole hundredths; if cancelled, it ends here."""
        task: Task = self._own.task
        if task.cancelled:
            raise FootfallError(f"{task.words}: cancelled")
        if task.share is None or int(100 * share) != int(100 * task.share):
            task.share = share
            self.events.emit(TasksChanged())

    def end_task(self, task: Task) -> None:
        if task in self.tasks:
            self.tasks = tuple(t for t in self.tasks if t is not task)
            self.events.emit(TasksChanged())

    def cancel_tasks(self) -> None:
        """Nobody wants what is under way any more: its result is dropped."""
        for task in self.tasks:
            task.cancelled = True
        if self.tasks:
            self.tasks = ()
            self.events.emit(TasksChanged())
