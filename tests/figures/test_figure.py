import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure, figure_names
from tests.figures.dynamics_of import acceleration, passive

SMALL = """<mujoco model="small"><compiler angle="radian"/><worldbody><body name="{body}"><freejoint/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{inside}</body>{beside}</worldbody>{after}</mujoco>"""
ARM = """<body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/>
<inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/></body>"""

# hip x, hip z, torso, right hip, right knee, left hip, left knee, right ankle, left ankle: the applet's order
PUBLISHED = ["root_x", "root_z", "torso_pitch", "right_hip", "right_knee", "left_hip", "left_knee", "right_ankle"]
PUBLISHED += ["left_ankle"]
START = [0.463, 0.98, 0.898, -0.229, 0.051, 0.276, -0.221, -1.430, -0.217, 0.086, 0.298, -3.268]
START += [-0.601, 3.167, 0.360, 0.697, 0.241, 3.532]
FALLING = [0.30432, -10.06713, 0.88562, -2.31438, 2.51281, -5.01630, 14.59297, -4.19537, -19.13954]
DRIVEN = [-2.24597, -14.50553, -14.83804, 40.5332, -138.16133, -24.17961, 0.48151, 4300.4663, 5109.996]


def small(body="trunk", inside="", beside="", after=""):
    return SMALL.format(body=body, inside=inside, beside=beside, after=after)


SERVO_FIGURES = [name for name in figure_names() if name != "mocap-biped"]
"""Figures whose joints have servos; mocap-biped is driven by accelerations, and its feet stand on pads."""


@pytest.mark.parametrize(
    ("torque", "published", "precision"),
    [([0.0] * 9, FALLING, 1e-5), ([0.0, 0.0, 0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0], DRIVEN, 1e-3)],
    ids=["falling", "driven"],
)
def test_planar_biped_accelerates_as_published(torque, published, precision):
    """The published numbers were computed in single precision, so the largest of them set what the others can hold."""
    figure = Figure.load("planar-biped")
    order = [figure.joint(name).dof for name in PUBLISHED]
    qpos, qvel, force = np.zeros(9), np.zeros(9), np.zeros(9)
    qpos[order], qvel[order], force[order] = START[0::2], START[1::2], torque
    found = acceleration(passive(figure.model), qpos, qvel, force)[order]
    np.testing.assert_allclose(found, published, rtol=4e-6, atol=precision)


def test_planar_biped_has_the_published_signs():
    figure = Figure.load("planar-biped")
    data = mujoco.MjData(figure.model)

    def moved(joint, angle, site):
        places = []
        for value in (0.0, angle):
            data.qpos[:] = 0.0
            data.qpos[figure.joint(joint).qpos] = value
            mujoco.mj_kinematics(figure.model, data)
            places.append(data.site(site).xpos.copy())
        return places[1] - places[0]

    assert moved("torso_pitch", 0.2, "torso_top_front")[0] < 0.0
    assert moved("right_hip", 0.2, "right_knee_front")[0] > 0.0
    assert moved("left_knee", -0.2, "left_heel")[0] < 0.0
    assert moved("right_ankle", 0.2, "right_toe")[2] > 0.0


@pytest.mark.parametrize("name", SERVO_FIGURES)
def test_every_figure_stands_on_its_soles(name):
    figure = Figure.load(name)
    spec = figure.spec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1])
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_forward(model, data)
    heights = {p.name: data.site(p.name).xpos[2] for p in figure.points}
    soles = [p for leg in figure.legs.values() for p in leg.sole]
    np.testing.assert_allclose([heights[p] for p in soles], 0.0, atol=1e-9)
    assert all(heights[p.name] > 0.1 for p in figure.points if not p.foot)
    reach = [data.site(p).xpos[0] for p in soles]
    assert min(reach) < data.subtree_com[0, 0] < max(reach)
    data.qpos[1 if figure.root == "planar" else 2] -= 1e-3
    mujoco.mj_forward(model, data)
    assert data.ncon == len(soles)
    np.testing.assert_allclose(data.contact.dist, -1e-3, atol=1e-9)


@pytest.mark.parametrize("name", SERVO_FIGURES)
def test_every_figure_knows_its_parts(name):
    figure = Figure.load(name)
    assert figure.root == ("planar" if name == "planar-biped" else "free")
    assert len(figure.default_qpos) == figure.nq
    assert all(len(v) == figure.nv for v in (figure.kp, figure.kd, figure.torque_limit, figure.lower, figure.upper))
    for i, body in enumerate(figure.bodies):
        assert body.index == i
        assert body.parent < i
        assert all(figure.joint(j).body == i for j in body.joints)
    driven = [joint for joint in figure.joints if joint.actuated]
    assert sum(joint.ndof for joint in figure.joints) == figure.nv
    assert len(driven) == figure.nv - (3 if figure.root == "planar" else 6)
    assert all(figure.kp[j.dof] == j.kp > 0.0 and figure.kd[j.dof] == j.kd > 0.0 for j in driven)
    assert figure.torso in [body.name for body in figure.bodies]
    for side, leg in figure.legs.items():
        assert leg.side == side
        assert set(leg.heel) & set(leg.toe) == set()
        assert all(part.startswith(side) for part in (*leg.hip, *leg.knee, *leg.ankle, *leg.sole, *leg.links))


