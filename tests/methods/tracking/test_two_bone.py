"""The leg that reaches: its ankle arrives where it should, and its bones keep their lengths."""

import numpy as np
import warp as wp

from footfall.methods.tracking.poses import hinged_two_bone_function, rotation_functions, two_bone_function
from footfall.motion.ball_poses import BallLeg
from footfall.motion.conditioning.legs import raised_ankles

KNEE, ANKLE = np.array([0.014, 0.0, -0.444]), np.array([-0.015, -0.003, -0.421])


def _reach(thigh, shin, moves):
    """Ankles [S, 3] from the hip after each move, of legs bent as given (quaternions x y z w)."""
    real = wp.float64
    r = rotation_functions(real)
    Quat, Vec3 = r.Quat, r.Vec3
    two_bone = two_bone_function(r, real)

    @wp.kernel(enable_backward=False, module="unique")
    def run(a: wp.array[Quat], b: wp.array[Quat], knee: Vec3, ankle: Vec3, move: wp.array[Vec3], out: wp.array[Vec3]):
        i = wp.tid()
        turned, bent = two_bone(a[i], b[i], knee, ankle, move[i])
        out[i] = wp.quat_rotate(turned, knee) + wp.quat_rotate(bent, ankle)

    out = wp.zeros(len(moves), dtype=Vec3)
    inputs = [
        wp.array(thigh, dtype=Quat),
        wp.array(shin, dtype=Quat),
        Vec3(*KNEE),
        Vec3(*ANKLE),
        wp.array(moves, dtype=Vec3),
    ]
    wp.launch(run, dim=len(moves), inputs=inputs, outputs=[out])
    return out.numpy()


def _about_y(angles):
    return np.stack([0 * angles, np.sin(angles / 2), 0 * angles, np.cos(angles / 2)], axis=1)


def test_the_ankle_arrives_where_it_is_sent():
    rng = np.random.default_rng(1)
    count = 50
    lean, bend = rng.uniform(-0.5, 0.3, count), rng.uniform(0.3, 1.2, count)
    thigh, shin = _about_y(lean), _about_y(lean + bend)
    still = _reach(thigh, shin, np.zeros((count, 3)))
    moves = rng.uniform(-0.05, 0.05, (count, 3))
    moves[:, 2] = rng.uniform(-0.02, 0.1, count)
    found = _reach(thigh, shin, moves)
    far = np.linalg.norm(still + moves, axis=1)
    within = far < np.linalg.norm(KNEE) + np.linalg.norm(ANKLE) - 1e-3
    assert within.sum() > 40
    np.testing.assert_allclose(found[within], (still + moves)[within], atol=1e-9)


def test_a_place_out_of_reach_is_approached_along_its_direction():
    thigh, shin = _about_y(np.array([-0.2])), _about_y(np.array([0.4]))
    still = _reach(thigh, shin, np.zeros((1, 3)))
    found = _reach(thigh, shin, -0.5 * np.array([[0.0, 0.0, 1.0]]))[0]
    wanted = still[0] + [0.0, 0.0, -0.5]
    cosine = found @ wanted / np.linalg.norm(found) / np.linalg.norm(wanted)
    assert cosine > 0.999
    assert np.linalg.norm(found) <= np.linalg.norm(KNEE) + np.linalg.norm(ANKLE) + 1e-9


BESIDE, SIDE = np.array([0.02, 0.115, -0.4]), np.array([0.0, 1.0, 0.0])
"""The knee of a leg whose thigh hangs beside its hip, and the knee's axis."""


def _hinged(thigh, shin, moves):
    """Ankles after each move, and the rotations of the knees, of a leg whose knee is a hinge."""
    real = wp.float64
    r = rotation_functions(real)
    Quat, Vec3 = r.Quat, r.Vec3
    two_bone = hinged_two_bone_function(r, real)

    @wp.kernel(enable_backward=False, module="unique")
    def run(
        a: wp.array[Quat], b: wp.array[Quat], knee: Vec3, ankle: Vec3, side: Vec3, move: wp.array[Vec3],
        out: wp.array[Vec3], bends: wp.array[Quat],
    ):  # fmt: skip
        i = wp.tid()
        turned, bent = two_bone(a[i], b[i], knee, ankle, side, move[i])
        out[i] = wp.quat_rotate(turned, knee) + wp.quat_rotate(bent, ankle)
        bends[i] = wp.quat_inverse(turned) * bent

    outputs = [wp.zeros(len(moves), dtype=Vec3), wp.zeros(len(moves), dtype=Quat)]
    inputs = [wp.array(thigh, dtype=Quat), wp.array(shin, dtype=Quat), Vec3(*BESIDE), Vec3(*ANKLE), Vec3(*SIDE)]
    wp.launch(run, dim=len(moves), inputs=[*inputs, wp.array(moves, dtype=Vec3)], outputs=outputs)
    return [found.numpy() for found in outputs]


def test_a_hinge_bends_about_its_axis_alone():
    rng = np.random.default_rng(2)
    count = 40
    lean, bend = rng.uniform(-0.5, 0.3, count), rng.uniform(0.3, 1.2, count)
    thigh, shin = _about_y(lean), _about_y(lean + bend)
    still, _ = _hinged(thigh, shin, np.zeros((count, 3)))
    moves = np.stack([0 * lean, 0 * lean, rng.uniform(0.0, 0.1, count)], axis=1)
    found, bends = _hinged(thigh, shin, moves)
    np.testing.assert_allclose(found, still + moves, atol=1e-9)
    np.testing.assert_allclose(bends[:, [0, 2]], 0.0, atol=1e-9)
    assert (2.0 * np.arctan2(bends[:, 1], bends[:, 3]) > bend - 1e-9).all()


def test_clips_are_lifted_by_the_same_rule():
    leg = BallLeg(7, 11, 15, np.array([0.0, 0.09, 0.0]), BESIDE, ANKLE, SIDE)
    rng = np.random.default_rng(4)
    lean, bend = rng.uniform(-0.5, 0.3, 10), rng.uniform(0.1, 1.2, 10)
    frames = np.tile([0.0, 0.0, 1.0, *([1.0, 0.0, 0.0, 0.0] * 4)], (10, 1))
    frames[:, 7:11], frames[:, 11:15] = _about_y(lean)[:, [3, 0, 1, 2]], _about_y(bend)[:, [3, 0, 1, 2]]
    rise = rng.uniform(0.0, 0.08, 10)
    lifted = raised_ankles(frames, leg, rise)
    thigh, shin = _about_y(lean), _about_y(lean + bend)
    _, bends = _hinged(thigh, shin, np.stack([0 * rise, 0 * rise, rise], axis=1))
    np.testing.assert_allclose(lifted[:, 11:15], bends[:, [3, 0, 1, 2]], atol=1e-9)
