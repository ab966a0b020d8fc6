"""Poses of a figure with a free root and ball joints, as rows of numbers: three of position, then a quaternion for the
root and for each joint.

What captured motion is cut, joined, bent and blended with, where a figure is to follow it.

A body of hinges as one of ball joints: what turns a limb against the next one, three hinges of a robot's hip at
three places or one hinge of a knee, is taken as one rotation.

Captured motion is cut, joined and corrected in rotations (:mod:`.ball_poses`); a chain of hinges a_1, a_2, a_3 with
angles θ_k has the rotation

    q(θ) = exp(a_1 θ_1) exp(a_2 θ_2) exp(a_3 θ_3)

and a rotation is brought to angles by damped Gauss-Newton steps, from angles that are near:

    θ <- θ + (JᵀJ + λ)⁻¹ Jᵀ log(q(θ)⁻¹ q)

with the hinges' axes, seen from the end of the chain, as columns of J. A rotation that a chain cannot take is met as
nearly as it can be.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.ball_joints import with_foot_pads
from footfall.figures.mjcf import custom_numbers, mjcf_text
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, exp, from_axis_angle, log, multiply, rotate, slerp

UP = np.array([0.0, 0.0, 1.0])
FPS = 30.0
"""Poses a second of captured motion that a figure follows."""


@dataclass(frozen=True)
class BallLeg:
    """A leg of ball joints: addresses of hip, knee and ankle in qpos, and where these joints are in their parents'
    frames; knee_axis: that of a knee which is a hinge, as the skeletons of such bodies have it; else None."""

    hip: int
    knee: int
    ankle: int
    hip_at: Array
    knee_at: Array
    ankle_at: Array
    knee_axis: Array | None = None


def legs_of(figure: Figure) -> tuple[BallLeg, BallLeg]:
    """The left and the right leg; an error for a figure that is not made of ball joints."""
    if figure.root != "free" or any(j.kind not in ("ball", "free") for j in figure.joints):
        raise FootfallError(
            f"figure '{figure.name}': this is for a free root and ball joints; a body of hinges has a skeleton of them "
            "(footfall.motion.ball_poses)"
        )
    legs = []
    for side in ("left", "right"):
        leg = figure.leg(side)
        joints = [*leg.hip, *leg.knee, *leg.ankle]
        if len(joints) != 3 or figure.bodies[figure.joint(joints[0]).body].parent != 0:
            raise FootfallError(
                f"figure '{figure.name}': the tracking law needs legs of hip, knee and ankle on the root"
            )
        hip, knee, ankle = (figure.joint(name) for name in joints)
        first, second, third = (figure.bodies[j.body].position + j.anchor for j in (hip, knee, ankle))
        legs.append(BallLeg(hip.qpos, knee.qpos, ankle.qpos, first, second, third, _knee_axis(figure, side)))
    return legs[0], legs[1]


def _knee_axis(figure: Figure, side: str) -> Array | None:
    """The axis that a skeleton of a body of hinges names for a knee."""
    return custom_numbers(figure.model).get(f"{side}_knee_axis")


def ankles(frames: Array, figure: Figure) -> Array:
    """[T, 2, 3] world positions of the left and the right ankle in poses [T, nq]."""
    return np.stack([foot_frames(frames, leg)[0] for leg in legs_of(figure)], axis=1)


def foot_frames(frames: Array, leg: BallLeg) -> tuple[Array, Array]:
    """World positions [T, 3] of a leg's ankle and orientations [T, 4] of its foot in poses [T, nq]."""
    turn = frames[:, 3:7]
    at = frames[:, :3] + rotate(turn, leg.hip_at)
    for address, offset in ((leg.hip, leg.knee_at), (leg.knee, leg.ankle_at)):
        turn = multiply(turn, frames[:, address : address + 4])
        at = at + rotate(turn, offset)
    return at, multiply(turn, frames[:, leg.ankle : leg.ankle + 4])


def motion_of_balls(frames: Array, figure: Figure) -> Motion:
    """Poses [T, nq] of a figure of ball joints, 30 a second, as a motion."""
    return Motion.from_qpos(figure, np.arange(len(frames)) / FPS, frames)


def facing_of(frames: Array) -> Array:
    """[T] heading of the pelvis, radians, continuous over time."""
    forward = rotate(frames[:, 3:7], np.array([1.0, 0.0, 0.0]))
    return np.unwrap(np.arctan2(forward[:, 1], forward[:, 0]))


