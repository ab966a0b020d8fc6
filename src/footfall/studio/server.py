"""An asyncio server in a thread of its own: HTTP for the page and for downloads, a WebSocket for each page."""

import asyncio
import errno
import itertools
import logging
import queue
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlsplit

from footfall.errors import FootfallError
from footfall.pictures.web_page import viewport_data, viewport_page
from footfall.studio.messages import (
    Ack,
    Answered,
    Ask,
    Asked,
    Download,
    Open,
    Toast,
    UploadBegins,
    UploadGo,
    read_asked,
)
from footfall.studio.page import SCRIPTS
from footfall.studio.shared import Shared

UNANSWERED = 2
"""Turns that a page may have been sent and not yet shown."""
MOST_KEPT = 8
"""Downloads that wait to be fetched; older ones are dropped."""


@dataclass(frozen=True)
class Uploaded:
    """A file has come for the upload button ``id``."""

    id: str
    name: str
    content: bytes


class Client:
    """A page.

    Args:
        number: of the page.
        connection: its WebSocket.
        shared: what all pages see.
        downloads: files that wait, name and content, each under an address that works once.
        receive: called in the server's thread with what the page asks for.
    """

    def __init__(
        self,
        number: int,
        connection: Any,
        shared: Shared,
        downloads: dict[str, tuple[str, bytes]],
        receive: Callable[["Client", Asked | Uploaded], None],
    ) -> None:
        self.number, self._connection, self._shared = number, connection, shared
        self._downloads, self._receive = downloads, receive
        self._loop = asyncio.get_running_loop()
        self._news, self._acked = asyncio.Event(), asyncio.Event()
        self._sent = self._seen = 0
        self._uploads: dict[int, tuple[UploadBegins, bytearray]] = {}
        self._asked: dict[str, Callable[[int], None]] = {}
        self._questions = itertools.count(1)

    # -- for panels, from any thread -------------------------------------------------------------------------------

    def download(self, name: str, content: bytes) -> None:
        address = f"/download/{secrets.token_urlsafe(16)}"
        self._downloads[address] = (name, content)
        while len(self._downloads) > MOST_KEPT:
            del self._downloads[next(iter(self._downloads))]
        self._shared.tell(Download(address, name), self.number)

    def toast(self, title: str, text: str, tone: str = "good", seconds: float = 4.0) -> None:
        self._shared.tell(Toast(title, text, tone, seconds), self.number)

    def ask(self, title: str, text: str, buttons: Sequence[str], act: Callable[[int], None]) -> None:
        """Ask this page; ``act`` is called with the number of the button that was pressed."""
        name = f"q{next(self._questions)}"
        self._asked[name] = act
        self._shared.tell(Ask(name, title, text, list(buttons)), self.number)

    def answer(self, answer: Answered) -> None:
        act = self._asked.pop(answer.id, None)
        if act is not None:
            act(answer.button)

    # -- in the server's thread ------------------------------------------------------------------------------------

    async def talk(self) -> None:
        """Send and receive until the page goes away."""
        from websockets.exceptions import ConnectionClosed

        self._shared.join(self.number, self._ring)
        sender = asyncio.create_task(self._send())
        try:
            async for message in self._connection:
                if isinstance(message, bytes):
                    self._take_part(message)
                else:
                    self._take(read_asked(message))
        except ConnectionClosed:
            pass
        except FootfallError as error:
            await self._connection.close(1008, str(error)[:100])
        finally:
            sender.cancel()
            self._shared.leave(self.number)

    def _ring(self) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._news.set)

    async def _send(self) -> None:
        from websockets.exceptions import ConnectionClosed

        with suppress(ConnectionClosed):
            while True:
                await self._news.wait()
                while self._count():
                    self._acked.clear()
                    await self._acked.wait()
                self._news.clear()
                text, frame = self._shared.take(self.number, self._sent + 1)
                if not text and not frame:
                    continue
                self._sent += 1
                self._count()
                if text:
                    await self._connection.send(text)
                if frame:
                    await self._connection.send(frame)

    def _count(self) -> bool:
        """Whether the page has as many turns as it may have."""
        full = self._sent - self._seen >= UNANSWERED
        self._shared.fill(self.number, full)
        return full

    def _take(self, asked: Asked) -> None:
        if isinstance(asked, Ack):
            self._seen = max(self._seen, min(asked.n, self._sent))
            self._count()
            self._acked.set()
        elif isinstance(asked, Open):
            self._shared.opened(self.number, asked.panels)
            self._receive(self, asked)
        elif isinstance(asked, UploadBegins):
            self._begin(asked)
        else:
            self._receive(self, asked)

    def _begin(self, asked: UploadBegins) -> None:
        item = self._shared.item(asked.id)
        if item is None or item.kind != "upload":
            raise FootfallError(f"'{asked.id[:20]}' takes no files")
        most, name = int(item.props["most"]), asked.name[-200:][:60]
        go = 0 < asked.size <= most and not self._uploads
        if go:
            self._uploads[asked.upload] = asked, bytearray()
        elif self._uploads:
            self.toast("One file at a time", f"'{name}': wait until the previous file is loaded", "bad", 8.0)
        else:
            size = f"{asked.size / 1e6:.1f} MB are too much here (at most {most / 1e6:.0f} MB)"
            self.toast("That did not work", f"'{name}': {size if asked.size else 'it is empty'}", "bad", 8.0)
        self._shared.tell(UploadGo(asked.upload, go), self.number)

    def _take_part(self, message: bytes) -> None:
        """A piece of a file: the number of its upload, then its bytes."""
        number = int.from_bytes(message[:4], "little")
        begun, content = self._uploads.get(number, (None, bytearray()))
        if begun is None or len(message) <= 4 or len(content) + len(message) - 4 > begun.size:
            raise FootfallError("a piece of a file came that was not announced")
        content += message[4:]
        if len(content) == begun.size:
            del self._uploads[number]
            self._receive(self, Uploaded(begun.id, begun.name[-200:], bytes(content)))


LOOPBACK = ("localhost", "127.0.0.1", "::1")


def refusal(headers: Mapping[str, str], host: str) -> str:
    """Why a request is refused; empty for one that is answered.

    A page's origin must be where it asks: the header Host, or what a proxy says was asked (X-Forwarded-Host). A studio
    on this machine's own address answers to this machine's own names alone, so that no other name can be pointed at it.
    Programs that send no Origin are no pages.

    Args:
        headers: of the request.
        host: what the studio listens on.
    """
    asked, origin = headers.get("Host", ""), headers.get("Origin")
    try:
        if host in LOOPBACK and (urlsplit(f"//{asked}").hostname or "").lower() not in LOOPBACK:
            return f"this studio's address is not '{asked[:80]}'"
        came = None if origin is None else urlsplit(origin).netloc.lower()
    except ValueError:
        return "this is not an address"
    if came is None or came in (asked.lower(), headers.get("X-Forwarded-Host", asked).lower()):
        return ""
    return f"a page of '{str(origin)[:80]}' may not use this studio"


@cache
def page_text() -> str:
    return viewport_page(
        files("footfall.studio.page"), "studio", SCRIPTS, title="footfall studio", data=viewport_data(), connects=True
    )


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
        self._downloads: dict[str, tuple[str, bytes]] = {}
        self._numbers = itertools.count(1)
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
        if path in self._downloads:
            name, content = self._downloads.pop(path)
            response = _response(connection, content, "application/octet-stream")
            response.headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(name)}"
            return response
        return connection.respond(HTTPStatus.NOT_FOUND, "there is nothing here\n")


def _response(connection: Any, content: bytes, kind: str) -> Any:
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
