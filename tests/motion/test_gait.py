from itertools import pairwise

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.motion import (
    annotate_contacts,
    centre_of_mass,
    foot_quality,
    gait_contacts,
    gait_measures,
    joint_profiles,
    leg_angles,
    load_motion,
    mirrored,
    net_turn,
    path_length,
    peak_speed,
    profile_correlation,
    resampled,
    segments,
    summary,
    without_rest_frame,
)
from tests.motion.walks import MOCAP, clip, needs_mocap, readme_rows, turned_about_z, walk


def test_a_walk_by_formula_has_the_steps_it_was_given():
    motion = walk(8.0, speed=1.2, period=1.1)
    gait = gait_measures(motion)
    assert gait.steps_per_second == pytest.approx(2 / 1.1, rel=0.05)
    assert gait.step_length == pytest.approx(0.66, abs=0.02)
    assert gait.step_width == pytest.approx(0.2, abs=0.01)
    assert gait.stance == pytest.approx(65.0, abs=6.0)
    assert gait.flight == 0


@pytest.mark.parametrize("angle", [0.7, -2.5])
def test_measures_do_not_depend_on_direction_side_or_rate(angle):
    motion = walk(6.0)
    ours = gait_measures(motion)
    for other in (turned_about_z(motion, angle), mirrored(motion), resampled(motion, 120)):
        gait = gait_measures(other)
        assert gait.steps == ours.steps
        assert gait.step_length == pytest.approx(ours.step_length, abs=0.01)
        assert gait.stance == pytest.approx(ours.stance, abs=2.0)
    for name, angles in leg_angles(turned_about_z(motion, angle)).items():
        assert np.allclose(angles, leg_angles(motion)[name], atol=1e-9)


def test_segments_alternate_and_cover_the_motion():
    found = segments(annotate_contacts(walk(6.0)))
    assert found[0].start == 0
    assert found[-1].end == len(walk(6.0))
    assert all(a.end == b.start for a, b in pairwise(found))
    swings = [s.kind for s in found[1:-1]]
    assert set(swings) == {"left_swing", "right_swing"}
    assert all(a != b for a, b in pairwise(swings))


def test_feet_that_stand_do_not_slide_and_feet_that_slide_are_seen():
    from dataclasses import replace

    motion = walk(4.0)
    assert foot_quality(motion).slide < 0.01
    sliding = replace(motion, root_position=motion.root_position + np.outer(motion.times, [0.1, 0, 0]))
    assert foot_quality(sliding, annotate_contacts(motion)).slide > 0.04


def test_profiles_of_a_motion_correlate_with_themselves():
    profiles = joint_profiles(walk(6.0))
    assert {name: round(value, 6) for name, value in profile_correlation(profiles, profiles).items()} == {
        "hip": 1.0,
        "knee": 1.0,
        "ankle": 1.0,
    }
    assert all(rows.shape[1] == 101 for rows in profiles.values())


def test_standing_has_no_stride():
    with pytest.raises(FootfallError, match="no whole stride"):
        joint_profiles(walk(0.3))


def test_the_centre_of_mass_of_a_figure_is_mujocos():
    import mujoco

    from footfall.figures import Figure
    from footfall.motion import Motion

    figure = Figure.load("human")
    qpos = np.tile(figure.default_qpos, (3, 1))
    qpos[:, 7:] += np.random.default_rng(0).normal(scale=0.3, size=(3, figure.nq - 7))
    path = centre_of_mass(Motion.from_qpos(figure, np.arange(3.0), qpos))
    data = mujoco.MjData(figure.model)
    for f in range(3):
        data.qpos[:] = qpos[f]
        mujoco.mj_forward(figure.model, data)
        assert np.allclose(path[f], data.subtree_com[1], atol=1e-9)


@needs_mocap
def test_path_speed_and_turn_of_every_clip_agree_with_its_readme():
    rows = readme_rows()
    assert len(rows) == 24
    for row in rows:
        raw = load_motion(clip(str(row["file"])))
        motion = without_rest_frame(raw)
        assert len(raw) == row["frames"], row
        assert path_length(motion) == pytest.approx(row["path"], rel=0.02, abs=0.006), row
        assert path_length(motion) / motion.seconds == pytest.approx(row["mean"], rel=0.02, abs=0.006), row
        assert peak_speed(motion) == pytest.approx(row["peak"], rel=0.02, abs=0.006), row
        assert np.rad2deg(net_turn(motion)) == pytest.approx(row["turn"], rel=0.02, abs=0.6), row


@needs_mocap
def test_rest_poses_are_found_in_the_cmu_clips_alone():
    for path in sorted(MOCAP.glob("*/*.bvh")):
        assert summary_rest(path) == (path.parent.name == "cmu"), path


def summary_rest(path):
    motion = load_motion(path)
    return len(without_rest_frame(motion)) == len(motion) - 1


@needs_mocap
def test_steps_a_second_agree_with_the_readme():
    """Without the spin, in which the feet pivot; the README calls its numbers approximate."""
    for row in readme_rows():
        if np.isfinite(row["steps"]) and "turn2" not in str(row["file"]):
            gait = gait_measures(without_rest_frame(load_motion(clip(str(row["file"])))))
            assert gait.steps_per_second == pytest.approx(row["steps"], rel=0.2), row


@needs_mocap
@pytest.mark.parametrize(
    ("name", "steps"),
    [("snu/wd2_WalkForwardNormal00", 6), ("cmu/113_18", 25), ("cmu/16_35", 3), ("snu/wd2_WalkSoldier00", 8)],
)
def test_steps_counted_by_eye_on_plots_of_ankle_height_and_speed(name, steps):
    motion = without_rest_frame(load_motion(clip(name)))
    contacts = gait_contacts(motion)
    assert abs(len(contacts.landings("left")) + len(contacts.landings("right")) - steps) <= 1


@needs_mocap
def test_summary_of_a_clip_says_what_the_command_promises():
    rows = summary(load_motion(clip("cmu/16_47")))
    for name in (
        "frames",
        "fps",
        "seconds",
        "path_m",
        "mean_speed_mps",
        "peak_speed_mps",
        "net_turn_deg",
        "steps",
        "joints",
    ):
        assert rows[name] is not None
    assert rows["rest_frame"] is True
