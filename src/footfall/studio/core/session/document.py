"""An edited controller: what it is now, what was saved, and the way back and forth between its versions."""

import time
from collections.abc import Callable

from footfall.control.kind import Controller

MOST_VERSIONS = 200
SAME_EDIT_SECONDS = 1.5


class Document:
    """A controller under edit. Controllers are values, so a version is a controller.

    Attributes:
        controller: the present version. saved: the version that was loaded or saved last.
    """

    def __init__(self, controller: Controller, clock: Callable[[], float] = time.monotonic) -> None:
        self.controller = self.saved = controller
        self._clock = clock
        self._past: list[Controller] = []
        self._future: list[Controller] = []
        self._last: tuple[str, float] = ("", -1e9)

    @property
    def name(self) -> str:
        """The controller's name."""
        return self.controller.name

    @property
    def changed(self) -> bool:
        """Whether it differs from what was saved."""
        return self.controller != self.saved

    @property
    def can_undo(self) -> bool:
        """Whether there is an older version."""
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone version."""
        return bool(self._future)

    def edit(self, controller: Controller, what: str = "", within: float = SAME_EDIT_SECONDS) -> bool:
        """A new version; whether it differs. Edits of the same ``what`` that follow each other ``within`` seconds (a
        slider that is dragged) make one version."""
        if controller == self.controller:
            return False
        now = self._clock()
        same, at = self._last
        if not (what and what == same and now - at < within and self._past):
            self._past = [*self._past, self.controller][-MOST_VERSIONS:]
        self._future.clear()
        self._last = (what, now)
        self.controller = controller
        return True

    def undo(self) -> bool:
        """Back to the version before; whether there was one."""
        return self._travel(self._past, self._future)

    def redo(self) -> bool:
        """Forward to the version that was undone; whether there was one."""
        return self._travel(self._future, self._past)

    def _travel(self, there: list[Controller], back: list[Controller]) -> bool:
        if not there:
            return False
        back.append(self.controller)
        self.controller = there.pop()
        self._last = ("", -1e9)
        return True

    def mark_saved(self) -> None:
        """The present version is the saved one."""
        self.saved = self.controller
