"""A slider with its field, as the studio and live pages have it: centred on its value, and finer with Shift."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import footfall.pictures

NODE = shutil.which("node") or shutil.which("nodejs")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; `make browser` installs it")
KNEE = {"least": -143.0, "most": 0.0, "near": 20.0, "step": 0.5, "value": -60.0}


def after(*deeds: dict[str, Any]) -> dict[str, Any]:
    """What a slider asked for and shows after what hands did."""
    folder = Path(footfall.pictures.__file__).parent
    command = [str(NODE), str(Path(__file__).with_name("slide.mjs")), str(folder / "slide.js")]
    told = json.dumps([KNEE, *deeds])
    done = subprocess.run(command, input=told, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


def test_it_is_centred_on_its_value_and_again_after_each_drag() -> None:
    assert after() == {"asked": [], "bar": [-80, -60, -40], "box": "-60"}
    assert after({"drag": [-55.2, -50.1]}) == {"asked": [-55, -50], "bar": [-70, -50, -30], "box": "-50"}
    assert after({"drag": [-40]}, {"drag": [-20]}, {"drag": [0]})["bar"] == [-20, 0, 0], "its end is the joint's limit"


def test_with_shift_a_hand_moves_it_a_tenth_as_far() -> None:
    assert after({"drag": [-59, -50], "shift": True})["asked"] == [-59.9, -59]
    assert after({"key": "ArrowUp"}, {"key": "ArrowDown", "shift": True})["asked"] == [-59.5, -59.55]


def test_numbers_are_typed_within_the_limits() -> None:
    assert after({"type": "-12.345"}) == {"asked": [-12.345], "bar": [-32.345, -12.345, 0], "box": "-12.345"}
    assert after({"type": "90"})["asked"] == [0]
    assert after({"type": "-1e9"})["asked"] == [-143]
    for nothing in ("", " ", "abc", "NaN", "Infinity"):
        assert after({"type": nothing}) == {"asked": [], "bar": [-80, -60, -40], "box": "-60"}
