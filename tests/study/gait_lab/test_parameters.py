"""Cycles and parameters of events made by hand, computed by hand."""

from dataclasses import replace

import numpy as np
import pytest

from footfall import FootfallError
from footfall.motion import Motion
from footfall.motion.gait.measures import gait_measures as measures_of_motion
from footfall.motion.skeleton.tree import Skeleton
from footfall.study.gait_lab.analysis import analyse
from footfall.study.measures.cycles import (
    Cycle,
    GaitEvents,
    compare_events,
    find_cycles,
    merged,
    settled,
)
from footfall.study.measures.strides import Value, symmetry_index
from footfall.study.measures.table import OF_MOTION, PARAMETERS, gait_parameters, measure_walks
from footfall.study.measures.walks import Walks
from tests.study.gait_lab.walks import analysis, motion, norms, trace

LEFT = np.array([0.0, 1.0, 2.0])
EVENTS = GaitEvents({"left": LEFT, "right": LEFT + 0.48}, {"left": LEFT + 0.6, "right": LEFT + 0.1}, "hand")
"""A second a cycle: left stance 60 %, right off at 10 %, right strike at 48 %."""


def test_a_cycle_by_hand():
    """pyCGM2's definitions: stance 60, swing 40, first double support 10, single 38, second 12 per cent."""
    cycles = [c for c in find_cycles(EVENTS) if c.side == "left"]
    assert len(cycles) == 2
    found = gait_parameters(motion(), EVENTS, cycles)
    expected = {
        "stride_time": 1.0,
        "cadence": 120.0,
        "step_time": 0.52,
        "stance_time": 0.6,
        "swing_time": 0.4,
        "stance": 60.0,
        "swing": 40.0,
        "first_double_support": 10.0,
        "second_double_support": 12.0,
        "double_support": 22.0,
        "single_support": 38.0,
        "opposite_foot_contact": 48.0,
    }
    for name, value in expected.items():
        assert found[name]["left"].mean == pytest.approx(value), name
    assert len(PARAMETERS) == 17


class ByHand(Motion):
    """A pelvis with two ankles whose places are given, not turned."""

    def positions(self):
        return self.channels["places"]


def straight_walk() -> ByHand:
    """Two seconds along x. Left strikes at 0, 1.3 and 2.6 m (y = 0.05), right at 0.6, 1.9 and 3.2 m (y = -0.07). A foot
    moves evenly between its off and its strike."""
    names = ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot")
    offsets = [[0, 0, 0], [0, 0.05, 0], [0, 0, -0.4], [0, 0, -0.4], [0, -0.07, 0], [0, 0, -0.4], [0, 0, -0.4]]
    body = Skeleton(names, (-1, 0, 1, 2, 0, 4, 5), np.array(offsets, dtype=float))
    times = np.arange(0, 2.5, 0.02)
    left = np.interp(times, [0.6, 1.0, 1.6, 2.0], [0.0, 1.3, 1.3, 2.6])
    right = np.interp(times, [0.1, 0.48, 1.1, 1.48, 2.1, 2.48], [-0.7, 0.6, 0.6, 1.9, 1.9, 3.2])
    places = np.zeros((len(times), len(names), 3))
    places[:, :, 0] = (1.3 * times)[:, None]
    places[:, :, 1] = [0.0, 0.05, 0.05, 0.05, -0.07, -0.07, -0.07]
    places[:, :, 2] = [0.9, 0.9, 0.5, 0.1, 0.9, 0.5, 0.1]
    for ankle, path in ((3, left), (6, right)):
        places[:, ankle, 0] = path
        places[:, ankle, 2] += 0.05 * (np.gradient(path) > 0)
    poses = np.tile([1.0, 0.0, 0.0, 0.0], (len(times), len(names), 1))
    return ByHand(body, times, places[:, 0], poses, channels={"places": places})