def turned_frames(frames: Array, angle: float, about: Sequence[float] = (0.0, 0.0)) -> Array:
    """Poses turned about a vertical axis."""
    turn = from_axis_angle(UP, np.array(angle))
    centre = np.array([*about, 0.0])
    result = frames.copy()
    result[:, :3] = rotate(turn, frames[:, :3] - centre) + centre
    result[:, 3:7] = multiply(np.broadcast_to(turn, (len(frames), 4)), frames[:, 3:7])
    return result


def joint_positions(frames: Array, figure: Figure) -> Array:
    """[T, bodies, 3] origins of the bodies, seen from the pelvis and its heading."""
    level = frames.copy()
    level[:, :3] = 0.0
    level[:, 3:7] = multiply(from_axis_angle(UP, -facing_of(frames)), frames[:, 3:7])
    return body_frames(level, figure)[0]


def body_frames(frames: Array, figure: Figure) -> tuple[Array, Array]:
    """World positions [T, bodies, 3] and orientations [T, bodies, 4] of the bodies' frames in poses [T, nq]."""
    turns, places = [frames[:, 3:7]], [frames[:, :3]]
    for body in figure.bodies[1:]:
        at = figure.joint(body.joints[0]).qpos
        places.append(places[body.parent] + rotate(turns[body.parent], body.position))
        turns.append(multiply(turns[body.parent], frames[:, at : at + 4]))
    return np.stack(places, axis=1), np.stack(turns, axis=1)


def mass_centre(frames: Array, figure: Figure) -> Array:
    """[T, 3] the centre of mass of poses [T, nq]."""
    places, turns = body_frames(frames, figure)
    masses = np.array([body.mass for body in figure.bodies])
    centres = places + rotate(turns, np.array([body.com for body in figure.bodies]))
    return np.asarray((masses[:, None] * centres).sum(axis=1) / masses.sum())


def travel(frames: Array, fps: float) -> Array:
    """[T, 3] the pelvis's velocity, seen from its heading."""
    velocity = np.gradient(frames[:, :3], 1.0 / fps, axis=0)
    facing = facing_of(frames)
    c, s = np.cos(-facing), np.sin(-facing)
    return np.stack(
        [c * velocity[:, 0] - s * velocity[:, 1], s * velocity[:, 0] + c * velocity[:, 1], velocity[:, 2]], axis=1
    )


def resampled_frames(frames: Array, times: Array) -> Array:
    """Poses at shares of the whole length."""
    at = times * (len(frames) - 1)
    low = np.minimum(at.astype(int), len(frames) - 2)
    part = at - low
    result = np.empty((len(times), frames.shape[1]))
    result[:, :3] = (1 - part[:, None]) * frames[low, :3] + part[:, None] * frames[low + 1, :3]
    bodies = (frames.shape[1] - 3) // 4
    first, second = (frames[low + k, 3:].reshape(-1, 4) for k in (0, 1))
    result[:, 3:] = slerp(first, second, np.repeat(part, bodies)).reshape(len(times), -1)
    return result


