"""Laws of one's own: a Warp function, and a plain Python function, as the examples have them."""

import importlib.util
from pathlib import Path

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation import Drive, PythonSimulation, Simulation

EXAMPLES = Path(__file__).parents[2] / "examples"


def _example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _start():
    start = Simulation("walk")
    return {"figure": "planar-biped", "qpos": start.qpos, "qvel": start.qvel}


def test_a_law_of_forty_lines_walks_like_the_built_in_one():
    built_in = Simulation("walk").run(10.0)
    own = Simulation(law=_example("own_law").OwnWalk(), **_start()).run(10.0)
    assert own.survived.all()
    assert own.distance[0] == pytest.approx(built_in.distance[0], rel=1e-3)
    assert own.footsteps[0] == built_in.footsteps[0]


def test_worlds_give_a_law_of_ones_own_numbers_of_their_own():
    worlds = Simulation(law=_example("own_law").OwnWalk(), worlds=3, **_start())
    worlds.set_parameters([[0.0, 2.2], [0.2, 2.2], [0.3, 2.2]])
    outcome = worlds.run(4.0)
    assert outcome.fell.tolist() == [True, False, False]
    assert outcome.distance[1] != outcome.distance[2]


def test_a_python_function_walks_too():
    walk = _example("python_law").walk
    outcome = PythonSimulation(walk, **_start()).run(1.5)
    assert outcome.survived.all()
    assert outcome.distance[0] == pytest.approx(Simulation("walk").run(1.5).distance[0], rel=0.02)


def test_what_a_python_function_senses_is_what_mujoco_computes():
    seen = []
    simulation = PythonSimulation(lambda s: seen.append(s) or {}, worlds=2, period=0.01, **_start())
    simulation.run(0.03)
    assert [(s.world, round(s.time, 6)) for s in seen] == [(w, t) for t in (0.0, 0.01, 0.02) for w in (0, 1)]
    figure = Figure.load("planar-biped")
    data = mujoco.MjData(figure.model)
    last = seen[-1]
    data.qpos[:], data.qvel[:] = last.qpos, last.qvel
    mujoco.mj_forward(figure.model, data)
    for point in figure.points:
        np.testing.assert_allclose(last.position[point.name], data.site(point.name).xpos, atol=1e-12)
        jacobian = np.zeros((3, figure.nv))
        mujoco.mj_jacSite(figure.model, data, jacobian, None, figure.model.site(point.name).id)
        np.testing.assert_allclose(last.velocity[point.name], jacobian @ last.qvel, atol=1e-12)


def test_servos_hold_a_pose_between_rare_decisions():
    goal = {"left_knee": -0.5, "right_knee": -0.3, "left_hip": 0.2, "right_hip": 0.1, "left_ankle": 0.3}
    start = _start() | {"qpos": np.array([0, 50.0, 0, 0, 0, 0, 0, 0, 0]), "qvel": np.zeros(9)}
    simulation = PythonSimulation(lambda s: Drive(target=goal | {"right_ankle": 0.0}), period=0.1, **start)
    simulation.run(2.0)
    for joint, angle in goal.items():
        assert simulation.qpos[0, simulation.figure.joint(joint).qpos] == pytest.approx(angle, abs=1e-2)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"left_kne": 1.0}, "did you mean 'left_knee'"),
        ([1.0, 2.0], "torque has shape"),
        ({"left_knee": float("inf")}, "not finite"),
        ([1.0] + [0.0] * 8, "the root takes no torque"),
    ],
)
def test_a_wrong_answer_is_told_with_its_world_and_time(answer, message):
    with pytest.raises(FootfallError, match=message):
        PythonSimulation(lambda s: answer, **_start()).run(0.01)
