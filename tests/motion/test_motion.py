from dataclasses import replace

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.figures import Figure, figure_names
from footfall.motion import GroundProfile, Motion, Skeleton, load_motion, save_motion
from footfall.motion.quaternion import conjugate, log, multiply
from tests.figures.random_trees import random_tree
from tests.motion.walks import motions, walk


def random_qpos(model, frames, seed, spread=1.0):
    rng = np.random.default_rng(seed)
    qpos = np.empty((frames, model.nq))
    for f in range(frames):
        mujoco.mj_integratePos(model, start := model.qpos0.copy(), rng.normal(scale=spread, size=model.nv), 1.0)
        qpos[f] = start
    return qpos


def check_against_mujoco(model, figure, qpos):
    motion = Motion.from_qpos(figure, np.arange(len(qpos)) * 0.01, qpos)
    data = mujoco.MjData(model)
    for f, row in enumerate(qpos):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        anchors = data.xpos[1:] + np.array(
            [data.xmat[b + 1].reshape(3, 3) @ _anchor(model, b + 1) for b in range(model.nbody - 1)]
        )
        assert np.allclose(motion.positions()[f], anchors, atol=1e-10)
        assert np.allclose(np.abs(np.sum(motion.orientations()[f] * data.xquat[1:], axis=-1)), 1.0)
        assert np.allclose(motion.end_positions()[f], data.site_xpos, atol=1e-10)
    return motion


def _anchor(model, body):
    first, count = model.body_jntadr[body], model.body_jntnum[body]
    turning = [j for j in range(first, first + count) if first >= 0 and model.jnt_type[j] in (1, 3)]
    return model.jnt_pos[turning[0]] if turning else np.zeros(3)


@pytest.mark.parametrize("name", figure_names())
def test_poses_of_built_in_figures_are_those_of_mujoco(name):
    figure = Figure.load(name)
    qpos = random_qpos(figure.model, 5, seed=3, spread=0.6)
    motion = check_against_mujoco(figure.model, figure, qpos)
    assert motion.figure == figure.name
    assert len(motion.labels["qpos"]) == figure.model.nq
    back = Motion.from_qpos(figure, motion.times, motion.to_qpos(figure))
    assert np.allclose(back.positions(), motion.positions(), atol=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_poses_of_random_trees_are_those_of_mujoco(seed):
    model = mujoco.MjModel.from_xml_string(random_tree(seed, planar=seed % 3 == 0))
    qpos = random_qpos(model, 3, seed)
    try:
        check_against_mujoco(model, model, qpos)
    except FootfallError as refusal:
        assert "slides" in str(refusal) or "anchor" in str(refusal)  # noqa: PT017


@given(motions(), st.sampled_from([".npz", ".csv"]))
@settings(max_examples=25, deadline=None)
def test_saved_motion_comes_back_unchanged(tmp_path_factory, motion, suffix):
    path = tmp_path_factory.mktemp("m") / f"m{suffix}"
    rich = replace(
        motion,
        channels={"state": np.arange(len(motion)), "torque": np.random.default_rng(1).normal(size=(len(motion), 2, 3))},
        labels={"torque": ("a", "b")},
        ground=GroundProfile.outline(np.array([0.0, 1.0]), np.array([0.0, 0.3])),
        figure="thing",
        figure_xml="<mujoco/>",
        source={"controller": "none", "gains": [1, 2.5]},
    )
    save_motion(rich, path)
    again = load_motion(path)
    assert again.skeleton == rich.skeleton
    for name in ("times", "root_position", "rotations"):
        assert np.array_equal(getattr(again, name), getattr(rich, name))
    for name, value in rich.channels.items():
        assert np.array_equal(again.channels[name], value)
        assert again.channels[name].dtype == value.dtype
    assert (again.labels, again.figure, again.figure_xml, dict(again.source)) == (
        rich.labels,
        rich.figure,
        rich.figure_xml,
        dict(rich.source),
    )
    assert again.ground is not None
    assert np.array_equal(again.ground.z, [[0.0], [0.3]])


@given(motions())
def test_forward_kinematics_keeps_bone_lengths(motion):
    positions = motion.positions()
    for j, parent in enumerate(motion.skeleton.parents):
        if parent >= 0:
            lengths = np.linalg.norm(positions[:, j] - positions[:, parent], axis=-1)
            assert np.allclose(lengths, np.linalg.norm(motion.skeleton.offsets[j]))


def test_a_planar_figure_stays_in_its_plane():
    figure = Figure.load("planar-biped")
    motion = Motion.from_qpos(figure, np.arange(4.0), random_qpos(figure.model, 4, seed=1))
    assert np.ptp(motion.points()[..., 1]) == 0
    assert np.allclose(motion.to_qpos(figure), motion.channels["qpos"], atol=1e-9) or np.allclose(
        Motion.from_qpos(figure, motion.times, motion.to_qpos(figure)).positions(), motion.positions()
    )


def test_ground_is_bilinear_and_flat_beyond_its_ends():
    ground = GroundProfile(np.array([0.0, 1.0]), np.array([0.0, 2.0]), np.array([[0.0, 2.0], [1.0, 3.0]]))
    assert np.isclose(ground.height(0.5, 1.0), 1.5)
    assert np.isclose(ground.height(9.0, -9.0), 1.0)
    assert GroundProfile.flat(0.2).height(np.array([1.0, 2.0])).tolist() == [0.2, 0.2]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"times": np.zeros(3)}, "shape"),
        ({"root_position": np.full((361, 3), np.nan)}, "not finite from frame 0"),
        ({"rotations": np.zeros((361, 16, 4))}, "unit quaternions"),
        ({"times": np.zeros(361)}, "increase"),
        ({"channels": {"x": np.zeros(4)}}, "channel 'x' must have 361 rows"),
        ({"channels": {"x": np.array([{}] * 361)}}, "channel 'x' must hold numbers"),
    ],
)
def test_what_is_no_motion_is_refused_in_one_line(change, word):
    with pytest.raises(FootfallError) as told:
        replace(walk(), **change)
    assert word in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("names", "parents", "word"),
    [
        ((), (), "no joints"),
        (("a", "a"), (-1, 0), "two joints"),
        (("a", "b"), (-1, -1), "one root"),
        (("a", "b"), (-1, 5), "before it"),
    ],
)
def test_what_is_no_skeleton_is_refused(names, parents, word):
    with pytest.raises(FootfallError, match=word):
        Skeleton(names, parents, np.zeros((len(names), 3)))


