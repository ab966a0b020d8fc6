"""Other people's pages cannot drive a studio."""

import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
import viser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from footfall.studio.page.channel import Channel
from footfall.studio.page.origin import refusal
from footfall.studio.page.serving import serving


@pytest.fixture(scope="module")
def server() -> Iterator[viser.ViserServer]:
    with serving("127.0.0.1", Channel(lambda asked: None)):
        server = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield server
    server.stop()


def talk(server: viser.ViserServer, origin: str | None, **headers: str) -> bool:
    """Whether a WebSocket client with an origin gets the scene."""
    protocol = Subprotocol(f"viser-v{viser.__version__}")
    address = f"ws://127.0.0.1:{server.get_port()}"
    try:
        with connect(address, origin=origin, subprotocols=[protocol], additional_headers=headers) as socket:  # type: ignore[arg-type]
            return len(socket.recv(timeout=10)) > 0
    except InvalidStatus as error:
        return error.response.status_code != 403


def test_foreign_pages_are_refused_and_its_own_is_not(server: viser.ViserServer) -> None:
    own = f"http://127.0.0.1:{server.get_port()}"
    assert talk(server, own)
    assert talk(server, None)
    for origin in ("http://evil.example", "https://127.0.0.1.evil.example", "http://127.0.0.1:1", "null", "file://"):
        assert not talk(server, origin)
    assert talk(server, own)


def test_a_proxy_may_say_what_was_asked(server: viser.ViserServer) -> None:
    headers = {"X-Forwarded-Host": "studio.example"}
    assert talk(server, "https://studio.example", **headers)
    assert not talk(server, "https://evil.example", **headers)


def test_the_page_is_served_under_this_machines_names_alone(server: viser.ViserServer) -> None:
    address = f"http://127.0.0.1:{server.get_port()}/"
    with urllib.request.urlopen(address, timeout=10) as answer:
        assert answer.status == 200
    rebound = urllib.request.Request(address, headers={"Host": f"evil.example:{server.get_port()}"})
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
