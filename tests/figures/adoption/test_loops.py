"""Gears, differentials and closed loops: what moves in the file moves here, and takes the motors' torques."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.adoption import adopt
from footfall.figures.adoption.loops import tied
from footfall.figures.adoption.source import Overrules

STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001"'
BONE = '<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>'
SMALL = '<inertial pos="0 0 0" mass="0.002" diaginertia="1e-7 1e-7 1e-7"/>'
FOOT = '<geom type="box" size="0.1 0.04 0.02" pos="0.04 0 -0.02"/>'
WHEEL = """<body name="wheel{s}" pos="0.05 0 0"><joint name="wheel{s}" axis="0 1 0" armature="0.01" damping="0.1"/>
{small}</body>"""
CRANK = """<body name="crank{s}" pos="-0.05 0 -0.1"><joint name="crank{s}" axis="0 1 0"/>{small}
  <body pos="-0.04 0 0"><joint name="rod{s}" axis="0 1 0"/>{small}<site name="rod{s}" pos="0 0 -0.2"/></body></body>"""
SITE = '<site name="heel{s}" pos="-0.09 0 0"/>'
MIX = """<body pos="0 0.02 0"><joint name="mix_a{s}" axis="0 0 1"/>{small}</body>
  <body pos="0 -0.02 0"><joint name="mix_b{s}" axis="0 0 1"/>{small}</body>"""


def robot(tmp_path, knee="", shin="", foot="", ties="", motors=()):
    """A biped whose knees and ankles may be driven by something beside them."""

    def leg(side, y):
        text = f"""<body pos="0 {y} 0"><joint name="hip{side}" axis="0 1 0" range="-60 60"/>{BONE}{knee}
          <body pos="0 0 -0.3"><joint name="knee{side}" axis="0 1 0" range="0 120"/>{BONE}{shin}
          <body name="foot{side}" pos="0 0 -0.3"><joint name="ankle{side}" axis="0 1 0" range="-40 40"/>
          <joint name="roll{side}" axis="1 0 0" range="-30 30"/>{FOOT}{foot}</body></body></body>"""
        return text.replace("{s}", side).replace("{small}", SMALL)

    tied_ = "".join(ties.replace("{s}", side) for side in ("_l", "_r"))
    driven = "".join(f'<motor joint="{j}{s}" ctrlrange="-10 10"/>' for j in ("hip", *motors) for s in ("_l", "_r"))
    path = tmp_path / "robot.xml"
    path.write_text(
        f"""<mujoco><worldbody><body name="trunk" pos="0 0 0.7"><freejoint/>
        <geom type="box" size="0.1 0.15 0.2" pos="0 0 0.2"/>{leg("_l", 0.1)}{leg("_r", -0.1)}</body></worldbody>
        {tied_}<actuator>{driven}</actuator></mujoco>""",
        encoding="utf-8",
    )
    return path


def geared(tmp_path, ratio=-2.0):
    tie = f'<equality><joint joint1="wheel{{s}}" joint2="knee{{s}}" polycoef="0 {ratio} 0 0 0" {STIFF}/></equality>'
    return robot(tmp_path, knee=WHEEL, ties=tie, motors=("wheel", "ankle", "roll"))


def rodded(tmp_path):
    """The ankle's motor sits up on the shin, at a crank of 4 cm; a rod takes it to a heel of 9 cm."""
    tie = f'<equality><connect site1="rod{{s}}" site2="heel{{s}}" {STIFF}/></equality>'
    return robot(tmp_path, shin=CRANK, foot=SITE, ties=tie, motors=("knee", "crank", "roll"))


def mixed(tmp_path):
    """Two motors side by side pitch the foot together and roll it against each other."""
    rows = {"ankle": (0.5, 0.5), "roll": (0.25, -0.25)}
    tie = "".join(
        f'<fixed name="{j}{{s}}" limited="true" range="-0.01 0.01"><joint joint="{j}{{s}}" coef="1"/>'
        f'<joint joint="mix_a{{s}}" coef="{-a}"/><joint joint="mix_b{{s}}" coef="{-b}"/></fixed>'
        for j, (a, b) in rows.items()
    )
    return robot(tmp_path, shin=MIX, ties=f"<tendon>{tie}</tendon>", motors=("knee", "mix_a", "mix_b"))


def test_a_gear_s_motor_acts_on_what_it_drives(tmp_path):
    figure = Figure.load(geared(tmp_path))
    knee = figure.joint("left_knee")
    assert knee.torque_limit == pytest.approx(20.0)
    assert figure.model.dof_armature[knee.dof] == pytest.approx(0.04)
    assert figure.model.dof_damping.reshape(figure.nv, -1)[knee.dof, 0] == pytest.approx(0.4)
    assert not [joint for joint in figure.joints if "wheel" in joint.name]
    notes = [row.found for row in figure.adoption.findings if row.what == "note"]
    assert "'wheel_l' is welded; what drives 'wheel_l' acts on 'knee_l'" in notes


