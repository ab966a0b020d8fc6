"""Bodies that are no bipeds are refused in one line that says what they are; overrules are checked."""

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.adoption.source import overrules_beside
from footfall.simulation.hardware import motor_table

BONE = '<geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>'
LEG = f"""<body pos="{{x}} {{y}} -0.05"><joint name="hip{{n}}" axis="0 1 0" range="-60 60"/>{BONE}
  <body pos="0 0 -0.3"><joint name="knee{{n}}" axis="0 1 0" range="0 120"/>{BONE}{{foot}}</body></body>"""
FOOT = """<body pos="0 0 -0.3"><joint name="ankle{n}" axis="0 1 0" range="-40 40"/>
  <geom type="box" size="0.1 0.04 0.02" pos="0.04 0 -0.02"/></body>"""
WHEEL = """<body pos="0 0 -0.3"><joint name="axle{n}" axis="0 1 0"/>
  <geom type="cylinder" size="0.1 0.03" zaxis="0 1 0"/></body>"""


def leg(n, x, y, foot=FOOT):
    return LEG.format(x=x, y=y, n=n, foot=foot.format(n=n))


def body(*parts, trunk="0.2 0.15 0.1", more=""):
    return f"""<mujoco><worldbody><body name="trunk" pos="0 0 0.8"><freejoint/>
    <geom type="box" size="{trunk}" pos="0 0 0.1"/>{"".join(parts)}</body></worldbody>{more}</mujoco>"""


def load(tmp_path, text):
    path = tmp_path / "stranger.xml"
    path.write_text(text, encoding="utf-8")
    return Figure.load(path)


LOOP = '<equality><connect body1="trunk" body2="world" anchor="0 0 0"/></equality>'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (body(*[leg(k, x, y) for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)])]), "it has four legs"),
        (body(*[leg(k, x, y) for k, (x, y) in enumerate([(0.3, 0), (-0.2, 0.2), (-0.2, -0.2)])]), "it has three legs"),
        (body(leg(0, 0, 0), leg(1, 0, 0.6, "").replace("-0.3", "0.3")), "it has one leg"),
        (body(leg(0, 0, 0.1, WHEEL), leg(1, 0, -0.1, WHEEL)), "it rolls on wheels"),
        (body(leg(0, 0, 0.1), leg(1, 0, -0.1), more=LOOP), "closes a loop"),
    ],
)
def test_what_is_no_biped_is_refused_in_one_line(tmp_path, text, says):
    with pytest.raises(FootfallError, match=says) as caught:
        load(tmp_path, text)
    assert "\n" not in str(caught.value)
    assert "stranger.xml" in str(caught.value)


def test_a_plain_biped_without_any_names_is_taken(tmp_path):
    figure = load(tmp_path, body(leg(0, 0, 0.1), leg(1, 0, -0.1)))
    assert figure.adoption.joints["left_knee"].name == "knee0"
    assert figure.joint("left_knee").upper == pytest.approx(0.0)
    assert [p.name for p in figure.points if p.foot == "right"] == [
        "right_inner_heel", "right_outer_heel", "right_inner_toe", "right_outer_toe",
    ]  # fmt: skip


FLAT = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0.1 0.1 0\nf 1 2 3\nf 2 4 3\n"


def test_a_flat_mesh_is_drawn_and_touches_nothing(tmp_path):
    """MuJoCo refuses it as a shape that may collide; the body is as without it."""
    (tmp_path / "sheet.obj").write_text(FLAT, encoding="utf-8")
    legs = leg(0, 0, 0.1), leg(1, 0, -0.1)
    asset = '<asset><mesh name="sheet" file="sheet.obj"/></asset>'
    figure = load(tmp_path, body(*legs, '<geom type="mesh" mesh="sheet"/>', more=asset))
    assert figure.model.body_mass.sum() == pytest.approx(load(tmp_path, body(*legs)).model.body_mass.sum())
    (note,) = [row for row in figure.adoption.findings if "sheet" in row.found]
    assert "touches nothing" in note.found


def test_springs_and_passive_joints_are_kept(tmp_path):
    sprung = FOOT.replace("<joint ", '<joint stiffness="40" springref="5" ')
    motors = "".join(f'<motor joint="{joint}"/>' for joint in ("hip0", "hip1", "knee0", "knee1"))
    text = body(leg(0, 0, 0.1, sprung), leg(1, 0, -0.1, sprung), more=f"<actuator>{motors}</actuator>")
    figure = load(tmp_path, text)
    ankle = figure.joint("left_ankle_pitch")
    assert not ankle.actuated
    assert figure.model.jnt_stiffness.reshape(figure.model.njnt, -1)[ankle.qpos - 6, 0] == 40.0
    assert figure.model.qpos_spring[ankle.qpos] == pytest.approx(-0.0872665)


