import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.motion import (
    MotionGraph,
    facing_angle,
    load_motion,
    load_periodic,
    mirrored,
    path_length,
    periodic_motion,
    save_periodic,
)
from footfall.motion.synthesis.periodic import find_period
from tests.motion.walks import clip, needs_mocap, turned_about_z, walk


@pytest.mark.parametrize("period", [0.6, 0.93, 1.4])
def test_the_period_of_a_series_is_found(period):
    t = np.arange(0, 5, 1 / 60)
    turn = 2 * np.pi * t / period
    values = 0.3 + 0.4 * np.sin(turn + 0.5) + 0.1 * np.cos(2 * turn) + 0.05 * np.sin(3 * turn)
    assert find_period(values, t) == pytest.approx(period, rel=0.002)


def test_a_cycle_is_anchored_at_the_largest_hip_flexion():
    cycle = periodic_motion(walk(6.6, fps=100, period=1.1))
    assert cycle.period == pytest.approx(1.1, rel=0.005)
    assert cycle.speed == pytest.approx(1.2, rel=0.01)
    phase = np.arange(2000) / 2000
    assert phase[np.argmax(cycle("right_hip", phase))] == pytest.approx(0.25, abs=0.002)
    left = cycle("left_hip", (phase + 0.5) % 1.0)
    assert np.abs(left - cycle("right_hip", phase)).max() < 0.05


def test_accuracy_is_kept_and_more_of_it_needs_more_harmonics():
    counts = []
    for accuracy in (0.1, 0.02, 0.004):
        cycle = periodic_motion(walk(6.6, fps=30), accuracy=accuracy)
        assert all(left <= accuracy for left in cycle.error.values())
        counts.append(sum(len(rows) for rows in cycle.series.values()))
    assert counts == sorted(counts)
    assert counts[0] < counts[2]


def test_rates_are_derivatives():
    cycle = periodic_motion(walk(6.6))
    phase = np.linspace(0, 1, 5001)
    slope = np.gradient(cycle("right_knee", phase), phase * cycle.period)
    assert np.allclose(cycle.rate("right_knee", phase)[2:-2], slope[2:-2], atol=2e-3)


def test_a_cycle_survives_its_file(tmp_path):
    cycle = periodic_motion(walk(6.6), name='a "strange" name')
    again = load_periodic(save_periodic(cycle, tmp_path / "cycle.toml"))
    assert (again.name, again.figure, again.anchor) == (cycle.name, cycle.figure, cycle.anchor)
    phase = np.linspace(0, 1, 100)
    for name in cycle.series:
        assert np.allclose(again(name, phase), cycle(name, phase), atol=1e-7)
    with pytest.raises(FootfallError, match="did you mean 'right_knee'"):
        again("right_kne", 0.0)


def test_standing_is_not_periodic():
    from dataclasses import replace

    still = walk(4.0)
    still = replace(still, rotations=np.tile(still.rotations[:1], (len(still), 1, 1)))
    with pytest.raises(FootfallError, match="nothing in it repeats"):
        periodic_motion(still)


@pytest.fixture(scope="module")
def graph():
    straight = walk(6.0, fps=30)
    return MotionGraph({"slow": straight, "fast": walk(6.0, fps=30, speed=1.5), "mirrored": mirrored(straight)})


def test_transitions_change_the_swinging_leg(graph):
    for k, following in enumerate(graph.next):
        for j in following:
            assert graph.fragments[j].kind != graph.fragments[k].kind or graph.fragments[k].kind == "stand"


def test_a_stream_follows_the_wished_speed_and_style(graph):
    for speed, style in ((1.2, "slow"), (1.5, "fast")):
        motion, path = graph.stream(6.0, speed=speed, style=style)
        assert motion.seconds >= 6.0
        assert path_length(motion) / motion.seconds == pytest.approx(speed, rel=0.08)
        assert np.mean([graph.fragments[k].clip == style for k in path]) > 0.5
        steps = np.linalg.norm(np.diff(motion.positions(), axis=0), axis=-1)
        assert steps.max() < 0.25


def test_unknown_styles_and_foreign_skeletons_are_refused(graph):
    with pytest.raises(FootfallError, match="did you mean 'slow'"):
        graph.stream(2.0, style="slwo")
    other = turned_about_z(walk(2.0), 0.0)
    from dataclasses import replace

    names = tuple(f"x{name}" for name in other.skeleton.names)
    renamed = replace(other, skeleton=replace(other.skeleton, names=names))
    with pytest.raises(FootfallError, match="another skeleton"):
        MotionGraph({"a": walk(2.0), "b": renamed})


@needs_mocap
def test_a_stream_of_captured_steps_turns_left_when_asked():
    names = ("woddy2_walk_normal_left_90", "woddy2_walk_normal_right_90")
    graph = MotionGraph({name: load_motion(clip(f"snu-paper/{name}")) for name in names})
    motion, _ = graph.stream(14.0, heading=lambda t: 0.0 if t < 6 else np.pi / 2, speed=1.0)
    angle = facing_angle(motion)
    at = np.searchsorted(motion.times, [5.5, 13.0])
    assert abs(angle[at[0]]) < np.deg2rad(25)
    assert abs(angle[at[1]] - np.pi / 2) < np.deg2rad(25)
    assert path_length(motion) / motion.seconds == pytest.approx(1.0, rel=0.15)
