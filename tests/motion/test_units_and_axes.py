"""Units, axes and rates: given, said by the file, or guessed and called a guess."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.motion import load_motion, save_motion, summary
from footfall.motion.formats.bvh import read_label, unit_label
from footfall.motion.formats.conventions import UNITS, UP_AXES, axes_from_up, unit_named
from footfall.motion.quaternion import from_axis_angle, multiply
from tests.motion.test_amc_c3d import AMC, ASF
from tests.motion.walks import MOCAP, needs_mocap, walk


def scaled(motion, size):
    skeleton = replace(motion.skeleton, offsets=size * motion.skeleton.offsets)
    ends = tuple(replace(end, offset=tuple(size * v for v in end.offset)) for end in skeleton.ends)
    return replace(motion, skeleton=replace(skeleton, ends=ends), root_position=size * motion.root_position)


def unlabelled(path):
    """The same BVH file as a tool that knows nothing of footfall would have written it."""
    lines = [line.split(" footfall:")[0] for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines) + "\n")


def fallen(seconds=1.0):
    """A walker who lies on the side from the second quarter on."""
    motion = walk(seconds)
    rotations, root = motion.rotations.copy(), motion.root_position.copy()
    share = np.clip((motion.times / motion.seconds - 0.15) / 0.1, 0.0, 1.0)
    rotations[:, 0] = multiply(from_axis_angle(np.array([1.0, 0, 0]), 0.5 * np.pi * share), rotations[:, 0])
    root[:, 2] = 0.95 * (1 - share) + 0.12 * share
    root[:, 0] = root[len(root) // 4, 0]
    return replace(motion, rotations=rotations, root_position=root)


@pytest.mark.parametrize("up", UP_AXES)
def test_axes_are_proper_turns_that_bring_up_to_z(up):
    axes = axes_from_up(up)
    assert np.allclose(axes @ axes.T, np.eye(3))
    assert np.isclose(np.linalg.det(axes), 1.0)
    along = np.eye(3)["xyz".index(up[-1])] * (-1.0 if up.startswith("-") else 1.0)
    assert np.allclose(axes @ along, [0, 0, 1])


@pytest.mark.parametrize("unit", [*UNITS, 0.3048])
@pytest.mark.parametrize("up", ["y", "-z"])
def test_footfalls_own_bvh_carries_unit_and_axis(tmp_path, unit, up):
    child = scaled(walk(1.0), 0.55)
    save_motion(child, tmp_path / "child.bvh", unit=unit, up=up)
    again = load_motion(tmp_path / "child.bvh")
    assert (again.source["unit_from"], again.source["up_from"], again.source["up"]) == ("file", "file", up)
    order = [again.skeleton.index(name) for name in child.skeleton.names]
    assert np.abs(again.positions()[:, order] - child.positions()).max() < 1e-5


def test_labels_say_what_they_were_given_and_nothing_else_is_taken_for_one():
    for unit in ("cm", 0.25):
        assert read_label(unit_label(unit, "-y")) == {"unit": str(unit), "up": "-y"}
    for word in ("", "LeftToe", "footfall:", "footfall:unit=parsec,up=y", "footfall:unit=cm,up=q", "footfall:up=y"):
        assert read_label(word) == {}


@pytest.mark.parametrize("size", [0.6, 0.68, 0.75, 1.0, 1.15])
@pytest.mark.parametrize("unit", ["m", "cm", "mm"])
def test_children_and_tall_people_are_told_from_inches(tmp_path, unit, size):
    """A child of 1.05 m has legs of 0.52 m: in inches they would be longer than anyone's."""
    path = tmp_path / "person.bvh"
    save_motion(scaled(walk(1.0), size), path, unit=unit)
    unlabelled(path)
    again = load_motion(path)
    assert again.source["unit"] == unit
    assert again.source["unit_from"] == "guess"


def test_a_guess_is_called_one_and_a_wild_one_is_flagged(tmp_path, capsys):
    path = tmp_path / "giant.bvh"
    save_motion(scaled(walk(1.0), 1.45), path, unit="m")
    unlabelled(path)
    assert "name the unit" in load_motion(path).source["notes"][0]
    assert "notes" not in load_motion(path, unit="m").source
    assert summary(load_motion(path, unit="m"))["unit_from"] == "given"
    assert main(["motion", "info", str(path)]) == 0
    told = capsys.readouterr().out
    assert "(a guess: name it with --unit if it is wrong)" in told
    assert "legs of a person" in told


@pytest.mark.parametrize("up", UP_AXES)
@pytest.mark.parametrize("make", [walk, fallen])
def test_up_is_found_with_its_sign_even_in_a_fall(tmp_path, up, make):
    path = tmp_path / "m.bvh"
    save_motion(make(1.0), path, up=up)
    unlabelled(path)
    again = load_motion(path)
    assert again.source["up"] == up
    order = [again.skeleton.index(name) for name in make(1.0).skeleton.names]
    assert np.abs(again.positions()[:, order] - make(1.0).positions()).max() < 1e-5


@pytest.mark.parametrize("figure", ["robo-bird", "human"])
def test_figures_come_back_from_bvh_as_they_were(tmp_path, figure):
    from footfall.figures import Figure
    from footfall.motion import Motion

    body = Figure.load(figure)
    qpos = np.tile(body.default_qpos, (5, 1))
    qpos[:, 2] = 0.1
    qpos[:, 3:7] = [np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0]
    lying = Motion.from_qpos(body, np.arange(5) / 30, qpos)
    save_motion(lying, tmp_path / "m.bvh")
    again = load_motion(tmp_path / "m.bvh")
    order = [again.skeleton.index(name) for name in lying.skeleton.names]
    assert np.abs(again.positions()[:, order] - lying.positions()).max() < 1e-5


