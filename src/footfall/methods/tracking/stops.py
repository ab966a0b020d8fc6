"""Coming to a stand at a clip's end: out of its last pose into a walk that stops, which is made for it.

Footsteps go on at the velocity of the clip's last half second and come to a stand
(:func:`~footfall.motion.synthesis.random_walks.stopping_walk`). Of their poses the one that is nearest to the clip's
last, in the positions and the velocities of the joints, is where they are joined, as steps of a motion graph are
(:mod:`.played_steps`). The foot that stands keeps its position. A clip that ends in a stand comes to rest on its feet.
"""

import numpy as np

from footfall.figures import Figure
from footfall.methods.tracking.played_steps import Feet, decay, feet_of, joined_poses, planted_poses
from footfall.motion.ball_poses import FPS, facing_of, joint_positions, skeleton_of_balls, turned_frames
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.quaternion import Array, conjugate, exp, log, multiply, rotate
from footfall.motion.synthesis.cuts import NEAR
from footfall.motion.synthesis.random_walks import stopping_walk

LATELY, SLOWEST, SHARPEST = 14, 0.1, 1.2
"""Frames of the clip's end over which its velocity is taken, m/s below which it stands, rad/s of turning at most."""
QUICK, FAST = 0.1, 0.2
"""Seconds: what velocities of the joints and of the pelvis weigh beside positions."""
KNOWN = ("left_heel", "left_toe_outer")
"""Points of feet that can be put down."""


def stop_after(frames: Array, figure: Figure) -> Array:
    """[T', nq] poses that go on from a clip and come to a stand; none for a body whose feet have no heels and toes.

    Args:
        frames: [T, nq] of the figure's skeleton of ball joints, 30 a second.
        figure: whose they are.
    """
    skeleton, count = skeleton_of_balls(figure), min(LATELY, len(frames) - 1)
    if not set(KNOWN) <= {point.name for point in skeleton.points}:
        return frames[:0]
    lately = frames[-count - 1 :]
    facing = facing_of(lately)
    went = rotate(np.array([np.cos(facing[-1] / 2), 0.0, 0.0, -np.sin(facing[-1] / 2)]), lately[-1, :3] - lately[0, :3])
    velocity = went[:2] * FPS / count
    velocity = velocity if np.linalg.norm(velocity) > SLOWEST else np.zeros(2)
    spin = float(np.clip((facing[-1] - facing[0]) * FPS / count, -SHARPEST, SHARPEST))
    walk, last_steps, stands = stopping_walk(figure, velocity, spin, FPS)
    far = np.linalg.norm(_states(walk, skeleton) - _states(lately, skeleton)[-1], axis=-1).mean(axis=-1)
    soles = soles_of(lately, skeleton).height[-1]
    since = stands if not velocity.any() and soles.max() < NEAR else last_steps
    begin = since + int(np.argmin(far[since:-1]))
    poses = turned_frames(walk[begin:], float(facing[-1] - facing_of(walk[begin : begin + 1])[0]))
    last, feet = feet_of(frames[-1:], skeleton), feet_of(poses, skeleton)
    stance = int(np.argmin(soles + soles_of(walk, skeleton).height[begin]))
    move = last.place[-1, stance] - feet.place[0, stance]
    move[2] = 0.0
    poses[:, :3] += move
    dies = np.tile(decay(len(poses))[0], (1, 2))
    level = np.ones_like(dies)
    if begin < stands:
        level[:, 1 - stance] = dies[:, 0]
    turned = log(multiply(last.turn[-1], conjugate(feet.turn[0])))
    shares = np.stack([level, level, dies], axis=-1)
    place = feet.place + move + shares * (last.place[-1] - feet.place[0] - move)
    led = Feet(place, multiply(exp(dies[..., None] * turned), feet.turn))
    return planted_poses(joined_poses(frames[-2:], poses), led, skeleton)[1:]


def _states(frames: Array, skeleton: Figure) -> Array:
    """[T, bodies, 9] what poses are compared by: positions and velocities of the joints, seen from the pelvis, and the
    pelvis's velocity, in metres."""
    facing = facing_of(frames)
    back = np.stack([np.cos(facing / 2), 0.0 * facing, 0.0 * facing, -np.sin(facing / 2)], axis=-1)
    places = joint_positions(frames, skeleton)
    went = rotate(back, np.gradient(frames[:, :3], 1.0 / FPS, axis=0))
    parts = (
        places,
        QUICK * np.gradient(places, 1.0 / FPS, axis=0),
        np.broadcast_to(FAST * went[:, None], places.shape),
    )
    return np.concatenate(parts, axis=-1)
