"""Small pictures of controllers."""

import re
import xml.etree.ElementTree as ET

import pytest

from footfall.control import load_controller
from footfall.studio.core.library import HEIGHT, WIDTH, thumbnail


@pytest.mark.parametrize("name", ["walk", "run-3d", "bird-run", "tracked-walk"])
def test_a_controller_of_any_kind_is_drawn_within_its_frame(name: str) -> None:
    text = thumbnail(load_controller(name))
    ET.fromstring(text)
    ends = [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", text)]
    assert len(ends) >= 2 * 7
    assert all(0.0 <= y <= HEIGHT for _, y in ends)
    assert all(-0.1 * WIDTH <= x <= 1.1 * WIDTH for x, _ in ends)


def test_gaits_that_differ_look_different() -> None:
    drawn = [thumbnail(load_controller(name)) for name in ("walk", "run", "crouch-walk")]
    assert len(set(drawn)) == 3
