"""The leg that reaches: its ankle arrives where it should, and its bones keep their lengths."""

import numpy as np
import warp as wp

from footfall.methods.tracking.rotations import rotations
from footfall.methods.tracking.two_bone import two_bone_function

KNEE, ANKLE = np.array([0.014, 0.0, -0.444]), np.array([-0.015, -0.003, -0.421])


def _reach(thigh, shin, moves):
    """Ankles [S, 3] from the hip after each move, of legs bent as given (quaternions x y z w)."""
    real = wp.float64
    r = rotations(real)
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
