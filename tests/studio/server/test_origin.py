"""Other people's pages cannot drive a studio."""

import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from footfall.studio.server import SOCKET, Server, refusal
from footfall.studio.shared import Shared


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server(Shared("run", "1"), "127.0.0.1", 0, lambda *_: None, lambda _: None)
    server.start()
    yield server
    server.stop()


def talk(server: Server, origin: str | None, **headers: str) -> bool:
    """Whether a WebSocket client with an origin is told something."""
    address = f"ws://127.0.0.1:{server.port}{SOCKET}"
    try:
        with connect(address, origin=origin, additional_headers=headers) as socket:  # type: ignore[arg-type]
            return len(socket.recv(timeout=10)) > 0
    except InvalidStatus as error:
        return error.response.status_code != 403


def test_foreign_pages_are_refused_and_its_own_is_not(server: Server) -> None:
    own = f"http://127.0.0.1:{server.port}"
    assert talk(server, own)
    assert talk(server, None)
    for origin in ("http://evil.example", "https://127.0.0.1.evil.example", "http://127.0.0.1:1", "null", "file://"):
        assert not talk(server, origin)
    assert talk(server, own)


def test_a_proxy_may_say_what_was_asked(server: Server) -> None:
    headers = {"X-Forwarded-Host": "studio.example"}
    assert talk(server, "https://studio.example", **headers)
    assert not talk(server, "https://evil.example", **headers)


def test_the_page_is_served_under_this_machines_names_alone(server: Server) -> None:
    address = f"http://127.0.0.1:{server.port}/"
    with urllib.request.urlopen(address, timeout=10) as answer:
        assert answer.status == 200
    rebound = urllib.request.Request(address, headers={"Host": f"evil.example:{server.port}"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(rebound, timeout=10)


@pytest.mark.parametrize(
    ("host", "headers", "answered"),
    [
        ("127.0.0.1", {"Host": "localhost:8080", "Origin": "http://localhost:8080"}, True),
        ("::1", {"Host": "[::1]:8080", "Origin": "http://[::1]:8080"}, True),
        ("127.0.0.1", {"Host": "LocalHost:8080", "Origin": "http://localhost:8080"}, True),
        ("127.0.0.1", {"Host": "localhost:8080", "Origin": "http://localhost:9090"}, False),
        ("127.0.0.1", {"Host": "evil.example:8080", "Origin": "http://evil.example:8080"}, False),
        ("127.0.0.1", {"Host": "[bad", "Origin": "http://[bad"}, False),
        ("127.0.0.1", {}, False),
        ("0.0.0.0", {"Host": "desk.local:8080", "Origin": "http://desk.local:8080"}, True),
        ("0.0.0.0", {"Host": "desk.local:8080", "Origin": "http://evil.example"}, False),
        ("0.0.0.0", {"Host": "desk.local:8080", "Origin": "http://[bad"}, False),
    ],
)
def test_who_is_answered(host: str, headers: dict[str, str], answered: bool) -> None:
    assert (refusal(headers, host) == "") is answered
