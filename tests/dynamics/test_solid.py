"""Limbs that touch each other: distances against MuJoCo's, forces against an independent one, what is kept of momentum
and energy."""

from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
import warp as wp

from footfall.dynamics import CompiledFigure
from footfall.dynamics.mechanism import body_rows
from footfall.dynamics.solid import DAMPING, FRICTION, PARALLEL, SolidLimbs, lightness, stiffness_of
from footfall.figures import Figure
from footfall.figures.solid_shapes import capsule_distance, capsule_position, random_poses
from footfall.simulation.device import device_of
from tests.dynamics.evaluation import QUICK

ROBOT = Path(__file__).parents[3] / "shared" / "data" / "robots" / "unitree_g1" / "g1.xml"
SOURCES = [
    "human-28",
    "human",
    pytest.param(ROBOT, marks=pytest.mark.skipif(not ROBOT.exists(), reason="NEEDS shared/data"), id="g1"),
]
DT = 1e-3


GAPS = """
for (int i = 0; i < pairs; ++i)
  gaps[i] = sqrt(Nearest(&places[6 * owners[2*i]], &places[6 * owners[2*i + 1]]).squared) - numbers[3*i];
"""
"""C++ that finds the metres between the surfaces of each pair of capsules."""


class Touching:
    """The generated functions over many states: gaps [S, pairs] and torques [S, nv]."""

    def __init__(self, figure, real=wp.float64, *, sizes_differ=False):
        device_of("cpu")
        c = self.compiled = CompiledFigure(figure, real, solid=True, sizes_differ=sizes_differ)
        limbs = SolidLimbs(c)
        press, Qpos, Qvel = limbs.press, c.Qpos, c.Qvel
        Gaps = wp.types.vector(length=len(c.solid.pairs), dtype=real)
        measure = c.function("limb_gaps", {"gaps": wp.ref[Gaps]}, limbs.head + GAPS)
        dt = real(DT)

        @wp.kernel(enable_backward=False, module="unique", module_options=QUICK)
        def evaluate(
            qpos: wp.array[Qpos],
            qvel: wp.array[Qvel],
            body: wp.array2d[real],
            gaps: wp.array[Gaps],
            torque: wp.array[Qvel],
        ):
            i = wp.tid()
            q = qpos[i]
            v = qvel[i]
            found = Gaps()
            given = Qvel()
            measure(q, v, body, 0, found)
            press(q, v, body, 0, dt, given)
            gaps[i] = found
            torque[i] = given

        self.kernel, self.Gaps = evaluate, Gaps

    def __call__(self, qpos, qvel, body=None):
        c, count = self.compiled, len(qpos)
        given = [wp.array(x, dtype=t, device="cpu") for x, t in ((qpos, c.Qpos), (qvel, c.Qvel))]
        given.append(wp.array(np.zeros((1, 1)) if body is None else body, dtype=c.real, device="cpu"))
        answers = [wp.zeros(count, dtype=t, device="cpu") for t in (self.Gaps, c.Qvel)]
        wp.launch(self.kernel, dim=count, inputs=given, outputs=answers, device="cpu")
        return [a.numpy() for a in answers]


@cache
def _human_28(real=wp.float64, *, sizes_differ=False):
    """Its functions, compiled once for all tests."""
    return Touching(Figure.load("human-28"), real, sizes_differ=sizes_differ)


def _states(figure, count, speed=1.0):
    rng = np.random.default_rng(4)
    qpos = np.array(random_poses(figure.model, figure.default_qpos, count))
    qpos[:, 3:7] = rng.normal(size=(count, 4))
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    return qpos, speed * rng.normal(size=(count, figure.nv))


def _with_capsules(figure):
    """The figure's model with its capsules as geoms of their own, and their numbers."""
    spec = figure.spec()
    spec.compile()
    bodies = {int(b.id) - 1: b for b in spec.bodies}
    for k, c in enumerate(figure.solid.capsules):
        if c.half.any():
            kind = {"type": mujoco.mjtGeom.mjGEOM_CAPSULE, "fromto": [*(c.centre - c.half), *(c.centre + c.half)]}
        else:
            kind = {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "pos": c.centre}
        bodies[c.body].add_geom(name=f"capsule{k}", size=[c.radius, 0, 0], **kind)
    spec.option.ccd_tolerance, spec.option.ccd_iterations = 1e-12, 200
    model = spec.compile()
    return model, [model.geom(f"capsule{k}").id for k in range(len(figure.solid.capsules))]


@pytest.mark.parametrize("source", SOURCES)
def test_gaps_are_those_of_mujoco(source):
    figure = Figure.load(source)
    model, geoms = _with_capsules(figure)
    qpos, qvel = _states(figure, 40)
    gaps, _ = (_human_28() if source == "human-28" else Touching(figure))(qpos, qvel)
    data = mujoco.MjData(model)
    both = np.zeros(6)
    wanted = np.zeros_like(gaps)
    for i, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_forward(model, data)
        for k, (a, b) in enumerate(figure.solid.pairs):
            wanted[i, k] = mujoco.mj_geomDistance(model, data, geoms[a], geoms[b], 10.0, both)
    assert (gaps < 0).any()
    np.testing.assert_allclose(gaps, wanted, atol=1e-9)


