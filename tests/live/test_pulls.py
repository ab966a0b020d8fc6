"""Pulls that tear a live walker about: it never diverges, and lies on the floor where it fell."""

from pathlib import Path

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.figures import Figure
from footfall.live.description import write_module
from tools.pulling import lowest_points

from .node import find_node, run_modules

pytestmark = pytest.mark.skipif(find_node() is None, reason="node is not installed")

PULLS, STEPS, EVERY = 12, 12_000, 20


@pytest.mark.slow
def test_pulls_of_up_to_2000_newtons_from_all_sides(tmp_path: Path) -> None:
    write_module([load_controller("walk-3d")], tmp_path)
    random = np.random.default_rng(5)
    requests = []
    for _ in range(PULLS):
        way = random.normal(size=3)
        force = way / np.linalg.norm(way) * random.uniform(0.0, 2000.0)
        pull = {"place": 0, "force": force.tolist(), "start": random.uniform(2, 4), "seconds": random.uniform(0, 2)}
        base = {"folder": str(tmp_path), "name": "walk-3d", "gait": "walk-3d", "steps": STEPS, "every": EVERY}
        requests.append(base | {"pushes": [pull]})
    answers = run_modules(requests)
    assert sum(answer["fall"] is not None for answer in answers) > PULLS // 2
    for answer in answers:
        qpos = np.array(answer["qpos"])
        assert len(qpos) == STEPS // EVERY
        assert np.isfinite(qpos).all()
        if answer["fall"] is not None:
            assert lowest_points(Figure.load("human-28"), qpos[-1:])[0] > -0.01
