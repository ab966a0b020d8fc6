"""Laws of adoption: a body in disguise is recognised, moves as its file says, and finds its way back."""

import mujoco
import numpy as np
import pytest

from footfall.figures import Figure
from footfall.figures.adoption import adopt
from footfall.figures.adoption.source import Overrules
from tests.figures.adoption.accelerations import accelerations, random_state
from tests.figures.adoption.disguise import disguised


@pytest.fixture
def disguise(request, tmp_path):
    seed, turns = request.param
    found = disguised(Figure.load("human-28"), seed, turns=turns)
    path = tmp_path / "stranger.xml"
    found.spec.compile()
    path.write_text(found.spec.to_xml(), encoding="utf-8")
    return found, path


def every(count):
    return pytest.mark.parametrize("disguise", [(seed, seed % 4) for seed in range(count)], indirect=True)


@every(4)
def test_every_joint_gets_its_name_and_every_side_its_place(disguise):
    found, path = disguise
    figure = Figure.load(path)
    given = {joint.name: found.joints[original.name] for joint in figure.joints[1:]
             for original in [figure.adoption.joints[joint.name]]}  # fmt: skip
    assert given == {name: name for name in given}
    assert len(given) == 28
    assert {k: v.hip for k, v in figure.legs.items()} == {k: v.hip for k, v in Figure.load("human-28").legs.items()}


@every(2)
def test_the_body_is_that_of_the_figure_in_footfalls_axes(disguise):
    _, path = disguise
    figure, human = Figure.load(path), Figure.load("human-28")
    assert figure.mirror.dof_perm.shape == (34,)
    for joint in figure.joints[1:]:
        own = human.joint(joint.name)
        assert joint.axis == pytest.approx(own.axis, abs=1e-5)
        assert (joint.lower, joint.upper) == pytest.approx((own.lower, own.upper), abs=1e-5)
    soles = sorted(tuple(np.round(p.position, 4)) for p in figure.points if p.foot == "left")
    assert len(soles) == 4
    assert np.ptp(soles, axis=0) == pytest.approx([0.17 + 0.02, 0.08 + 0.02, 0.0], abs=0.021)
    assert figure.default_qpos[2] == pytest.approx(human.default_qpos[2] + 0.0129, abs=2e-3)


@every(3)
def test_it_accelerates_as_in_its_file(disguise):
    _, path = disguise
    adopted = adopt(path, Overrules(symmetric=False))
    model = adopted.spec.compile()
    back = adopted.way_back(model)
    rng = np.random.default_rng(7)
    for _ in range(3):
        qpos, qvel, torque = random_state(model, rng)
        ours = accelerations(model, qpos, qvel, torque)
        theirs = accelerations(
            back.original,
            back.to_original_qpos(qpos),
            back.to_original_qvel(qpos, qvel),
            back.to_original_torque(torque),
        )
        for name, joint in back.joints.items():
            assert joint.sign * theirs[joint.dof] == pytest.approx(ours[back.layout[name][1]], rel=1e-9, abs=1e-9)


@every(2)
def test_there_and_back_is_the_same_state(disguise):
    _, path = disguise
    figure = Figure.load(path)
    back, rng = figure.adoption, np.random.default_rng(3)
    states = [random_state(figure.model, rng)[:2] for _ in range(4)]
    qpos, qvel = (np.array(part) for part in zip(*states))
    there, moving = back.to_original_qpos(qpos), back.to_original_qvel(qpos, qvel)
    again = back.from_original_qpos(there)
    again[:, 3:7] *= np.sign(np.sum(again[:, 3:7] * qpos[:, 3:7], axis=1))[:, None]
    assert again == pytest.approx(qpos, abs=1e-9)
    assert back.from_original_qvel(there, moving) == pytest.approx(qvel, abs=1e-9)


@every(1)
def test_torques_do_the_same_work(disguise):
    _, path = disguise
    figure = Figure.load(path)
    qpos, qvel, torque = random_state(figure.model, np.random.default_rng(5))
    power = torque @ qvel
    back = figure.adoption
    assert back.to_original_torque(torque) @ back.to_original_qvel(qpos, qvel) == pytest.approx(power, rel=1e-9)


@every(1)
def test_motors_and_passive_parts_are_kept(disguise):
    _, path = disguise
    figure = Figure.load(path)
    for joint in figure.joints[1:]:
        original = figure.adoption.joints[joint.name].name
        there = figure.adoption.original.joint(original)
        dof = joint.dof
        assert figure.model.dof_armature[dof] == pytest.approx(float(there.armature[0]), rel=0.2)
        assert figure.model.dof_frictionloss[dof] == pytest.approx(0.1)
        assert np.ravel(figure.model.dof_damping[dof])[0] == pytest.approx(0.2)
        assert np.isfinite(joint.torque_limit)
        assert figure.joint(original) is joint
    body = figure.bodies[3]
    assert figure.body(figure.adoption.body_names[body.name][0]) is body


@every(1)
def test_a_point_off_the_feet_tells_of_a_fall(disguise):
    _, path = disguise
    figure = Figure.load(path)
    off = {figure.bodies[p.body].name for p in figure.points if p.foot is None and p.ground}
    assert len(off) >= 6
    data = mujoco.MjData(figure.model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_kinematics(figure.model, data)
    heights = [data.site_xpos[s, 2] for s in range(figure.model.nsite) if figure.points[s].foot is None]
    assert min(heights) > 0.3
