"""How far browsers lag behind, so that a slow one gets fewer frames instead of late ones."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

__all__ = ["Pulse"]

EVERY = 0.5
QUICK, SLOW = 0.12, 0.3
LONGEST = 0.5
FRAME = 1.0 / 60.0


class Pulse:
    """Asks every browser for an answer now and then, which it gives when it has drawn all that was sent before.

    Args:
        server: viser's. playing: whether time passes; nothing is asked while it does not.

    Attributes:
        interval: seconds that should lie between two frames for the slowest browser to keep up.
        lag: seconds that the slowest browser took to answer.
    """

    def __init__(self, server: Any, playing: Callable[[], bool]) -> None:
        self._server, self._playing = server, playing
        self.interval, self.lag = 0.0, 0.0
        self._end = threading.Event()
        threading.Thread(target=self._run, name="footfall-pulse", daemon=True).start()

    def stop(self) -> None:
        """Ask no more."""
        self._end.set()

    def _run(self) -> None:
        while not self._end.wait(EVERY):
            if self._playing():
                self.heard(max((self._ask(c) for c in self._server.get_clients().values()), default=0.0))

    def _ask(self, client: Any) -> float:
        began = time.perf_counter()
        with suppress(RuntimeError, TimeoutError, OSError):
            client.local_storage.get_item("footfall", timeout=5.0)
        return time.perf_counter() - began

    def heard(self, lag: float) -> None:
        """The slowest browser answered after ``lag`` seconds."""
        self.lag = lag
        if lag > SLOW:
            self.interval = min(LONGEST, max(2.0 * self.interval, 2.0 * FRAME))
        elif lag < QUICK:
            self.interval = 0.0 if self.interval <= 2.0 * FRAME else 0.7 * self.interval
