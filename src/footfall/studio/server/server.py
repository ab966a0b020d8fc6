"""An asyncio server in a thread of its own: HTTP for the page and for downloads, a WebSocket for each page."""

import asyncio
import errno
import itertools
import logging
import queue
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from footfall.errors import FootfallError
from footfall.studio.server.client import Client, Downloads, Uploaded
from footfall.studio.server.origin import refusal
from footfall.studio.server.page import page_text
from footfall.studio.wire.asked import Asked
from footfall.studio.wire.shared import Shared

SOCKET = "/socket"
LARGEST_MESSAGE = 512 * 1024
PORTS = 100
"""How many ports are tried, beginning with the one that is asked for."""


class Server:
    """Serves a studio's page.

    Args:
        shared: what all pages see.
        host, port: where it listens; the next free port where that one is taken.
        receive: called with a page and what it asks for, in order, in a thread that may wait.
        left: called with a page that went away, in the same thread.
        published: other pages that it serves, by their paths.

    Attributes:
        port: where it listens.
    """

    def __init__(
        self,
        shared: Shared,
        host: str,
        port: int,
        receive: Callable[[Client, Asked | Uploaded], None],
        left: Callable[[Client], None],
        published: Mapping[str, bytes] | None = None,
    ) -> None:
        self._shared, self.host, self.port = shared, host, port
        self._acts: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._receive, self._left, self._published = receive, left, {} if published is None else published
        self._downloads, self._numbers = Downloads(), itertools.count(1)
        self._started = threading.Event()
        self._failed: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="footfall-server", daemon=True)
        self._actor = threading.Thread(target=self._act, name="footfall-page", daemon=True)

    def start(self) -> None:
        """Listen.

        Raises:
            FootfallError: where it cannot.
        """
        self._thread.start()
        self._started.wait()
        if self._failed is not None:
            raise FootfallError(f"the studio cannot listen on {self.host}, port {self.port}: {self._failed}")
        self._actor.start()

    def stop(self) -> None:
        """End all connections, and listen no more."""
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(timeout=5.0)
        self._acts.put(None)

    def _act(self) -> None:
        """Do what pages ask for, one after the other."""
        while (act := self._acts.get()) is not None:
            try:
                act()
            except Exception as error:
                logging.getLogger("footfall.studio").error("%s", error, exc_info=error)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        try:
            listening = await self._listen()
        except (OSError, ImportError) as error:
            self._failed = error
            self._started.set()
            return
        self.port = listening.sockets[0].getsockname()[1]
        self._started.set()
        await self._end.wait()
        listening.close()
        await listening.wait_closed()

    async def _listen(self) -> Any:
        from websockets.asyncio.server import serve

        logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
        for port in range(self.port, self.port + (PORTS if self.port else 1)):
            try:
                return await serve(
                    self._talk,
                    self.host,
                    port,
                    process_request=self._answer,
                    max_size=LARGEST_MESSAGE,
                    compression=None,
                    close_timeout=1.0,
                )
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise
        raise OSError(f"ports {self.port} to {self.port + PORTS - 1} are in use")

    async def _talk(self, connection: Any) -> None:
        def receive(client: Client, asked: Asked | Uploaded) -> None:
            self._acts.put(lambda: self._receive(client, asked))

        client = Client(next(self._numbers), connection, self._shared, self._downloads, receive)
        try:
            await client.talk()
        finally:
            self._acts.put(lambda: self._left(client))

    def _answer(self, connection: Any, request: Any) -> Any:
        """What an HTTP request gets; None lets a page open its WebSocket."""
        path = request.path.partition("?")[0]
        if reason := refusal(request.headers, self.host):
            return connection.respond(HTTPStatus.FORBIDDEN, f"{reason}\n")
        if path == SOCKET:
            return None
        if path in ("/", "/index.html"):
            return _response(connection, page_text().encode(), "text/html; charset=utf-8")
        if path in self._published:
            return _response(connection, self._published[path], "text/html; charset=utf-8")
        if path == "/favicon.ico":
            return connection.respond(HTTPStatus.NO_CONTENT, "")
        if path.startswith("/download/") and (found := self._downloads.fetch(path)) is not None:
            name, content = found
            response = _response(connection, content, "application/octet-stream")
            response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
            return response
        return connection.respond(HTTPStatus.NOT_FOUND, "there is nothing here\n")


def _response(connection: Any, content: bytes, kind: str) -> Any:
    """An answer with content."""
    response = connection.respond(HTTPStatus.OK, "")
    response.body = content
    for name, value in (
        ("Content-Type", kind),
        ("Content-Length", str(len(content))),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "SAMEORIGIN"),
    ):
        if name in response.headers:
            del response.headers[name]
        response.headers[name] = value
    return response