def test_amc_says_its_rate(tmp_path):
    (tmp_path / "07.asf").write_text(ASF)
    (tmp_path / "07.amc").write_text(AMC.replace(":DEGREES", ":SAMPLES-PER-SECOND 30\n:DEGREES"))
    assert load_motion(tmp_path / "07.amc").fps == pytest.approx(30)
    assert load_motion(tmp_path / "07.amc", fps=60).fps == pytest.approx(60)
    (tmp_path / "07.amc").write_text(AMC)
    silent = load_motion(tmp_path / "07.amc")
    assert silent.fps == pytest.approx(120)
    assert "does not say its rate" in silent.source["notes"][0]
    (tmp_path / "07.amc").write_text(AMC.replace(":DEGREES", ":SAMPLES-PER-SECOND none\n:DEGREES"))
    with pytest.raises(FootfallError, match="line 3"):
        load_motion(tmp_path / "07.amc")


@pytest.mark.parametrize(
    ("said", "unit"),
    [("mm", "mm"), ("MM  ", "mm"), ("mete", "m"), ("Meters", "m"), ("metres", "m"), ("cm", "cm"), ("inches", "inch")],
)
def test_units_by_their_names(said, unit):
    assert unit_named(said) == unit


def test_words_that_are_no_unit():
    assert unit_named("deg") is None
    assert unit_named("") is None


def test_joint_names_of_any_length_are_read_at_once(tmp_path):
    """Names of 20,000 characters took 82 s."""
    path = tmp_path / "m.bvh"
    save_motion(walk(0.2), path)
    text = path.read_text().replace("LeftUpLeg", "A" * 20_000).replace("RightUpLeg", "A" * 20_000)
    path.write_text(text)
    motion = load_motion(path)
    assert max(len(name) for name in motion.skeleton.names) <= 130
    assert len(set(motion.skeleton.names)) == len(motion.skeleton.names)
    assert any("20000 characters" in note for note in motion.source["notes"])
    assert summary(motion)["frames"] == len(motion)


def test_one_frame_is_described_drawn_and_exported(tmp_path, capsys):
    save_motion(replace(walk(0.1), times=walk(0.1).times), tmp_path / "long.bvh")
    lines = (tmp_path / "long.bvh").read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Frames:"))
    (tmp_path / "one.bvh").write_text("\n".join([*lines[:start], "Frames: 1", *lines[start + 1 : start + 3]]) + "\n")
    one = str(tmp_path / "one.bvh")
    assert main(["motion", "info", one]) == 0
    for kind in ("strip", "contacts", "angles"):
        assert main(["motion", "plot", one, "--kind", kind, "--out", str(tmp_path / f"{kind}.png")]) == 0
    for suffix in (".glb", ".csv", ".npz", ".html", ".usda"):
        assert main(["export", one, "--out", str(tmp_path / f"one{suffix}")]) == 0
    capsys.readouterr()
    assert main(["motion", "cycle", one, "--out", str(tmp_path / "c.toml")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_travel_on_a_joint_below_the_root_is_the_roots(tmp_path):
    """As Bandai-Namco's files have it: joint_Root stands, Hips walks."""
    path = tmp_path / "m.bvh"
    motion = walk(1.0)
    save_motion(motion, path, unit="m")
    lines = path.read_text().splitlines()
    start = next(k for k, line in enumerate(lines) if line == "MOTION")
    body = [line.replace("ROOT Hips", "JOINT Hips") for line in lines[1:start]]
    head = ["HIERARCHY", "ROOT joint_Root", "{", "OFFSET 0 0 0", "CHANNELS 3 Zrotation Xrotation Yrotation"]
    rows = [f"0 0 90 {line}" for line in lines[start + 3 :]]
    path.write_text("\n".join([*head, *body, "}", *lines[start : start + 3], *rows]) + "\n")
    again = load_motion(path)
    assert np.ptp(again.root_position, axis=0).max() == pytest.approx(1.2, rel=1e-3)
    assert "the travel of joint 'Hips' was given to the root" in again.source["notes"][0]
    away = again.position("Hips") - again.position("Hips")[0]
    assert np.allclose(np.linalg.norm(away, axis=-1), 1.2 * again.times, atol=1e-4)
    assert np.allclose(
        np.linalg.norm(again.position("LeftFoot") - again.position("Hips"), axis=-1),
        np.linalg.norm(motion.position("LeftFoot") - motion.position("Hips"), axis=-1),
        atol=1e-5,
    )


@needs_mocap
def test_clips_of_other_people_have_the_path_that_they_walk():
    walks = {"bandai/dataset-2_walk_masculine_004.bvh": (7.1, 1.35), "bboy/B_boy_7_walking.amc": (22.6, 0.0)}
    for name, (seconds, speed) in walks.items():
        rows = summary(load_motion(MOCAP / "others" / name))
        assert rows["seconds"] == pytest.approx(seconds, abs=0.1), name
        if speed:
            assert rows["mean_speed_mps"] == pytest.approx(speed, rel=0.1), name


@needs_mocap
@pytest.mark.parametrize("name", ["tpose", "walk1"])
def test_makehumans_decimetres_are_known_by_the_bodys_height(name):
    motion = load_motion(MOCAP / "others" / "makehuman" / f"{name}.bvh")
    assert (motion.source["unit"], motion.source["unit_from"]) == ("dm", "guess")
    assert 1.3 < np.ptp(motion.positions()[0, :, 2]) < 1.7
