from pathlib import Path

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure, bones_to_mjcf, read_bones, thesis_bones, thesis_columns

PAPERS = Path(__file__).parents[3] / "shared" / "papers"
LIBRARY = Path(__file__).parents[2] / "src" / "footfall" / "figures" / "library"
TWO = """unit 1
bone 1            # trunk
seg 0,1,0 0,2,0
mass 10
iner 1 2 3
cofm 0 1.5 0
bone 2            # left upper leg
seg 0,1,0.1 0,0,0.1
mass 5
iner 1 2 3
cofm 0 0.5 0.1
uhinge 1 0,1,0.1 1,0,0 0,0,1   # hip - 2 DOF
kpd hinge 2:1 100 10
mon 0,0,0.1       # left toe
"""


def printed(name):
    """A script of appendix B as the thesis prints it."""
    papers = sorted(PAPERS.glob("002*.txt"))
    if not papers:
        pytest.skip(f"the thesis's text is not there ({PAPERS}): the built-in figures are not held against it")
    text = papers[0].read_text(encoding="utf-8")
    start = text.index(f"# file: {name}.bones")
    end = min(
        text.find(mark, start)
        for mark in ("# file: robo-bird.bones", "## APPENDIX C")
        if text.find(mark, start) > start
    )
    return "\n".join(line for line in text[start:end].splitlines() if not line.startswith("```"))