def test_a_differential_gives_both_its_joints_both_motors(tmp_path):
    figure = Figure.load(mixed(tmp_path))
    limits = [figure.joint(f"left_ankle_{way}").torque_limit for way in ("pitch", "roll")]
    assert limits == pytest.approx([10.0 / 0.5, 10.0 / 0.25])


def test_a_rod_s_motor_acts_on_the_ankle(tmp_path):
    figure = Figure.load(rodded(tmp_path))
    ankle = figure.joint("left_ankle_pitch")
    assert ankle.actuated
    assert ankle.torque_limit == pytest.approx(10.0 * 9.0 / 4.0, rel=0.02)


@pytest.mark.parametrize("made", [geared, rodded, mixed])
def test_states_of_the_file_close_its_loops(made, tmp_path):
    figure, rng = Figure.load(made(tmp_path)), np.random.default_rng(3)
    back = figure.adoption
    for _ in range(5):
        qpos = figure.default_qpos + np.r_[np.zeros(7), rng.uniform(-0.2, 0.2, figure.nq - 7)]
        qvel = rng.normal(size=figure.nv)
        there = back.to_original_qpos(qpos)
        rows, missed = tied(back.original, there)
        assert missed == pytest.approx(0.0, abs=1e-7)
        assert rows @ back.to_original_qvel(qpos, qvel) == pytest.approx(0.0, abs=1e-5)
        assert back.from_original_qpos(there) == pytest.approx(qpos, abs=1e-9)


@pytest.mark.parametrize("made", [geared, rodded])
def test_it_accelerates_as_in_its_file(made, tmp_path):
    """The motor's torque there, its torque by the gear here: the same within what light rods and soft ties leave."""
    adopted = adopt(made(tmp_path), Overrules(symmetric=False))
    model = adopted.spec.compile()
    back = adopted.way_back(model)
    name, motor, gear = ("left_knee", "wheel_l", -2.0) if made is geared else ("left_ankle_pitch", "crank_l", 9 / 4)
    joint, qpos, found = back.joints[name], model.key("home").qpos, []
    for own, place, dof, torque in (
        (model, qpos, int(model.joint(name).dofadr[0]), joint.sign * gear * 3.0),
        (back.original, back.to_original_qpos(qpos), int(back.original.joint(motor).dofadr[0]), 3.0),
    ):
        own.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT)
        data = mujoco.MjData(own)
        data.qpos[:], data.qfrc_applied[dof] = place, torque
        mujoco.mj_forward(own, data)
        found.append(np.array(data.qacc))
    ours = [found[0][int(model.joint(n).dofadr[0])] for n in back.joints]
    theirs = [j.sign * found[1][j.dof] for j in back.joints.values()]
    assert ours == pytest.approx(theirs, rel=0.03, abs=0.03 * float(np.abs(theirs).max()))


def test_what_cannot_be_cut_is_refused(tmp_path):
    path = robot(tmp_path, motors=("knee", "ankle", "roll"))
    tie = '<equality><connect body1="foot_l" body2="foot_r" anchor="0 0 0"/></equality><actuator>'
    path.write_text(path.read_text(encoding="utf-8").replace("<actuator>", tie), encoding="utf-8")
    with pytest.raises(FootfallError, match=r"has a motor but closes a loop with .* cut") as caught:
        Figure.load(path)
    assert "\n" not in str(caught.value)


def test_a_joint_that_a_loop_moves_is_cut_free(tmp_path):
    """A foot that a rod from the thigh moves with the knee: it gets the knee's torque, and is warned of."""
    knee = (
        """<body pos="-0.05 0 0"><joint name="rod{s}" type="ball"/>{small}<site name="rod{s}" pos="0 0 -0.6"/></body>"""
    )
    tie = '<equality><connect site1="rod{s}" site2="heel{s}"/></equality>'
    path = robot(tmp_path, knee=knee, foot='<site name="heel{s}" pos="-0.05 0 0"/>', ties=tie, motors=("knee", "roll"))
    figure = Figure.load(path)
    assert figure.joint("left_ankle_pitch").actuated
    (left, right) = [row for row in figure.adoption.findings if row.what == "loop"]
    assert left.warns
    assert "'ankle_l' is cut free of the loop and gets the torque of 'knee_l'" in left.found
    assert "'ankle_r'" in right.found
