"""What a session reports to those who watch, and what it does in other threads."""

import logging
import threading
from collections.abc import Callable
from typing import Any

from footfall.errors import FootfallError
from footfall.studio.core.session.events import Events, Said
from footfall.studio.core.session.loop import Loop

__all__ = ["Background"]


class Background:
    """Messages, and work in other threads.

    Attributes:
        events: what happens here. loop: the thread that owns the simulation. message: what was reported last.
    """

    events: Events
    loop: Loop
    message: str

    def say(self, title: str, text: str = "", *, bad: bool = False) -> None:
        """Show a message to everyone who watches."""
        self.message = f"{title}: {text}" if text else title
        self.events.emit(Said(title, text, bad))

    def fail(self, error: Exception) -> None:
        """Show an error to everyone; one that is not a :class:`FootfallError` is logged too."""
        if not isinstance(error, FootfallError):
            logging.getLogger("footfall.studio").error("%s", error, exc_info=error)
        self.say("That did not work", str(error), bad=True)

    def act(self, job: Callable[[], Any]) -> Any:
        """Do something in the simulation's thread, in order; errors are shown to everyone."""
        return self.loop.submit(job)

    def in_background(
        self, what: str, make: Callable[[], Any], enter: Callable[[Any], None], after: Callable[[], None] | None = None
    ) -> None:
        """Do something slow in a thread of its own, then hand what it made to the simulation's thread; ``after`` is
        called when it is made, or cannot be."""

        def run() -> None:
            try:
                made = make()
            except Exception as error:
                self.fail(error)
                return
            finally:
                if after is not None:
                    after()
            self.act(lambda: enter(made))

        threading.Thread(target=run, name=f"footfall-{what}", daemon=True).start()