def test_lengths_by_hand():
    """pyCGM2 divides the way of a heel along the axis of progression in a cycle by the cycle's time (speed), and takes
    the ways between a heel and the other one (step length, stride width). Its cadence counts strides, 60 a minute here,
    and it books the right foot's step to the left cycle."""
    found = gait_parameters(straight_walk(), EVENTS, find_cycles(EVENTS))
    for name, left, right in (
        ("stride_length", 1.3, 1.3),
        ("speed", 1.3, 1.3),
        ("step_length", 1.3 - 0.6, 0.6),
        ("step_width", 0.12, 0.12),
        ("walk_ratio", 1000 * 0.7 / 120, 1000 * 0.6 / 120),
    ):
        assert found[name]["left"].mean == pytest.approx(left), name
        assert found[name]["right"].mean == pytest.approx(right), name
    assert found["cadence"]["left"].mean == pytest.approx(2 * 60.0)


def test_a_step_is_counted_once():
    """Of a recording's last step nothing is known around it; the cycle before it has counted the other one."""
    cycles = [c for c in find_cycles(EVENTS) if c.side == "left"]
    assert len(cycles) == 2
    assert gait_parameters(straight_walk(), EVENTS, cycles)["step_length"]["left"].count == 2
    until = GaitEvents({"left": LEFT, "right": LEFT[:2] + 0.48}, dict(EVENTS.offs), "hand")
    found = gait_parameters(straight_walk(), until, [c for c in find_cycles(until) if c.side == "left"])
    assert found["step_length"]["left"].count == 1
    assert found["stride_length"]["left"].count == 2


def test_shares_add_up():
    parameters = analysis().parameters
    for side in ("left", "right"):
        own = {name: values[side].mean for name, values in parameters.items()}
        assert own["stance"] + own["swing"] == pytest.approx(100.0)
        assert own["single_support"] + own["double_support"] == pytest.approx(own["stance"], abs=1e-6)
        assert own["speed"] == pytest.approx(own["stride_length"] / own["stride_time"], rel=1e-3)
    lengths = sum(parameters["step_length"][side].mean for side in ("left", "right"))
    assert lengths == pytest.approx(parameters["stride_length"]["both"].mean, rel=0.01)


def test_searches_motion_files_and_reports_measure_the_same():
    """One walk has one step width, step time and double support, whoever asks."""
    reported = {name: values["both"].mean for name, values in analysis().parameters.items()}
    summed = measures_of_motion(motion())
    asked = ("step_width", "step_time", "double_support_share")
    searched = {name: float(v[0]) for name, v in measure_walks(Walks(trace(), np.zeros(1), 2.0), asked).items()}
    assert summed.step_width == pytest.approx(reported["step_width"], abs=0.002)
    assert searched["step_width"] == pytest.approx(reported["step_width"], abs=0.002)
    for name in ("step_time", "step_length", "step_width", "stance"):
        assert OF_MOTION[name](summed) == pytest.approx(reported[name], rel=0.03)
    assert summed.step_length == pytest.approx(reported["step_length"], abs=0.01)
    for step_time in (summed.step_time, searched["step_time"]):
        assert step_time == pytest.approx(reported["step_time"], abs=0.01)
    for share in (summed.double_support_share, searched["double_support_share"]):
        assert 100 * share == pytest.approx(reported["double_support"], abs=1.5)
    assert summed.stance == pytest.approx(reported["stance"], abs=1.0)


def test_a_run_has_no_double_support():
    cycle = Cycle("left", 0.0, 1.0, 0.35, 0.85, 0.5)
    assert cycle.runs
    events = GaitEvents(
        {"left": LEFT, "right": LEFT + 0.5}, {"left": LEFT + 0.35, "right": np.array([-0.15, 0.85, 1.85])}, "hand"
    )
    found = gait_parameters(motion(), events, find_cycles(events))
    assert found["double_support"]["both"].mean == 0.0
    assert found["single_support"]["left"].mean == pytest.approx(35.0)


