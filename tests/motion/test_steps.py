"""Steps as a person counts them: jumps, hops, pauses, and captured clips counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.motion import gait_measures, load_motion, periodic_motion, resampled, save_motion, without_rest_frame
from footfall.motion.gait.contact import Contacts, Landing, find_steps, step_rate
from footfall.motion.gait.feet import belt_velocity
from footfall.motion.gait.measures import animal_warning
from footfall.motion.skeleton.roles import has_legs
from tests.motion.walks import MOCAP, needs_mocap, turned_about_z, walk

COUNTED = {
    "cmu/16_47.bvh": (5, 2.80),
    "cmu/16_21.bvh": (4, 1.94),
    "cmu/16_35.bvh": (3, 1.21),
    "cmu/16_45.bvh": (2, 0.72),
    "snu/wd2_WalkForwardNormal00.bvh": (5, 3.55),
    "snu/wd2_WalkForwardVFast00.bvh": (5, 2.39),
    "snu/wd2_WalkBackward00.bvh": (6, 4.97),
    "snu/wd2_2foot_walk_turn2.bvh": (7, 3.97),
    "others/PyMO/AV_8Walk_Meredith_HVHA_Rep1.bvh": (16, 7.92),
    "others/bandai/dataset-2_walk_masculine_004.bvh": (11, 6.40),
    "others/deep-motion-editing/style_transfer_data_xia_test_neutral_01_000.bvh": (3, 1.96),
    "others/deep-motion-editing/blender_rendering_example.bvh": (4, 2.03),
    "others/AnimatedDrawings/jumping_jacks.bvh": (5, 2.65),
    "others/motion-viewer/cmu_run_filtered.bvh": (3, 1.14),
}
"""Steps and seconds between the first and the last, read by eye off plots of the ankles' height and speed without any
contact drawn in them."""


def contacts(left, right, fps=50):
    """Contacts from strings: "x" stands, "." does not; 0.1 s a letter."""
    rows = [np.repeat([letter == "x" for letter in text], fps // 10) for text in (left, right)]
    return Contacts(rows[0], rows[1], np.arange(len(rows[0])) / fps)


def jumping(seconds=6.0, fps=60, period=0.6):
    """Two-foot jumps: the walker's legs held straight, the root thrown up."""
    motion = walk(seconds, fps)
    stand = np.tile(motion.skeleton.rest, (len(motion), 1, 1))
    phase = (motion.times / period) % 1.0
    height = 0.93 + 0.25 * np.maximum(np.sin(2 * np.pi * phase), 0.0)
    root = np.stack([0 * motion.times, 0 * motion.times, height], axis=-1)
    return replace(motion, rotations=stand, root_position=root)


def test_walking_and_jumping_are_told_apart():
    strolling = find_steps(contacts("xx..xxxx..xxxx", "xxxxx..xxxx..x"))
    assert [step.side for step in strolling] == ["left", "right", "left", "right"]
    jumps = find_steps(contacts("xx..xx..xx..", "xx..xx..xx.."))
    assert [step.side for step in jumps] == ["both", "both"]


@pytest.mark.parametrize("fps", [30, 60, 120])
def test_two_foot_jumps_are_one_step_each(fps):
    gait = gait_measures(jumping(fps=fps))
    assert gait.jumps == gait.steps
    assert gait.steps_per_second == pytest.approx(1 / 0.6, rel=0.02)


@pytest.mark.parametrize("speed", [0.6, 1.2, 2.0])
def test_steps_on_a_treadmill_are_counted(speed):
    """The same walk with its travel taken out: the standing foot slides back with the ground."""
    motion = walk(6.0, speed=speed)
    spot = replace(motion, root_position=motion.root_position * [0.0, 1.0, 1.0])
    assert gait_measures(spot).steps == gait_measures(motion).steps
    assert gait_measures(spot).steps_per_second == pytest.approx(2 / 1.1, rel=0.05)
    belt = np.median(belt_velocity(spot), axis=0)
    assert belt == pytest.approx([-speed, 0.0], abs=0.1 * speed)


def test_other_motions_have_no_belt():
    for motion in (walk(4.0), walk(4.0, speed=0.0), jumping()):
        assert not belt_velocity(motion).any()


@needs_mocap
@pytest.mark.parametrize(
    "name",
    ["cmu/16_47", "cmu/16_21", "snu/wd2_WalkForwardNormal00", "others/bandai/dataset-2_walk_masculine_004"],
)
def test_captured_walks_without_their_travel_have_the_same_steps(name):
    motion = without_rest_frame(load_motion(MOCAP / f"{name}.bvh"))
    root = motion.root_position.copy()
    root[:, :2] = root[0, :2]
    spot, ours = gait_measures(replace(motion, root_position=root)), gait_measures(motion)
    assert abs(spot.steps - ours.steps) <= 1
    assert spot.steps_per_second == pytest.approx(ours.steps_per_second, rel=0.05)


