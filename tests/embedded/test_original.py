"""Controllers of adopted bodies take the states of their file and answer in its joints."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.embedded.program import c_program
from footfall.figures import Figure
from tests.embedded.in_c import InC, needs_compiler
from tests.figures.adoption.disguise import disguised

pytestmark = needs_compiler


@pytest.fixture(scope="module", params=[0, 1])
def disguise(request, tmp_path_factory):
    """human-28 with other frames, axes, names and direction; turned by a quarter in the second case."""
    path = tmp_path_factory.mktemp("disguise") / "stranger.xml"
    path.write_text(disguised(Figure.load("human-28"), 4, turns=request.param).spec.to_xml(), encoding="utf-8")
    return Figure.load(path)


def random_states(figure, count):
    rng = np.random.default_rng(2)
    for _ in range(count):
        qpos = figure.default_qpos + rng.normal(0.0, 0.3, figure.nq)
        qpos[3:7] /= np.linalg.norm(qpos[3:7])
        yield qpos, rng.normal(0.0, 1.0, figure.nv)


@pytest.mark.slow
def test_states_torques_and_soles_of_the_file(disguise, tmp_path):
    adoption = disguise.adoption
    program = c_program(load_controller("walk-3d"), disguise, "stranger")
    ours, original = InC(program, tmp_path), InC(program, tmp_path, original=True)
    joints = [adoption.joints[joint.name] for joint in program.joints]
    signs, offsets = np.array([j.sign for j in joints]), np.array([j.offset for j in joints])
    assert {-1.0, 1.0} == set(signs)
    assert original.table("original_sign") == pytest.approx(signs)
    assert original.table("original_offset") == pytest.approx(offsets)
    start = program.control.start
    assert original.table("original_start_qpos") == pytest.approx(adoption.to_original_qpos(start[0]))
    assert original.table("original_start_qvel") == pytest.approx(adoption.to_original_qvel(*start))
    for qpos, qvel in random_states(disguise, 20):
        there = adoption.to_original_qpos(qpos), adoption.to_original_qvel(qpos, qvel)
        back, rates = original.from_original(*there)
        back[3:7] *= np.sign(back[3:7] @ qpos[3:7])
        assert back == pytest.approx(qpos, abs=1e-12)
        assert rates == pytest.approx(qvel, abs=1e-11)
        torque, stiffness = ours.step(qpos, qvel, 0.001)
        asked, same = original.step(*there, 0.001)
        whole = np.zeros(disguise.nv)
        whole[[joint.dof for joint in program.joints]] = torque
        assert asked == pytest.approx(adoption.to_original_torque(whole)[[j.dof for j in joints]], abs=1e-9)
        assert same == pytest.approx(stiffness)
        outright, kp, kd, target = ours.motors(qpos, qvel, 0.001)
        there_too = original.motors(*there, 0.001)
        assert there_too == pytest.approx(np.array([signs * outright, kp, kd, signs * target + offsets]), abs=1e-6)
        soles = original.soles(there[0])
        assert soles @ adoption.turn.T == pytest.approx(ours.soles(qpos), abs=1e-12)
