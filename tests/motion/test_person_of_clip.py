"""A body from a clip's skeleton: on a formula's walk, on bodies made before, and on captured skeletons of all kinds."""

import json
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.scaling import figure_height
from footfall.motion import Motion, load_motion, retarget, save_motion
from footfall.motion.person_of_clip import figure_from_motion
from tests.motion.walks import MOCAP, needs_mocap, walk
from tests.motion.zero_poses import rezeroed

SKELETONS = (
    "cmu/16_47.bvh", "cmu/69_17.bvh", "cmu/113_18.bvh", "snu/wd2_WalkForwardNormal00.bvh", "snu/wd2_u-turn.bvh",
    "others/blx/mixamo.bvh", "others/bandai/dataset-2_walk_masculine_004.bvh", "others/lafan/walk1_subject1_head.bvh",
    "others/makehuman/walk1.bvh", "others/makehuman/tpose.bvh", "others/MocapNET/handsup.bvh",
    "others/pybvh/bvh_test1.bvh",
    "others/pybvh/bvh_test3.bvh", "others/PyMO/AV_8Walk_Meredith_HVHA_Rep1.bvh", "others/three.js/Xbot.glb",
    "others/AnimatedDrawings/jumping_jacks.bvh", "others/bvh-python/test_mocapbank.bvh",
    "others/BTKData/PiG_Motion-FlatFoot-One.c3d",
    "others/deep-motion-editing/style_transfer_data_xia_test_neutral_01_000.bvh",
    "others/glTF-Sample-Assets/CesiumMan.glb",
    "others/bboy/B_boy_7_walking.amc", "others/motion-viewer/cmu_run_filtered.bvh",
)  # fmt: skip


def _check(figure, height, mass):
    """A body of this height and mass that stands, is its own mirror image and weighs as bodies do."""
    model, data = figure.model, mujoco.MjData(figure.model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_forward(model, data)
    assert model.body_mass.sum() == pytest.approx(mass, rel=1e-12)
    assert figure_height(figure) == pytest.approx(height, rel=1e-9)
    assert 0.53 < data.subtree_com[1, 2] / height < 0.60
    smallest, middle, largest = np.sort(model.body_inertia[1:], axis=1).T
    assert (smallest > 0.0).all()
    assert (smallest + middle > largest).all()
    soles = np.array([data.site_xpos[model.site(point.name).id] for point in figure.points if point.foot])
    np.testing.assert_allclose(soles[:, 2], 0.0, atol=1e-12)
    assert soles[:, 0].min() < data.subtree_com[1, 0] < soles[:, 0].max()
    assert len(figure.mirror.body_perm) == 13 + 2
    assert set(figure.legs) == {"left", "right"}


def test_a_walk_of_a_known_skeleton():
    body = figure_from_motion(walk(2.0), mass=70.0)
    _check(body.figure, body.measures.height, 70.0)
    assert body.measures.leg == pytest.approx(0.86, abs=1e-6)
    assert np.linalg.norm(body.measures.elbow - body.measures.shoulder) == pytest.approx(0.28, abs=1e-6)
    assert body.measures.hip[1] == pytest.approx(0.1, abs=1e-6)
    assert body.asymmetry < 1e-6
    _, report = retarget(walk(2.0), body.figure)
    assert report.verdict() == "good"
    assert report.fidelity.limbs["left_thigh"].median < 4.0


def test_the_files_zero_pose_does_not_matter():
    clip = walk(2.0)
    other = rezeroed(clip, "random", 3)
    one, two = (figure_from_motion(m).measures for m in (clip, other))
    for part in ("knee", "ankle", "shoulder", "wrist", "crown"):
        np.testing.assert_allclose(getattr(two, part), getattr(one, part), atol=1e-6)


def test_a_body_made_from_a_bodys_own_motion_is_that_body():
    first = figure_from_motion(walk(2.0), mass=70.0)
    moved, _ = retarget(walk(2.0), first.figure)
    second = figure_from_motion(replace(moved, figure=""), mass=70.0)
    for part in ("hip", "knee", "ankle", "shoulder", "elbow"):
        np.testing.assert_allclose(getattr(second.measures, part), getattr(first.measures, part), atol=2e-3)


def test_sides_that_differ_are_averaged_and_told():
    clip = walk(2.0)
    offsets = clip.skeleton.offsets.copy()
    offsets[clip.skeleton.index("LeftLeg")] *= 1.05
    body = figure_from_motion(replace(clip, skeleton=replace(clip.skeleton, offsets=offsets)))
    assert body.asymmetry == pytest.approx(0.05 * 0.43, abs=5e-3)
    assert body.measures.leg == pytest.approx(0.86 + 0.025 * 0.43, abs=5e-3)
    assert body.figure.mirror is not None


def test_height_and_mass_can_be_given():
    body = figure_from_motion(walk(1.0), height=1.2, mass=25.0)
    _check(body.figure, 1.2, 25.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"mass": -1.0}, "mass -1"), ({"height": 0.0}, "height 0"), ({"height": float("inf")}, "height inf")],
)
def test_sizes_that_make_no_sense(options, words):
    with pytest.raises(FootfallError, match=words):
        figure_from_motion(walk(0.5), **options)


