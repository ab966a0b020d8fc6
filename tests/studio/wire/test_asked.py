"""Messages of pages: good ones are read, others are refused in words."""

import json

import pytest

from footfall.errors import FootfallError
from footfall.studio.messages import KINDS, Click, Do, Drag, PoseTurned, Press, SetValue, Stick, read_asked


def test_messages_are_read() -> None:
    assert read_asked('{"type": "set", "id": "w1", "value": [1]}') == SetValue("w1", [1])
    assert read_asked('{"type": "set", "id": "w1", "value": -80}') == SetValue("w1", -80)
    assert read_asked('{"type": "press", "id": "w1"}') == Press("w1", "")
    assert read_asked('{"type": "do", "do": "seek", "time": 2}') == Do("seek", time=2.0)
    assert read_asked('{"type": "stick", "x": 0.5, "y": -1}') == Stick(0.5, -1.0)
    ray = {"type": "click", "start": [0, 1, 2], "along": [0, 0, -1]}
    assert read_asked(json.dumps(ray)) == Click((0.0, 1.0, 2.0), (0.0, 0.0, -1.0))
    drag = {
        "type": "drag",
        "id": "walker",
        "phase": "start",
        "part": 3,
        "start": [1, 2, 3],
        "to": [1, 2, 3],
        "eye": [1, 2, 3],
    }
    pose = {
        "type": "pose",
        "of": "walk/0/2",
        "gesture": 1,
        "n": 0,
        "held": True,
        "joints": ["left_knee"],
        "angles": [-1],
    }
    assert read_asked(json.dumps(pose)) == PoseTurned("walk/0/2", 1, 0, True, ("left_knee",), (-1.0,))
    assert read_asked(json.dumps(drag)) == Drag("walker", "start", 3, *[(1.0, 2.0, 3.0)] * 3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no type"),
        ('{"type": "steal"}', "no type"),
        ('{"type": "ack"}', "'n' is missing"),
        ('{"type": "ack", "n": -1}', "ack: n "),
        ('{"type": "ack", "n": true}', "ack: n "),
        ('{"type": "ack", "n": 1e400}', "ack: n "),
        ('{"type": "do", "do": "rate", "rate": "fast"}', "do: rate "),
        ('{"type": "do", "do": "rate", "rate": NaN}', "do: rate "),
        ('{"type": "do", "do": "rate", "rate": Infinity}', "do: rate "),
        ('{"type": "click", "start": [1, 2], "along": [0, 0, 1]}', "click: start "),
        ('{"type": "stick", "x": 1}', "'y' is missing"),
        ('{"type": "stick", "x": "left", "y": 0}', "stick: x "),
        ('{"type": "stick", "x": true, "y": 0}', "stick: x "),
        ('{"type": "stick", "x": 0, "y": NaN}', "stick: y "),
        ('{"type": "stick", "x": 0, "y": -Infinity}', "stick: y "),
        ('{"type": "stick", "x": [0, 1], "y": 0}', "stick: x "),
        ('{"type": "pose", "of": "", "gesture": 0, "n": 0, "held": true, "joints": ["a"], "angles": []}', "1 joints"),
        ('{"type": "open", "panels": [1]}', "open: panels "),
        ('{"type": "open", "panels": "plots"}', "open: panels "),
        ('{"type": "upload", "upload": 1, "id": "w1", "name": "a", "size": 1.5}', "upload: size "),
    ],
)
def test_others_are_refused_in_words(text: str, told: str) -> None:
    with pytest.raises(FootfallError, match=told):
        read_asked(text)


def test_every_kind_has_a_message() -> None:
    assert set(KINDS) == {
        "ack",
        "set",
        "press",
        "command",
        "do",
        "drag",
        "pose",
        "click",
        "stick",
        "answer",
        "open",
        "upload",
    }
