"""What info says of a decision: the ground's force, torques and power, computed again by MuJoCo and NumPy."""

import mujoco
import numpy as np
import pytest

gym = pytest.importorskip("gymnasium", reason="NO GYMNASIUM: footfall's environments were not tested")

import footfall.gym
from footfall.learning.measures import DECISION_MEASURES
from tests.learning.test_worlds import actions_of

gym.register_envs(footfall.gym)

STEP = 0.002


def test_torques_and_power_are_those_of_the_joints():
    """With decisions of one time step and torques as actions, nothing else is in between."""
    env = gym.make("footfall/PlanarWalk-v0", decide=1.0 / STEP, dt=STEP)
    env.reset(seed=1)
    worlds = env.unwrapped.worlds
    root = worlds.setup.figure.root_freedoms
    limits = np.array([action.high for action in worlds.setup.action.table])
    columns = [place.column for place in worlds.setup.action.places]
    energy, expected = 0.0, 0.0
    for action in actions_of(1, 6, 40)[:, 0]:
        rates = worlds.live["qvel"].numpy()[0].copy()
        info = env.step(action)[4]
        torque = np.zeros(len(rates))
        torque[columns] = action * limits
        assert info["torque_squared"] == pytest.approx((torque**2).sum(), rel=1e-9)
        assert info["power"] == pytest.approx(np.abs(torque * rates)[root:].sum(), rel=1e-9)
        energy += info["power"] * STEP
        expected += np.abs(torque * rates)[root:].sum() * STEP
    assert energy == pytest.approx(expected)


@pytest.mark.parametrize(
    "id", ["footfall/PlanarTerrain-v0", pytest.param("footfall/Human28Push-v0", marks=pytest.mark.slow)]
)
def test_the_ground_carries_what_a_walker_weighs(id):
    """A controller that walks on the flat: every decision's force is the change of the momentum that MuJoCo finds, and
    their mean is the weight."""
    env = gym.make(id, terrain="flat", push=None, noise=(0.0, 0.0))
    env.reset(seed=0)
    worlds, zero = env.unwrapped.worlds, np.zeros(env.action_space.shape, dtype=np.float32)
    model = worlds.setup.figure.model
    data = mujoco.MjData(model)

    def momentum():
        data.qpos[:], data.qvel[:] = (worlds.live[name].numpy()[0] for name in ("qpos", "qvel"))
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        return model.body_mass[1:].sum() * data.subtree_linvel[0, 2]

    weight = -model.opt.gravity[2] * model.body_mass[1:].sum()
    forces, before = [], momentum()
    for _ in range(200):
        info = env.step(zero)[4]
        after = momentum()
        assert info["ground_force"] == pytest.approx(1.0 + (after - before) / (worlds.period * weight), abs=1e-6)
        forces.append(info["ground_force"])
        before = after
    assert np.mean(forces) == pytest.approx(1.0, abs=0.05)
    assert np.max(forces) > 1.1


def test_a_walker_in_the_air_feels_no_ground():
    env = gym.make("footfall/PlanarWalk-v0")
    env.reset(seed=0)
    qpos = env.unwrapped.worlds.live["qpos"].numpy()
    qpos[0, 1] += 0.3
    env.unwrapped.worlds.live["qpos"].assign(qpos)
    force = env.step(np.zeros(6, dtype=np.float32))[4]["ground_force"]
    assert force == pytest.approx(0.0, abs=0.02)


def test_measures_are_numbers_in_every_library():
    """Finite through falls and new episodes, the same in NumPy's dictionary and as arrays of a device."""
    numpy, warp = (gym.make_vec("footfall/PlanarWalk-v0", 5, arrays=name) for name in ("numpy", "warp"))
    for env in (numpy, warp):
        env.reset(seed=0)
    ended = 0
    for action in actions_of(5, 6, 150, scale=1.0):
        answer, other = numpy.step(action)[2:], warp.step(action)[4]
        for name in DECISION_MEASURES:
            assert np.isfinite(answer[2][name]).all()
            np.testing.assert_array_equal(answer[2][name], other[name].numpy())
        ended += answer[0].sum()
    assert ended > 0
