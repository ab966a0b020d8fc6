"""Inverse dynamics: of simulations, where the answer is known, and of captured legs, where Plug-in Gait gave one."""

from copy import copy
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from footfall.motion import load_motion
from footfall.study.gait_lab.analysis import analyse
from footfall.study.gait_lab.ground_forces import (
    FootForce,
    captured_closure,
    foot_forces,
    pressure_centre,
    single_support_closures,
)
from footfall.study.measures.cycles import low_pass
from tests.study.gait_lab.walks import OPENSIM, PLUG_IN_GAIT, analysis, clip, motion, trace
from tools.plug_in_gait import vicon


def inverse_dynamics(figure, qpos, qvel, qacc, grf):
    """[T, nv] M(q) q̈ + c(q, q̇) - J(q)ᵀ f: what acted at every degree of freedom. For a free root it is the residual by
    which motion, masses and forces do not fit together."""
    model = copy(figure.model)
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= int(off.mjDSBL_CONSTRAINT | off.mjDSBL_ACTUATION)
    data = mujoco.MjData(model)
    points = [p for p in figure.points if p.ground]
    torque, outside = np.empty((len(qpos), model.nv)), np.zeros(model.nv)
    for t in range(len(qpos)):
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos[t], qvel[t], qacc[t]
        mujoco.mj_inverse(model, data)
        outside[:] = 0.0
        for k, p in enumerate(points):
            at = data.xpos[p.body + 1] + data.xmat[p.body + 1].reshape(3, 3) @ p.position
            mujoco.mj_applyFT(model, data, grf[t, k], np.zeros(3), at, p.body + 1, outside)
        torque[t] = data.qfrc_inverse - outside
    return torque


@pytest.mark.slow
def test_a_simulation_gives_back_the_moments_that_drove_it():
    t = trace()
    rows = slice(1, 400)  # a start's quaternion is rounded
    found = inverse_dynamics(t.figure, t.qpos[rows, 0], t.qvel[rows, 0], t.qacc[rows, 0], t.grf[rows, 0])
    np.testing.assert_allclose(found[:, 6:], t.moment[rows, 0, 6:], atol=1e-6)
    assert np.abs(found[:, :6]).max() < 1e-6


@pytest.mark.slow
def test_feet_carry_the_weight_at_a_centre_under_them():
    forces = foot_forces(motion(), analysis().events)
    total = sum(f.force[400:, 2].mean() for f in forces.values())
    assert total == pytest.approx(9.8 * analysis().mass, rel=0.02)
    for side, path in analysis().pressure.items():
        along = path[..., 0][np.isfinite(path[..., 0])]
        assert -0.12 < along.min() < along.max() < 0.25, side


def test_the_centre_of_pressure_of_forces_at_two_points():
    places = np.array([[0.0, 0.1, 0.02], [0.2, 0.1, 0.02]])
    forces = np.array([[10.0, 0.0, 100.0], [0.0, 5.0, 300.0]])
    moment = np.cross(places, forces).sum(axis=0)
    centre, twist = pressure_centre(forces.sum(axis=0)[None], moment[None], 0.02)
    np.testing.assert_allclose(centre[0], [0.15, 0.1, 0.02])
    about = np.cross(places - centre[0], forces).sum(axis=0)
    np.testing.assert_allclose([*about[:2], twist[0]], [0.0, 0.0, about[2]], atol=1e-12)


@pytest.mark.slow
def test_work_is_the_energy_that_moves_through_the_joints():
    """Over whole cycles of a steady walk, joints give what the ground and the stops take: little is left over."""
    found = analysis()
    gain = found.measures["positive_work"]["both"].mean
    loss = found.measures["negative_work"]["both"].mean
    assert gain > 0 > loss
    cost = found.measures["cost_of_transport"]["both"].mean
    assert cost == pytest.approx(gain / (9.8 * found.parameters["stride_length"]["both"].mean), rel=0.02)


def test_the_filter_keeps_slow_and_drops_fast():
    t = np.arange(0, 2, 0.005)
    slow, fast = np.sin(2 * np.pi * 2 * t), np.sin(2 * np.pi * 50 * t)
    middle = slice(60, -60)
    np.testing.assert_allclose(low_pass(slow + fast, 200.0)[middle], slow[middle], atol=0.02)


