"""The ways up from the ground, the clips that join them, and that lying is no fall where one gets up."""

from contextlib import closing
from importlib.resources import files

import mujoco
import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.falls import on_the_back, stands, thrown
from footfall.learning.layers import Layers, arrays_of
from footfall.learning.options import SAME_STEP, Options
from footfall.learning.ppo import PolicyWorlds
from footfall.learning.worlds import EnvironmentWorlds
from footfall.motion.quaternion import from_axis_angle, multiply
from footfall.motion.synthesis.getting_up import way_up_from, ways_up
from footfall.study.imitation.network_follower import LEVEL

FIGURE = Figure.load("human-28")
OPTIONS = {"figure": "human-28", "action": "follow", "start": "fallen", "falls": 0, "speed": 0.0, "torque_limit": 300.0}
RATE, EPISODE = 50.0, 20


def lowest(qpos):
    """The height of the lowest ball of the skin."""
    data = mujoco.MjData(FIGURE.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(FIGURE.model, data)
    turns = data.xmat.reshape(-1, 3, 3)
    return min((data.xpos[b.body + 1] + turns[b.body + 1] @ b.position)[2] - b.radius for b in FIGURE.skin)


def turned(qpos, angle):
    """Poses turned about the vertical through the origin."""
    found, quaternion = qpos.copy(), from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(angle))
    at = (qpos[..., 0] + 1j * qpos[..., 1]) * np.exp(1j * angle)
    found[..., 0], found[..., 1] = at.real, at.imag
    found[..., 3:7] = multiply(np.broadcast_to(quaternion, qpos[..., 3:7].shape), qpos[..., 3:7])
    return found


@pytest.mark.parametrize("number", range(4))
def test_ways_up_lie_first_and_stand_last_on_the_ground_within_the_joints_ranges(number):
    way = ways_up(FIGURE, RATE)[number]
    assert way[0, 2] < 0.35
    assert way[-1, 2] > 0.94
    assert np.abs([lowest(pose) for pose in way[::10]]).max() < 0.03
    assert np.abs(way[-1, :2]).max() < 1e-9
    for joint in FIGURE.joints:
        if joint.kind == "hinge":
            inside = (way[:, joint.qpos] >= joint.lower - 1e-9) & (way[:, joint.qpos] <= joint.upper + 1e-9)
            assert np.all(inside), joint.name


def test_ways_come_in_pairs_of_mirror_images():
    ways = ways_up(FIGURE, RATE)
    for own, other in zip(ways[::2], ways[1::2], strict=True):
        assert np.allclose(FIGURE.mirror_qpos(own), other, atol=1e-12)


def test_a_clip_begins_as_the_body_lies_and_turns_with_it():
    lying = on_the_back(FIGURE)
    lying[:2] = 2.0, -1.0
    lying[7:] += np.random.default_rng(1).normal(0.0, 0.1, FIGURE.nq - 7)
    clip = way_up_from(FIGURE, lying, RATE)
    lying[3:7] *= np.sign(lying[3:7] @ clip[0, 3:7])
    assert np.allclose(clip[0], lying, atol=1e-9)
    assert clip[-1, 2] > 0.94
    other = way_up_from(FIGURE, turned(lying, 1.2), RATE)
    signs = np.sign((other[:, 3:7] * turned(clip, 1.2)[:, 3:7]).sum(axis=1))
    other[:, 3:7] *= signs[:, None]
    assert np.allclose(other, turned(clip, 1.2), atol=1e-9)


def test_who_lies_does_not_stand():
    lying = on_the_back(FIGURE)
    assert lying[2] < 0.25
    assert not stands(FIGURE, lying[2], 0.0)
    assert stands(FIGURE, FIGURE.default_qpos[2], 1.0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"action": "targets"}, "start 'fallen' works with action 'follow'"),
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


def test_gaits_under_orders_need_a_controller_with_gaits():
    from footfall.learning.clips import steered_clips

    with pytest.raises(FootfallError, match="clip 'steered' is for a controller with gaits"):
        steered_clips(None, FIGURE, 1.0 / RATE)


@pytest.fixture(scope="module")
def worlds():
    made = EnvironmentWorlds(Options.of(**OPTIONS, tether=0.15), 16, most=EPISODE, mode=SAME_STEP)
    yield made
    made.close()


@pytest.mark.slow
def test_lying_is_no_fall_and_a_tethered_clip_stays_near(worlds):
    first = np.concatenate([[0], np.flatnonzero(np.diff(worlds.clips.last)) + 1])
    worlds.begin_at(np.resize(first, len(worlds.clips.begins)).astype(np.int32))
    worlds.restart(np.ones(16, dtype=bool), np.arange(16, dtype=np.uint32))
    for _ in range(EPISODE - 1):
        worlds.step()
    assert not worlds.live["terminated"].numpy().any()
    qpos, frame = worlds.live["qpos"].numpy(), worlds.live["frame"].numpy()
    assert np.all((qpos[:, 2] > 0.05) & (qpos[:, 2] < 0.6))
    off = qpos[:, :2] - worlds.clips.qpos[frame, :2] + worlds.live["pulled"].numpy()
    assert np.linalg.norm(off, axis=1).max() < 0.15 + 1e-6


@pytest.mark.slow
def test_those_who_are_thrown_come_to_rest_on_the_ground():
    qpos, qvel = thrown(FIGURE, "walk-3d", 8, seed=1)
    assert 0 < len(qpos) <= 8
    assert np.all(qpos[:, 2] < 0.5)
    assert np.abs(qvel[:, :3]).max() < 0.5


@pytest.mark.slow
def test_the_policy_that_comes_with_footfall_stands_up_from_hands_and_knees():
    """From hands and knees, from one knee and from a lunge, at 64 disturbed starts along the four ways."""
    policy = load_controller(str(files("footfall.methods.network") / "sure-tracker.toml"))
    options = OPTIONS | {"stiffness": 2.0, "reach": 0.5, "tether": 0.15, "noise": (0.02, 0.1), "terrain": LEVEL}
    made = EnvironmentWorlds(Options.of(**options, precision="float32"), 64, most=400, mode=SAME_STEP)
    ends = np.flatnonzero(np.append(np.diff(made.clips.last) > 0, True))
    first = np.append(0, ends[:-1] + 1) + np.array([1.8, 1.8, 3.0, 3.0]) * RATE  # hands and knees
    frames = np.concatenate([np.linspace(a, b, 16) for a, b in zip(first, ends - 2.0 * RATE, strict=True)])
    made.begin_at(np.resize(frames.astype(np.int32), len(made.clips.begins)))
    arrays = arrays_of(made.device)
    with closing(made), arrays.working():
        acting, layers = PolicyWorlds(made, arrays), Layers(policy.network, arrays)
        acting.reset(3)
        assert made.live["qpos"].numpy()[:, 2].max() < 0.65
        names = [row.name for row in made.setup.observations]
        height, up = names.index("height"), names.index("up_z")
        stood, over = np.zeros(64, dtype=bool), np.zeros(64, dtype=bool)
        while not over.all():
            _, fell, late = acting.act(layers(acting.observed()))
            last, ended = acting.observed(final=True), np.asarray(fell | late) & ~over
            stood |= ended & np.asarray(stands(FIGURE, last[:, height], last[:, up]))
            over |= ended
    assert stood.all()