def test_what_is_found_can_be_overruled(tmp_path):
    text = body(leg(0, 0, 0.1), leg(1, 0, -0.1))
    path = tmp_path / "stranger.xml"
    overrules_beside(path).write_text(
        'forward = "-x"\nsoles = [-0.1, 0.05, 0.06, 0.04]\n[torque_limits]\n"knee*" = 40\n'
        '[names]\nhip0 = "right_hip"\n[speed_limits]\n"knee*" = 12\n[masses]\n"trun*" = 9\n',
        encoding="utf-8",
    )
    figure = load(tmp_path, text)
    assert figure.adoption.joints["right_knee"].name == "knee0"
    assert figure.joint("right_hip") is figure.joint("hip0")
    assert figure.joint("left_knee").torque_limit == 40.0
    assert figure.bodies[0].mass == pytest.approx(9.0)
    actuators = [figure.model.actuator(a).name for a in range(figure.model.nu)]
    speeds = dict(zip(actuators, figure.model.numeric("motor_speed").data))
    assert (speeds["left_knee"], speeds["left_hip_pitch"]) == (12.0, 1e6)
    stall, _, free = motor_table(figure, 1, None, None, 0.0)[0].reshape(3, -1)
    knee, hip = figure.joint("left_knee").dof, figure.joint("left_hip_pitch").dof
    assert (stall[knee], free[knee]) == (40.0, 12.0)
    assert free[hip] > 1e20
    xs = [p.position[0] for p in figure.points if p.foot == "left"]
    assert (min(xs), max(xs)) == pytest.approx((-0.1, 0.05))


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ('up = "w"', "up is 'w'"),
        ('weld = ["nose"]', "unknown joint of stranger.xml 'nose'"),
        ("soles = [1.0]", "give heel, toe"),
        ("torque_limits = {knee0 = -1}", "must be above zero"),
        ("speed = 1", "stranger.footfall.toml"),
    ],
)
def test_a_mistake_in_the_file_beside_it_is_one_clear_line(tmp_path, toml, says):
    path = tmp_path / "stranger.xml"
    overrules_beside(path).write_text(toml, encoding="utf-8")
    with pytest.raises(FootfallError, match=says):
        load(tmp_path, body(leg(0, 0, 0.1), leg(1, 0, -0.1)))


def test_joints_are_welded_on_request(tmp_path):
    path = tmp_path / "stranger.xml"
    overrules_beside(path).write_text('weld = ["ankle*"]', encoding="utf-8")
    figure = load(tmp_path, body(leg(0, 0, 0.1), leg(1, 0, -0.1)))
    assert [joint.name for joint in figure.joints[1:]] == [
        "left_hip_pitch",
        "left_knee",
        "right_hip_pitch",
        "right_knee",
    ]
    assert figure.legs["left"].ankle == ()


def test_hips_of_balls_are_hips(tmp_path):
    text = body(leg(0, 0, 0.1), leg(1, 0, -0.1))
    for n in (0, 1):
        text = text.replace(
            f'<joint name="hip{n}" axis="0 1 0" range="-60 60"/>', f'<joint name="hip{n}" type="ball"/>'
        )
    figure = load(tmp_path, text)
    assert [joint.name for joint in figure.joints[1:4]] == ["left_hip", "left_knee", "left_ankle_pitch"]
    back, rng = figure.adoption, np.random.default_rng(2)
    qpos = np.array(figure.default_qpos)
    for at in (3, figure.joint("left_hip").qpos, figure.joint("right_hip").qpos):
        qpos[at : at + 4] = (turn := rng.normal(size=4)) / np.linalg.norm(turn)
    qvel = rng.normal(size=figure.nv)
    there = back.to_original_qpos(qpos)
    again = back.from_original_qpos(there)
    assert np.abs(again) == pytest.approx(np.abs(qpos), abs=1e-9)
    assert back.from_original_qvel(there, back.to_original_qvel(qpos, qvel)) == pytest.approx(qvel, abs=1e-9)
    energies = []
    for model, place, speed in ((figure.model, qpos, qvel), (back.original, there, back.to_original_qvel(qpos, qvel))):
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = place, speed
        mujoco.mj_forward(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        energies.append(0.5 * speed @ mass @ speed)
    assert energies[0] == pytest.approx(energies[1], rel=1e-9)
