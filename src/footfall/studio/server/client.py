"""One page that is connected: what is sent to it, at its own pace, and what it sends."""

import asyncio
import itertools
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from footfall.errors import FootfallError
from footfall.studio.wire.asked import Ack, Answer, Asked, Open, UploadBegins, read_asked
from footfall.studio.wire.shared import Shared
from footfall.studio.wire.told import Ask, Download, Toast, UploadGo

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


class Downloads:
    """Files that wait for the page that asked for them, each under an address that works once."""

    def __init__(self) -> None:
        self._waiting: dict[str, tuple[str, bytes]] = {}

    def offer(self, name: str, content: bytes) -> str:
        """The address of a file."""
        token = secrets.token_urlsafe(16)
        self._waiting[token] = (name, content)
        while len(self._waiting) > MOST_KEPT:
            del self._waiting[next(iter(self._waiting))]
        return f"/download/{token}"

    def fetch(self, path: str) -> tuple[str, bytes] | None:
        """The file at an address: its name and content; None where there is none, or no longer."""
        return self._waiting.pop(path.removeprefix("/download/"), None)


@dataclass
class _Upload:
    """A file that is coming."""

    id: str
    name: str
    size: int
    content: bytearray = field(default_factory=bytearray)


class Client:
    """A page.

    Args:
        number: of the page. connection: its WebSocket. shared: what all pages see.
        downloads: where files wait. receive: called in the server's thread with what the page asks for.
    """

    def __init__(
        self,
        number: int,
        connection: Any,
        shared: Shared,
        downloads: Downloads,
        receive: Callable[["Client", Asked | Uploaded], None],
    ) -> None:
        self.number, self._connection, self._shared = number, connection, shared
        self._downloads, self._receive = downloads, receive
        self._loop = asyncio.get_running_loop()
        self._news, self._acked = asyncio.Event(), asyncio.Event()
        self._sent = self._seen = 0
        self._uploads: dict[int, _Upload] = {}
        self._asked: dict[str, Callable[[int], None]] = {}
        self._questions = itertools.count(1)

    # -- for panels, from any thread -------------------------------------------------------------------------------

    def download(self, name: str, content: bytes) -> None:
        """Let this page save a file."""
        self._shared.tell(Download(self._downloads.offer(name, content), name), self.number)

    def toast(self, title: str, text: str, tone: str = "good", seconds: float = 4.0) -> None:
        """Show this page a message."""
        self._shared.tell(Toast(title, text, tone, seconds), self.number)

    def ask(self, title: str, text: str, buttons: Sequence[str], act: Callable[[int], None]) -> None:
        """Ask this page; ``act`` is called with the number of the button that was pressed."""
        name = f"q{next(self._questions)}"
        self._asked[name] = act
        self._shared.tell(Ask(name, title, text, list(buttons)), self.number)

    def answer(self, answer: Answer) -> None:
        """The page answered a question."""
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
                while self._sent - self._seen >= UNANSWERED:
                    self._acked.clear()
                    await self._acked.wait()
                self._news.clear()
                text, frame = self._shared.take(self.number, self._sent + 1)
                if not text and not frame:
                    continue
                self._sent += 1
                if text:
                    await self._connection.send(text)
                if frame:
                    await self._connection.send(frame)

    def _take(self, asked: Asked) -> None:
        if isinstance(asked, Ack):
            self._seen = max(self._seen, min(asked.n, self._sent))
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
        most, name = int(item.props["most"]), asked.name[-200:]
        go = 0 < asked.size <= most and not self._uploads
        if go:
            self._uploads[asked.upload] = _Upload(asked.id, name, asked.size)
        elif self._uploads:
            self.toast("One file at a time", f"'{name[:60]}' can be loaded when the one before is there", "bad", 8.0)
        else:
            size = f"{asked.size / 1e6:.1f} MB are too much here (at most {most / 1e6:.0f} MB)"
            self.toast("That did not work", f"'{name[:60]}': {size if asked.size else 'it is empty'}", "bad", 8.0)
        self._shared.tell(UploadGo(asked.upload, go), self.number)

    def _take_part(self, message: bytes) -> None:
        """A piece of a file: the number of its upload, then its bytes."""
        number = int.from_bytes(message[:4], "little")
        upload = self._uploads.get(number)
        if upload is None or len(message) <= 4 or len(upload.content) + len(message) - 4 > upload.size:
            raise FootfallError("a piece of a file came that was not announced")
        upload.content += message[4:]
        if len(upload.content) == upload.size:
            del self._uploads[number]
            self._receive(self, Uploaded(upload.id, upload.name, bytes(upload.content)))
