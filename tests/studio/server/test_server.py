"""The studio's server, without a studio: late and slow pages, files both ways, junk."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from socket import SHUT_RDWR
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from footfall.studio.messages import Item
from footfall.studio.server import LARGEST_MESSAGE, SOCKET, UNANSWERED, Client, Server, Uploaded
from footfall.studio.shared import Shared
from tests.studio.controls import until
from tests.studio.wire.model_page import ModelPage

MOST = 300_000


class Place:
    """A server with a node and an upload button, and what came to it."""

    def __init__(self) -> None:
        self.shared = Shared("run", "1")
        self.node = self.shared.add(Item("walker", "body", {"visible": True}, node=True), data=True)
        self.button = self.shared.add(Item("w1", "upload", {"name": "file", "most": MOST}))
        self.came: list[tuple[Client, Any]] = []
        self.gone: list[int] = []
        self.server = Server(
            self.shared,
            "127.0.0.1",
            0,
            lambda client, asked: self.came.append((client, asked)),
            lambda client: self.gone.append(client.number),
        )
        self.server.start()

    def connect(self) -> ClientConnection:
        return connect(f"ws://127.0.0.1:{self.server.port}{SOCKET}", max_size=None)


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    place = Place()
    yield place
    place.server.stop()


def turn(socket: ClientConnection, page: ModelPage, *, ack: bool = True) -> int:
    """Receive one turn, and answer it."""
    message = socket.recv(timeout=10)
    if isinstance(message, str):
        told = page.text(message)
        if told["frame"]:
            page.frame(socket.recv(timeout=10))  # type: ignore[arg-type]
    else:
        page.frame(message)
    if ack:
        socket.send(json.dumps({"type": "ack", "n": page.seen}))
    return page.seen


def is_closed(socket: ClientConnection) -> bool:
    """Whether the server ends a connection."""
    try:
        while True:
            socket.recv(timeout=10)
    except ConnectionClosed:
        return True


def test_a_late_page_gets_everything_and_a_slow_one_the_newest(place: Place) -> None:
    shared, node = place.shared, place.node
    shared.put(node, np.zeros(7))
    with place.connect() as quick, place.connect() as slow:
        pages = ModelPage(), ModelPage()
        turn(quick, pages[0])
        assert set(pages[0].items) == {"walker", "w1"}
        assert pages[0].told[0]["studio"] == "run"
        for n in range(UNANSWERED):
            turn(slow, pages[1], ack=False)
            if n + 1 < UNANSWERED:
                shared.put(node, np.full(7, 0.5))
                turn(quick, pages[0])
        for k in range(1, 50):
            shared.put(node, np.full(7, k))
            turn(quick, pages[0])
            assert pages[0].data[node.number][0] == k
        with pytest.raises(TimeoutError):
            slow.recv(timeout=0.2)
        slow.send(json.dumps({"type": "ack", "n": UNANSWERED}))
        turn(slow, pages[1])
        assert pages[1].data[node.number].tolist() == [49.0] * 7
        with pytest.raises(TimeoutError):
            slow.recv(timeout=0.2)
    until(lambda: len(place.gone) >= 2 and not shared.pages, what="both to be gone")


def test_a_file_comes_in_pieces_and_one_that_is_too_large_is_refused_before_it_is_sent(place: Place) -> None:
    content = bytes(range(256)) * 1000
    with place.connect() as socket:
        page = ModelPage()
        turn(socket, page)
        begin = {"type": "upload", "upload": 1, "id": "w1", "name": "clip.bvh", "size": len(content)}
        socket.send(json.dumps(begin | {"size": 50_000_000}))
        turn(socket, page)
        assert page.told[-1] == {"op": "upload", "upload": 1, "go": False}
        assert "50.0 MB are too much" in page.told[-2]["text"]
        socket.send(json.dumps(begin))
        turn(socket, page)
        assert page.told[-1]["go"] is True
        head = (1).to_bytes(4, "little")
        for at in range(0, len(content), 100_000):
            socket.send(head + content[at : at + 100_000])
        until(lambda: place.came, what="the file")
        assert place.came.pop()[1] == Uploaded("w1", "clip.bvh", content)
        socket.send(head + b"more")
        assert is_closed(socket)


def test_a_connection_that_is_cut_in_the_middle_of_a_file_leaves_nothing_behind(place: Place) -> None:
    """Neither a farewell nor the rest of a message comes: half a frame of the file, then nothing."""
    content, head = bytes(range(256)) * 1000, (1).to_bytes(4, "little")
    begin = {"type": "upload", "upload": 1, "id": "w1", "name": "clip.bvh", "size": len(content)}
    cut, gone = place.connect(), len(place.gone)
    turn(cut, ModelPage())
    cut.send(json.dumps(begin))
    cut.send(head + content[:100_000])
    cut.socket.sendall(bytes([0x82, 0xFF]) + (100_004).to_bytes(8, "big") + b"mask" + head)
    cut.socket.shutdown(SHUT_RDWR)
    cut.socket.close()
    until(lambda: len(place.gone) > gone and not place.shared.pages, what="it to be gone")
    assert place.came == []
    with place.connect() as again:
        page = ModelPage()
        turn(again, page)
        again.send(json.dumps(begin))
        turn(again, page)
        assert page.told[-1]["go"] is True, "the half file does not block the next one"
        for at in range(0, len(content), 100_000):
            again.send(head + content[at : at + 100_000])
        until(lambda: place.came, what="the file")
        assert place.came.pop()[1] == Uploaded("w1", "clip.bvh", content)


def test_a_file_is_fetched_once_under_its_own_name(place: Place) -> None:
    with place.connect() as socket:
        page = ModelPage()
        turn(socket, page)
        socket.send(json.dumps({"type": "command", "name": "save"}))
        client = until(lambda: place.came, 10)[-1][0]
        client.download("gehen ä.toml", b"name")
        turn(socket, page)
        offered = page.told[-1]
        assert offered["name"] == "gehen ä.toml"
        address = f"http://127.0.0.1:{place.server.port}{offered['url']}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            assert answer.read() == b"name"
            assert "gehen%20%C3%A4.toml" in answer.headers["Content-Disposition"]
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(address, timeout=10)


def test_a_question_has_one_answer(place: Place) -> None:
    with place.connect() as socket:
        page, answers = ModelPage(), list[int]()
        turn(socket, page)
        socket.send(json.dumps({"type": "command", "name": "save"}))
        client = until(lambda: [c for c, a in place.came if c.number == page.told[0]["client"]], 10)[-1]
        client.ask("Sure?", "It is gone then.", ("Yes", "No"), answers.append)
        turn(socket, page)
        assert page.told[-1]["buttons"] == ["Yes", "No"]
        for _ in range(2):
            socket.send(json.dumps({"type": "answer", "id": page.told[-1]["id"], "button": 1}))
        answered = until(lambda: [(c, a) for c, a in place.came if type(a).__name__ == "Answered"][1:], 10)
        for who, answer in (*answered, *answered):
            who.answer(answer)
        assert answers == [1]


@pytest.mark.parametrize("junk", ["{", '{"type": "ack"}', "x" * (LARGEST_MESSAGE + 1), b"1234more"])
def test_junk_closes_the_connection_and_nothing_else(place: Place, junk: str | bytes) -> None:
    with place.connect() as socket, place.connect() as other:
        page = ModelPage()
        turn(other, page)
        socket.send(junk)
        assert is_closed(socket)
        place.shared.bar(time=float(len(junk)))
        turn(other, page)
        assert page.bar["time"] == len(junk)


def test_a_port_that_is_taken_is_passed_over(place: Place) -> None:
    other = Server(Shared("other", "1"), "127.0.0.1", place.server.port, lambda *_: None, lambda _: None)
    other.start()
    try:
        assert other.port > place.server.port
    finally:
        other.stop()
