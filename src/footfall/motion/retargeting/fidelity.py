"""How like its source a retargeted motion is: limb directions, foot headings, bends of knees and elbows, the path.

Feet that neither slide nor sink say nothing about the rest of the body: a figure that lies on its back can have perfect
feet. So every retargeting is measured by the angles between the limbs of source and result, from the positions of the
joints alone.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    angle_between,
    conjugate,
    cross,
    dot,
    multiply,
    norm,
    rotate,
    unit,
    wrapped_angle,
)
from footfall.motion.skeleton.landmarks import landmark_positions, landmarks, limb_vectors, rest_forward
from footfall.motion.skeleton.roles import find_roles

BOUNDS: Mapping[str, float] = {
    "trunk": 10.0,
    "head": 25.0,
    "thigh": 10.0,
    "shank": 10.0,
    "foot_yaw": 15.0,
    "upper_arm": 20.0,
    "forearm": 20.0,
    "shoulder_line": 20.0,
    "hip_line": 12.0,
}
"""Degrees that a limb may be off in the median; beyond them a result is bad."""

OFTEN = 2.0
"""How many of these bounds a limb may be off in nine frames of ten."""
_RARELY = 45.0
"""Degrees by which a limb is off at worst that a good result's verdict names."""

LEAST_CORRELATION = 0.9
LEAST_BEND_RANGE = np.deg2rad(25.0)
"""Bends that move by less have no correlation to speak of: a centimetre at the foot of a straight leg is ten degrees at
its knee."""

_CARRIED = 0.08
"""By how much the distance of joints that the trunk carries may change, as a share."""
_STEEP = np.cos(np.deg2rad(60.0))
_SOLE_DOWN = np.cos(np.deg2rad(45.0))
"""A foot whose sole faces further from the ground has no heading there; its direction in space counts."""
Limbs = Mapping[str, Array]
_FASTEST = 40.0


@dataclass(frozen=True)
class Difference:
    """Degrees between a limb of the source and of the result: in the median, in the worst frame, and the most in nine
    frames of ten."""

    median: float
    worst: float
    often: float = 0.0


@dataclass(frozen=True)
class Fidelity:
    """How like its source a result is.

    Attributes:
        limbs: degrees between directions, by limb (``trunk``, ``head``, ``left_thigh`` …, ``shoulder_line`` and
            ``hip_line`` from right to left) and ``left_foot_yaw``, between headings on the ground where neither foot is
            steep and the source's sole faces down, between directions in space in all other frames.
        bends: correlation of the flexion over time, by joint (``left_knee``, ``right_elbow`` …), where it moves by more
            than 25°.
        path: metres that the middle of the hips strays from the source's path, scaled, at worst.
        path_ratio: length of the path over that of the scaled source; None where it stands.
        fastest: rad/s of the fastest hinge coordinate, or ball joint; None without coordinates.
        fastest_name: that coordinate or joint.
        source_fastest: rad/s of the fastest joint of the source against its parent.
    """

    limbs: Mapping[str, Difference]
    bends: Mapping[str, float]
    path: float
    path_ratio: float | None
    fastest: float | None
    fastest_name: str
    source_fastest: float

    def faults(self, *, often: bool = True) -> list[str]:
        """What is wrong; empty for a good result.

        Args:
            often: count limbs too that are right in the median but far off in a tenth of the frames.
        """
        faults = []
        for limb, difference in self.limbs.items():
            bound = BOUNDS[limb_kind(limb)]
            if difference.median > bound:
                faults.append(
                    f"{limb.replace('_', ' ')} {difference.median:.0f}° off in the median (bound {bound:.0f}°)"
                )
            elif often and difference.often > OFTEN * bound:
                faults.append(
                    f"{limb.replace('_', ' ')} {difference.often:.0f}° off in a tenth of the frames "
                    f"(bound {OFTEN * bound:.0f}°)"
                )
        for joint, value in self.bends.items():
            if value < LEAST_CORRELATION:
                faults.append(
                    f"{joint.replace('_', ' ')} follows with correlation {value:.2f} (bound {LEAST_CORRELATION})"
                )
        if self.path_ratio is not None and not 0.8 < self.path_ratio < 1.25:
            faults.append(f"path is {self.path_ratio:.2f} of the source's")
        if self.fastest is not None and self.fastest > max(_FASTEST, self.source_fastest):
            faults.append(f"{self.fastest_name} moves at {self.fastest:.0f} rad/s (bound {_FASTEST:.0f})")
        return faults

    def verdict(self) -> str:
        """One line: good, or bad and why. A good result also names the limb that is far off in its worst frame."""
        faults = self.faults()
        more = f"; and {len(faults) - 3} more" if len(faults) > 3 else ""
        if faults:
            return f"BAD: {'; '.join(faults[:3])}{more}"
        limb, row = max(self.limbs.items(), key=lambda item: item[1].worst, default=("", Difference(0.0, 0.0)))
        return f"good, but {limb.replace('_', ' ')} {row.worst:.0f}° off at worst" if row.worst > _RARELY else "good"

    def worst(self, kind: str) -> Difference | None:
        """The largest median and the largest worst angle over both sides of a kind of limb (``thigh``)."""
        rows = [row for limb, row in self.limbs.items() if limb_kind(limb) == kind]
        return Difference(*(max(getattr(r, k) for r in rows) for k in ("median", "worst", "often"))) if rows else None

    def least_bend(self, kind: str) -> float | None:
        """The lower correlation of both sides (``knee``)."""
        return min((value for joint, value in self.bends.items() if limb_kind(joint) == kind), default=None)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"verdict": self.verdict(), "good": not self.faults()}


