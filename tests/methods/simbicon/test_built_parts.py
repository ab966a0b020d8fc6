"""Parts that are made for a figure and a layout: the state machine, the frames, learning, on random inputs in numpy."""

import numpy as np
import pytest
import warp as wp

from footfall.control import load_controller
from footfall.control.law import Types
from footfall.control.parts import advance_function, now_functions, observe_function, sensor_masks
from footfall.dynamics.compiler import CompiledFigure
from footfall.figures import Figure
from footfall.methods.simbicon.error_learning import learner
from footfall.methods.simbicon.feedforward import FeedForward
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.parts.learned_torques import PERIOD_FILTER, learning_functions
from footfall.motion.quaternion import from_euler, rotate

N = 400
PLANAR, HUMAN = Figure.load("planar-biped"), Figure.load("human")


def on_cpu(values, dtype):
    return wp.array(np.ascontiguousarray(values), dtype=dtype, device="cpu")


def types_of(law, figure):
    return Types.of(CompiledFigure(figure, feet_only=True), law, implicit=True)


def test_the_state_machine_leaves_states_by_time_contact_and_request():
    graphs = [load_controller(name) for name in ("walk", "skipping", "bent-walk")]
    law = SimbiconLaw(graphs, PLANAR)
    table, layout, memory_layout = law.table, law.plan.layout, law.plan.memory
    types = types_of(law, PLANAR)
    masks = sensor_masks(types, "heel")
    now = now_functions(types, layout)
    advance = advance_function(types, now, layout, memory_layout, masks)
    Sense, Memory, Command, Now, enter = types.Sense, types.Memory, types.Command, now.Now, now.enter

    @wp.kernel(module="unique", enable_backward=False)
    def run(
        time: wp.array[wp.float64],
        contact: wp.array[wp.int32],
        memories: wp.array[Memory],
        parameters: wp.array2d[wp.float64],
        exchanged: wp.array[wp.int32],
    ):
        i = wp.tid()
        sense = Sense()
        sense.dt = wp.float64(0.001)
        sense.time = time[i]
        sense.seen_contact = contact[i]
        memory = memories[i]
        command = Command()
        now = Now()
        enter(int(memory[0]), parameters, 0, now)
        advance(now, sense, memory, command)
        if now.exchanged:
            exchanged[i] = 1
        memories[i] = memory

    rng = np.random.default_rng(3)
    states = rng.integers(len(table.states), size=N)
    before = np.zeros((N, len(memory_layout)))
    before[:, memory_layout["state"]] = states
    before[:, memory_layout["clock"]] = rng.uniform(0.0, 0.5, N)
    before[:, memory_layout["request"]] = rng.integers(-1, 3, N)
    before[:, memory_layout["request_time"]] = rng.uniform(0.0, 2.0, N)
    time, contact = rng.uniform(0.0, 2.0, N), rng.integers(16, size=N)
    memories, exchanged = on_cpu(before, Memory), wp.zeros(N, dtype=wp.int32, device="cpu")
    row = on_cpu(table.row[None], wp.float64)
    wp.launch(
        run, N, inputs=[on_cpu(time, wp.float64), on_cpu(contact, wp.int32), memories, row, exchanged], device="cpu"
    )
    after = memories.numpy()
    left_heel, right_heel, left_toe, right_toe = masks
    changes = 0
    for i, k in enumerate(states):
        state, following = table.states[k].state, table.states[k].after
        graph = graphs[table.owners[k]]
        _, clock, wanted, when = before[i, :4]
        leaves = clock + 0.001 > state.hold - 0.0005
        if state.contact:
            right = (state.stance == "left") == (state.contact is True)
            mask = {
                "heel": right_heel if right else left_heel,
                "toe": right_toe if right else left_toe,
                "any": (right_heel | right_toe) if right else (left_heel | left_toe),
            }[graph.balance.sensor]
            leaves = leaves and contact[i] & mask != 0
        entered = table.entries[following, int(wanted)] if wanted >= 0 and time[i] >= when - 0.0005 else -1
        expected = k if not leaves else entered if entered >= 0 else following
        assert after[i, 0] == expected, (i, k)
        assert after[i, 1] == (0.0 if leaves else pytest.approx(clock + 0.001))
        assert after[i, 2] == (-1 if leaves and entered >= 0 else wanted)
        swapped = table.states[expected].state.stance != state.stance
        assert bool(exchanged.numpy()[i]) == (leaves and swapped)
        changes += int(expected != k)
    assert changes > 20