def test_first_and_last_cycles_are_left_out_where_there_are_enough():
    strikes = np.arange(6.0)
    events = GaitEvents({"left": strikes, "right": strikes[:2] + 0.5}, {"left": strikes + 0.6, "right": strikes + 0.1})
    kept, cut = settled(find_cycles(events))
    assert cut
    assert [c.start for c in kept if c.side == "left"] == [1.0, 2.0, 3.0]
    assert [c.start for c in kept if c.side == "right"] == [0.5]


def test_values():
    value = Value.of([1.0, 2.0, 3.0, float("nan")])
    assert (value.mean, value.deviation, value.count) == (2.0, 1.0, 3)
    assert Value.of([]).count == 0
    assert symmetry_index(1.1, 0.9) == pytest.approx(20.0)
    assert symmetry_index(2.0, 2.0) == 0.0


def test_better_events_replace_near_ones_only():
    better = GaitEvents({"left": np.array([1.03, 5.0]), "right": np.zeros(0)}, {"left": np.zeros(0)}, "plates")
    found = merged(EVENTS, better)
    np.testing.assert_allclose(found.strikes["left"], [0.0, 1.03, 2.0])
    difference = compare_events(EVENTS, found)
    assert difference.worst == pytest.approx(0.03)
    assert difference.missed == 0


def test_kinematic_events_are_those_of_the_contacts():
    """Within 30 ms of forces above 20 N (20 ms of touch without a load, before events were those of forces)."""
    (difference,) = analysis().differences
    assert difference.missed == 0
    assert abs(difference.worst) < 0.03


def test_a_treadmill_is_recognised_and_lengths_are_those_on_its_belt():
    walk = motion()
    path = walk.root_position.copy()
    path[:, 0] -= analysis().speed * walk.times
    there = replace(walk, root_position=path, channels={}, labels={}, figure="", figure_xml="")
    found = analyse(there, name="treadmill")
    assert any("treadmill" in note for note in found.notes)
    assert any("no ground forces" in note for note in found.notes)
    assert found.speed == pytest.approx(analysis().speed, rel=0.03)
    assert found.parameters["step_length"]["both"].mean == pytest.approx(0.527, rel=0.05)


def test_steps_in_place_and_a_missing_foot_are_said():
    walk = motion()
    still = walk.root_position.copy()
    still[:, :2] = 0.0
    slow = replace(walk, times=8.0 * walk.times, root_position=still, channels={}, labels={}, figure="", figure_xml="")
    with pytest.raises(FootfallError, match=r"gait cycle|in place"):
        analyse(slow, name="slow")
    joints = ("Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg")
    offsets = [[0, 0, 0], [0, 0.1, 0], [0, 0, -0.4], [0, 0, -0.4], [0, -0.1, 0], [0, 0, -0.4]]
    body = Skeleton(joints, (-1, 0, 1, 2, 0, 4), np.array(offsets, dtype=float))
    times = np.arange(0, 2, 0.02)
    poses = np.tile([1.0, 0.0, 0.0, 0.0], (len(times), len(joints), 1))
    with pytest.raises(FootfallError, match="no right foot"):
        analyse(Motion(body, times, np.zeros((len(times), 3)), poses), name="one foot")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "said"), [("run-3d", "it runs"), ("in-place-walk-3d", "it steps in place")])
def test_gaits_that_are_no_walk_are_said(name, said):
    """They are analysed, but not set beside people who walk."""
    found = analyse(name, seconds=4.0, norms=norms())
    assert any(note.startswith(said) for note in found.notes)
    assert any("people's tables are of walking" in note for note in found.notes)
    assert found.norms is None
    assert found.matches == {}


def test_bad_input_is_said_in_words():
    from footfall.motion.editing import trimmed

    walk = motion()
    with pytest.raises(FootfallError, match="no whole gait cycle"):
        analyse(trimmed(walk, 0.0, 0.4), name="short")
    with pytest.raises(FootfallError, match="mass is -1"):
        analyse(walk, mass=-1.0)
    with pytest.raises(FootfallError, match="no folder"):
        analyse(walk, norms="/nowhere")
    with pytest.raises(FootfallError, match="engine"):
        analyse("walk-3d", engine="other")
