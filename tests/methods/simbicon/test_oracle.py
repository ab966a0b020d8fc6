"""The compiled law against an independent one in numpy: one call each, on random states, controllers and options.

Every world has a controller of its own, so that one kernel serves many.
"""

import numpy as np
import pytest
import warp as wp

from footfall.control.law import Types
from footfall.dynamics.compiler import CompiledFigure
from footfall.figures import Figure
from footfall.methods.simbicon.graph import Balance, PoseControlGraph, Servo, ServoGains, State, Target
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.parts.torso_and_hips import (
    HIP_STIFFNESS,
    STANCE_HIP,
    STANCE_LIMIT,
    SWING_HIP,
    SWING_LIMIT,
    TORSO_STIFFNESS,
)
from tests.methods.simbicon.oracle import Oracle, Sensed

N = 200


def random_graph(rng, figure, *, stable, flight, bounded):
    """A symmetric controller of two states with random targets, feedback and gains, every joint's its own."""
    spatial = figure.root != "planar"
    torsos = ["torso", "torso_roll", "torso_yaw"] if spatial else ["torso"]
    joints = [j.name for j in figure.joints if j.actuated]
    middle = [n for n in joints if n.partition("_")[0] not in ("left", "right")]
    sided = [f"{leg}_{n.removeprefix('left_')}" for n in joints if n.startswith("left_") for leg in ("stance", "swing")]
    swings = {n for n in sided if "shoulder" in n}

    def target(name):
        angle, c_d, c_v = rng.normal(0.0, [0.4, 0.5, 0.3])
        level = spatial and "ankle" in name and (name == "stance_ankle_roll" or rng.random() < 0.5)
        return Target(angle, c_d, c_v, c_hip=rng.normal() if name in swings else 0.0, world=bool(level))

    def state(k):
        kept = [n for n in sided if n in swings or "ankle" in n or rng.random() < 0.9]
        named = [*torsos, *middle, *kept]
        return State({n: target(n) for n in named}, hold=0.1 + 0.1 * k, contact=k == 1, flight=flight and k == 1)

    gains = {n: ServoGains(*rng.uniform([50, 5, 20], [600, 60, 400])) for n in [*torsos, *joints]}
    balance = Balance(
        reference=rng.choice(["heel", "toe"]),
        sensor=rng.choice(["heel", "toe", "any"]),
        speed=rng.normal(),
        hip_range=tuple(sorted(rng.normal(0.0, 0.8, 2))),
        side_speed=rng.normal() * spatial,
        heading=rng.normal() * spatial,
        hip_roll_limit=rng.uniform(0.1, 0.6),
    )
    servo = Servo(stable=stable, joint_limits=bounded, joints=gains)
    return PoseControlGraph("random", figure.name, (state(0), state(1)), balance=balance, servo=servo)


def random_sensed(rng, figure, points):
    """A state that joints feel, and a different one that balance sees."""

    def pose():
        qpos = rng.normal(0.0, 0.5, figure.nq)
        if figure.root != "planar":
            turn = rng.normal(size=3)
            turn *= rng.uniform(0.0, 1.0) / np.linalg.norm(turn)
            yaw = rng.uniform(-3.0, 3.0)
            lean = np.array([np.sqrt(1.0 - 0.25 * turn @ turn), *(0.5 * turn)])
            c, s = np.cos(0.5 * yaw), np.sin(0.5 * yaw)
            w, x, y, z = lean
            qpos[3:7] = c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w
        return qpos

    places = {name: rng.normal(size=3) for name in points}
    touching = {name for name in points if rng.random() < 0.3}
    return Sensed(
        dt=0.002,
        qpos=pose(),
        qvel=rng.normal(0.0, 2.0, figure.nv),
        qacc=rng.normal(0.0, 30.0, figure.nv),
        seen_qpos=pose(),
        seen_qvel=rng.normal(0.0, 2.0, figure.nv),
        seen_points=places,
        touching=touching,
    )