def limb_kind(limb: str) -> str:
    """A limb's name without its side."""
    return limb.removeprefix("left_").removeprefix("right_")


def fidelity(source: Motion, result: Motion, scale: float = 1.0, *, planar: bool = False) -> Fidelity:
    """Compare a result with its source, frame by frame; both must have the same frames and stand and face alike.

    Args:
        source: what was retargeted.
        result: what came out.
        scale: the result's size over the source's.
        planar: the result moves in the x-z plane: both are seen from the side.
    """
    marks = _comparable(source, result, planar)
    first, second = (limb_vectors(places) for places in marks)
    limbs = _limb_differences(first, second, source, result, planar) | ({} if planar else _line_differences(marks))
    path, ratio = _path(scale * marks[0]["hips"], marks[1]["hips"])
    fastest, name = _fastest_coordinate(result)
    return Fidelity(limbs, _bend_correlations(first, second), path, ratio, fastest, name, _fastest_joint(source))


def _comparable(source: Motion, result: Motion, planar: bool) -> list[dict[str, Array]]:
    """Landmarks of both by the same names: a trunk without shoulders runs up to the neck or the head."""
    marks = [landmark_positions(motion) for motion in (source, result)]
    for places in marks:
        if not all("shoulders" in other for other in marks):
            places.pop("shoulders", None)
            if all("head" in other or "neck" in other for other in marks):
                places["shoulders"] = places["neck"] if "neck" in places else places["head"]
    if planar:
        return [{name: place * [1.0, 0.0, 1.0] for name, place in places.items()} for places in marks]
    return marks


def _foot_axes(motion: Motion, side: str) -> tuple[Array, Array]:
    """[T, 3] ahead and [T, 3] upward along a foot: the level part of the line from heel to toes at rest (forward where
    that line is steep), and upward at rest."""
    skeleton = motion.skeleton
    rest, ankle = skeleton.at_rest(), find_roles(skeleton)[f"{side}_ankle"]
    line = limb_vectors({name: mark.place(*rest) for name, mark in landmarks(skeleton).items()})[f"{side}_foot"]
    ahead = unit(line * [1.0, 1.0, 0.0]) if _level(line) else rest_forward(skeleton)
    turns = multiply(motion.orientations()[:, ankle], conjugate(rest[1][ankle]))
    return rotate(turns, ahead), rotate(turns, np.array([0.0, 0.0, 1.0]))


def _limb_differences(
    first: Limbs, second: Limbs, source: Motion, result: Motion, planar: bool
) -> dict[str, Difference]:
    """Degrees between the directions of limbs, and of feet."""
    limbs: dict[str, Difference] = {}
    for limb in first:
        if limb not in second or (limb == "head" and _head_carries_arms(result)):
            continue
        if not limb.endswith("_foot"):
            limbs[limb] = _difference(np.rad2deg(_angle(first[limb], second[limb])))
            continue
        feet = [_foot_axes(motion, limb.removesuffix("_foot")) for motion in (source, result)]
        flat = _level(feet[0][0]) & _level(feet[1][0]) & (planar | (feet[0][1][:, 2] > _SOLE_DOWN))
        axes = [ahead for ahead, _ in feet]
        angle = np.concatenate(
            [_yaw_between(*(way[flat] for way in axes)), _angle(*(way[~flat & (not planar)] for way in axes))]
        )
        if len(angle):
            limbs[f"{limb}_yaw"] = _difference(np.rad2deg(angle))
    return limbs