def test_what_has_no_legs_or_no_trunk_is_refused():
    whole = walk(0.5)
    for gone, words in ((("UpLeg", "Leg", "Foot"), "two legs"), (("Spine", "Head", "Arm"), "needs a trunk")):
        kept = [j for j, name in enumerate(whole.skeleton.names) if not any(word in name for word in gone)]
        if "Arm" in gone:
            kept = [j for j in kept if "Fore" not in whole.skeleton.names[j]]
        skeleton = replace(
            whole.skeleton,
            names=tuple(whole.skeleton.names[j] for j in kept),
            parents=tuple(
                kept.index(p) if (p := whole.skeleton.parents[j]) in kept else (-1 if j == kept[0] else 0) for j in kept
            ),
            offsets=whole.skeleton.offsets[kept],
            rest=whole.skeleton.rest[kept],
            ends=(),
        )
        with pytest.raises(FootfallError, match=words):
            figure_from_motion(Motion(skeleton, whole.times, whole.root_position, whole.rotations[:, kept]))


def test_the_commands_make_files_that_load(tmp_path, capsys):
    clip = save_motion(walk(1.0), tmp_path / "clip.bvh")
    made, small = tmp_path / "me.xml", tmp_path / "small.xml"
    assert main(["export", str(clip), "--mass", "70", "--out", str(made), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["name"] == "me"
    assert answer["mass_kg"] == pytest.approx(70.0)
    assert Figure.load(made).name == "me"
    assert main(["export", str(made), "--height", "1.1", "--out", str(small)]) == 0
    assert "length x" in capsys.readouterr().out
    _check(Figure.load(small), 1.1, 70.0 * (1.1 / answer["height_m"]) ** 3)
    assert main(["export", "human-28", "--out", str(tmp_path / "none.xml")]) == 2
    assert main(["export", str(clip), "--out", str(tmp_path / "none.obj")]) == 2
    assert not list(tmp_path.glob("none*"))


@needs_mocap
@pytest.mark.parametrize("name", SKELETONS)
def test_captured_skeletons_become_bodies(name):
    clip = load_motion(MOCAP / name)
    body = figure_from_motion(clip)
    _check(body.figure, body.measures.height, float(body.figure.model.body_mass.sum()))
    assert body.asymmetry < 0.04
    few = np.unique(np.linspace(0, len(clip) - 1, 120).astype(int))
    few = few[few < 240]
    short = replace(
        clip, times=clip.times[few], root_position=clip.root_position[few], rotations=clip.rotations[few], channels={}
    )
    _, report = retarget(short, body.figure, keep_feet=False)
    for limb in ("trunk", "thigh", "shank", "upper_arm", "forearm"):
        worst = report.fidelity.worst(limb)
        assert worst is not None
        assert worst.median < 3.0, limb


@needs_mocap
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("others/glTF-Sample-Assets/Fox.glb", "looks like an animal"),
        ("others/Anytop/Chicken_Walk.bvh", "looks like an animal"),
        ("others/opensim-core/test_walking.c3d", "needs a trunk"),
    ],
)
def test_animals_and_lone_legs_are_refused(name, words):
    with pytest.raises(FootfallError, match=words):
        figure_from_motion(load_motion(MOCAP / name))


def test_a_motion_file_is_loaded_as_the_person_in_it(tmp_path):
    path = tmp_path / "me.bvh"
    save_motion(walk(), path)
    loaded, made = Figure.load(path), figure_from_motion(load_motion(path), name="me").figure
    assert loaded.name == "me"
    assert [joint.name for joint in loaded.joints] == [joint.name for joint in made.joints]
    np.testing.assert_allclose(loaded.model.body_mass, made.model.body_mass, rtol=1e-9)
    with pytest.raises(FootfallError, match="figure"):
        Figure.load(tmp_path / "me.docx")
