"""Sight and the hips' implicit coupling as parts, on random inputs against a few lines of numpy."""

import numpy as np
import pytest
import warp as wp

from footfall.control import load_controller
from footfall.control.law import Types
from footfall.dynamics.compiler import CompiledFigure
from footfall.figures import Figure
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.parts.sight import HIP_SHIFT, KNEE_SHIFT, RISE, SAMPLES, leg_link_lengths, sight_function
from footfall.methods.simbicon.parts.torso_and_hips import (
    HIP_STIFFNESS,
    STANCE_HIP,
    STANCE_LIMIT,
    SWING_HIP,
    SWING_LIMIT,
    TORSO_STIFFNESS,
    hip_correction,
    responses_of,
)

N = 300
PLANAR = Figure.load("planar-biped")


def on_cpu(values, dtype):
    return wp.array(np.ascontiguousarray(values), dtype=dtype, device="cpu")


def types_of(law):
    return Types.of(CompiledFigure(PLANAR, feet_only=True), law, implicit=True)


def test_the_coupling_makes_servos_answer_to_the_accelerations_that_follow_within_their_limits():
    """After the correction each torque is the servo's of one step ahead, τ - s (swing + torso) and τ - (what the swing
    hip's changed by) + t torso, or at its limit."""
    graph = load_controller("walk")
    law = SimbiconLaw(graph.changed(servo=graph.servo.__class__(stable="exact", joint_limits=True)), PLANAR)
    types, nv = types_of(law), PLANAR.nv
    correct = hip_correction(types)
    Command, Qvel, Responses = types.Command, types.compiled.Qvel, responses_of(types)
    left, right = (PLANAR.joint(PLANAR.legs[side].hip[0]).dof for side in ("left", "right"))

    @wp.kernel(module="unique", enable_backward=False)
    def run(
        torque: wp.array2d[wp.float64],
        gains: wp.array2d[wp.float64],
        qacc: wp.array2d[wp.float64],
        unit: wp.array3d[wp.float64],
        out: wp.array2d[wp.float64],
    ):
        i = wp.tid()
        command = Command()
        answer = Qvel()
        responses = Responses()
        for j in range(wp.static(nv)):
            command.torque[j] = torque[i, j]
            answer[j] = qacc[i, j]
            for k in range(2):
                responses[k, j] = unit[i, k, j]
        command.coupled[wp.static(SWING_HIP)] = wp.static(right)
        command.coupled[wp.static(STANCE_HIP)] = wp.static(left)
        command.coupling[wp.static(HIP_STIFFNESS)] = gains[i, 0]
        command.coupling[wp.static(TORSO_STIFFNESS)] = gains[i, 1]
        command.coupling[wp.static(SWING_LIMIT)] = gains[i, 2]
        command.coupling[wp.static(STANCE_LIMIT)] = gains[i, 3]
        after = command.torque
        correct(command, answer, responses, after)
        for j in range(wp.static(nv)):
            out[i, j] = after[j]

    rng = np.random.default_rng(11)
    torque, qacc = rng.normal(size=(N, nv)), rng.normal(size=(N, nv))
    gains = rng.uniform(0.0, 3.0, (N, 4))
    gains[: N // 3, 2:] = np.inf
    torque[:, [right, left]] = np.clip(torque[:, [right, left]], -gains[:, 2:], gains[:, 2:])  # as the law gives them
    half = rng.normal(size=(N, nv, nv))
    inverse_inertia = half @ half.transpose(0, 2, 1)  # accelerations by torques: symmetric and positive, as it must be
    unit = qacc[:, None] + inverse_inertia[:, :, [right, left]].transpose(0, 2, 1)
    out = wp.zeros((N, nv), dtype=wp.float64, device="cpu")
    wp.launch(run, N, inputs=[on_cpu(a, wp.float64) for a in (torque, gains, qacc, unit)] + [out], device="cpu")
    got = out.numpy()
    after = qacc + np.einsum("nij,nj->ni", inverse_inertia, got - torque)
    swing_hip, stance_hip = got[:, right], got[:, left]
    assert np.all(np.abs(swing_hip) <= gains[:, 2])
    assert np.all(np.abs(stance_hip) <= gains[:, 3])
    swing_free, stance_free = np.abs(swing_hip) < gains[:, 2], np.abs(stance_hip) < gains[:, 3]
    swing = torque[:, right] - gains[:, 0] * (after[:, right] + after[:, 2])
    stance = torque[:, left] - (swing_hip - torque[:, right]) + gains[:, 1] * after[:, 2]
    np.testing.assert_allclose(swing_hip[swing_free], swing[swing_free], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(stance_hip[stance_free], stance[stance_free], rtol=1e-6, atol=1e-6)
    assert 0 < np.sum(~swing_free) < N // 2
    assert 0 < np.sum(~stance_free) < N // 2
    others = [j for j in range(nv) if j not in (left, right)]
    np.testing.assert_array_equal(got[:, others], torque[:, others])


@wp.func
def one_step(table: wp.array2d[wp.float64], row: int, x: wp.float64, y: wp.float64):
    """Ground with one step: its place, and its height."""
    if x > table[row, 0]:
        return table[row, 1]
    return wp.float64(0.0)


@pytest.fixture(scope="module")
def looks():
    """What a sighted walker sees of random steps: the terrain, its points and joints, and its view."""
    law = SimbiconLaw(load_controller("sure-footed-walk"), PLANAR)
    types = types_of(law)
    look = sight_function(types, law.plan.layout, law.plan.memory, one_step, places=True)
    Sense, Memory, nv, count = types.Sense, types.Memory, PLANAR.nv, len(types.compiled.points)

    @wp.kernel(module="unique", enable_backward=False)
    def run(
        x: wp.array2d[wp.float64],
        parameters: wp.array2d[wp.float64],
        table: wp.array2d[wp.float64],
        out: wp.array2d[wp.float64],
    ):
        i = wp.tid()
        sense = Sense()
        memory = Memory()
        for j in range(wp.static(nv)):
            sense.qpos[j] = x[i, j]
            sense.seen_qpos[j] = x[i, j]
        sense.seen_qvel[0] = x[i, wp.static(nv)]
        for j in range(wp.static(3 * count)):
            sense.seen_position[j] = x[i, wp.static(nv + 1) + j]
        look(sense, memory, parameters, 0, table, i)
        for j in range(3):
            out[i, j] = sense.view[j]

    rng = np.random.default_rng(12)
    x = np.zeros((N, nv + 1 + 3 * count))
    x[:, :nv] = rng.uniform(-0.4, 0.4, (N, nv))
    knees = [PLANAR.joint(PLANAR.legs[side].knee[0]).qpos for side in ("left", "right")]
    x[:, knees] = rng.uniform(-1.2, -0.2, (N, 2))
    x[:, nv] = rng.uniform(-1.0, 2.0, N)
    x[:, nv + 1 :] = rng.uniform(-0.3, 0.3, (N, 3 * count))
    table = np.stack([rng.uniform(-1.0, 1.0, N), rng.choice([-0.1, 0.05, 0.1, 0.3], N)], axis=-1)
    out = wp.zeros((N, 3), dtype=wp.float64, device="cpu")
    row = on_cpu(law.table.row[None], wp.float64)
    wp.launch(run, N, inputs=[on_cpu(x, wp.float64), row, on_cpu(table, wp.float64), out], device="cpu")
    names = [p.name for p in types.compiled.points]
    return law, x, table, out.numpy(), names


def test_the_rise_is_the_highest_ground_ahead_above_that_at_the_stance_heel(looks):
    law, x, table, view, names = looks
    sight, nv = law.graph.sight, PLANAR.nv
    heel = x[:, nv + 1 + 3 * names.index(PLANAR.legs["left"].heel[0])]
    reach = (sight.ahead + sight.per_speed * np.abs(x[:, nv])) * np.where(x[:, nv] < 0, -1.0, 1.0)
    places = heel[:, None] + reach[:, None] * np.arange(SAMPLES + 1) / SAMPLES
    ground = np.where(places > table[:, :1], table[:, 1:], 0.0)
    rise = (ground - ground[:, :1]).max(axis=1)
    rise = np.where(rise > sight.threshold, sight.boost * rise, rise)
    fall = sight.drop * np.minimum(ground[:, -1] - ground[:, 0], 0.0)
    np.testing.assert_allclose(view[:, RISE], np.where(rise == 0, fall, rise), atol=1e-12)
    assert (view[:, RISE] > 0).sum() > 20
    assert (fall[rise == 0] != 0).sum() > 5


def test_shifts_of_hip_and_knee_move_the_ankle_level_by_the_shift_that_clears_the_edge(looks):
    law, x, table, view, names = looks
    sight, nv = law.graph.sight, PLANAR.nv
    swing = PLANAR.legs["right"]
    thigh, shank = leg_link_lengths(PLANAR)
    hip = x[:, PLANAR.joint(swing.hip[0]).qpos] + x[:, 2]
    knee = x[:, PLANAR.joint(swing.knee[0]).qpos]
    new_hip, new_knee = hip + view[:, HIP_SHIFT] / sight.gain, knee + view[:, KNEE_SHIFT] / sight.gain

    def ankle(hip, knee):
        return np.stack([np.sin(hip), np.cos(hip)]) * thigh + np.stack([np.sin(hip + knee), np.cos(hip + knee)]) * shank

    moved = ankle(new_hip, new_knee) - ankle(hip, knee)
    heels = [x[:, nv + 1 + 3 * names.index(PLANAR.legs[side].heel[0])] for side in ("left", "right")]
    toe = x[:, nv + 1 + 3 * names.index(swing.toe[0])]
    landing = heels[0] + sight.step  # the first state is timed, so the landing is a step from the stance heel
    foot = np.maximum(toe - heels[1], 0.1)
    edge = (table[:, 0] > landing - sight.margin) & (table[:, 0] <= landing + foot + sight.margin)
    reaches = np.linalg.norm(ankle(hip, knee) + np.stack([moved[0], 0 * moved[0]]), axis=0) < 0.999 * (thigh + shank)
    free = edge & reaches & (view[:, HIP_SHIFT] != 0)
    assert free.sum() > 20
    np.testing.assert_allclose(moved[1][free], 0.0, atol=1e-9)
    assert (np.abs(moved[0][free]) <= sight.reach + 1e-9).all()
    grain = (foot + 2 * sight.margin) / SAMPLES
    place = landing + moved[0]
    clear = (place - sight.margin >= table[:, 0] - grain) | (place + foot + sight.margin <= table[:, 0] + grain)
    short = np.isclose(np.abs(moved[0]), sight.reach)
    assert (clear | short)[free].all()
    untouched = ~edge
    np.testing.assert_array_equal(view[untouched][:, [HIP_SHIFT, KNEE_SHIFT]], 0.0)
