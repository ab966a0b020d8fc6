"""Which pages may talk to a studio: its own alone.

A browser lets any page open a WebSocket to any address, this machine's included, and tells the server where the page
came from in the header Origin.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")


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
        return "this is not an address"
    if came is None or came in (asked.lower(), headers.get("X-Forwarded-Host", asked).lower()):
        return ""
    return f"a page of '{str(origin)[:80]}' may not use this studio"