def test_angles_moments_and_powers_are_plug_in_gaits():
    path = clip(PLUG_IN_GAIT)
    found = analyse(path)
    n = len(found.motion)
    stance = (found.motion.times > 0.68) & (found.motion.times < 1.42)
    assert found.mass == pytest.approx(66.5)
    for name, label, column, tolerance in (
        ("hip_flexion", "RHipAngles", 0, 0.3),
        ("hip_adduction", "RHipAngles", 1, 0.5),
        ("knee_flexion", "RKneeAngles", 0, 1.0),
        ("ankle_dorsiflexion", "RAnkleAngles", 0, 3.0),
        ("pelvis_tilt", "RPelvisAngles", 0, 0.5),
        ("pelvis_rotation", "RPelvisAngles", 2, 1.0),
    ):
        theirs = vicon(path, label)[:n, column]
        assert np.sqrt(((found.signals[f"right_{name}"] - theirs)[stance] ** 2).mean()) < tolerance, name
    for name, label in (
        ("hip_extension_moment", "RHipMoment"),
        ("knee_extension_moment", "RKneeMoment"),
        ("ankle_plantarflexion_moment", "RAnkleMoment"),
    ):
        theirs = vicon(path, label)[:n, 0] / 1000.0
        mine = found.signals[f"right_{name}"]
        assert np.sqrt(((mine - theirs)[stance] ** 2).mean()) < 0.06, name
        assert np.corrcoef(mine[stance], theirs[stance])[0, 1] > 0.98, name
    theirs = vicon(path, "RAnklePower")[:n, 2]
    assert np.corrcoef(found.signals["right_ankle_power"][stance], theirs[stance])[0, 1] > 0.99


@pytest.mark.parametrize("name", [PLUG_IN_GAIT, OPENSIM])
def test_events_by_kinematics_are_those_of_force_platforms(name):
    found = analyse(clip(name))
    difference = next(d for d in found.differences if d.first == "force platforms" and "speed" in d.second)
    assert difference.pairs >= 3
    assert abs(difference.worst) < 0.02


@pytest.mark.parametrize(
    ("name", "mass", "forces", "moments"),
    [
        # the vertical forces of the first clip fit 61 kg, the file says 66.5; the second has no head and no arms
        (PLUG_IN_GAIT, 61.1, (5.0, 5.0, 6.0), 5.0),
        (OPENSIM, 66.1, (6.0, 5.0, 7.0), 5.0),
    ],
)
def test_motion_and_forces_of_single_support_fit_together(name, mass, forces, moments):
    """While the right foot stands alone on its platform, with the mass that its forces fit."""
    walk = load_motion(clip(name))
    found = analyse(walk)
    side, closure = next(row for row in found.closures if row[0] == "right")
    assert closure.mass == pytest.approx(mass, abs=0.5)
    fitted = single_support_closures(walk, foot_forces(walk, found.events), found.events, closure.mass, found.leg)
    residual = next(c for s, c in fitted if s == side)
    assert (residual.force < forces).all()
    assert residual.moment.max() < moments
    assert any(note.startswith("closure, right foot alone") for note in found.notes)
    assert any("fit 61.1 kg, not 66.5 kg" in note for note in found.notes) == (name == PLUG_IN_GAIT)


def test_a_body_that_falls_has_no_residual():
    """A rigid body in free fall: nothing is left over but the small force that a platform shows. One that floats misses
    its weight."""
    walk = replace(load_motion(clip(PLUG_IN_GAIT)), channels={})
    still = np.tile(walk.rotations[:1], (len(walk), 1, 1))
    path = np.tile(walk.root_position[0], (len(walk), 1))
    push = FootForce(
        np.tile([0.0, 0.0, 21.0], (len(walk), 1)), path * [1, 1, 0], np.zeros(len(walk)), np.ones(len(walk), bool)
    )
    nothing = FootForce(np.zeros((len(walk), 3)), path, np.zeros(len(walk)), np.ones(len(walk), bool))
    forces = {"left": push, "right": nothing}
    down = path + np.outer(-0.5 * 9.81 * walk.times**2, [0.0, 0.0, 1.0])
    falling = captured_closure(replace(walk, root_position=down, rotations=still), forces, 70.0, 0.9, (0.5, 2.0))
    resting = captured_closure(replace(walk, root_position=path, rotations=still), forces, 70.0, 0.9, (0.5, 2.0))
    share = 100 * 21.0 / (9.81 * 70.0)
    np.testing.assert_allclose(falling.force, [0.0, 0.0, share], atol=0.1)
    np.testing.assert_allclose(resting.force, [0.0, 0.0, 100.0 - share], atol=0.1)
    assert resting.mass == pytest.approx(21.0 / 9.81, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (PLUG_IN_GAIT, "left foot reaches 3 cm beyond force platform 2"),
        (OPENSIM, "left foot reaches 13 cm beyond force platform 1"),
    ],
)
def test_a_foot_over_the_edge_of_its_platform_is_said(name, said):
    notes = analyse(clip(name)).notes
    assert [n for n in notes if "beyond force platform" in n] == [n for n in notes if said in n] != []
    assert any(n.startswith("1 of 2 contacts with force platforms is left out of means and peaks") for n in notes)