def test_rotations_of_a_walk_are_local(tmp_path):
    motion = walk()
    knee, hip = motion.skeleton.index("LeftLeg"), motion.skeleton.index("LeftUpLeg")
    relative = multiply(conjugate(motion.orientations()[:, hip]), motion.orientations()[:, knee])
    assert np.abs(log(multiply(conjugate(relative), motion.rotations[:, knee]))).max() < 1e-9


def test_unknown_suffix_lists_what_is_possible(tmp_path):
    with pytest.raises(FootfallError, match=r"choose one of: \.npz, \.csv, \.bvh, \.c3d, .*\.glb"):
        save_motion(walk(), tmp_path / "walk.abc")
    with pytest.raises(FootfallError, match="no folder"):
        save_motion(walk(), tmp_path / "nowhere" / "walk.npz")
    (tmp_path / "walk.npz").write_bytes(b"")
    with pytest.raises(FootfallError, match=r"did you mean 'walk\.npz'"):
        load_motion(tmp_path / "wlak.npz")
    assert [p.name for p in tmp_path.iterdir()] == ["walk.npz"]


def test_any_source_can_be_saved(tmp_path):
    source = {"seed": np.int64(3), "gains": np.array([1.0, np.nan]), "path": tmp_path, "fall": float("inf")}
    for suffix in (".npz", ".csv", ".glb"):
        save_motion(replace(walk(0.1), source=source), tmp_path / f"m{suffix}")
        again = load_motion(tmp_path / f"m{suffix}").source
        assert again == {"seed": 3, "gains": [1.0, None], "path": str(tmp_path), "fall": None}


def test_a_very_long_chain_of_joints_is_no_trouble(tmp_path):
    count = 1500
    offsets = np.tile([0.0, 0.0, 0.001], (count, 1))
    chain = Skeleton(tuple(f"j{k}" for k in range(count)), tuple(range(-1, count - 1)), offsets)
    motion = Motion(chain, np.zeros(1), np.zeros((1, 3)), np.tile([1.0, 0, 0, 0], (1, count, 1)))
    save_motion(motion, tmp_path / "m.bvh", unit="m")
    assert load_motion(tmp_path / "m.bvh", unit="m").skeleton.names == chain.names


def test_huge_files_are_refused_unread(tmp_path):
    for suffix in (".bvh", ".csv", ".npz", ".glb", ".amc", ".c3d"):
        path = tmp_path / f"huge{suffix}"
        with path.open("wb") as file:
            file.truncate(3 << 30)
        with pytest.raises(FootfallError, match="too large"):
            load_motion(path)
