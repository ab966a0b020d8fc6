"""BVH files as other programs read them: Blender takes a joint's position channels instead of its OFFSET, three.js adds
them to it. Both must show the motion that was saved."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.motion import load_motion, save_motion
from footfall.motion.formats.bvh import BvhText
from footfall.motion.formats.conventions import axes_from_up
from footfall.motion.quaternion import from_euler, multiply, rotate
from tests.live.node import find_node
from tests.motion.walks import motions, walk

THREE = Path(__file__).parents[2] / "build" / "node" / "node_modules" / "three"

needs_three = pytest.mark.skipif(
    find_node() is None or not THREE.is_dir(),
    reason="NO NODE OR THREE.JS (`make browser` installs them): no BVH file was opened with three.js",
)


def places_by_rule(path, rule):
    """Joint names and [T, J, 3] places in the file's own axes and unit, by Blender's rule or three.js'."""
    joints, _, values = BvhText(path).read()
    places = np.empty((len(values), len(joints), 3))
    turns = np.empty((len(values), len(joints), 4))
    column = 0
    for j, joint in enumerate(joints):
        moved = np.tile(joint.offset, (len(values), 1))
        for k, (kind, axis) in enumerate(joint.channels):
            if kind == "p":
                at = "xyz".index(axis)
                moved[:, at] = values[:, column + k] + (joint.offset[at] if rule == "three.js" else 0.0)
        order = [(k, axis) for k, (kind, axis) in enumerate(joint.channels) if kind == "r"]
        angles = np.deg2rad(values[:, [column + k for k, _ in order]])
        turn = from_euler("".join(axis for _, axis in order), angles)
        column += len(joint.channels)
        if joint.parent < 0:
            places[:, j], turns[:, j] = moved, turn
        else:
            places[:, j] = places[:, joint.parent] + rotate(turns[:, joint.parent], moved)
            turns[:, j] = multiply(turns[:, joint.parent], turn)
    return [joint.name for joint in joints], places


def expected(motion, names, scale, up="y"):
    """[T, J, 3] the motion's own joint places, in the file's axes and unit."""
    order = [motion.skeleton.index(name) for name in names]
    return motion.positions()[:, order] @ axes_from_up(up) / scale


@pytest.mark.parametrize("rule", ["Blender", "three.js"])
@given(motion=motions())
@settings(max_examples=15, deadline=None)
def test_every_reader_finds_every_joint_where_it_is(tmp_path_factory, rule, motion):
    path = tmp_path_factory.mktemp("b") / "m.bvh"
    save_motion(motion, path)
    names, places = places_by_rule(path, rule)
    assert np.abs(places - expected(motion, names, 0.01)).max() < 1e-3


def six_channels(motion):
    """The motion as if it had come from a file with position channels on every joint."""
    row = ["Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation"]
    layout = {"unit": 0.01, "up": "y", "channels": [row] * len(motion.skeleton)}
    return replace(motion, source={"bvh": layout})


def still_root(motion):
    """The motion on the spot, as if it had come from a file whose root has no position channels."""
    row = ["Zrotation", "Xrotation", "Yrotation"]
    layout = {"unit": 0.01, "up": "y", "channels": [row] * len(motion.skeleton)}
    place = np.tile(motion.root_position[0], (len(motion), 1))
    return replace(motion, root_position=place, source={"bvh": layout})


@pytest.mark.parametrize("rule", ["Blender", "three.js"])
@pytest.mark.parametrize("kind", [six_channels, still_root])
def test_channels_of_the_source_file_do_not_move_joints(tmp_path, rule, kind):
    motion = kind(walk(0.5))
    save_motion(motion, tmp_path / "m.bvh")
    names, places = places_by_rule(tmp_path / "m.bvh", rule)
    assert np.abs(places - expected(motion, names, 0.01)).max() < 1e-3
    again = load_motion(tmp_path / "m.bvh")
    assert np.abs(again.positions() - motion.positions()[:, [motion.skeleton.index(n) for n in names]]).max() < 1e-5


def test_a_root_that_moves_gets_position_channels(tmp_path):
    motion = replace(walk(0.5), source=still_root(walk(0.5)).source)
    save_motion(motion, tmp_path / "m.bvh")
    again = load_motion(tmp_path / "m.bvh")
    assert np.abs(again.root_position - motion.root_position).max() < 1e-5


def test_files_with_an_offset_at_the_root_read_the_same(tmp_path):
    """Files that footfall wrote with the standing height as the root's OFFSET, beside absolute positions."""
    save_motion(walk(0.5), tmp_path / "new.bvh")
    text = (tmp_path / "new.bvh").read_text()
    zero = "\tOFFSET 0.00000000 0.00000000 0.00000000\n"
    assert text.index(zero) < text.index("JOINT")
    (tmp_path / "old.bvh").write_text(text.replace(zero, "\tOFFSET 0.00000000 95.00000000 0.00000000\n", 1))
    new, old = load_motion(tmp_path / "new.bvh"), load_motion(tmp_path / "old.bvh")
    assert np.array_equal(new.positions(), old.positions())
    assert np.abs(new.root_position - walk(0.5).root_position).max() < 1e-5


@needs_three
@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("kind", [walk, lambda seconds: six_channels(walk(seconds))], ids=["own", "six channels"])
def test_three_js_shows_the_motion(tmp_path, up, kind):
    motion = kind(0.5)
    save_motion(motion, tmp_path / "m.bvh", up=up)
    frames = [0, len(motion) // 2, len(motion) - 2]
    command = [find_node(), str(Path(__file__).parent / "bvh_in_three.mjs"), str(THREE), str(tmp_path / "m.bvh")]
    run = subprocess.run(
        [*command, repr(motion.frame_time), *map(str, frames)], capture_output=True, text=True, timeout=120, check=False
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert sorted(found) == sorted(motion.skeleton.names)
    places = np.stack([found[name] for name in motion.skeleton.names], axis=1)
    assert np.abs(places - expected(motion, motion.skeleton.names, 0.01, up)[frames]).max() < 1e-2
