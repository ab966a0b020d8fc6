"""Frames for each browser at the pace that it can take, so that a slow tab slows no other one down.

viser keeps one buffer of messages for all clients, in which a newer place of a body replaces an older one that was not
sent yet, and reads it once for each client. The pace of a client is how often its buffer is read: a slow one gets fewer
frames, each of them the newest, and nothing queues up. A client that owes an answer gets nothing until it gives it.
"""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import suppress
from typing import Any

__all__ = ["Pacing"]

EVERY = 0.15
QUICK, SLOW, OWING, FROZEN = 0.12, 0.3, 0.35, 2.0
"""Seconds in which a client answers that is quick or slow, after which it gets nothing until it answers, and after
which it counts as frozen."""
LONGEST = 0.5
FRAME = 1.0 / 60.0
FULL_WINDOW = 128
"""Messages in one reading of viser's buffer at most; more wait for the next one, without a pause."""


class Pace:
    """The pace of one client.

    Attributes:
        interval: seconds between two frames. lag: seconds that it took to answer last. asked: when it was asked for an
            answer that has not come yet; None while none is awaited. windows: how many windows of messages it was sent.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.interval, self.lag, self.windows = 0.0, 0.0, 0
        self.asked: float | None = None

    def ask(self) -> None:
        """An answer is awaited from now on."""
        self.asked = self._clock()

    def heard(self) -> None:
        """The answer came."""
        if self.asked is None:
            return
        self.lag, self.asked = self._clock() - self.asked, None
        if self.lag > SLOW:
            self.interval = min(LONGEST, max(2.0 * self.interval, 2.0 * FRAME))
        elif self.lag < QUICK:
            self.interval = 0.0 if self.interval <= 2.0 * FRAME else 0.7 * self.interval

    @property
    def frozen(self) -> bool:
        """Whether it has not answered for so long that nothing is drawn for it."""
        return self._waited > FROZEN

    @property
    def owing(self) -> bool:
        """Whether it has not answered for so long that it gets nothing."""
        return self._waited > OWING

    @property
    def _waited(self) -> float:
        """Seconds since it was asked for an answer that has not come yet."""
        asked = self.asked
        return 0.0 if asked is None else self._clock() - asked


class Bell(asyncio.Event):
    """The sign that there is news, which viser raises from any thread, where only the loop's may wake who waits.

    Off the loop the sign is only raised; viser asks the loop right afterwards to ring as well.
    """

    def set(self) -> None:
        """Raise the sign, and on the loop wake whoever waits for it."""
        self._value = True
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            for waiting in tuple(self._waiters):
                if not waiting.done():
                    waiting.set_result(True)


class Pacing:
    """Paces the clients of a viser server.

    Args:
        server: viser's. playing: whether time passes; nothing is asked while it does not.

    Attributes:
        paces: the clients' paces, by their ids.
    """

    def __init__(self, server: Any, playing: Callable[[], bool]) -> None:
        self._server, self._playing = server, playing
        self.paces: dict[int, Pace] = {}
        self._end = threading.Event()
        buffer = server._websock_server._broadcast_buffer
        buffer.message_event = Bell()
        plain = buffer.window_generator

        def paced(client_id: int, **options: Any) -> AsyncGenerator[Sequence[Any], None]:
            return self._paced(client_id, plain(client_id, **options))

        buffer.window_generator = paced
        server.on_client_disconnect(lambda client: self.paces.pop(client.client_id, None))
        threading.Thread(target=self._run, name="footfall-pacing", daemon=True).start()

    def stop(self) -> None:
        """Ask no more."""
        self._end.set()

    @property
    def quickest(self) -> float:
        """Seconds between two frames for the quickest client; 0 where there is none."""
        return min((p.interval for p in tuple(self.paces.values()) if not p.frozen), default=0.0)

    async def _paced(
        self, client_id: int, windows: AsyncGenerator[Sequence[Any], None]
    ) -> AsyncGenerator[Sequence[Any], None]:
        pace = self.paces.setdefault(client_id, Pace())
        try:
            async for window in windows:
                yield window
                pace.windows += 1
                if len(window) < FULL_WINDOW:
                    await asyncio.sleep(pace.interval)
                while pace.owing:
                    await asyncio.sleep(0.02)
        finally:
            await windows.aclose()

    def _run(self) -> None:
        while not self._end.wait(EVERY):
            if not self._playing():
                continue
            for client_id, client in tuple(self._server.get_clients().items()):
                pace = self.paces.get(client_id)
                if pace is not None and pace.asked is None:
                    pace.ask()
                    threading.Thread(target=self._ask, args=(client, pace), daemon=True).start()

    def _ask(self, client: Any, pace: Pace) -> None:
        """Wait until a browser has worked through all that was sent to it before."""
        if self._end.is_set() or client.client_id not in self._server.get_clients():
            return
        with suppress(RuntimeError, TimeoutError, OSError):
            client.local_storage.get_item("footfall", timeout=600.0)
        pace.heard()
