"""The generated dynamics against MuJoCo's, on every built-in figure and on random trees."""

import numpy as np
import pytest
import warp as wp

from footfall.dynamics import CompiledFigure
from footfall.dynamics.mechanism import body_rows
from footfall.figures import Figure, figure_names
from tests.dynamics.evaluation import Evaluation
from tests.dynamics.oracle import oracle
from tests.figures.random_trees import random_state, random_tree

STATES = 12
TREES = [(3, True), (8, True), (0, False), (1, False), (2, False), (5, False), (9, False)]
KINEMATICS = ("bodies", "landmarks", "position", "velocity")
ACCELERATIONS = ("qacc", "implicit", "point_acceleration")


def _agree(found, wanted, tolerance):
    scale = max(1.0, float(np.abs(wanted).max(initial=0.0)))
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * scale)


def _situations(figure, places, seed=0):
    """S random states with torques, forces on points, pushes, and stiffness of joints and springs."""
    rng = np.random.default_rng(seed)
    states = [random_state(figure, seed * 100 + i) for i in range(STATES)]
    ground = sum(p.ground for p in figure.points)
    root = CompiledFigure(figure).root_freedoms
    joints = np.isin(np.arange(figure.nv), sorted(CompiledFigure(figure).prescribed_joints()))
    return {
        "qpos": np.array([q for q, _ in states]),
        "qvel": np.array([v for _, v in states]),
        "torque": rng.normal(0, 40, (STATES, figure.nv)) * joints,
        "force": rng.normal(0, 100, (STATES, ground, 3)) * _plane(figure),
        "push": rng.normal(0, 100, (STATES, len(places), 3)) * _plane(figure),
        "stiffness": rng.uniform(0, 0.5, (STATES, figure.nv)) * (np.arange(figure.nv) >= root),
        "springs": rng.uniform(0, 20, (STATES, ground, 2))[:, :, [0, 0, 1]],
    }


def _plane(figure):
    return np.array([1.0, 0.0, 1.0]) if figure.root == "planar" else np.ones(3)


def _check(figure, tolerance=1e-10, *, narrow=False):
    places = [(0, (0.1, 0.0, 0.2)), (len(figure.bodies) - 1, (0.0, 0.0, -0.1))]
    evaluation = Evaluation(CompiledFigure(figure, push_places=places, narrow=narrow))
    case = _situations(figure, places)
    found = evaluation.answers(**case)
    for i in range(STATES):
        wanted = oracle(figure, places=places, **{name: values[i] for name, values in case.items()})
        for name in KINEMATICS:
            _agree(found[name][i, : len(wanted[name])], wanted[name], tolerance)
        for name in ACCELERATIONS:
            _agree(found[name][i, : len(wanted[name])], wanted[name], tolerance)
    known = sorted(evaluation.compiled.prescribed_joints())
    free = np.setdiff1d(np.arange(figure.nv), known)
    _agree(found["hybrid_qacc"], found["qacc"], 1e-9)
    _agree(found["hybrid_torque"][:, known], case["torque"][:, known], 1e-8)
    np.testing.assert_array_equal(found["hybrid_torque"][:, free], 0.0)


EACH_KIND = ("planar-biped", "human-28", "robo-bird")
"""A figure in the plane, one in space, and one with other feet; random trees have the joints of the others."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in EACH_KIND else pytest.mark.slow) for n in figure_names()]
)
def test_built_in_figures_move_as_in_mujoco(name):
    _check(Figure.load(name))


@pytest.mark.parametrize(("seed", "planar"), TREES)
def test_random_trees_move_as_in_mujoco(seed, planar):
    figure = Figure.load(random_tree(seed, planar, root=None if planar else ["free", "fixed"][seed % 2]))
    _check(figure)


def test_code_for_a_gpu_thread_moves_as_in_mujoco():
    _check(Figure.load("human-12"), narrow=True)


def test_single_precision_agrees_within_its_reach():
    figure = Figure.load("planar-biped")
    case = _situations(figure, [])
    single = Evaluation(CompiledFigure(figure, wp.float32)).answers(**case)
    for i in range(STATES):
        wanted = oracle(figure, **{name: values[i] for name, values in case.items()})
        for name in KINEMATICS:
            _agree(single[name][i], wanted[name], 1e-5)
        _agree(single["qacc"][i], wanted["qacc"], 1e-4)


@pytest.mark.parametrize(
    ("name", "edits"),
    [
        ("planar-biped", ["thigh*1.2", "torso+10kg@0.05,0,0.3", "foot=2kg"]),
        ("human-12", ["shank*0.9", "torso+15kg", "mass*1.1"]),
    ],
)
def test_sizes_read_at_run_time_equal_those_compiled_in_and_mujoco(name, edits):
    figure = Figure.load(name)
    parameters = figure.body_parameters(edits)
    reshaped = figure.with_body_parameters(parameters)
    gravity = np.asarray(figure.model.opt.gravity)
    evaluation = Evaluation(CompiledFigure(figure, sizes_differ=True))
    case = _situations(figure, [])
    found = evaluation.answers(**case, body=body_rows(parameters, gravity))
    plain = evaluation.answers(**case, body=body_rows(figure.body_parameters(), gravity))
    for i in range(STATES):
        one = {key: values[i] for key, values in case.items()}
        for answers, walker in ((found, reshaped), (plain, figure)):
            wanted = oracle(walker, **one)
            for key in (*KINEMATICS, *ACCELERATIONS):
                _agree(answers[key][i], wanted[key], 1e-6 if walker is reshaped else 1e-9)
