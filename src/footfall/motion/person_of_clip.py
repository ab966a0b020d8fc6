"""A body around the skeleton of a clip: its measures, both sides made alike, and the figure of a person with them.

The clip's joints are read in its standing pose (``retargeting.standing``), which follows from the motion and not from
the pose that a file calls zero. What the skeleton does not have (a neck, hands, the soles) has a person's proportions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.figures.figure import Figure
from footfall.figures.person import Measures, Sex, person_figure, proportion, usual_mass
from footfall.figures.scaling import Strength
from footfall.motion.editing import without_rest_frame
from footfall.motion.formats.files import load_motion, readable_suffixes
from footfall.motion.gait.measures import animal_warning
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, rotate
from footfall.motion.retargeting.standing import standing
from footfall.motion.skeleton.landmarks import landmarks
from footfall.motion.skeleton.roles import both_legs_known, find_roles
from footfall.motion.skeleton.tree import EndSite, Skeleton

_PAIRS = ("hip", "knee", "ankle", "heel", "toe", "shoulder", "elbow", "wrist")
_LIKE = (0.97, 1.10)
"""A skeleton's own top of the head counts where it is this much of the height that its legs and shoulders have; others
end in the middle of the skull, or in a hat."""
_WAIST, _WAISTS = 0.2, (0.08, 0.35)
"""Where the trunk bends, in shares from the hips to the shoulders, and where a joint of the spine may stand for it."""
_NECK = (0.02, 0.07)
"""Where the neck bends, in shares of the height above the shoulders."""
_ANKLE = (0.03, 0.065)
_TOES = (0.09, 0.135)
_HEEL = 0.031
"""Shares of the height: ankle above the ground, tip of the foot ahead of the ankle and heel behind it."""


@dataclass(frozen=True, eq=False)
class ClipBody:
    """A person's figure from a clip.

    Attributes:
        figure: the figure.
        measures: its joints.
        clip_height: m, of the clip's own skeleton.
        asymmetry: m, the most that a joint of one side was away from the mirror image of the other.
        filled: parts that the skeleton did not have, and that are a person's by proportion.
    """

    figure: Figure
    measures: Measures
    clip_height: float
    asymmetry: float
    filled: tuple[str, ...]


def figure_from_motion(
    motion: Motion,
    *,
    mass: float | None = None,
    height: float | None = None,
    name: str = "person",
    sex: Sex = "mean",
    strength: Strength = "muscle",
) -> ClipBody:
    """A person's figure with the bones of a motion's skeleton.

    Args:
        motion: of a person's skeleton, of any format; one frame is enough.
        mass: kg; a usual one for the height if None.
        height: m; the skeleton's own if None.
        name: of the figure.
        sex: whose shares of mass.
        strength: how torque limits follow from human-28's.
    """
    for what, value in (("height", height), ("mass", mass)):
        if value is not None and not (np.isfinite(value) and value > 0.0):
            raise FootfallError(f"{what} {value:g}: it should be positive and finite")
    measures, asymmetry, filled = measures_of(motion)
    own = measures.height
    measures = measures if height is None else measures.of_height(height)
    weight = usual_mass(measures.height, sex) if mass is None else mass
    said = f"A person of {measures.height:.3f} m and {weight:.2f} kg with the bones of a clip's skeleton."
    tables = (
        "Shares of mass, centres and radii of gyration: de Leva (1996); joints, ranges and gains: human-28's, scaled."
    )
    figure = person_figure(measures, weight, name, sex=sex, strength=strength, comment=f"{said}\n     {tables}")
    return ClipBody(figure, measures, own, asymmetry, filled)


def person_of_file(path: Path) -> Figure | None:
    """The figure of the person in a motion file, with the skeleton's height and a usual mass; None for other files."""
    if path.suffix.lower() not in readable_suffixes():
        return None
    return figure_from_motion(load_motion(path), name=path.stem).figure


def measures_of(motion: Motion) -> tuple[Measures, float, tuple[str, ...]]:
    """A skeleton's measures; how unlike its sides are, m; and the parts that it does not have."""
    source = without_rest_frame(motion)
    warning = animal_warning(source)
    if warning:
        raise FootfallError(f"{warning}; a body is made for people only")
    if not both_legs_known(find_roles(source.skeleton)):
        raise FootfallError(
            "this skeleton has no two legs of thigh, shank and foot that footfall recognises, by name or by shape; "
            "a body is made for people only"
        )
    if not {"left_shoulder", "neck", "head"} & find_roles(source.skeleton).keys():
        raise FootfallError(
            "this skeleton has neither shoulders nor a neck nor a head above its legs; a body needs a trunk"
        )
    source = standing(source)
    at, turns = source.skeleton.at_rest()
    places = {role: mark.place(at, turns) for role, mark in landmarks(source.skeleton).items()}
    left, asymmetry = _left_half(places)
    soles = [float((at[e.joint] + rotate(turns[e.joint], np.array(e.offset)))[2]) for e in _soles(source.skeleton)]
    return _Filling(left, places, _spine(source.skeleton, at), min(soles, default=None)).measures(asymmetry)


def _left_half(places: Mapping[str, Array]) -> tuple[dict[str, Array], float]:
    """The mean of the left side and the right one's mirror image, by part, and the most that they differ."""
    flip, middle = np.array([1.0, -1.0, 1.0]), places["hips"] * [0.0, 1.0, 0.0]
    found, most = {}, 0.0
    for part in _PAIRS:
        if f"left_{part}" in places and f"right_{part}" in places:
            own, other = places[f"left_{part}"] - middle, flip * (places[f"right_{part}"] - middle)
            found[part] = 0.5 * (own + other)
            most = max(most, float(np.linalg.norm(own - other)))
    return found, most


