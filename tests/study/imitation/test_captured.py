"""Walks from captured motion: what a search moves, and what candidates are judged by."""

from types import SimpleNamespace

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.methods.simbicon.captured_walk import captured_walk
from footfall.study.imitation.captured import MEASURED, clip_cycle, free_numbers, start_point
from footfall.study.measures.table import measure_walks
from footfall.study.measures.walks import Walks
from tests.motion.walks import walk

RATE = 50.0


@pytest.fixture(scope="module")
def figure():
    return Figure.load("human-28")


@pytest.fixture(scope="module")
def cycle(figure):
    return clip_cycle(walk(8.0), figure)


def _walks(figure, cycle, pace):
    """A walk exactly like the cycle, at another pace: half a stride on each leg."""
    times = np.arange(round(6.0 * RATE)) / RATE
    half = round(0.5 * (cycle.left + cycle.right) * RATE / pace)
    stance = (np.arange(len(times)) // half % 2).astype(np.int32)[:, None]
    qpos = np.tile(figure.default_qpos, (len(times), 1, 1))
    qpos[:, 0, 0] = cycle.velocity[0] * times
    walks = Walks(SimpleNamespace(times=times, qpos=qpos, stance=stance, figure=figure), np.zeros(1), cycle=cycle)
    qpos[..., [figure.joint(name).qpos for name in cycle.joints]] = cycle.angles_at(walks.phases)
    return walks


def test_what_walks_like_the_clip_differs_in_nothing_but_its_pace(figure, cycle):
    same, slower = (measure_walks(_walks(figure, cycle, pace), MEASURED) for pace in (1.0, 0.8))
    assert same["clip_cycle_error"][0] == pytest.approx(0.0, abs=1e-9)
    assert same["clip_velocity_error"][0] == pytest.approx(abs(cycle.velocity[1]), abs=1e-6)
    assert same["clip_step_error"][0] < 0.1 < slower["clip_step_error"][0]
    assert slower["clip_cycle_error"][0] == pytest.approx(0.0, abs=1e-9)


def test_a_cycle_repeats(cycle):
    phase = np.array([0.0, 0.25, 0.99])
    np.testing.assert_allclose(cycle.angles_at(phase + 1.0), cycle.angles_at(phase), atol=1e-9)
    np.testing.assert_allclose(cycle.angles_at(np.zeros(1))[0], cycle.curves[0, : len(cycle.joints)])


def test_a_start_of_alike_sides_is_one_of_either(figure, cycle):
    free = free_numbers(captured_walk(cycle, figure, name="walk"), figure)
    names = [number.paths[0][0] for number in free.numbers]
    for side in ("", "left-"):
        point = start_point(free, {f"{side}stance.torso.angle": 0.5, "speed": 2.0})
        moved = {name: x for name, x in zip(names, point, strict=True) if x}
        assert moved.pop("speed") == 2.0
        assert moved
        assert all(name.endswith("stance.torso.angle") and x == 0.5 for name, x in moved.items())