def _line_differences(marks: list[dict[str, Array]]) -> dict[str, Difference]:
    """Degrees between the lines from right to left, of shoulders and of hips."""
    found = {}
    for line in ("shoulder", "hip"):
        left, right = (f"{side}_{line}" for side in ("left", "right"))
        if all(left in places and right in places for places in marks):
            across = [places[left] - places[right] for places in marks]
            if _on_the_trunk(across[1]):
                found[f"{line}_line"] = _difference(np.rad2deg(_angle(*across)))
    return found


def _bend_correlations(first: Limbs, second: Limbs) -> dict[str, float]:
    """Correlations of the flexions of knees and elbows that move enough."""
    bends = {}
    for side in ("left", "right"):
        for joint, near, far in (("knee", "thigh", "shank"), ("elbow", "upper_arm", "forearm")):
            limbs = {f"{side}_{near}", f"{side}_{far}"}
            if limbs <= first.keys() & second.keys():
                flexion = [_angle(v[f"{side}_{near}"], v[f"{side}_{far}"]) for v in (first, second)]
                if np.ptp(flexion[0]) > LEAST_BEND_RANGE:
                    still = np.ptp(flexion[1]) < 1e-9
                    bends[f"{side}_{joint}"] = 0.0 if still else float(np.corrcoef(flexion[0], flexion[1])[0, 1])
    return bends


def _on_the_trunk(across: Array) -> bool:
    """Whether two joints keep their distance: a robot's shoulder of several links may stand for the first that swings
    with the arm."""
    apart = norm(across)
    return bool(np.ptp(apart) <= _CARRIED * apart.mean())


def _head_carries_arms(motion: Motion) -> bool:
    """Such a head turns with the chest, whatever the source's does."""
    roles = find_roles(motion.skeleton)
    arms = [roles[role] for role in ("left_shoulder", "right_shoulder") if role in roles]
    return any(roles.get("head") in motion.skeleton.chain(arm)[:-1] for arm in arms)


def _difference(degrees: Array) -> Difference:
    return Difference(float(np.median(degrees)), float(degrees.max()), float(np.percentile(degrees, 90.0)))


def _angle(a: Array, b: Array) -> Array:
    """[T] radians between vectors [T, 3]; exact for small angles too."""
    return np.asarray(np.arctan2(norm(cross(a, b)), dot(a, b)))


def _level(way: Array) -> NDArray[np.bool_]:
    """[...] whether vectors [..., 3] are not steep, and so have a heading."""
    return np.asarray(norm(way[..., :2]) > _STEEP * norm(way))


def _yaw_between(a: Array, b: Array) -> Array:
    """Radians between the headings of vectors [T, 3]."""
    return np.asarray(np.abs(wrapped_angle(np.arctan2(a[:, 1], a[:, 0]) - np.arctan2(b[:, 1], b[:, 0]))))


def _path(wanted: Array, found: Array) -> tuple[float, float | None]:
    away = (found - found[0])[:, :2] - (wanted - wanted[0])[:, :2]
    lengths = [float(norm(np.diff(p[:, :2], axis=0)).sum()) for p in (wanted, found)]
    far = float(norm(wanted[:, :2] - wanted[0, :2]).max())
    return float(norm(away).max()), lengths[1] / lengths[0] if far > 0.3 else None


def _fastest_coordinate(result: Motion) -> tuple[float | None, str]:
    qpos, names = result.channels.get("qpos"), result.labels.get("qpos", ())
    if qpos is None or len(result) < 2:
        return None, ""
    hinges = [k for k, name in enumerate(names) if "." not in name and not name.startswith(("root", "slide"))]
    if not hinges and len(result.skeleton) > 1:  # ball joints
        turn = angle_between(result.rotations[:-1, 1:], result.rotations[1:, 1:]) / np.diff(result.times)[:, None]
        top = int(np.argmax(turn.max(axis=0)))
        return float(turn[:, top].max()), result.skeleton.names[1 + top]
    if not hinges:
        return None, ""
    speed = np.abs(np.diff(qpos[:, hinges], axis=0)) / np.diff(result.times)[:, None]
    top = int(np.argmax(speed.max(axis=0)))
    return float(speed[:, top].max()), names[hinges[top]]


def _fastest_joint(source: Motion) -> float:
    if len(source) < 2:
        return 0.0
    turn = angle_between(source.rotations[:-1], source.rotations[1:])
    return float((turn.max(axis=1) / np.diff(source.times)).max())