def standing(figure):
    data = mujoco.MjData(figure.model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_forward(figure.model, data)
    return data


def assert_same_skeleton(one, other):
    assert one.bones.keys() == other.bones.keys()
    for a, b in zip(one.bones.values(), other.bones.values()):
        assert (a.name, a.parent, a.mass) == (b.name, b.parent, b.mass)
        assert [(h.name, h.axis, h.sign, h.kp, h.kd) for h in a.hinges] == [
            (h.name, h.axis, h.sign, h.kp, h.kd) for h in b.hinges
        ]
        for key in ("anchor", "com", "inertia"):
            np.testing.assert_array_equal(getattr(a, key), getattr(b, key))
    for a, b in zip(one.monitors, other.monitors, strict=True):
        assert (a.bone, a.ground) == (b.bone, b.ground)
        np.testing.assert_array_equal(a.position, b.position)
    assert one.settings == other.settings


def test_the_human_is_the_one_that_the_thesis_prints():
    assert_same_skeleton(read_bones(printed("human")), read_bones(LIBRARY / "human.bones"))


def test_the_robo_bird_is_the_printed_one_but_for_its_corrections():
    text = "unit 0.1\nrods 0.03 1000\n" + printed("robo-bird")
    for old, new in [
        ("seg 0,0,2.4 -3,0,2.4", "seg 0,0,2.5 -3,0,2.5"),
        ("mon 2,2,0", "mon 1,2,-1 1"),
        ("mon 1,2,0", "mon 1,2,0 1"),
        ("mon 1,3,0", "mon 1,3,0 1"),
        ("set up_mon 10,11,13", "set up_mon 10,11,12"),
        ("kneel2", "knee2"),
        ("kneel3", "knee3"),
        ("kneel -", "knee1 -"),
        ("right leg bone", "right leg"),
        ("left leg bone", "left leg"),
        ("bone 9                                     # right", "bone 9  # left"),
        *((f"({part})", "") for part in ("upper", "mid1", "mid2", "lower")),
    ]:
        assert old in text
        text = text.replace(old, new)
    assert_same_skeleton(read_bones(text), read_bones(LIBRARY / "robo-bird.bones"))


def test_the_human_weighs_and_balances_as_computed_from_the_thesis():
    figure = Figure.load("human")
    assert figure.model.body_mass.sum() == pytest.approx(88.292)
    np.testing.assert_allclose(standing(figure).subtree_com[0], [0.0103, 0.0, 1.0559], atol=5e-5)
    assert (figure.nv, figure.nq) == (25, 26)


def test_the_torso_of_human_12_is_the_composite():
    figure = Figure.load("human-12")
    params = figure.body_parameters()
    torso = params.names.index("torso")
    assert figure.nv == 18
    assert params.mass[0, torso] == pytest.approx(38.372)
    centre = standing(figure).xpos[torso + 1] + params.com[0, torso]
    np.testing.assert_allclose(centre, [0.0202, 0.0, 1.3191], atol=5e-5)
    expected = [[1.6255, 0.0, -0.0563], [0.0, 1.1222, 0.0], [-0.0563, 0.0, 0.7082]]
    np.testing.assert_allclose(params.inertia[0, torso], expected, atol=5e-5)


def test_welding_changes_nothing_but_the_freedom_to_move():
    whole, welded = Figure.load("human"), Figure.load("human-12")
    one, other = standing(whole), standing(welded)
    np.testing.assert_allclose(one.subtree_com[0], other.subtree_com[0], atol=1e-12)
    spin = [0.3, -0.2, 1.1, 0.5, 0.7, -0.4]
    for figure, data in ((whole, one), (welded, other)):
        data.qvel[:6] = spin
        mujoco.mj_forward(figure.model, data)
        mujoco.mj_subtreeVel(figure.model, data)
    np.testing.assert_allclose(one.subtree_angmom[0], other.subtree_angmom[0], atol=1e-9)
    np.testing.assert_allclose(one.subtree_linvel[0], other.subtree_linvel[0], atol=1e-9)


def test_the_columns_of_the_thesis_carry_its_signs():
    """Hip pitch -20 raises the leg forward, knee 50 flexes it, ankle -20 raises the toes, waist 5 leans forward."""
    figure = Figure.load("human")
    columns = {hinge.name: hinge.sign for hinge in thesis_columns("human")}
    assert list(columns)[:7] == [
        "waist",
        "spine",
        "neck",
        "left_hip_roll",
        "left_hip_pitch",
        "left_hip_yaw",
        "left_knee",
    ]
    assert len(columns) == 19
    assert set(columns) == {joint.name for joint in figure.joints if joint.actuated}

    def moved(joint, degrees, site):
        data = standing(figure)
        before = data.site(site).xpos.copy()
        data.qpos[figure.joint(joint).qpos] = columns[joint] * np.radians(degrees)
        mujoco.mj_kinematics(figure.model, data)
        return data.site(site).xpos - before

    assert moved("right_hip_pitch", -20, "right_knee")[0] > 0.1
    assert moved("right_knee", 50, "right_inside_heel")[0] < -0.1
    assert moved("left_ankle_pitch", -20, "left_inside_ball")[2] > 0.02
    assert moved("waist", 5, "head")[0] > 0.05
    assert moved("right_hip_roll", 5, "right_knee")[1] < -0.03
    assert moved("left_hip_yaw", 20, "left_inside_ball")[1] > 0.02


def test_monitor_points_keep_their_numbers():
    bones, figure = thesis_bones("human"), Figure.load("human")
    assert bones.settings == {"up_mon": (1, 2, 3), "cofm_mon": (5, 4)}
    assert [bones.monitors[n - 1].name for n in (1, 2, 5, 4)] == [
        "up_origin",
        "up_tip",
        "right_under_ankle",
        "left_under_ankle",
    ]
    assert {monitor.name for monitor in bones.monitors} == {point.name for point in figure.points}
    data = standing(figure)
    for monitor in bones.monitors:
        np.testing.assert_allclose(data.site(monitor.name).xpos, monitor.position, atol=1e-9)


def test_thesis_columns_are_of_the_thesis():
    assert len(thesis_columns("human-12")) == 12
    with pytest.raises(FootfallError, match="planar-biped"):
        thesis_columns("planar-biped")


def test_a_bones_file_is_a_figure(tmp_path):
    path = tmp_path / "two.bones"
    path.write_text(TWO)
    figure = Figure.load(path)
    assert figure.name == "two"
    assert [joint.name for joint in figure.joints] == ["root", "left_hip_roll", "left_hip_pitch"]
    assert figure.joint("left_hip_pitch").kp == 100.0
    assert figure.joint("left_hip_pitch").plane == "pitch"
    params = figure.body_parameters()
    assert params.names == ("trunk", "left_thigh")
    np.testing.assert_allclose(params.inertia[0, 0], np.diag([1.0, 3.0, 2.0]), atol=1e-12)
    np.testing.assert_allclose(params.position[0], [[0.0, 0.0, 1.5], [0.0, 0.1, -0.5]], atol=1e-12)
    assert bones_to_mjcf(read_bones(TWO), "two") == figure.xml


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mass 10", "mas 10", "unknown bones command (bones text line 4) 'mas': did you mean 'mass'"),
        ("mass 10", "mass ten", "bones text line 4: 'mass ten' should read 'mass <kg>'"),
        ("mass 10", "mass -1", "line 4: mass -1 is not positive"),
        ("iner 1 2 3", "iner 1 2", "line 5: 'iner 1 2' should read 'iner <ix> <iy> <iz>'"),
        ("seg 0,1,0 0,2,0", "seg 0,1,0", "line 3: 'seg 0,1,0' should read"),
        ("bone 2  ", "bone 1  ", "line 7: bone 1 is there already"),
        ("uhinge 1", "uhinge 3", "line 12: parent bone 3 is not there yet"),
        ("1,0,0 0,0,1", "1,0,0 0,1,1", "line 12: hinge axis [0.0, 1.0, 1.0] should be along x, y or z"),
        ("uhinge 1 0,1,0.1 1,0,0 0,0,1", "uhinge 1 0,1,0.1 1,0,0", "line 12: 'uhinge 0,1,0.1 1,0,0' should read"),
        ("kpd hinge 2:1", "kpd hinge 2:2", "line 13: bone 2 has no hinge 2"),
        ("kpd hinge 2:1 100", "kpd hinge 2:1 -100", "line 13: gains are not negative"),
        ("mon 0,0,0.1 ", "mon 0,0,0.1 7", "line 14: bone 7 is not there"),
        ("mass 5\n", "", "bone 2 (left_thigh) has no mass"),
        ("uhinge 1 0,1,0.1 1,0,0 0,0,1   # hip - 2 DOF\nkpd hinge 2:1 100 10\n", "", "bones 1, 2 have no hinge"),
        ("unit 1", "mass 1", "line 1: 'mass' needs a bone before it"),
        ("unit 1", "include other.bones", "line 1: 'include' takes the name of a file beside this one"),
    ],
)
def test_bad_bones_are_refused_with_their_line(old, new, message):
    assert old in TWO
    with pytest.raises(FootfallError) as error:
        read_bones(TWO.replace(old, new))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_an_included_file_must_be_there(tmp_path):
    path = tmp_path / "one.bones"
    path.write_text("include gone.bones\n")
    with pytest.raises(FootfallError, match=r"one\.bones line 1: included file .*gone\.bones does not exist"):
        read_bones(path)
    path.write_text("include one.bones\n")
    with pytest.raises(FootfallError, match=r"one\.bones includes itself"):
        read_bones(path)
