"""The studio's own connection to its pages, beside viser's: the timeline, the notes over the viewport, the bar."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

__all__ = ["PATH", "Channel"]

PATH = "/footfall"
PAUSE = 0.08
"""Seconds between two messages to a page at least; what comes in between is sent together, newest of each kind."""
SEEN, PATIENCE = "seen", 2.0
"""What a page answers when it has shown a message, and the seconds after which it gets the next one without that. A
slow page gets fewer messages, never old ones."""


class Channel:
    """Sends the newest message of each kind to every page and hands on what pages ask for.

    Args:
        receive: called with what a page asks for (in the server's thread).
    """

    def __init__(self, receive: Callable[[dict[str, Any]], None]) -> None:
        self._receive = receive
        self._newest: dict[str, Any] = {}
        self._pages: dict[asyncio.Event, tuple[asyncio.AbstractEventLoop, set[str]]] = {}

    def send(self, kind: str, content: Any) -> None:
        """Send a message to every page, and to those that come later; one of the same content is not sent again."""
        if self._newest.get(kind) == content:
            return
        self._newest[kind] = content
        for event, (loop, waiting) in tuple(self._pages.items()):
            waiting.add(kind)
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(event.set)

    async def serve(self, connection: Any) -> None:
        """Talk to one page until it goes away."""
        from websockets.exceptions import ConnectionClosed

        event, loop, waiting, seen = asyncio.Event(), asyncio.get_running_loop(), set(self._newest), asyncio.Event()
        event.set()
        self._pages[event] = (loop, waiting)
        sender = asyncio.create_task(self._send(connection, event, waiting, seen))
        try:
            async for text in connection:
                with suppress(ValueError):
                    asked = json.loads(text)
                    if isinstance(asked, dict) and asked.get("do") == SEEN:
                        seen.set()
                    elif isinstance(asked, dict):
                        self._receive(asked)
        except ConnectionClosed:
            pass
        finally:
            del self._pages[event]
            sender.cancel()

    async def _send(self, connection: Any, event: asyncio.Event, waiting: set[str], seen: asyncio.Event) -> None:
        from websockets.exceptions import ConnectionClosed

        with suppress(ConnectionClosed):
            while True:
                await event.wait()
                event.clear()
                kinds = sorted(waiting)
                waiting.clear()
                seen.clear()
                await connection.send(json.dumps({kind: self._newest[kind] for kind in kinds}))
                await asyncio.sleep(PAUSE)
                with suppress(TimeoutError):
                    await asyncio.wait_for(seen.wait(), PATIENCE)
