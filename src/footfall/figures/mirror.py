"""Left and right exchanged by the reflection y -> -y of a figure's states; parts are paired by name.

With M = diag(1, −1, 1) a body's pose (p, R) reflects to (M p, M R M). A hinge with axis a becomes one with axis −M a
(axes of rotation are axial vectors), a slide M a; a rotation's quaternion (w, x, y, z) becomes (w, −x, y, −z), an
angular velocity (ωx, ωy, ωz) becomes (−ωx, ωy, −ωz). Where the frames of left and right bodies are mirror images, the
reflection of a state is a signed permutation of its coordinates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.mjcf import inertia_tensor
from footfall.figures.parts import Body, Joint, Point
from footfall.figures.side_names import counterparts

POLAR = np.array([1.0, -1.0, 1.0])
"""M: how positions and other polar vectors reflect."""
AXIAL = -POLAR
"""How axes of rotation and other axial vectors reflect."""
_QUATERNION = np.array([1.0, -1.0, 1.0, -1.0])
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Sides:
    """Left-right pairs of names."""

    bodies: tuple[tuple[str, str], ...]
    joints: tuple[tuple[str, str], ...]
    points: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, bodies: Sequence[Body], points: Sequence[Point]) -> "Sides":
        """Pair the bodies and points of a figure by name, joints by their order in paired bodies."""
        pairs = _pairs(bodies)
        limbs = {body.name: body.joints for body in bodies}
        joint_pairs = [pair for left, right in pairs for pair in zip(limbs[left], limbs[right])]
        return cls(pairs, tuple(joint_pairs), _pairs(points))


@dataclass(frozen=True, eq=False)
class Mirror:
    """The reflection of a figure's coordinates: mirrored[i] = sign[i] · value[perm[i]]."""

    qpos_perm: NDArray[np.intp]
    qpos_sign: NDArray[np.float64]
    dof_perm: NDArray[np.intp]
    dof_sign: NDArray[np.float64]
    body_perm: NDArray[np.intp]

    @classmethod
    def of(
        cls, name: str, model: Any, bodies: Sequence[Body], joints: Sequence[Joint], points: Sequence[Point]
    ) -> "Mirror":
        """The mirror map of a figure, or an error that names the first part that breaks the symmetry.

        Points off the feet may lie as they like: they bear no weight while a figure walks.
        """
        body_perm = _permutation(bodies)
        joint_perm = _joint_images(bodies, joints)
        _check_points(name, points, body_perm)
        for i, j in enumerate(body_perm):
            _check(
                name, f"bodies '{bodies[i].name}' and '{bodies[j].name}'", _body_shape(model, i + 1, j + 1, body_perm)
            )
        qpos_perm, qpos_sign = np.arange(model.nq), np.ones(model.nq)
        dof_perm, dof_sign = np.arange(model.nv), np.ones(model.nv)
        for a, b in zip(joints, (joints[k] for k in joint_perm)):
            signs = _joint_signs(a, b)
            same = signs is not None and body_perm[a.body] == b.body
            _check(name, f"joints '{a.name}' and '{b.name}'", same)
            assert signs is not None
            qpos, dof = signs
            qpos_perm[a.qpos : a.qpos + len(qpos)] = b.qpos + np.arange(len(qpos))
            qpos_sign[a.qpos : a.qpos + len(qpos)] = qpos
            dof_perm[a.dof : a.dof + a.ndof] = b.dof + np.arange(a.ndof)
            dof_sign[a.dof : a.dof + a.ndof] = dof
        reference = np.allclose(qpos_sign * model.qpos0[qpos_perm], model.qpos0, atol=_TOLERANCE)
        _check(name, "reference angles of its joints", reference)
        return cls(qpos_perm, qpos_sign, dof_perm, dof_sign, body_perm)

    def qpos(self, qpos: NDArray[np.float64]) -> NDArray[np.float64]:
        """[..., nq] to [..., nq]."""
        return self.qpos_sign * np.asarray(qpos)[..., self.qpos_perm]

    def dofs(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """[..., nv] to [..., nv]: velocities, accelerations, torques."""
        return self.dof_sign * np.asarray(values)[..., self.dof_perm]


def _pairs(parts: Sequence[Body | Point]) -> tuple[tuple[str, str], ...]:
    found = counterparts(part.name for part in parts)
    return tuple((name, other) for name, (other, side) in found.items() if side == "left")


def _permutation(parts: Sequence[Body | Point]) -> NDArray[np.intp]:
    index = {part.name: i for i, part in enumerate(parts)}
    found = counterparts(index)
    return np.array([index[found[part.name][0]] for part in parts], dtype=np.intp)


def _joint_images(bodies: Sequence[Body], joints: Sequence[Joint]) -> NDArray[np.intp]:
    """For each joint the one of the same place in the counterpart of its body; itself if there is none."""
    index = {joint.name: i for i, joint in enumerate(joints)}
    images = np.arange(len(joints))
    for body, other in zip(bodies, (bodies[k] for k in _permutation(bodies))):
        for a, b in zip(body.joints, other.joints):
            images[index[a]] = index[b]
    return images


def _check_points(name: str, points: Sequence[Point], body_perm: NDArray[np.intp]) -> None:
    """Every point of a foot has another one at its image."""
    for p in (point for point in points if point.foot):
        others = [q.position for q in points if q.body == body_perm[p.body]]
        there = any(np.allclose(POLAR * p.position, other, atol=_TOLERANCE) for other in others)
        _check(name, f"point '{p.name}' and another one", there)


def _check(name: str, what: str, holds: bool | np.bool_) -> None:
    if not holds:
        raise FootfallError(f"figure '{name}' has no mirror image of itself: {what} are not images of each other")


def _body_shape(model: Any, i: int, j: int, body_perm: NDArray[np.intp]) -> bool:
    """Whether bodies i and j (MuJoCo's ids) are placed and weighted as mirror images."""
    parent, other = int(model.body_parentid[i]), int(model.body_parentid[j])
    attached = parent == other == 0 or (parent and other and int(body_perm[parent - 1]) + 1 == other)
    tensors = [inertia_tensor(model.body_iquat[k], model.body_inertia[k]) for k in (i, j)]
    turned, quat = _QUATERNION * model.body_quat[i], model.body_quat[j]
    shapes = [
        (POLAR * model.body_pos[i], model.body_pos[j]),
        (turned * np.sign(turned @ quat or 1.0), quat),
        (model.body_mass[i], model.body_mass[j]),
        (POLAR * model.body_ipos[i], model.body_ipos[j]),
        (POLAR[:, None] * tensors[0] * POLAR, tensors[1]),
    ]
    return bool(attached) and all(np.allclose(a, b, rtol=_TOLERANCE, atol=_TOLERANCE) for a, b in shapes)


def _joint_signs(a: Joint, b: Joint) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Signs of the coordinates and of the dofs, None where the joints are not mirror images."""
    if a.kind != b.kind or not np.allclose(POLAR * a.anchor, b.anchor, atol=_TOLERANCE):
        return None
    if a.kind == "free":
        return np.concatenate([POLAR, _QUATERNION]), np.concatenate([POLAR, AXIAL])
    if a.kind == "ball":
        return _QUATERNION, AXIAL
    image = (POLAR if a.kind == "slide" else AXIAL) * a.axis
    sign = np.sign(image @ b.axis)
    return (np.array([sign]), np.array([sign])) if np.allclose(sign * image, b.axis, atol=_TOLERANCE) else None