def blended_frames(one: Array, two: Array, share: float) -> Array:
    """Poses between two motions, frame by frame at equal shares of their lengths; share 0 is the first."""
    count = round((1 - share) * (len(one) - 1) + share * (len(two) - 1))
    times = np.arange(count + 1) / count
    one, two = (resampled_frames(frames, times) for frames in (one, two))
    frames = one.copy()
    frames[:, :3] = (1 - share) * one[:, :3] + share * two[:, :3]
    weight = np.full((count + 1) * ((one.shape[1] - 3) // 4), share)
    frames[:, 3:] = slerp(one[:, 3:].reshape(-1, 4), two[:, 3:].reshape(-1, 4), weight).reshape(count + 1, -1)
    return frames


def bent_frames(frames: Array, angle: float) -> Array:
    """Poses whose way and heading bend by an angle more, little by little from first frame to last."""
    frames = frames.copy()
    share = np.arange(len(frames)) / (len(frames) - 1)
    turn = from_axis_angle(UP, angle * share * share * (3.0 - 2.0 * share))
    moves = np.diff(frames[:, :3], axis=0)
    frames[1:, :3] = frames[0, :3] + np.cumsum(rotate(turn[:-1], moves), axis=0)
    frames[:, 3:7] = multiply(turn, frames[:, 3:7])
    return frames


MOST = 3
"""Hinges of a chain."""
DAMPING = 0.01
"""λ: steps stay small where two axes of a chain fall together."""
STEPS = 40
_PLANES = re.compile(r"_(roll|pitch|yaw|twist)(_\d+)?$")


@dataclass(frozen=True, eq=False)
class HingeChain:
    """Hinges that act as one joint.

    Attributes:
        name: what they have in common, as in "left_hip".
        hinges: their names, from the trunk outward.
        bodies: that they move.
        qpos, dof: addresses.
        axes: [n, 3] in the frames of the body at rest.
        rest, lower, upper: [n] coordinates at rest, and their ranges.
        torque_limit: [n] of their motors, N m.
    """

    name: str
    hinges: tuple[str, ...]
    bodies: tuple[int, ...]
    qpos: tuple[int, ...]
    dof: tuple[int, ...]
    axes: Array
    rest: Array
    lower: Array
    upper: Array
    torque_limit: Array


@dataclass(frozen=True, eq=False)
class HingeChains:
    """A figure of hinges with pads under its feet, and its skeleton of ball joints.

    Attributes:
        figure: with hinges.
        skeleton: a ball joint for each chain, where its axes meet or come closest.
        chains: in the order of the skeleton's joints.
    """

    figure: Figure
    skeleton: Figure
    chains: tuple[HingeChain, ...]

    @cached_property
    def padded(self) -> tuple[Array, Array, Array, Array, NDArray[np.intp]]:
        """Axes [J, 3, 3], rest, lower, upper [J, 3] and addresses [J, 3] (-1) of all chains; missing hinges have no
        axis."""
        count = len(self.chains)
        axes, rest = np.zeros((count, MOST, 3)), np.zeros((count, MOST))
        lower, upper = np.zeros((count, MOST)), np.zeros((count, MOST))
        at = np.full((count, MOST), -1, dtype=np.intp)
        for k, chain in enumerate(self.chains):
            n = len(chain.hinges)
            axes[k, :n], rest[k, :n], at[k, :n] = chain.axes, chain.rest, chain.qpos
            lower[k, :n], upper[k, :n] = chain.lower, chain.upper
        return axes, rest, lower, upper, at

    def ball_poses(self, qpos: Array) -> Array:
        """[..., 7 + 4 J] poses of the skeleton, from the figure's [..., nq]."""
        axes, rest, _, _, at = self.padded
        angles = np.where(at >= 0, np.asarray(qpos)[..., at] - rest, 0.0)
        turns = exp(axes * angles[..., None])
        joints = multiply(multiply(turns[..., 0, :], turns[..., 1, :]), turns[..., 2, :])
        return np.concatenate([qpos[..., :7], joints.reshape(*joints.shape[:-2], -1)], axis=-1)

    def hinge_poses(self, frames: Array, near: Array | None = None) -> Array:
        """[..., T, nq] the figure's poses nearest to the skeleton's [..., T, 7 + 4 J], within the hinges' ranges.

        Each frame is looked for from the one before it, or from poses ``near`` it, [T, nq].
        """
        _, rest, _, _, at = self.padded
        wanted = frames[..., 7:].reshape(*frames.shape[:-1], -1, 4)
        if near is not None:
            angles = self._angles(wanted, np.where(at >= 0, near[:, at] - rest, 0.0))
        else:
            angles = np.zeros((*frames.shape[:-1], *at.shape))
            last = np.where(at >= 0, self.figure.default_qpos[at] - rest, 0.0)
            last = np.broadcast_to(last, (*frames.shape[:-2], *at.shape))
            for t in range(frames.shape[-2]):
                last = angles[..., t, :, :] = self._angles(wanted[..., t, :, :], last)
        found = np.tile(self.figure.default_qpos, (*frames.shape[:-1], 1))
        found[..., :7] = frames[..., :7]
        found[..., at[at >= 0]] = (angles + rest)[..., at >= 0]
        return found

    def _angles(self, wanted: Array, angles: Array) -> Array:
        """[..., J, 3] the hinges' angles from rest nearest to rotations [..., J, 4], looked for from ``angles``."""
        axes, rest, lower, upper, _ = self.padded
        eye = DAMPING * np.eye(MOST)
        for _ in range(STEPS):
            turns = exp(axes * angles[..., None])
            last = turns[..., 2, :]
            two = multiply(turns[..., 1, :], last)
            error = log(multiply(conjugate(multiply(turns[..., 0, :], two)), wanted))
            first, second = rotate(conjugate(two), axes[:, 0]), rotate(conjugate(last), axes[:, 1])
            columns = np.stack([first, second, np.broadcast_to(axes[:, 2], first.shape)], axis=-2)
            square = columns @ columns.swapaxes(-1, -2) + eye
            step = np.linalg.solve(square, (columns @ error[..., None]))[..., 0]
            angles = np.clip(angles + step, lower - rest, upper - rest)
            if np.abs(step).max() < 1e-9:
                break
        return np.asarray(angles)

    def feasible(self, frames: Array, near: Array | None = None) -> Array:
        """Poses of the skeleton [T, 7 + 4 J] as the hinges can take them."""
        return self.ball_poses(self.hinge_poses(frames, near))


@lru_cache(maxsize=16)
def hinge_chains(figure: Figure) -> HingeChains | None:
    """The chains of a figure; None for one that is made of ball joints already."""
    if figure.root == "free" and all(joint.kind in ("ball", "free") for joint in figure.joints):
        return None
    body = with_foot_pads(figure) if figure.root == "free" and figure.legs else figure
    _check(body)
    groups = _groups(body)
    return HingeChains(body, _skeleton(body, groups), tuple(_chain(body, names) for names in groups))


def skeleton_of_balls(figure: Figure) -> Figure:
    """The figure, or its skeleton where it is made of hinges."""
    chains = hinge_chains(figure)
    return figure if chains is None else chains.skeleton


def _check(figure: Figure) -> None:
    if figure.root != "free" or not figure.legs:
        raise FootfallError(f"figure '{figure.name}': the tracking law needs two legs on a free root")
    model = figure.model
    if any(joint.kind not in ("free", "hinge") for joint in figure.joints):
        raise FootfallError(f"figure '{figure.name}': the tracking law needs joints that are all hinges, or all balls")
    if np.abs(model.body_quat[2:, 1:]).max() > 1e-9:
        raise FootfallError(
            f"figure '{figure.name}': the tracking law needs frames along the world's axes in the pose of zeros"
        )
    for part, names in _leg_hinges(figure).items():
        if not 1 <= len(names) <= MOST:
            raise FootfallError(
                f"figure '{figure.name}': its {part.replace('_', ' ')} has {len(names)} hinges; the tracking law needs "
                f"legs of hip, knee and ankle with one to {MOST} hinges each; footfall adapt makes walks for others"
            )


def _leg_hinges(figure: Figure) -> dict[str, tuple[str, ...]]:
    """Names of the hinges of each part of a leg: "left_hip" …"""
    parts = ("hip", "knee", "ankle")
    return {f"{leg.side}_{part}": getattr(leg, part) for leg in figure.legs.values() for part in parts}


def _groups(figure: Figure) -> list[tuple[str, ...]]:
    """Names of the hinges of each chain, from the trunk outward."""
    legs = {name: part for part, names in _leg_hinges(figure).items() for name in names}
    groups: list[list[str]] = []
    last: dict[int, int] = {}
    for part in figure.bodies[1:]:
        group = last.get(part.parent)
        for name in part.joints:
            stem = legs.get(name, _PLANES.sub("", name))
            before = groups[group][-1] if group is not None else ""
            same = before and legs.get(before, _PLANES.sub("", before)) == stem
            branches = sum(other.parent == part.parent for other in figure.bodies) > 1 and name == part.joints[0]
            if group is None or not same or branches or len(groups[group]) == MOST:
                groups.append([])
                group = len(groups) - 1
            groups[group].append(name)
        if group is not None:
            last[part.index] = group
    return [tuple(group) for group in groups]


def _chain(figure: Figure, names: tuple[str, ...]) -> HingeChain:
    joints = [figure.joint(name) for name in names]
    return HingeChain(
        _PLANES.sub("", names[0]),
        names,
        tuple(dict.fromkeys(joint.body for joint in joints)),
        tuple(joint.qpos for joint in joints),
        tuple(joint.dof for joint in joints),
        np.array([joint.axis / np.linalg.norm(joint.axis) for joint in joints]),
        np.array([float(figure.model.qpos0[joint.qpos]) for joint in joints]),
        np.array([joint.lower for joint in joints]),
        np.array([joint.upper for joint in joints]),
        np.array([joint.torque_limit for joint in joints]),
    )


def _places(figure: Figure) -> Array:
    """[B, 3] origins of the bodies in the pose of zeros, from the root's."""
    places = np.zeros((len(figure.bodies), 3))
    for part in figure.bodies[1:]:
        places[part.index] = places[part.parent] + part.position
    return places


def _centre(figure: Figure, names: tuple[str, ...], places: Array) -> Array:
    """The point that is nearest to the axes of hinges, and among such points nearest to where they are."""
    joints = [figure.joint(name) for name in names]
    at = np.array([places[joint.body] + joint.anchor for joint in joints])
    middle = at.mean(axis=0)
    normal, moment = 1e-6 * np.eye(3), 1e-6 * middle
    for joint, place in zip(joints, at, strict=True):
        across = np.eye(3) - np.outer(joint.axis, joint.axis) / float(joint.axis @ joint.axis)
        normal, moment = normal + across, moment + across @ place
    return np.asarray(np.linalg.solve(normal, moment))


def _skeleton(figure: Figure, groups: list[tuple[str, ...]]) -> Figure:
    """The figure's skeleton of ball joints; it has their masses, and is never simulated."""
    places, feet = _places(figure), {leg.foot: side for side, leg in figure.legs.items()}
    part_of = {0: -1}
    for part in figure.bodies[1:]:
        own = next((k for k, names in enumerate(groups) if part.joints and part.joints[-1] in names), None)
        part_of[part.index] = part_of[part.parent] if own is None else own
    spec = mujoco.MjSpec()
    spec.compiler.autolimits = False
    root = spec.worldbody.add_body(name=figure.bodies[0].name)
    root.add_freejoint(name="root")
    made, centres = {-1: root}, {-1: np.zeros(3)}
    for k, names in enumerate(groups):
        first, last = (figure.bodies[figure.joint(names[i]).body] for i in (0, -1))
        above = part_of[first.parent]
        foot = last.name in feet
        centres[k] = places[last.index] if foot else _centre(figure, names, places)
        name = f"{feet[last.name]}_foot" if foot else last.name
        made[k] = made[above].add_body(name=name, pos=centres[k] - centres[above])
        parts = (part for part, own in _leg_hinges(figure).items() if names[0] in own)
        label = next(parts, _PLANES.sub("", names[0]))
        made[k].add_joint(type=mujoco.mjtJoint.mjJNT_BALL, name=label)
    masses, moments = dict.fromkeys(made, 1e-6), {k: 1e-6 * centre for k, centre in centres.items()}
    for part in figure.bodies:
        masses[part_of[part.index]] += part.mass
        moments[part_of[part.index]] = moments[part_of[part.index]] + part.mass * (places[part.index] + part.com)
    for k, body in made.items():
        body.explicitinertial, body.mass = True, masses[k]
        body.ipos, body.inertia = moments[k] / masses[k] - centres[k], np.full(3, 1e-2 * masses[k])
    for leg in figure.legs.values():
        axis = figure.joint(leg.knee[0]).axis
        spec.add_numeric(name=f"{leg.side}_knee_axis", size=3, data=axis * (1.0 if axis[1] > 0 else -1.0))
        _copy_foot(figure, figure.body(leg.foot).index, made[part_of[figure.body(leg.foot).index]])
    model = spec.compile()
    qpos = np.zeros(model.nq)
    qpos[3::4] = 1.0
    qpos[:3] = figure.default_qpos[:3]
    spec.add_key(name="home", qpos=qpos)
    return Figure.load(mjcf_text(spec.compile(), f"{figure.name}-skeleton", f"The skeleton of {figure.name}."))


def _copy_foot(figure: Figure, index: int, body: "mujoco.MjsBody") -> None:
    """The points and pads of a foot."""
    model = figure.model
    for s in np.flatnonzero(model.site_bodyid == index + 1):
        body.add_site(
            name=model.site(s).name, pos=model.site_pos[s], quat=model.site_quat[s], size=model.site_size[s],
            group=int(model.site_group[s]), type=mujoco.mjtGeom(int(model.site_type[s])),
        )  # fmt: skip