@needs_mocap
def test_of_all_clips_those_on_the_spot_have_a_belt():
    """But Chicken_Walk.bvh: it is read as small as its height says, and its belt is slower than a person's."""
    clips = [*MOCAP.glob("*/*.bvh"), *(MOCAP / "others").glob("*/*.bvh"), *(MOCAP / "others").glob("*/*.glb")]
    found = set()
    for path in clips:
        motion = without_rest_frame(load_motion(path))
        if has_legs(motion.skeleton) and belt_velocity(motion).any():
            found.add(path.name)
    assert found == {"CesiumMan.glb", "walk1.bvh"}


def test_pauses_and_missed_landings_do_not_change_the_rate():
    clock = [0.0, 0.5, 1.0, 1.5, 4.0, 4.5, 5.0]
    steps = [Landing(k, time, "left" if k % 2 else "right") for k, time in enumerate(clock)]
    assert step_rate(steps) == pytest.approx(2.0)
    assert step_rate(steps[:3] + steps[4:]) == pytest.approx(2.0)
    assert step_rate(steps[:2]) is None


def test_uneven_steps_have_the_mean_rate():
    clock = np.cumsum([0.0, 0.5, 0.7, 0.5, 0.7])
    steps = [Landing(k, float(time), "left" if k % 2 else "right") for k, time in enumerate(clock)]
    assert step_rate(steps) == pytest.approx(4 / 2.4)


def test_hops_on_one_foot_count():
    assert step_rate([Landing(k, 0.4 * k, "left") for k in range(6)]) == pytest.approx(2.5)


def test_noise_of_fast_cameras_is_no_movement():
    motion = resampled(walk(6.0), 240)
    shaken = motion.root_position + np.random.default_rng(0).normal(scale=0.002, size=motion.root_position.shape)
    noisy = replace(motion, root_position=shaken)
    assert abs(gait_measures(noisy).steps - gait_measures(motion).steps) <= 1
    assert gait_measures(noisy).steps_per_second == pytest.approx(2 / 1.1, rel=0.05)


@needs_mocap
@pytest.mark.parametrize("name", COUNTED)
def test_steps_a_second_are_within_5_percent_of_those_counted_by_hand(name):
    steps, seconds = COUNTED[name]
    gait = gait_measures(without_rest_frame(load_motion(MOCAP / name)))
    assert gait.steps_per_second == pytest.approx(steps / seconds, rel=0.05)


def test_a_cycle_from_less_than_two_cycles_warns(tmp_path, capsys):
    assert periodic_motion(walk(6.6)).warnings == ()
    short = periodic_motion(walk(1.2), steady=False)
    assert "two at least" in short.warnings[0]
    save_motion(walk(1.2), tmp_path / "m.bvh")
    assert main(["motion", "cycle", str(tmp_path / "m.bvh"), "--out", str(tmp_path / "c.toml")]) == 0
    assert "warning: the period was read from" in capsys.readouterr().out


@needs_mocap
def test_a_spin_is_not_taken_for_a_walk_cycle():
    assert periodic_motion(load_motion(MOCAP / "snu" / "wd2_2foot_walk_turn2.bvh")).warnings


def test_people_are_no_animals_and_animals_are():
    motion = walk(0.5)
    assert animal_warning(motion) == ""
    assert animal_warning(turned_about_z(motion, 1.0)) == ""
    names = tuple("Tail_01" if name == "Spine1" else name for name in motion.skeleton.names)
    assert "a tail" in animal_warning(replace(motion, skeleton=replace(motion.skeleton, names=names)))
    figure = replace(motion, skeleton=replace(motion.skeleton, names=names), figure="robo-bird")
    assert animal_warning(figure) == ""


@needs_mocap
def test_of_all_clips_the_chicken_and_the_fox_are_warned_about(capsys):
    clips = [*MOCAP.glob("*/*.bvh"), *(MOCAP / "others").glob("*/*.bvh"), *(MOCAP / "others").glob("*/*.glb")]
    odd = {path.name for path in clips if animal_warning(load_motion(path))}
    assert odd == {"Chicken_Walk.bvh", "Fox.glb"}
    assert main(["motion", "info", str(MOCAP / "others" / "Anytop" / "Chicken_Walk.bvh")]) == 0
    assert capsys.readouterr().out.startswith("warning: this looks like an animal")
