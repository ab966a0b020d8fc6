"""Foot placement: the foot goes the way the body is falling, alike in all directions; late feet come down."""

import numpy as np
import pytest

from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.motion.ball_poses import body_frames, legs_of, turned_frames
from footfall.motion.conditioning.legs import raised_ankles
from footfall.motion.quaternion import from_axis_angle, rotate
from footfall.push import Push
from footfall.study.trials.bench import disturbed_worlds

UP = np.array([0.0, 0.0, 1.0])
SOLE = 2.0 / 45.0
LIFT = 0.1
"""Metres that the left foot is held over the ground."""


def _on_one_leg(biped, frames=15, angle=0.0, **settings):
    """A controller that holds its left foot up, as if in mid-swing."""
    poses = raised_ankles(np.tile(biped.default_qpos, (frames + 1, 1)), legs_of(biped)[0], np.full(frames + 1, LIFT))
    fragment = Fragment("left_swing", turned_frames(poses, angle), SOLE)
    return TrackingController("one-leg", Repertoire((fragment,)).changed(kt=100.0, kv=20.0, ahead=True, **settings))


def _left_ankle(biped, controller, seconds, push=None):
    """Where the left ankle is after some seconds, and the pelvis."""
    pushes = () if push is None else [Push(push, 0.05, 0.2)]
    qpos = disturbed_worlds(controller, pushes=pushes).run(seconds).qpos
    return body_frames(qpos, biped)[0][0, 1 + (legs_of(biped)[0].ankle - 7) // 4], qpos[0, :3]


@pytest.mark.parametrize("direction", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0)])
def test_the_foot_goes_where_the_body_is_pushed(biped, direction):
    """Against the same push without placement, and more of it the larger the share."""
    moved = []
    for share in (0.0, 0.5, 1.0):
        controller = _on_one_leg(biped, placement=share, swing_height=False).repertoire
        silent = controller.changed(c1_sag=0.0, c1_cor=0.0, c2_sag_behind=0.0, c2_sag_ahead=0.0, c2_cor=0.0)
        ankle, pelvis = _left_ankle(biped, TrackingController("x", silent), 0.4, 60.0 * np.array([*direction, 0.0]))
        moved.append((ankle - pelvis)[:2] @ direction)
    assert moved[0] + 0.01 < moved[1] < moved[2] - 0.01


def test_placement_is_alike_in_all_directions(biped):
    angle, force = 0.7, np.array([40.0, 25.0, 0.0])
    spin = from_axis_angle(UP, np.array(angle))
    straight = _left_ankle(biped, _on_one_leg(biped, placement=0.7), 0.4, force)[0]
    turned = _left_ankle(biped, _on_one_leg(biped, placement=0.7, angle=angle), 0.4, rotate(spin, force))[0]
    np.testing.assert_allclose(turned, rotate(spin, straight), atol=1e-6)


def test_a_foot_that_lands_late_is_put_down(biped):
    """Four frames of swing, then an extension of five, in which the foot sinks as far as its lift and no further."""
    heights = [_left_ankle(biped, _on_one_leg(biped, 4, late_landing=speed), 0.3)[0][2] - SOLE for speed in (0.0, 0.8)]
    assert heights[0] > 0.8 * LIFT
    assert abs(heights[1]) < 0.2 * LIFT


def test_a_late_landing_is_no_flight(biped):
    """The stance ankle goes on to balance: its gain still matters to what is asked of it, and nothing else."""
    simulation = disturbed_worlds(_on_one_leg(biped, 4), worlds=2, pushes=[Push([40.0, 0.0, 0.0], 0.05, 0.2)])
    simulation.run(0.4)
    simulation.set({"c4": [0.0, 1.0]})
    simulation.step(45)
    first = simulation.law.layout.memory()["acceleration"]
    weak, strong = simulation.memory[:, first : first + biped.nv - 6]
    dof = biped.joint(biped.legs["right"].ankle[0]).dof - 6
    assert np.abs(weak - strong)[dof : dof + 3].max() > 1.0