def call_law(law, types, rows, sensed, memory):
    """Torque, stiffness, memory, coupled and coupling of one call in each world."""
    Sense, Memory, Command, compiled = types.Sense, types.Memory, types.Command, types.compiled
    Qpos, Qvel, Points, act = compiled.Qpos, compiled.Qvel, compiled.Points, law.build(types)
    nv, (width, pairs) = compiled.nv, (len(getattr(Command(), name, ())) for name in ("coupling", "coupled"))
    Torques = wp.types.vector(length=2 * nv + width + pairs, dtype=wp.float64)

    @wp.kernel(module="unique", enable_backward=False)
    def call(
        qpos: wp.array[Qpos],
        qvel: wp.array[Qvel],
        qacc: wp.array[Qvel],
        seen_qpos: wp.array[Qpos],
        seen_qvel: wp.array[Qvel],
        seen_position: wp.array[Points],
        seen_contact: wp.array[wp.int32],
        memories: wp.array[Memory],
        parameters: wp.array2d[wp.float64],
        out: wp.array[Torques],
    ):
        i = wp.tid()
        sense = Sense()
        sense.dt = wp.float64(wp.static(0.002))
        sense.qpos = qpos[i]
        sense.qvel = qvel[i]
        sense.qacc = qacc[i]
        sense.seen_qpos = seen_qpos[i]
        sense.seen_qvel = seen_qvel[i]
        sense.seen_position = seen_position[i]
        sense.seen_contact = seen_contact[i]
        memory = memories[i]
        command = Command()
        act(sense, memory, parameters, i, command)
        memories[i] = memory
        found = Torques()
        for k in range(wp.static(nv)):
            found[k] = command.torque[k]
            found[wp.static(nv) + k] = command.stiffness[k]
        for k in range(wp.static(width)):
            found[wp.static(2 * nv) + k] = command.coupling[k]
        for k in range(wp.static(pairs)):
            found[wp.static(2 * nv + width) + k] = wp.float64(command.coupled[k])
        out[i] = found

    names = [p.name for p in compiled.points]

    def array(values, dtype):
        return wp.array(np.ascontiguousarray(values), dtype=dtype, device="cpu")

    touching = [sum(1 << names.index(n) for n in s.touching) for s in sensed]
    positions = [np.concatenate([s.seen_points[n] for n in names]) for s in sensed]
    memories, out = array(memory, Memory), wp.zeros(len(sensed), dtype=Torques, device="cpu")
    fields = (("qpos", Qpos), ("qvel", Qvel), ("qacc", Qvel), ("seen_qpos", Qpos), ("seen_qvel", Qvel))
    inputs = [array([getattr(s, name) for s in sensed], kind) for name, kind in fields]
    inputs += [array(positions, Points), array(touching, wp.int32), memories, array(rows, wp.float64), out]
    wp.launch(call, len(sensed), inputs=inputs, device="cpu")
    torque, stiffness, coupling, coupled = np.split(out.numpy(), [nv, 2 * nv, 2 * nv + width], axis=1)
    return torque, stiffness, memories.numpy(), coupling, coupled


CASES = {
    "planar, implicit": ("planar-biped", "", True, False),
    "planar, explicit, with flight": ("planar-biped", "", False, True),
    "planar, stable PD by the previous acceleration": ("planar-biped", "previous", True, False),
    "planar, exact stable PD": ("planar-biped", "exact", True, True),
    "spatial, implicit": ("human-28", "", True, False),
    "spatial, stable PD by the previous acceleration": ("human-28", "previous", True, False),
}


SLOW = "spatial, implicit"


@pytest.mark.parametrize("case", [pytest.param(c, marks=pytest.mark.slow if c == SLOW else ()) for c in CASES])
def test_one_call_of_the_law_is_what_the_paper_says(case):
    name, stable, implicit, flight = CASES[case]
    figure, rng = Figure.load(name), np.random.default_rng(len(case))
    graphs = [random_graph(rng, figure, stable=stable, flight=flight, bounded=k % 2 == 0) for k in range(N)]
    laws = [SimbiconLaw(graph, figure) for graph in graphs]
    law = laws[0]
    types = Types.of(CompiledFigure(figure, feet_only=True), law, implicit=implicit)
    assert {other.kernel_key for other in laws} == {law.kernel_key}
    sensed = [random_sensed(rng, figure, [p.name for p in types.compiled.points]) for _ in range(N)]
    states, clocks, turned = rng.integers(4, size=N), rng.uniform(0.0, 0.3, N), rng.normal(size=N)
    layout, memory = law.plan.memory, np.tile(law.memory, (N, 1))
    for place, values in (("state", states), ("clock", clocks), ("turned", turned)):
        memory[:, layout[place]] = values
    torque, stiffness, after, coupling, coupled = call_law(
        law, types, np.array([other.parameters for other in laws]), sensed, memory
    )
    left, clipped, moved = 0, 0, 0
    for k, (graph, world) in enumerate(zip(graphs, sensed, strict=True)):
        oracle = Oracle(graph, figure, implicit=implicit)
        expected = oracle.step(int(states[k]), clocks[k], turned[k], world)
        for joint in oracle.joints.values():
            where = (case, k, joint.name)
            assert torque[k, joint.dof] == pytest.approx(expected.torque[joint.name], rel=1e-9, abs=1e-9), where
            assert stiffness[k, joint.dof] == pytest.approx(expected.stiffness[joint.name], rel=1e-9, abs=1e-9), where
            clipped += abs(torque[k, joint.dof]) == graph.servo.joints[joint.name].torque_limit
        assert after[k, layout["state"]] == expected.state
        assert after[k, layout["clock"]] == pytest.approx(expected.clock, abs=1e-12)
        left += expected.state != states[k]
        moved += bool(np.abs(torque[k]).max() > 0.0)
        if stable == "exact":
            stance = oracle.side_of_stance(int(states[k]))
            swing = "right" if stance == "left" else "left"
            hips = [figure.joint(f"{side}_hip").dof for side in (swing, stance)]
            limits = [graph.servo.joints[f"{side}_hip"].torque_limit for side in (swing, stance)]
            assert coupled[k, [SWING_HIP, STANCE_HIP]].tolist() == hips
            assert coupling[k, [SWING_LIMIT, STANCE_LIMIT]].tolist() == limits
            assert coupling[k, HIP_STIFFNESS] == pytest.approx(expected.hip_stiffness, rel=1e-9)
            assert coupling[k, TORSO_STIFFNESS] == pytest.approx(expected.torso_stiffness, rel=1e-9)
    assert 0.1 * N < left < 0.9 * N
    assert clipped > 0.05 * torque.size
    assert moved == N
