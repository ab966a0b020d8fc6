"""What joints do by themselves, against MuJoCo: dry friction, springs, dampers, and joints without a motor."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from footfall.figures import Figure
from footfall.simulation import MujocoSimulation, Record, Simulation
from footfall.simulation.python_law import UNLIMITED, HeldDrive
from tests.simulation.scenes import Limp

ROBOTS = Path(__file__).parents[3] / "shared" / "data" / "robots"
PENDULUM = """<mujoco model="pendulum"><option gravity="0 0 -9.81"/><worldbody><body name="rod">
<joint name="hinge" axis="0 -1 0" {joint}/><inertial pos="0 0 -0.5" mass="1" diaginertia="0.02 0.02 0.01"/>
</body></worldbody></mujoco>"""
FRICTION = 0.3


def swing(joint, *, seconds=8.0, dt=0.002, kind=Simulation, torque=0.0, qpos=1.2, **options):
    figure = Figure.load(PENDULUM.format(joint=joint))
    simulation = kind(
        law=HeldDrive(figure), figure=figure, qpos=[qpos], dt=dt, record=Record(rate=1 / dt, worlds=8), **options
    )
    simulation.set_parameters(np.array([torque, 0.0, 0.0, 0.0, UNLIMITED]))
    simulation.run(seconds)
    return simulation


def mujoco_swing(model, qpos, qvel, seconds, dt):
    """[T, nq], [T, nv] of a model that MuJoCo itself steps."""
    model.opt.timestep = dt
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    states = []
    for _ in range(round(seconds / dt)):
        states.append((data.qpos.copy(), data.qvel.copy()))
        mujoco.mj_step(model, data)
    return np.array([q for q, _ in states]), np.array([v for _, v in states])


def turns(angles):
    """Angles at which a swing turns round, as long as it swings."""
    rate = np.diff(angles)
    return np.array([angles[i + 1] for i in np.flatnonzero(rate[1:] * rate[:-1] < 0) if abs(angles[i + 1]) > 0.1])


@pytest.mark.parametrize("dt", [0.0005, 0.002, 0.004])
def test_a_swing_decays_as_in_mujoco_and_sticks(dt):
    simulation = swing(f'frictionloss="{FRICTION}"', dt=dt)
    angles = simulation.trace().qpos[:, 0, 0]
    model = Figure.load(PENDULUM.format(joint=f'frictionloss="{FRICTION}"')).model
    wanted, _ = mujoco_swing(model, [1.2], [0.0], 8.0, dt)
    assert len(turns(angles)) == 8
    np.testing.assert_allclose(turns(angles), turns(wanted[:, 0]), atol=0.004)
    assert np.abs(simulation.trace().qvel[-round(0.5 / dt) :]).max() < 1e-4


def test_each_half_swing_loses_the_work_of_friction():
    angles = np.abs(turns(swing(f'frictionloss="{FRICTION}"', dt=0.0005).trace().qpos[:, 0, 0]))
    height = 9.81 * 0.5 * (1.0 - np.cos(angles))
    np.testing.assert_allclose(height[:-1] - height[1:], FRICTION * (angles[:-1] + angles[1:]), rtol=0.01)


@pytest.mark.parametrize("integrator", ["explicit", "semi-implicit", "rk4"])
def test_explicit_steps_rub_too(integrator):
    simulation = swing(f'frictionloss="{FRICTION}"', dt=0.0005, integrator=integrator)
    angles, implicit = (s.trace().qpos[:, 0, 0] for s in (simulation, swing(f'frictionloss="{FRICTION}"', dt=0.0005)))
    np.testing.assert_allclose(turns(angles)[:6], turns(implicit)[:6], atol=0.02)
    assert np.abs(simulation.qvel).max() < 0.01


def test_friction_holds_a_load_below_it_and_takes_its_own_from_one_above():
    level = 'frictionloss="0.3" armature="0.01"'
    holding = swing(level, torque=0.25, qpos=0.0, seconds=2.0)
    assert abs(holding.qpos[0, 0]) < 3e-4
    free = Figure.load(PENDULUM.format(joint=level).replace("-9.81", "0"))
    moving = Simulation(law=HeldDrive(free), figure=free, dt=0.002)
    moving.set_parameters(np.array([0.5, 0.0, 0.0, 0.0, UNLIMITED]))
    moving.run(1.0)
    np.testing.assert_allclose(moving.qvel, (0.5 - 0.3) / 0.28, rtol=0.005)


def test_friction_is_not_what_motors_give():
    simulation = swing('frictionloss="0.3"', torque=0.25, seconds=0.5)
    np.testing.assert_array_equal(simulation.trace().torque, 0.25)


def test_two_engines_rub_alike():
    native, other = (
        swing(f'frictionloss="{FRICTION}"', kind=kind, dt=0.001) for kind in (Simulation, MujocoSimulation)
    )
    one, two = (turns(s.trace().qpos[:, 0, 0]) for s in (native, other))
    np.testing.assert_allclose(one, two, atol=0.004)


@pytest.mark.parametrize("kind", [Simulation, MujocoSimulation])
def test_springs_and_dampers_act_in_both_engines(kind):
    joint = 'stiffness="30" springref="0.4" damping="0.6"'
    simulation = swing(joint, kind=kind, dt=0.0005, seconds=3.0)
    model = Figure.load(PENDULUM.format(joint=joint)).model
    wanted, _ = mujoco_swing(model, [1.2], [0.0], 3.0, 0.0005)
    np.testing.assert_allclose(simulation.trace().qpos[:, 0, 0], wanted[:, 0], atol=0.004)


@pytest.mark.parametrize("kind", [Simulation, MujocoSimulation])
def test_a_light_joint_bears_strong_springs_and_dampers_at_long_steps(kind):
    joint = 'stiffness="1e5" damping="1e3" springref="10"'
    simulation = swing(joint, kind=kind, dt=0.004, seconds=1.0)
    assert simulation.qpos[0, 0] == pytest.approx(10.0 * np.pi / 180.0, abs=0.001)


LEG = """<mujoco model="leg"><option gravity="0 0 -9.81"/><worldbody><body name="thigh">
<joint name="knee" axis="0 -1 0"/><inertial pos="0 0 -0.2" mass="2" diaginertia="0.03 0.03 0.01"/>
<body name="toe" pos="0 0 -0.4"><joint name="toe" axis="0 -1 0" stiffness="5" damping="0.2"/>
<inertial pos="0 0 -0.1" mass="0.5" diaginertia="0.01 0.01 0.01"/>
</body></body></worldbody><actuator><motor joint="knee"/></actuator></mujoco>"""


@pytest.mark.parametrize("kind", [Simulation, MujocoSimulation])
def test_a_joint_without_a_motor_gets_no_torque_from_any_law(kind):
    figure = Figure.load(LEG)
    runs = []
    for row in ([3.0, 0.0], [3.0, 50.0]):
        simulation = kind(law=HeldDrive(figure), figure=figure, record=Record(rate=1000.0))
        simulation.set_parameters(np.concatenate([row, [0.0, 9.0 * row[1]], np.zeros(4), np.full(2, UNLIMITED)]))
        simulation.run(0.5)
        runs.append(simulation)
    np.testing.assert_array_equal(runs[0].qpos, runs[1].qpos)
    assert not runs[1].trace().torque[:, 0, 1].any()
    assert np.abs(runs[0].qpos[0, 1]) > 0.01


def _without_meshes(path):
    """A robot whose meshes are not here: every moving body has its inertia in the file."""
    spec = mujoco.MjSpec.from_file(str(path))
    for geom in list(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH:
            spec.delete(geom)
    for part in (*spec.meshes, *spec.keys):
        spec.delete(part)
    return Figure.load(spec.to_xml())


@pytest.mark.slow
@pytest.mark.skipif(not ROBOTS.exists(), reason="robots' files are not here")
@pytest.mark.parametrize("name", ["unitree_g1/g1", "robotis_op3/op3", "pal_talos/talos_motor"])
def test_robots_swing_down_as_in_mujoco(name):
    figure = _without_meshes(ROBOTS / f"{name}.xml")
    rng = np.random.default_rng(0)
    qpos, qvel, dt = np.array(figure.default_qpos), np.zeros(figure.nv), 0.002
    for joint in figure.joints[1:]:
        qpos[joint.qpos] = (joint.lower + joint.upper) / 2 if np.isfinite(joint.lower) else 0.0
    qpos[2] = 50.0
    qvel[6:] = rng.normal(0.0, 1.0, figure.nv - 6)
    model = figure.spec().compile()
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= int(off.mjDSBL_CONTACT | off.mjDSBL_ACTUATION | off.mjDSBL_LIMIT)
    _, wanted = mujoco_swing(model, qpos, qvel, 0.5, dt)
    simulation = Simulation(law=Limp(), figure=figure, qpos=qpos, qvel=qvel, dt=dt, record=Record(rate=1 / dt))
    simulation.run(0.5)
    found = simulation.trace().qvel[:, 0]
    fast, slow = (np.sqrt((v[50:, 6:] ** 2).mean(axis=1)) for v in (found, wanted))
    np.testing.assert_allclose(fast, slow, rtol=0.02, atol=0.002)