@pytest.mark.parametrize("figure", [PLANAR, HUMAN], ids=lambda f: f.name)
def test_the_frame_is_what_numpy_makes_of_the_state(figure):
    graph = load_controller("walk").changed(figure=figure.name, start=None)
    law = SimbiconLaw(graph.changed(states=graph.states[:1]), figure)
    types = types_of(law, figure)
    now = now_functions(types, law.plan.layout)
    observe, Now, Memory, Command = observe_function(types, now), now.Now, types.Memory, types.Command
    Sense, nq, nv, points = types.Sense, figure.nq, figure.nv, types.compiled.points
    planes = 1 if figure.root == "planar" else 3
    pairs = 1 if planes == 1 else 2

    @wp.kernel(module="unique", enable_backward=False)
    def run(x: wp.array2d[wp.float64], parameters: wp.array2d[wp.float64], out: wp.array2d[wp.float64]):
        i = wp.tid()
        sense = Sense()
        for j in range(wp.static(nq)):
            sense.seen_qpos[j] = x[i, j]
        for j in range(wp.static(nv)):
            sense.seen_qvel[j] = x[i, wp.static(nq) + j]
        for j in range(wp.static(3 * len(points))):
            sense.seen_position[j] = x[i, wp.static(nq + nv) + j]
        memory = Memory()
        command = Command()
        now = Now()
        now.parameters = parameters
        now.right_stance = i % 2 == 1
        observe(now, sense, memory, command)
        for p in range(wp.static(planes)):
            out[i, p] = now.lean[p]
            out[i, wp.static(planes) + p] = now.rate[p]
        for p in range(wp.static(pairs)):
            out[i, wp.static(2 * planes) + p] = now.d[p]
            out[i, wp.static(2 * planes + pairs) + p] = now.v[p]

    rng = np.random.default_rng(4)
    x = rng.normal(size=(N, nq + nv + 3 * len(points)))
    yaw = rng.uniform(-3.0, 3.0, N)
    if planes == 3:
        x[:, 3:7] = from_euler("zyx", np.stack([yaw, rng.uniform(-0.5, 0.5, N), rng.uniform(-0.5, 0.5, N)], axis=-1))
    row = law.table.applied(law.table.row[None], {"reference": 0.3, "speed": 0.7, "side_speed": -0.2})
    out = wp.zeros((N, 2 * planes + 2 * pairs), dtype=wp.float64, device="cpu")
    wp.launch(run, N, inputs=[on_cpu(x, wp.float64), on_cpu(row, wp.float64), out], device="cpu")
    names = [p.name for p in points]
    for i, got in enumerate(out.numpy()):
        leg = figure.legs["right" if i % 2 else "left"]
        qpos, qvel, places = np.split(x[i], [nq, nq + nv])
        places = dict(zip(names, places.reshape(-1, 3), strict=True))
        heel, toe = (np.mean([places[n] for n in part], axis=0) for part in (leg.heel, leg.toe))
        foot = heel + 0.3 * (toe - heel)
        if planes == 1:
            expected = [qpos[2], qvel[2], qpos[0] - foot[0], qvel[0] - 0.7]
        else:
            up = rotate(qpos[3:7] * [1, -1, -1, -1], np.array([0.0, 0.0, 1.0]))
            c, s = np.cos(yaw[i]), np.sin(yaw[i])
            heading = np.array([[c, s], [-s, c]])
            leans = [np.arctan2(up[0], up[2]), np.arctan2(up[1], up[2]), yaw[i]]
            d, v = heading @ (qpos[:2] - foot[:2]), heading @ qvel[:2] - [0.7, -0.2]
            expected = [*leans, -qvel[4], qvel[3], qvel[5], *d, *v]
        np.testing.assert_allclose(got, expected, atol=1e-12)