def _oracle(figure, qpos, qvel):
    """[nv] torques of limbs that touch, from MuJoCo's kinematics."""
    model, shapes, light = figure.model, figure.solid, lightness(figure)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(model, data)
    torque, count = np.zeros(model.nv), 0
    for a, b in shapes.pairs:
        one, other = shapes.capsules[a], shapes.capsules[b]
        (p, u), (q, v) = capsule_position(data, one), capsule_position(data, other)
        depth = one.radius + other.radius - capsule_distance(p, u, q, v)
        if depth <= 0:
            continue
        steps, best = np.linspace(-1, 1, 2001), 0
        for finer in (0.0, 1e-3, 1e-6):
            steps = steps if finer == 0.0 else np.clip(steps[best] + np.linspace(-finer, finer, 2001), -1, 1)
            t = np.clip(((p - q) @ v + np.outer(steps, u) @ v) / max(v @ v, 1e-300), -1, 1)
            apart = p - q + np.outer(steps, u) - np.outer(t, v)
            best = int(np.argmin((apart**2).sum(axis=1)))
        normal = apart[best] / np.linalg.norm(apart[best])
        first, second = steps[best], t[best]
        sine = 1 - (u @ v) ** 2 / (u @ u * (v @ v))
        if sine < PARALLEL:
            ends = np.array([-1.0, 1.0])
            middle = np.clip((ends * (u @ v) - u @ (p - q)) / (u @ u), -1, 1).mean()
            beside = np.clip((ends * (u @ v) + v @ (p - q)) / (v @ v), -1, 1).mean()
            first, second = middle + sine / PARALLEL * (first - middle), beside + sine / PARALLEL * (second - beside)
        at = (p + first * u + q + second * v) / 2
        rows = [np.zeros((3, model.nv)) for _ in range(2)]
        for row, capsule in zip(rows, (one, other), strict=True):
            mujoco.mj_jac(model, data, row, None, at, capsule.body + 1)
        jacobian, weight = rows[0] - rows[1], DT * (light[a] + light[b])
        velocity = jacobian @ qvel
        rising = velocity @ normal
        push = min(stiffness_of(figure), 0.25 / (DT * weight)) * depth
        push -= min(push * DAMPING, 1 / weight) * rising
        if push <= 0:
            continue
        slide = velocity - rising * normal
        force = push * normal - min(FRICTION * push / np.linalg.norm(slide), 0.5 / weight) * slide
        torque += jacobian.T @ force
        count += 1
    return torque, count


def test_torques_are_those_of_equal_and_opposite_forces():
    figure = Figure.load("human-28")
    qpos, qvel = _states(figure, 60)
    _, torque = _human_28()(qpos, qvel)
    wanted, touching = zip(*(_oracle(figure, q, v) for q, v in zip(qpos, qvel, strict=True)), strict=True)
    assert sum(touching) > 20
    np.testing.assert_array_equal(torque[:, :6], 0.0)  # momentum is kept
    np.testing.assert_allclose(np.array(wanted)[:, :6], 0.0, atol=1e-9)
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(torque, wanted, atol=1e-4 * scale)


def test_a_body_of_its_own_size_and_the_figure_agree():
    figure = Figure.load("human-28")
    qpos, qvel = _states(figure, 10)
    row = body_rows(figure.body_parameters(), figure.model.opt.gravity, figure.solid)
    plain, sized = _human_28()(qpos, qvel), _human_28(sizes_differ=True)(qpos, qvel, row)
    np.testing.assert_allclose(plain[0], sized[0], atol=1e-12)
    np.testing.assert_allclose(plain[1], sized[1], atol=1e-6 * np.abs(plain[1]).max())


def test_single_precision_agrees():
    figure = Figure.load("human-28")
    qpos, qvel = _states(figure, 20)
    double, single = _human_28()(qpos, qvel), _human_28(wp.float32)(qpos, qvel)
    np.testing.assert_allclose(single[0], double[0], atol=2e-6)


def test_the_mirror_image_of_a_touch_is_the_touch_of_the_mirror_image():
    figure = Figure.load("human-28")
    qpos, qvel = _states(figure, 40)
    touching = _human_28()
    gaps, torque = touching(qpos, qvel)
    mirrored_gaps, mirrored = touching(figure.mirror_qpos(qpos), figure.mirror_qvel(qvel))
    np.testing.assert_allclose(np.sort(gaps), np.sort(mirrored_gaps), atol=1e-9)
    np.testing.assert_allclose(figure.mirror_qvel(torque), mirrored, atol=1e-6 * np.abs(torque).max())


def test_shapes_that_overlap_or_have_no_size_are_told_and_left_out():
    text, shank = Figure.load("human-28").xml, 'name="right_shank" fromto="0 0 0 -0.0287 {} -0.42806" size="0.048"'
    small = text.replace('fromto="0 0 -0.03 0.01 0 -0.14" size="0.03"', 'type="sphere" size="0.00001"', 1)
    figure = Figure.load(small.replace(shank.format("0.00721"), shank.format("0.18")))
    assert ("left_hand", "has no size; it touches nothing") in figure.solid.notes
    assert {"left_shank", "right_shank"} in [set(pair[:2]) for pair in figure.solid.overlapping]
    assert not any({"left_shank", "right_shank"} == set(names) for names in figure.solid.names)
    assert Figure.load("planar-biped").solid.pairs == ()
