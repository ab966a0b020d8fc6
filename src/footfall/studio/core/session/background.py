"""What a session reports to those who watch, and what it does in other threads."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from footfall.errors import FootfallError
from footfall.studio.core.session.events import Events, Said, TasksChanged
from footfall.studio.core.session.loop import Loop

AGAIN = 4.0
"""Seconds for which an error is not shown a second time: a drag meets the same one at every move of the mouse."""


@dataclass(eq=False)
class Task:
    """Slow work that everyone is told about while it lasts.

    Attributes:
        words: what is done. share: how much of it is done, 0 to 1; None where that is not known.
        began: when, seconds since the epoch. cancelled: whether somebody no longer wants it.
    """

    words: str
    share: float | None = None
    began: float = field(default_factory=time.time)
    cancelled: bool = False


class Background:
    """Messages, and work in other threads.

    Attributes:
        events: what happens here. loop: the thread that owns the simulation. message: what was reported last.
        tasks: the slow work under way.
    """

    events: Events
    loop: Loop
    message: str
    tasks: tuple[Task, ...] = ()
    _failed: tuple[str, float] = ("", 0.0)

    def __init__(self) -> None:
        self._waiting: dict[str, Callable[[], Any]] = {}
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
            what: names the thread. make: the work. enter: called with what it made.
            after: called when it is made, or cannot be.
            words: tells everyone what is done; such work can be cancelled: what it makes is then dropped.
        """
        task = self.begin_task(words) if words else Task("")

        def run() -> None:
            try:
                made = make()
            except Exception as error:
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
        """Tell everyone that something slow begins."""
        task = Task(words)
        self.tasks = (*self.tasks, task)
        self.events.emit(TasksChanged())
        return task

    def go_on(self, task: Task, share: float) -> None:
        """Tell everyone how much of it is done, in whole hundredths; work that was cancelled ends here."""
        if task.cancelled:
            raise FootfallError(f"{task.words}: cancelled")
        if task.share is None or int(100 * share) != int(100 * task.share):
            task.share = share
            self.events.emit(TasksChanged())

    def end_task(self, task: Task) -> None:
        """It is done, or failed."""
        if task in self.tasks:
            self.tasks = tuple(t for t in self.tasks if t is not task)
            self.events.emit(TasksChanged())

    def cancel_tasks(self) -> None:
        """Nobody wants what is under way any more: what comes of it is dropped."""
        for task in self.tasks:
            task.cancelled = True
        if self.tasks:
            self.tasks = ()
            self.events.emit(TasksChanged())
