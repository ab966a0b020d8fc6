"""The parts of an adopted body, by its joints: what each one is, and between which points its limbs run.

An adopted body has footfall's joint names, and frames along the world's axes in a zero pose in which it stands upright
with hanging arms. A limb of a robot seldom runs from joint to joint: a hip is three links apart from each other, and
an elbow may stand two centimetres ahead of the arm. So a limb's direction is that of its link's frame, and its near
end is the point straight above its far one.
"""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.motion.quaternion import Array

_LEAST_FOREARM = 0.35
"""A forearm without a wrist is at least this share of the upper arm."""


def is_adopted(figure: Any) -> bool:
    """Whether a figure is an adopted body, or was made from one: the hinges of its hips are on several links."""
    if getattr(figure, "adoption", None) is not None:
        return True
    legs = getattr(figure, "legs", None) or {}
    hips = [{figure.joint(name).body for name in leg.hip} for leg in legs.values()]
    return (
        bool(hips) and all(len(links) > 1 for links in hips) and bool(np.allclose(figure.model.body_quat[1:, 0], 1.0))
    )


def adopted_parts(figure: Any, parents: Sequence[int], offsets: Array) -> dict[str, Any]:
    """Roles, landmarks and telling names of an adopted figure's skeleton, as fields of a ``Skeleton``.

    Args:
        figure: the adopted ``Figure``.
        parents: of its bodies, -1 for the root.
        offsets: [B, 3] of its bodies in their parents' frames, all along the same axes.
    """
    body = _Body(figure, parents, offsets)
    for side in ("left", "right"):
        body.leg(side)
        body.arm(side)
    body.trunk()
    aliases = tuple(re.sub(r"_\d+$", "", b.joints[0]) if b.joints else b.name for b in figure.bodies)
    return {"roles": body.roles, "marks": body.marks, "aliases": aliases}


class _Body:
    def __init__(self, figure: Any, parents: Sequence[int], offsets: Array) -> None:
        self.figure = figure
        self.at = np.zeros((len(parents), 3))
        for b, parent in enumerate(parents):
            self.at[b] = self.at[parent] + offsets[b] if parent >= 0 else 0.0
        self.roles: dict[str, int] = {"pelvis": 0}
        self.marks: dict[str, tuple[int, tuple[float, float, float]]] = {}

    def leg(self, side: str) -> None:
        """Thigh, shank and foot."""
        leg = self.figure.legs.get(side)
        if leg is None or not leg.hip or not leg.knee:
            return
        thigh, shank = self._deepest(leg.hip), self._first(leg.knee)
        ankle = self._first(leg.ankle) if leg.ankle else self.figure.body(leg.foot).index
        foot = self.figure.body(leg.foot).index
        self.roles |= {f"{side}_hip": thigh, f"{side}_knee": shank, f"{side}_ankle": foot}
        pitch = [name for name in leg.hip if self.figure.joint(name).plane == "pitch"]
        self._above(f"{side}_hip", thigh, shank, self.at[self._first(pitch or leg.hip), 2])
        self._mark(f"{side}_ankle", ankle, self.at[ankle])

    def arm(self, side: str) -> None:
        """Upper arm and forearm."""
        shoulder, elbow, wrist = (self._named(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist"))
        if not shoulder:
            return
        upper = self._deepest(shoulder)
        self.roles[f"{side}_shoulder"] = upper
        bends = [name for name in elbow if "twist" not in name]
        if not bends:
            return
        lower = self._first(bends)
        self.roles[f"{side}_elbow"] = lower
        pitch = [name for name in shoulder if self.figure.joint(name).plane == "pitch"]
        self._above(f"{side}_shoulder", upper, lower, self.at[self._first(pitch or shoulder), 2])
        length = self.marks[f"{side}_shoulder"][1][2] + self.at[upper, 2] - self.at[lower, 2]
        if wrist:
            self.roles[f"{side}_wrist"] = self._first(wrist)
            reach = self.at[lower, 2] - self.at[self._first(wrist), 2]
        else:
            reach = self._reach(lower)
        twist = [name for name in elbow if "twist" in name]
        forearm = self._deepest(twist) if twist and not wrist else lower
        down = max(float(reach), _LEAST_FOREARM * float(length))
        self._mark(f"{side}_wrist", forearm, self.at[lower] - [0.0, 0.0, down])

    def trunk(self) -> None:
        """Chest, neck and head; the trunk runs straight up from between the hips."""
        neck, waist = self._named("neck"), self._named("waist")
        if waist:
            self.roles["chest"] = self._deepest(waist)
        if neck:
            self.roles |= {"neck": self._first(neck), "head": self._deepest(neck)}
        if "left_shoulder" in self.roles and "left_hip" in self.roles:
            chest = self.roles.get("chest", 0)
            low = self._middle("hip", self.figure.legs["left"].hip, self.figure.legs["right"].hip)
            high = self._middle("shoulder", self._named("left_shoulder"), self._named("right_shoulder"))
            self._mark("hips", 0, low)
            self._mark("shoulders", chest, np.array([low[0], low[1], high[2]]))
        if neck:
            head = self.roles["head"]
            self._mark("head_top", head, self.at[head] + [0.0, 0.0, max(self._reach(head, up=True), 0.05)])

    def _middle(self, part: str, left: Sequence[str], right: Sequence[str]) -> Array:
        """Between the first links of both sides."""
        return np.asarray(0.5 * (self.at[self._first(left)] + self.at[self._first(right)]))

    def _named(self, part: str) -> list[str]:
        """Joints of a place, from the trunk outward."""
        return [j.name for j in self.figure.joints if re.fullmatch(rf"{part}(_.*)?", j.name)]

    def _first(self, joints: Sequence[str]) -> int:
        return min(int(self.figure.joint(name).body) for name in joints)

    def _deepest(self, joints: Sequence[str]) -> int:
        return max(int(self.figure.joint(name).body) for name in joints)

    def _above(self, name: str, limb: int, far: int, height: float) -> None:
        """The near end of a limb: straight above its far one, at a height."""
        self._mark(name, limb, np.array([self.at[far, 0], self.at[far, 1], height]))

    def _mark(self, name: str, body: int, place: Array) -> None:
        x, y, z = (float(v) for v in place - self.at[body])
        self.marks[name] = body, (x, y, z)

    def _reach(self, body: int, *, up: bool = False) -> float:
        """How far a body's own points and mass lie below (or above) its origin, and what hangs on it."""
        inside = {body}
        for other in self.figure.bodies:
            if other.parent in inside:
                inside.add(other.index)
        places = [self.at[b] + 1.6 * self.figure.bodies[b].com - self.at[body] for b in inside]
        places += [self.at[p.body] + p.position - self.at[body] for p in self.figure.points if p.body in inside]
        heights = [float(place[2]) for place in places]
        return max(heights) if up else -min(heights)
