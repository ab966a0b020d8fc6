"""Robots and characters that nobody here made: roles, motions and torques of the files, where they are."""

from pathlib import Path

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.figures.adoption import adopt
from footfall.figures.adoption.source import Overrules
from tests.figures.adoption.accelerations import accelerations, random_state

ROBOTS = Path(__file__).parents[4] / "shared" / "data" / "robots"

pytestmark = pytest.mark.skipif(not ROBOTS.is_dir(), reason="the robots' models are not there (../shared/data/robots)")

FILES = {
    "unitree_g1/g1.xml": (29, 6, 0.69, 33.34),
    "unitree_h1/h1.xml": (19, 5, 0.87, 51.44),
    "robotis_op3/op3.xml": (20, 6, 0.25, 3.15),
    "pal_talos/talos_motor.xml": (30, 6, 0.81, 94.0),
}
"""Moving joints, joints of a leg, height of the hips, mass."""


@pytest.mark.parametrize("file", FILES)
def test_the_legs_are_found_and_the_body_stands(file):
    joints, leg, hips, mass = FILES[file]
    figure = Figure.load(ROBOTS / file)
    left = figure.legs["left"]
    assert len(figure.joints) - 1 == joints
    assert len(left.hip + left.knee + left.ankle) == leg
    assert (left.knee, left.ankle[0]) == (("left_knee",), "left_ankle_pitch")
    assert {joint.split("_")[-1] for joint in left.hip} == {"roll", "pitch", "yaw"}
    assert figure.default_qpos[2] == pytest.approx(hips, abs=0.01)
    assert figure.model.body_mass.sum() == pytest.approx(mass, rel=1e-3)
    assert figure.mirror is not None
    assert figure.joint("left_knee").lower < -1.0
    assert all(np.isfinite(figure.joint(name).torque_limit) for name in (*left.hip, *left.knee, *left.ankle))


def test_limits_are_those_of_the_motors():
    g1 = Figure.load(ROBOTS / "unitree_g1/g1.xml")
    limits = {role: g1.joint(f"left_{role}").torque_limit for role in ("hip_pitch", "hip_roll", "knee", "ankle_pitch")}
    assert limits == {"hip_pitch": 88.0, "hip_roll": 139.0, "knee": 139.0, "ankle_pitch": 50.0}


@pytest.mark.parametrize("file", [name for name in FILES if "talos" not in name])
def test_it_accelerates_as_in_its_file(file):
    """Talos is left out: its coupled fingers are welded."""
    adopted = adopt(ROBOTS / file, Overrules(symmetric=False))
    model = adopted.spec.compile()
    back = adopted.way_back(model)
    rng = np.random.default_rng(1)
    qpos, qvel, torque = random_state(model, rng)
    ours = accelerations(model, qpos, qvel, torque)
    there = back.to_original_qpos(qpos), back.to_original_qvel(qpos, qvel), back.to_original_torque(torque)
    theirs = accelerations(back.original, *there)
    for name, joint in back.joints.items():
        assert joint.sign * theirs[joint.dof] == pytest.approx(ours[back.layout[name][1]], rel=1e-9, abs=1e-9)


def test_what_was_averaged_is_said():
    findings = {finding.what: finding for finding in Figure.load(ROBOTS / "unitree_g1/g1.xml").adoption.findings}
    assert "inertias 1.4 %" in findings["sides averaged"].found
    assert "35 files are missing" in findings["meshes"].found
