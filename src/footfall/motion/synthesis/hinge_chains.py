"""A body of hinges as one of ball joints: what turns a limb against the next one, three hinges of a robot's hip at
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
from dataclasses import dataclass
from functools import cached_property, lru_cache

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.foot_pads import with_foot_pads
from footfall.figures.mjcf_text import mjcf_text
from footfall.motion.quaternion import Array, conjugate, exp, log, multiply, rotate

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
        name: what they have in common, as in "left_hip". hinges: their names, from the trunk outward.
        bodies: that they move. qpos, dof: addresses. axes: [n, 3] in the frames of the body at rest.
        rest, lower, upper: [n] coordinates at rest, and their ranges. torque_limit: [n] of their motors, N m.
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
        figure: with hinges. skeleton: a ball joint for each chain, where its axes meet or come closest.
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
    for leg in figure.legs.values():
        for part, names in (("hip", leg.hip), ("knee", leg.knee), ("ankle", leg.ankle)):
            if not 1 <= len(names) <= MOST:
                raise FootfallError(
                    f"figure '{figure.name}': its {leg.side} {part} has {len(names)} hinges; the tracking law needs "
                    f"legs of hip, knee and ankle with one to {MOST} hinges each; footfall adapt makes walks for others"
                )


def _groups(figure: Figure) -> list[tuple[str, ...]]:
    """Names of the hinges of each chain, from the trunk outward."""
    legs = {
        name: f"{leg.side}_{part}"
        for leg in figure.legs.values()
        for part, names in (("hip", leg.hip), ("knee", leg.knee), ("ankle", leg.ankle))
        for name in names
    }
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
        label = next(
            (
                f"{leg.side}_{part}"
                for leg in figure.legs.values()
                for part, own in (("hip", leg.hip), ("knee", leg.knee), ("ankle", leg.ankle))
                if names[0] in own
            ),
            _PLANES.sub("", names[0]),
        )
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
