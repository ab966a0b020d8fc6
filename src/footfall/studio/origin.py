"""Whose page may talk to a studio: its own alone.

A browser lets any page open a WebSocket to any address, this machine's included, and tells the server where the page
came from in the header Origin. viser serves whoever asks, and takes no hook to look at it; the studio therefore puts
one into the server that viser starts, where websockets means it to stand (``process_request``).
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from footfall.errors import FootfallError

__all__ = ["guarding", "refusal"]

LOOPBACK = ("localhost", "127.0.0.1", "::1")

_starting = threading.Lock()


def refusal(headers: Mapping[str, str], host: str) -> str:
    """Why a request is refused; empty for one that is answered.

    A page's origin must be where it asks: the header Host, or what a proxy says was asked (X-Forwarded-Host). A studio
    on this machine's own address answers to this machine's own names alone, so that no other name can be pointed at it.
    Programs that send no Origin are no pages.

    Args:
        headers: of the request. host: what the studio listens on.
    """
    asked, origin = headers.get("Host", ""), headers.get("Origin")
    try:
        if host in LOOPBACK and (urlsplit(f"//{asked}").hostname or "").lower() not in LOOPBACK:
            return f"this studio is not called '{asked[:80]}'"
        came = None if origin is None else urlsplit(origin).netloc.lower()
    except ValueError:
        return "this is no address"
    if came is None or came in (asked.lower(), headers.get("X-Forwarded-Host", asked).lower()):
        return ""
    return f"a page of '{str(origin)[:80]}' may not use this studio"


@contextmanager
def guarding(host: str) -> Iterator[None]:
    """While this lasts, a viser server that starts (on ``host``) refuses foreign pages for good."""
    module: Any = import_module("websockets.asyncio.server")
    plain = module.serve
    guarded = False

    def serve(*arguments: Any, process_request: Callable[..., Any] | None = None, **options: Any) -> Any:
        nonlocal guarded
        guarded = True

        def checked(connection: Any, request: Any) -> Any:
            if reason := refusal(request.headers, host):
                return connection.respond(HTTPStatus.FORBIDDEN, f"{reason}\n")
            return None if process_request is None else process_request(connection, request)

        return plain(*arguments, process_request=checked, **options)

    with _starting:
        module.serve = serve
        try:
            yield
        finally:
            module.serve = plain
    if not guarded:
        raise FootfallError("this version of viser cannot be kept from foreign pages; install viser 1.1")