def test_learning_is_equation_two_bin_by_bin():
    bins, rate, limit, dt, steps = 5, 0.3, 2.0, 0.01, 300
    law = SimbiconLaw(learner(load_controller("walk"), bins=bins, rate=rate), PLANAR)
    types = types_of(law, PLANAR)
    now = now_functions(types, law.plan.layout)
    find_bin, anticipate, _, begin_step = learning_functions(types, law.plan, now)
    Now, Sense, Memory, Command = now.Now, types.Sense, types.Memory, types.Command

    @wp.kernel(module="unique", enable_backward=False)
    def run(
        memories: wp.array[Memory],
        parameters: wp.array2d[wp.float64],
        feedback: wp.array[wp.float64],
        forward: wp.array[wp.float64],
    ):
        memory = memories[0]
        sense = Sense()
        sense.dt = wp.float64(0.01)
        command = Command()
        now = Now()
        now.parameters = parameters
        for k in range(feedback.shape[0]):
            find_bin(now, sense, memory, command)
            forward[k] = anticipate(now, memory, 0, feedback[k], wp.float64(2.0))
            now.exchanged = k % 25 == 24
            begin_step(now, sense, memory, command)
        memories[0] = memory

    feedback = 3.0 * np.random.default_rng(5).normal(size=steps)
    memories, forward = on_cpu(law.memory[None], Memory), wp.zeros(steps, dtype=wp.float64, device="cpu")
    row = on_cpu(law.table.row[None], wp.float64)
    wp.launch(run, 1, inputs=[memories, row, on_cpu(feedback, wp.float64), forward], device="cpu")
    torque, phase, period, current, seen, expected = np.zeros(bins), 0.0, 0.0, 0, [], []
    for k, fb in enumerate(feedback):
        answer = 0.0
        if period > 0:
            n = min(int(phase / period * bins), bins - 1)
            if n != current:
                if seen:
                    torque[current] = np.clip(torque[current] + rate * np.mean(seen), -limit, limit)
                current, seen = n, []
            answer = np.clip(torque[n], -limit, limit)
            seen.append(fb)
        phase += dt
        expected.append(answer)
        if k % 25 == 24:
            period = period + PERIOD_FILTER * (phase - period) if period > 0 else phase if period < 0 else -1.0
            phase = 0.0
    np.testing.assert_allclose(forward.numpy(), expected, atol=1e-12)
    assert np.abs(expected).max() > 0.5


def test_learning_by_stride_is_equation_two_for_every_servo_and_side():
    bins, rate, limit, dt, steps, step = 4, 0.4, 1.5, 0.01, 400, 20
    walk = load_controller("walk-3d")
    human = Figure.load(walk.figure)
    torsos = dict.fromkeys(("torso", "torso_roll", "torso_yaw", "left_knee"), (0.0,) * (2 * bins))
    law = SimbiconLaw(walk.changed(feedforward=FeedForward(bins, "stride", rate, joints=torsos)), human)
    types, learners = types_of(law, human), len(torsos)
    now = now_functions(types, law.plan.layout)
    find_bin, anticipate, displace, begin_step = learning_functions(types, law.plan, now)
    Now, Sense, Memory, Command = now.Now, types.Sense, types.Memory, types.Command

    @wp.kernel(module="unique", enable_backward=False)
    def run(
        memories: wp.array[Memory],
        parameters: wp.array2d[wp.float64],
        feedback: wp.array2d[wp.float64],
        forward: wp.array2d[wp.float64],
        shift: wp.array[wp.float64],
    ):
        memory = memories[0]
        sense = Sense()
        sense.dt = wp.float64(0.01)
        command = Command()
        now = Now()
        now.parameters = parameters
        for k in range(feedback.shape[0]):
            now.right_stance = (k // 20) % 2 == 1
            find_bin(now, sense, memory, command)
            shift[k] = displace(now, memory, 0, feedback[k, 3])
            for i in range(feedback.shape[1]):
                forward[k, i] = anticipate(now, memory, i, feedback[k, i], wp.float64(1.5))
            now.exchanged = k % 20 == 19
            begin_step(now, sense, memory, command)
        memories[0] = memory

    feedback = 2.0 * np.random.default_rng(6).normal(size=(steps, learners))
    memories, forward = on_cpu(law.memory[None], Memory), wp.zeros((steps, learners), dtype=wp.float64, device="cpu")
    shift = wp.zeros(steps, dtype=wp.float64, device="cpu")
    row = on_cpu(law.table.row[None], wp.float64)
    wp.launch(run, 1, inputs=[memories, row, on_cpu(feedback, wp.float64), forward, shift], device="cpu")
    torque, clock, period, current, seen = np.zeros((learners, 2 * bins)), 0.0, 0.0, 0, []
    moved, displaced = np.zeros(2 * bins), np.zeros(steps)
    expected = np.zeros((steps, learners))
    for k, felt in enumerate(feedback):
        if period > 0:
            n = min(int(clock / period * bins), bins - 1) + bins * ((k // step) % 2)
            if n != current:
                if seen:
                    torque[:, current] += rate * np.mean(seen, axis=0)
                    moved[current] += rate * (np.mean(seen, axis=0)[3] - moved[current])
                current, seen = n, []
            displaced[k] = moved[n]
            expected[k] = torque[:, n] = np.clip(torque[:, n], -limit, limit)
            seen.append(felt)
        clock += dt
        if k % step == step - 1:
            period = period + PERIOD_FILTER * (clock - period) if period > 0 else clock if period < 0 else -1.0
            clock = 0.0
    np.testing.assert_allclose(shift.numpy(), displaced, atol=1e-12)
    np.testing.assert_allclose(forward.numpy(), expected, atol=1e-12)
    assert np.abs(expected).max() > 0.5
