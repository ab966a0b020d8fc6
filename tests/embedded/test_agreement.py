"""The C computes what the native run computes, and every controller that can be exported compiles without a warning."""

import re
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from footfall.control import controller_names, load_controller
from footfall.control.law import Types
from footfall.dynamics.compiler import CompiledFigure
from footfall.embedded.program import c_program
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.deciding import Block
from footfall.methods.simbicon.feedforward import FeedForward
from footfall.methods.simbicon.graph import Reaction, TargetCycle
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.simulation import Record, Simulation
from tests.embedded.in_c import InC, needs_compiler
from tests.methods.network.test_controller import corrected, served
from tests.methods.network.test_multilayer import network
from tests.methods.simbicon.oracle import Sensed
from tests.methods.simbicon.test_oracle import call_law, random_graph, random_sensed

pytestmark = needs_compiler

REFUSED = {
    "ground-sight-walk": "looks at the ground ahead",
    "sure-footed-walk": "looks at the ground ahead",
    "tracked-walk": "asks for accelerations",
    "human": "looks at the ground ahead",
}
ALL = controller_names(guests=False)
PLANAR = {name for name in ALL if load_controller(name).figure == "planar-biped"}


COMPILED: set[str] = set()
"""The C that was compiled and optimised, without its names and numbers: with other numbers there are no other
warnings."""


def exported(name, folder, level="-O2"):
    controller = load_controller(name)
    program = c_program(controller, Figure.load(controller.figure), name)
    shape = re.sub(r"[-+]?\b\d[\w.]*([eE][-+]?\d+)?", "#", program.source.replace(program.name, ""))
    if level == "-O1" and shape in COMPILED:
        level = "-O0"
    COMPILED.add(shape)
    return InC(program, folder, level=level)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in PLANAR | set(REFUSED) else pytest.mark.slow) for name in ALL]
)
def test_every_controller_is_exported_or_refused_in_words(name, tmp_path):
    if name in REFUSED:
        with pytest.raises(FootfallError, match=REFUSED[name]):
            exported(name, tmp_path)
        return
    in_c = exported(name, tmp_path, "-O1")
    qpos, qvel = in_c.program.control.start
    off = np.concatenate([qpos[:7], np.asarray(qpos[7:]) + 0.01])  # bird-run starts where its servos want it
    torque, stiffness = in_c.step(off, qvel, 0.001)
    assert np.isfinite(torque).all()
    assert np.abs(torque).max() > 0.0
    assert (stiffness >= 0.0).all()


def check_along_a_walk(controller, seconds, folder):
    """Torques along a recorded walk, until it falls, with contacts from the soles' heights; the seconds that it
    walked, and its stance legs."""
    native = Simulation(controller, record=Record(rate=1000.0, worlds=1), threads=1)
    native.run(seconds)
    trace, in_c = native.trace(), InC(c_program(controller, native.figure, "walk"), folder)
    dofs = [joint.dof for joint in in_c.program.joints]
    end = trace.torque[:, 0].any(axis=1).nonzero()[0][-1] + 1
    stances = set()
    for k in range(end):
        torque, _ = in_c.step(trace.qpos[k, 0], trace.qvel[k, 0], native.dt)
        assert torque == pytest.approx(trace.torque[k, 0][dofs], rel=1e-12, abs=1e-11), k
        stances.add(in_c.stance)
    return end * native.dt, stances


@pytest.mark.parametrize("name", ["walk", pytest.param("walk-3d", marks=pytest.mark.slow), "human-walk"])
def test_five_seconds_of_a_walk(name, tmp_path):
    """human-walk falls before their end, since nothing balances it."""
    walked, stances = check_along_a_walk(load_controller(name), 5.0, tmp_path)
    assert stances == {0, 1}
    assert walked == pytest.approx(5.0) if name != "human-walk" else walked > 1.5


