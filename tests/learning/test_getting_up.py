"""Where training to get up begins, what it rewards, and that lying is no fall under a law that gets up."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.falls import on_the_back, poses_on_the_way, stands, thrown
from footfall.learning.options import SAME_STEP, Options
from footfall.learning.worlds import EnvironmentWorlds

FIGURE = Figure.load("human-28")
OPTIONS = {"figure": "human-28", "action": "targets", "start": "fallen", "falls": 0, "speed": 0.0, "dt": 0.003}
OPTIONS |= {"decide": 100.0 / 3.0, "torque_limit": 300.0, "reach": 2.0}
EPISODE = 20


def lowest(qpos):
    """The height of the lowest ball of the skin."""
    data = mujoco.MjData(FIGURE.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(FIGURE.model, data)
    turns = data.xmat.reshape(-1, 3, 3)
    return min((data.xpos[b.body + 1] + turns[b.body + 1] @ b.position)[2] - b.radius for b in FIGURE.skin)


def crown(qpos):
    """The height of the top of the head."""
    data, head = mujoco.MjData(FIGURE.model), next(p for p in FIGURE.points if p.name == "head")
    data.qpos[:] = qpos
    mujoco.mj_kinematics(FIGURE.model, data)
    return float((data.xpos[head.body + 1] + data.xmat[head.body + 1].reshape(3, 3) @ head.position)[2])


def test_poses_on_the_way_lie_on_the_ground_within_the_joints_ranges():
    qpos, qvel = poses_on_the_way(FIGURE, 30, seed=3)
    assert np.allclose([lowest(row) for row in qpos], 0.0, atol=1e-12)
    assert not qvel.any()
    for joint in FIGURE.joints:
        if joint.kind == "hinge":
            assert np.all((qpos[:, joint.qpos] >= joint.lower) & (qpos[:, joint.qpos] <= joint.upper)), joint.name
    again, _ = poses_on_the_way(FIGURE, 30, seed=3)
    assert np.array_equal(qpos, again)


def test_who_lies_does_not_stand():
    lying = on_the_back(FIGURE)
    assert lying[2] < 0.25
    assert not stands(FIGURE, lying[2], 0.0)
    assert stands(FIGURE, FIGURE.default_qpos[2], 1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"action": "follow", "clip": "own", "controller": "walk-3d"}, "start 'fallen' works with action"),
        ({"figure": "planar-biped"}, "not a 3D figure with legs"),
        ({"start": "lying"}, "start is 'lying'; choose one of: usual, fallen"),
        ({"falls": -1}, "falls is -1"),
        ({"torque_limit": 0.0}, "torque_limit is 0.0"),
    ],
)
def test_wrong_options_are_refused(given, words):
    from footfall.learning.setup import Setup

    with pytest.raises(FootfallError, match=words):
        Setup.of(Options.of(**(OPTIONS | given)))


@pytest.fixture(scope="module")
def worlds():
    made = EnvironmentWorlds(Options.of(**OPTIONS), 16, most=EPISODE, mode=SAME_STEP)
    yield made
    made.close()


@pytest.mark.slow
def test_lying_is_no_fall_and_a_fallen_body_stays_where_it_lies(worlds):
    worlds.restart(np.ones(16, dtype=bool), np.arange(16, dtype=np.uint32))
    for _ in range(EPISODE - 1):
        worlds.step()
    assert not worlds.live["terminated"].numpy().any()
    heights = worlds.live["qpos"].numpy()[:, 2]
    assert (heights < 0.3).any()
    assert np.all((heights > 0.05) & (heights < 1.0))


@pytest.mark.slow
def test_the_reward_for_rising_is_the_height_of_the_crown(worlds):
    worlds.restart(np.ones(16, dtype=bool), np.arange(16, dtype=np.uint32))
    worlds.step()
    names = [term.name for term in worlds.setup.plan.rewards]
    rise = worlds.live["terms"].numpy()[:, names.index("rise")] / worlds.setup.weights[names.index("rise")]
    share = [crown(row) / crown(FIGURE.default_qpos) for row in worlds.live["qpos"].numpy()]
    assert np.allclose(rise, np.clip(share, 0.0, 1.0), atol=1e-9)


@pytest.mark.slow
def test_staggered_episodes_end_one_after_another(worlds):
    worlds.restart(np.ones(16, dtype=bool), np.arange(16, dtype=np.uint32))
    worlds.stagger()
    ends = np.zeros(16, dtype=int)
    for _ in range(EPISODE):
        worlds.step()
        ends += worlds.live["truncated"].numpy()
    assert np.all(ends == 1)


@pytest.mark.slow
def test_those_who_are_thrown_come_to_rest_on_the_ground():
    falls = thrown(FIGURE, "walk-3d", 8, seed=1)
    qpos, qvel = falls.at_rest
    assert np.all(qpos[:, 2] < 0.5)
    assert np.abs(qvel[:, :3]).max() < 0.5
    assert np.all(np.linalg.norm(falls.push, axis=1) > 399.0)
    at, _ = falls.after(np.zeros(len(falls.hit), dtype=int))
    assert np.all(at[:, 2] > qpos[:, 2])