def _spine(skeleton: Skeleton, at: Array) -> list[Array]:
    """Joints between the pelvis and the chest, the chest included."""
    roles = find_roles(skeleton)
    if "chest" not in roles:
        return []
    inside = skeleton.chain(roles["chest"])
    return [at[j] for j in inside if j not in skeleton.chain(roles["pelvis"])]


def _soles(skeleton: Skeleton) -> list[EndSite]:
    """Points of the feet that are known to touch the ground: a figure's."""
    roles = find_roles(skeleton)
    feet = {j for side in ("left", "right") for j in skeleton.subtree(roles[f"{side}_ankle"])}
    return [end for end in skeleton.ends if end.contact and end.joint in feet]


class _Filling:
    """Measures from the positions of a skeleton's joints, with a person's proportions where they are missing."""

    def __init__(
        self, left: dict[str, Array], places: Mapping[str, Array], spine: list[Array], sole: float | None
    ) -> None:
        self.left, self.places, self.spine, self.sole = left, places, spine, sole
        self.filled: list[str] = []

    def measures(self, asymmetry: float) -> tuple[Measures, float, tuple[str, ...]]:
        left = self.left
        leg = float(np.linalg.norm(left["knee"] - left["hip"]) + np.linalg.norm(left["ankle"] - left["knee"]))
        tall = leg / (proportion("hip_height") - proportion("ankle_height"))
        ground = self._ground(tall)
        if "shoulder" in left:
            high = (left["shoulder"][2] - ground) / proportion("shoulder_height")
            tall = max(high, 0.5 * (tall + high))  # shoulders of captured skeletons hang, by up to a tenth
            ground = self._ground(tall)
        hip, ankle = left["hip"], left["ankle"]
        shoulder = self._part("shoulder", lambda: self._shoulder(hip, tall))
        elbow = self._part("elbow", lambda: shoulder - [0.0, 0.0, proportion("upper_arm") * tall])
        wrist = self._part("wrist", lambda: elbow - [0.0, 0.0, proportion("forearm") * tall])
        crown = self._crown(ground, tall, shoulder)
        tip = self._part("toe", lambda: ankle - [-_TOES[0] * tall, 0.0, 0.0])
        reach = float(np.clip(1.08 * (tip[0] - ankle[0]), _TOES[0] * tall, _TOES[1] * tall))
        rows = {
            "hip": hip,
            "knee": left["knee"],
            "ankle": ankle,
            "heel": np.array([ankle[0] - _HEEL * tall, ankle[1], ground]),
            "toes": np.array([ankle[0] + reach, ankle[1], ground]),
            "waist": self._waist(hip, shoulder),
            "neck": self._neck(shoulder, crown, tall),
            "crown": crown,
            "shoulder": shoulder,
            "elbow": elbow,
            "wrist": wrist,
        }
        origin = np.array([hip[0], 0.0, ground])
        measures = Measures(**{name: np.asarray(place - origin) for name, place in rows.items()})
        return measures, asymmetry, tuple(self.filled)

    def _part(self, name: str, otherwise: Callable[[], Array]) -> Array:
        if name not in self.left:
            self.filled.append({"toe": "foot"}.get(name, name))
            return np.asarray(otherwise())
        return self.left[name]

    def _ground(self, tall: float) -> float:
        """Where the soles are known to be; else under the ankle and the toes, where a person's would be."""
        if self.sole is not None:
            return self.sole
        ankle = float(self.left["ankle"][2])
        toe = float(self.left["toe"][2]) if "toe" in self.left else ankle - proportion("ankle_height") * tall
        return float(np.clip(toe - 0.01 * tall, ankle - _ANKLE[1] * tall, ankle - _ANKLE[0] * tall))

    def _shoulder(self, hip: Array, tall: float) -> Array:
        high = (proportion("shoulder_height") - proportion("hip_height")) * tall
        return np.array([hip[0], 0.5 * proportion("shoulder_width") * tall, hip[2] + high])

    def _crown(self, ground: float, tall: float, shoulder: Array) -> Array:
        own = self.places.get("head_top")
        head = self.places.get("head", shoulder)
        if "head" not in self.places:
            self.filled.append("head")
        x = float(np.clip(head[0], shoulder[0] - 0.02 * tall, shoulder[0] + 0.03 * tall))
        if own is not None and _LIKE[0] * tall < own[2] - ground < _LIKE[1] * tall:
            return np.array([x, 0.0, own[2]])
        return np.array([x, 0.0, ground + tall])

    def _waist(self, hip: Array, shoulder: Array) -> Array:
        shares = [float((p[2] - hip[2]) / (shoulder[2] - hip[2])) for p in self.spine]
        inside = [(abs(s - _WAIST), s) for s in shares if _WAISTS[0] < s < _WAISTS[1]]
        share = min(inside)[1] if inside else _WAIST
        if not inside:
            self.filled.append("waist")
        return np.asarray((hip + share * (shoulder - hip)) * [1.0, 0.0, 1.0])

    def _neck(self, shoulder: Array, crown: Array, tall: float) -> Array:
        low, high = (shoulder[2] + share * tall for share in _NECK)
        joints = [self.places[role][2] for role in ("neck", "head") if role in self.places]
        z = float(np.clip(next((z for z in joints if z > low), 0.5 * (low + high)), low, high))
        along = (z - shoulder[2]) / (crown[2] - shoulder[2])
        return np.array([shoulder[0] + along * (crown[0] - shoulder[0]), 0.0, z])