WALK = load_controller("walk")
VARIANTS = {
    "reaction": {"reaction": Reaction(gain=1.5, delay=0.01, duration=0.1, threshold=0.02)},
    "cycle": {
        "states": (replace(WALK.states[0], contact=True, hold=0.2),),
        "cycle": TargetCycle(0.35, 0.4, left_d=(-0.1, 0.1), left_v=(0.1, -0.1), joints={"left_knee": (0.1, -0.05)}),
        "start": replace(WALK.start, state=0),
    },
    "learned torques": {
        "feedforward": FeedForward(
            20, "stride", 0.1, 50.0, period=0.36, joints=dict.fromkeys(("torso", "left_knee"), (5.0,) * 40)
        )
    },
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_what_only_some_controllers_have(variant, tmp_path):
    assert check_along_a_walk(WALK.changed(**VARIANTS[variant]), 1.5, tmp_path)[0] > 0.4


@pytest.mark.parametrize("activation", [pytest.param(a, marks=pytest.mark.slow) for a in ("tanh", "relu")] + ["elu"])
def test_a_network_answers_in_c_as_it_does_natively(activation, tmp_path):
    """One that sets targets of servos, until it falls."""
    assert check_along_a_walk(served(network=network((13, 9, 8, 6), activation)), 0.3, tmp_path)[0] > 0.1


@pytest.mark.slow
def test_a_network_that_corrects_a_walk_and_sees_its_height(tmp_path):
    assert check_along_a_walk(corrected(correct={"targets": 0.02}), 1.5, tmp_path)[0] == pytest.approx(1.5)
    sighted = corrected(observations=(Block(("height", "pitch", "stance", "ground_0.4")),))
    with pytest.raises(FootfallError, match="looks at the ground ahead"):
        c_program(sighted, Figure.load("planar-biped"), "sighted")


def kinematics(figure, qpos, points):
    """World places of points, by MuJoCo."""
    data = mujoco.MjData(figure.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(figure.model, data)
    bodies = [figure.bodies.index(figure.bodies[figure.point(name).body]) + 1 for name in points]
    return {
        name: data.xpos[b] + data.xmat[b].reshape(3, 3) @ figure.point(name).position
        for name, b in zip(points, bodies, strict=True)
    }


@pytest.mark.parametrize("stable", ["", "previous"])
@pytest.mark.parametrize("figure", ["planar-biped", pytest.param("human-28", marks=pytest.mark.slow)])
def test_random_controllers_in_random_states(figure, stable, tmp_path):
    """One call from random states and memories; places of the soles are MuJoCo's."""
    rng = np.random.default_rng(3)
    figure, n = Figure.load(figure), 60
    graph = random_graph(rng, figure, stable=stable, flight=True, bounded=True)
    law = SimbiconLaw(graph, figure)
    in_c = InC(c_program(graph, figure, "random"), tmp_path)
    points, dt = in_c.program.control.points, 0.002
    types = Types.of(CompiledFigure(figure, feet_only=True), law, implicit=True)
    sensed, before = [], []
    for _ in range(n):
        one = random_sensed(rng, figure, points)
        qpos, last = one.qpos, one.qvel - one.qacc * dt
        before.append(last)
        places = kinematics(figure, qpos, points)
        assert in_c.soles(qpos) == pytest.approx(np.array(list(places.values())), abs=1e-12)
        acceleration = (one.qvel - last) / dt
        sensed.append(Sensed(dt, qpos, one.qvel, acceleration, qpos, one.qvel, places, one.touching))
    memory = np.tile(law.memory, (n, 1))
    memory[:, law.plan.memory["state"]] = rng.integers(0, 4, n)
    memory[:, law.plan.memory["clock"]] = rng.uniform(0.0, 0.3, n)
    found = call_law(law, types, np.tile(law.parameters, (n, 1)), sensed, memory)
    dofs, stances = [joint.dof for joint in in_c.program.joints], set()
    for k, one in enumerate(sensed):
        in_c.restart()
        contact = np.array([float(name in one.touching) for name in points])
        if stable == "previous":
            in_c.step(one.qpos, before[k], dt, contact)
        in_c.remember(memory[k])
        torque, stiffness = in_c.step(one.qpos, one.qvel, dt, contact)
        assert torque == pytest.approx(found[0][k][dofs], rel=1e-12, abs=1e-11)
        assert stiffness == pytest.approx(found[1][k][dofs], rel=1e-12)
        assert in_c.memory == pytest.approx(found[2][k], rel=1e-12, abs=1e-12)
        stances.add(in_c.stance)
    assert stances == {0, 1}


def test_motors_get_the_gains_of_the_servos(tmp_path):
    in_c = exported("walk", tmp_path)
    graph = load_controller("walk")
    qpos, qvel = in_c.program.control.start
    dt = 0.001
    torque, stiffness = in_c.step(qpos, qvel, dt)
    in_c.restart()
    outright, kp, kd, target = in_c.motors(qpos, qvel, dt)
    q = qpos[[joint.qpos for joint in in_c.program.joints]]
    rate = qvel[[joint.dof for joint in in_c.program.joints]]
    assert outright + kp * (target - q - dt * rate) - kd * rate == pytest.approx(torque, rel=1e-9)
    hips = np.array(["hip" in joint.name for joint in in_c.program.joints])
    assert (kp[hips] == 0.0).all()
    assert (outright[hips] == torque[hips]).all()
    joint = in_c.program.joints[1]
    assert kp[~hips] == pytest.approx(graph.servo.kp or joint.kp, rel=1e-6)
    assert kd[~hips] == pytest.approx(graph.servo.kd or joint.kd, rel=1e-6)
    assert stiffness == pytest.approx(kd * dt + kp * dt**2, rel=1e-9)


def test_a_changed_copy_of_the_parameters_changes_the_torques(tmp_path):
    in_c = exported("walk", tmp_path)
    qpos, qvel = in_c.program.control.start
    torque, _ = in_c.step(qpos, qvel, 0.001)
    numbers = in_c.table("parameters")
    assert numbers == pytest.approx(in_c.program.control.law.parameters, rel=0, abs=0)
    numbers[0] = 1.0
    in_c.restart()
    np.frombuffer(in_c._state, np.uintp, 1)[:] = numbers.ctypes.data
    assert not np.array_equal(in_c.step(qpos, qvel, 0.001)[0], torque)
