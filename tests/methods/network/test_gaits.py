"""A character that stands, walks, runs and turns as speed and heading ask."""

import math
from dataclasses import replace

import numpy as np
import pytest

from footfall.control.registry import kind_of, load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network import NetworkController
from footfall.methods.network.gaits import FRAMES, LIMITS, Gaits
from footfall.motion.ball_poses import facing_of
from footfall.motion.synthesis.footstep_plan import plan_steady
from footfall.motion.synthesis.random_walks import PLAIN
from footfall.simulation import Simulation


@pytest.fixture(scope="module")
def human() -> NetworkController:
    found: NetworkController = load_controller("human")
    return found


def test_it_can_be_asked_for_speed_and_heading(human: NetworkController) -> None:
    can = kind_of(human).abilities(human)
    assert can.run
    assert can.speed
    assert can.turn
    assert can.live
    assert not can.follow
    law = kind_of(human).law(human, Figure.load("human-28"))
    assert law.parameter_names == ("speed", "heading", "side_speed")
    (number,) = kind_of(human).numbers(human)
    assert (number.name, number.value) == ("speed", 1.2)
    assert kind_of(human).with_number(human, "speed", 2.0).goal_speed == 2.0
    assert kind_of(human).clip_seconds(human) is None


def test_a_trackers_file_asks_for_neither() -> None:
    tracker = replace(load_controller("human"), gaits=None, start=None)
    can = kind_of(tracker).abilities(tracker)
    assert not can.speed
    assert not can.turn


def test_its_text_is_read_as_it_was_printed(human: NetworkController) -> None:
    again = parse_controller(print_controller(human))
    assert again.gaits is not None
    assert human.gaits is not None
    assert np.array_equal(again.gaits.numbers, human.gaits.numbers)
    assert again.start == human.start
    assert print_controller(again) == print_controller(human)


def test_gaits_of_the_left_are_those_of_the_right_in_a_mirror(human: NetworkController) -> None:
    """Half a stride later; joints of the trunk aside, heights and knees say it."""
    assert human.gaits is not None
    gaits, figure = human.gaits, Figure.load("human-28")
    knees = [6 + next(j.qpos for j in figure.joints if j.name == f"{side}_knee") - 7 for side in ("left", "right")]
    later = np.roll(gaits.poses, gaits.poses.shape[2] // 2, axis=2)
    assert np.allclose(gaits.poses[:, 0, :, 2], later[:, -1, :, 2], atol=1e-6)
    assert np.allclose(gaits.poses[:, 0, :, knees[0]], later[:, -1, :, knees[1]], atol=1e-6)
    assert np.allclose(gaits.poses[:, 1, :, knees[0]], later[:, 1, :, knees[1]], atol=1e-6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"speeds": [0.0, 0.0]}, "speeds must be two numbers or more that rise"),
        ({"periods": -np.ones((2, 2))}, "periods must be above 0 seconds"),
        ({"stand": np.zeros(3)}, "stand has the shape"),
        ({"limits": np.full(len(LIMITS), np.nan)}, "not finite"),
    ],
)
def test_bad_gaits_are_refused(change: dict[str, object], words: str) -> None:
    good = {
        "speeds": [0.0, 1.0],
        "spins": [-1.0, 1.0],
        "sides": [-1.0, 1.0],
        "periods": np.ones((2, 2)),
        "poses": np.zeros((2, 2, 4, 8)),
        "aside": np.zeros((2, 4, 8)),
        "stand": np.zeros(8),
    }
    made = {name: np.asarray(value, dtype=float) for name, value in (good | change).items()}
    with pytest.raises(FootfallError, match=words):
        Gaits(**made)


def test_both_a_clip_and_gaits_are_refused(human: NetworkController) -> None:
    from footfall.methods.network.clip_frames import ClipFrames

    assert human.start is not None
    clip = ClipFrames(np.array([human.start.qpos] * 2, dtype=np.float32), human.rate)
    with pytest.raises(FootfallError, match="either clip_frames or gaits"):
        replace(human, clip_frames=clip)


def test_a_policy_that_is_not_there_is_named() -> None:
    with pytest.raises(FootfallError, match="gone"):
        parse_controller('name = "me"\nfigure = "human-28"\nlaw = "network"\npolicy = "gone.toml"\n')


def test_steady_footsteps_are_even() -> None:
    plan = plan_steady(PLAIN, np.array([1.0, 0.0]), 0.0, 12, running=False)
    steps, way = np.diff(plan.lands)[6:], np.diff(plan.body[:, 0])[6:]
    assert np.allclose(steps, steps[0])
    assert np.allclose(way, steps[0])
    assert np.allclose(plan.body[:, 1], 0.0)


@pytest.mark.slow
def test_it_stands_walks_turns_and_stops(human: NetworkController) -> None:
    """The point begins under the body, and the first pose that is followed is the stand."""
    simulation = Simulation(human, worlds=2, qpos=None, efforts=False)
    law, layout = simulation.law, simulation.law.memory_layout  # type: ignore[attr-defined]
    assert human.start is not None
    assert isinstance(law.memory, np.ndarray)
    simulation.set({"speed": 0.0})
    simulation.step(1)
    first = layout[FRAMES]
    assert np.allclose(simulation.memory[0, first : first + 35], human.start.qpos, atol=1e-6)
    for seconds, speed, heading in (
        (3.0, 0.0, 0.0),
        (5.0, 1.2, 0.0),
        (5.0, 1.0, 0.5 * math.pi),
        (4.0, 0.0, 0.5 * math.pi),
    ):
        simulation.set({"speed": speed, "heading": heading})
        simulation.step(round((seconds - 2.0) / simulation.dt))
        before = np.array(simulation.qpos[:, :2])
        simulation.step(round(2.0 / simulation.dt))
        went = np.linalg.norm(simulation.qpos[:, :2] - before, axis=1) / 2.0
        assert simulation.outcome().survived.all()
        assert np.abs(went - speed).max() < 0.15
        assert np.abs(facing_of(np.asarray(simulation.qpos, dtype=float)) - heading).max() < math.radians(15.0)