@pytest.mark.parametrize(
    ("figure", "role", "stance", "joint"),
    [
        ("planar-biped", "swing_knee", "left", "right_knee"),
        ("planar-biped", "stance_hip", "left", "left_hip"),
        ("planar-biped", "torso_pitch", "left", "torso_pitch"),
        ("human", "swing_hip", "left", "right_hip_pitch"),
        ("human", "stance_hip_roll", "right", "right_hip_roll"),
        ("human", "stance_ankle", "left", "left_ankle_pitch"),
        ("human", "swing_shoulder", "right", "left_shoulder"),
        ("human", "waist", "right", "waist"),
        ("robo-bird", "swing_knee2", "left", "right_knee2"),
        ("human-28", "swing_shoulder", "right", "left_shoulder_pitch"),
        ("human-28", "stance_elbow_twist", "right", "right_elbow_twist"),
        ("human-28", "waist", "left", "waist_pitch"),
        ("human-28", "neck_yaw", "left", "neck_yaw"),
    ],
)
def test_roles_name_joints(figure, role, stance, joint):
    assert Figure.load(figure).joint_for(role, stance) == joint


@pytest.mark.parametrize("role", ["swing_elbow", "swing_hip_roll", "stance_hips", "knee"])
def test_unknown_roles_are_refused(role):
    with pytest.raises(FootfallError, match="planar-biped"):
        Figure.load("planar-biped").joint_for(role, "left")


def test_a_figure_is_read_from_text_and_from_files(tmp_path):
    text = small(inside=ARM, after='<actuator><position joint="elbow" kp="4" kv="1"/></actuator>')
    path = tmp_path / "thing.xml"
    path.write_text(text)
    for figure in (Figure.load(text), Figure.load(path), Figure.load(str(path))):
        assert figure.name == "small"
        assert figure.xml == text
        assert (figure.nq, figure.nv, figure.root, figure.legs) == (8, 7, "free", {})
        assert figure.joint("elbow").kp == 4.0


def test_gears_and_general_actuators_give_joint_gains():
    servo = '<general joint="elbow" gear="3" gainprm="10" biastype="affine" biasprm="0 -10 -2" forcerange="-5 5"/>'
    joint = Figure.load(small(inside=ARM, after=f"<actuator>{servo}</actuator>")).joint("elbow")
    assert (joint.kp, joint.kd, joint.torque_limit) == (90.0, 18.0, 15.0)


def test_custom_text_names_the_torso():
    named = small(inside=ARM, after='<custom><text name="torso" data="arm"/></custom>')
    assert Figure.load(named).torso == "arm"
    with pytest.raises(FootfallError, match="'arn': did you mean 'arm'"):
        Figure.load(named.replace('data="arm"', 'data="arn"'))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("planar-bipd", "unknown figure 'planar-bipd': did you mean 'planar-biped'"),
        ("missing.xml", "missing.xml does not exist"),
        ("<mujoco><worldbody/></mujoco>", "it has no body"),
        ("<mujoco><wordbody/></mujoco>", "MuJoCo cannot read it"),
        (small(beside='<body name="two"><geom size="1"/></body>'), "2 bodies stand in the world"),
        (small(after='<actuator><motor joint="elbow"/></actuator>'), "elbow"),
        (small(inside=ARM, after='<actuator><motor joint="elbow"/><motor joint="elbow"/></actuator>'), "two actuators"),
        (small(inside=ARM, after='<actuator><motor body="arm"/></actuator>'), "MuJoCo cannot read it"),
        (small(inside=ARM, after='<actuator><adhesion body="arm" ctrlrange="0 1"/></actuator>'), "not act on a joint"),
    ],
)
def test_what_is_not_a_figure_is_refused_in_one_line(source, message):
    with pytest.raises(FootfallError) as error:
        Figure.load(source)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_root_takes_no_actuator():
    text = Figure.load("planar-biped").xml.replace('joint="right_hip"', 'joint="root_x"')
    with pytest.raises(FootfallError, match="'root_x' moves the root"):
        Figure.load(text)


def test_a_figure_does_not_change():
    figure = Figure.load("human")
    with pytest.raises(AttributeError):
        figure.name = "other"
    for values in (figure.kp, figure.default_qpos, figure.points[0].position, figure.bodies[0].com):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1.0
    figure.spec().bodies[1].mass = 1000.0
    assert figure.spec().compile().body_mass.sum() == figure.model.body_mass.sum()
