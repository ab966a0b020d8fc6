"""viser's server with the studio's own parts in it.

viser serves whoever asks and takes no hooks. The studio therefore wraps the WebSocket server that viser starts, where
websockets means hooks to stand: requests of foreign pages are refused, footfall's script and style are put into the
page, and one address is the studio's own :class:`Channel`.
"""

import gzip
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from importlib import import_module
from importlib.resources import files
from typing import Any

from footfall.errors import FootfallError
from footfall.studio.page.channel import PATH, Channel
from footfall.studio.page.origin import refusal

__all__ = ["page_with", "serving"]

_starting = threading.Lock()


@contextmanager
def serving(host: str, channel: Channel | None = None) -> Iterator[None]:
    """While this lasts, a viser server that starts (on ``host``) becomes a studio's for good; without a channel it only
    refuses foreign pages."""
    module: Any = import_module("websockets.asyncio.server")
    plain = module.serve
    started = False

    def serve(
        handler: Callable[..., Any],
        *arguments: Any,
        process_request: Callable[..., Any] | None = None,
        **options: Any,
    ) -> Any:
        nonlocal started
        started = True
        added = "" if channel is None else _added()

        def checked(connection: Any, request: Any) -> Any:
            if reason := refusal(request.headers, host):
                return connection.respond(HTTPStatus.FORBIDDEN, f"{reason}\n")
            response = None if process_request is None else process_request(connection, request)
            if added and response is not None and request.path.partition("?")[0] in ("/", "/index.html"):
                _put_into(response, added)
            return response

        async def handled(connection: Any) -> None:
            if channel is not None and connection.request.path.partition("?")[0] == PATH:
                await channel.serve(connection)
            else:
                await handler(connection)

        return plain(handled, *arguments, process_request=checked, **options)

    with _starting:
        module.serve = serve
        try:
            yield
        finally:
            module.serve = plain
    if not started:
        raise FootfallError("this version of viser cannot serve a studio; install viser 1.1")


def _added() -> str:
    """What the studio adds to the page's head."""
    folder = files("footfall.studio.page")
    style, script = ((folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return f"<style>{style}</style><script>{script}</script>"


def page_with(page: bytes, added: str) -> bytes:
    """A page with something added to the beginning of its head."""
    head, found, rest = page.partition(b"<head>")
    if not found:
        raise FootfallError("this version of viser has another page; install viser 1.1")
    return head + found + added.encode() + rest.replace(b"<title>Viser</title>", b"<title>footfall studio</title>", 1)


def _put_into(response: Any, added: str) -> None:
    """Add to the page that a response carries."""
    zipped = response.headers.get("Content-Encoding") == "gzip"
    page = page_with(gzip.decompress(response.body) if zipped else response.body, added)
    response.body = gzip.compress(page, 1) if zipped else page
    for name, value in (("Content-Length", str(len(response.body))), ("Cache-Control", "no-store")):
        if name in response.headers:
            del response.headers[name]
        response.headers[name] = value
