"""A figure as text and tables: its joints with roles and motors, bodies, soles, and what was found in its file."""

import textwrap
from dataclasses import asdict
from typing import Any

import numpy as np

from footfall.figures import Figure
from footfall.figures.standing import StandingJoint, standing_figure
from footfall.motion.motion import Motion
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.pictures.scene import scene_of

_MESH = 7
"""MuJoCo's number for geoms that are meshes."""
_SUFFIX = "_joint"
"""Where all joints of a file are called so, their names are printed without it."""


class FigureTables:
    """A figure as text: what its file says, and tables of its joints, bodies and points.

    Attributes:
        figure: what is described.
        stance: the figure as it stands.
    """

    def __init__(self, figure: Figure) -> None:
        self.figure, self.stance = figure, standing_figure(figure)

    def data(self) -> dict[str, Any]:
        """Everything, as plain values."""
        figure, stance = self.figure, self.stance
        roles = {placed.joint.name: placed for placed in stance.joints}
        parts: dict[str, Any] = {
            "bodies": [
                {"name": b.name, "parent": self._name(b.parent), "mass": b.mass, "original": self._originals(b.name)}
                for b in figure.bodies
            ],
            "joints": [
                {k: getattr(j, k) for k in ("name", "kind", "kp", "kd", "torque_limit", "lower", "upper", "actuated")}
                | {"body": self._name(j.body), "plane": j.plane}
                | _part_played(roles.get(j.name))
                | self._in_the_file(j.name)
                for j in figure.joints
            ],
            "points": [
                {"name": p.name, "body": self._name(p.body), "position": p.position, "foot": p.foot, "ground": p.ground}
                for p in figure.points
            ],
            "solid": {
                "pairs": figure.solid.names,
                "overlapping": [{"shapes": pair[:2], "depth": pair[2]} for pair in figure.solid.overlapping],
                "notes": [{"shape": shape, "note": note} for shape, note in figure.solid.notes],
            },
            "soles": {side: {"length": size[0], "width": size[1]} for side, size in stance.soles.items()},
        }
        head = {"kind": "figure", "name": figure.name, "root": figure.root, "nq": figure.nq, "nv": figure.nv}
        if figure.adoption is not None:
            parts["source"] = figure.adoption.source
            parts["findings"] = [asdict(finding) for finding in figure.adoption.findings]
        sizes = {"mass": stance.mass, "height": self.height, "hip_height": stance.hip_height}
        sizes |= {"leg_length": stance.leg_length, "meshes": self.meshes}
        return head | sizes | {"torso": figure.torso, "default_qpos": figure.default_qpos} | parts

    def _in_the_file(self, joint: str) -> dict[str, Any]:
        """How a joint is called and counted in the file that it comes from: original = sign * ours + offset."""
        there = self.figure.adoption.joints.get(joint) if self.figure.adoption is not None else None
        return {} if there is None else {"original": there.name, "sign": there.sign, "offset": there.offset}

    def _originals(self, body: str) -> list[str]:
        adoption = self.figure.adoption
        return [body] if adoption is None else [*adoption.body_names.get(body, (body,))]

    @property
    def height(self) -> float:
        """Metres from the ground to the top of the body as it is drawn."""
        return scene_of(Motion.from_qpos(self.figure, np.zeros(1), self.figure.default_qpos[None])).tall

    @property
    def missing(self) -> bool:
        """Whether meshes of its file are missing."""
        adoption = self.figure.adoption
        return adoption is not None and any(finding.what == "meshes" for finding in adoption.findings)

    @property
    def meshes(self) -> int:
        """How many of its bodies are drawn with the meshes of its file."""
        model = self.figure.model
        meshed = {int(b) - 1 for b, kind in zip(model.geom_bodyid, model.geom_type) if int(kind) == _MESH}
        return len(meshed & {mesh.joint for mesh in skeleton_of(self.figure).meshes})

    def _name(self, index: int) -> str:
        return self.figure.bodies[index].name if index >= 0 else "world"

    def drawn(self) -> str:
        """What it is drawn with, in a few words."""
        if self.missing:
            return "boxes of its masses where meshes are missing"
        if self.meshes:
            return f"the meshes of {self.meshes} of its {len(self.figure.bodies)} bodies"
        return "simple shapes"

    def joint_rows(self) -> list[list[str]]:
        """Names, roles, ranges and servos of its joints, the head first."""
        adopted = self.figure.adoption is not None
        named = ["side_role", "in the file"] if adopted else ["joint", "role"]
        rows = [[*named, "plane", "range deg", "limit N m", "kp", "kd"]]
        for placed in self.stance.joints:
            joint = placed.joint
            servo = [_limit(joint.torque_limit), f"{joint.kp:.4g}", f"{joint.kd:.4g}"] if joint.actuated else ["-"] * 3
            if joint.actuated and joint.kp == joint.kd == 0.0:
                servo[1:] = ["motor", "motor"]
            second = _sign(self._in_the_file(joint.name)) if adopted else placed.role
            rows.append([joint.name, second, _plane(placed), _range(placed), *servo])
        if adopted and all(row[1].endswith(_SUFFIX) for row in rows[1:]):
            rows = [[*row[:1], row[1].removesuffix(_SUFFIX), *row[2:]] for row in rows]
            rows[0][1] += f" (…{_SUFFIX})"
        return rows

    def body_rows(self) -> list[list[str]]:
        """Its bodies with their masses, the head first."""
        bodies, mass = self.figure.bodies, max(self.stance.mass, 1e-12)
        rows = [[b.name, self._name(b.parent), f"{b.mass:.4g}", f"{100 * b.mass / mass:.1f}"] for b in bodies]
        return [["body", "parent", "kg", "%"], *rows]

    def point_rows(self) -> list[list[str]]:
        """Its points, the head first."""
        rows = [["point", "body", "x y z in the body, m", "what"]]
        for p in self.figure.points:
            place = " ".join(f"{x:6.3f}" for x in p.position)
            what = f"{p.foot} sole" if p.foot and p.ground else "touching is a fall" if p.ground else "marker"
            rows.append([p.name, self._name(p.body), place, what])
        return rows

    def file_lines(self) -> list[str]:
        """What a picture says about the file that the body comes from."""
        adoption = self.figure.adoption
        if adoption is None:
            return []
        lines = [f"read from {adoption.source.name}"]
        for finding in adoption.findings:
            if finding.warns:
                lines += textwrap.wrap(f"! {finding.what}: {finding.found}", 44, subsequent_indent="   ")
        return lines[:9]


def _sign(there: dict[str, Any]) -> str:
    """The joint's name in its file, with a sign where it counts the other way."""
    return "-" if not there else f"{'-' if there['sign'] < 0 else ' '}{there['original']}"


def _part_played(placed: StandingJoint | None) -> dict[str, Any]:
    if placed is None:
        return {"role": "root", "side": None, "axis": None, "anchor": None}
    axis = placed.axis if placed.axis.any() else None
    return {"role": placed.role, "side": placed.side, "axis": axis, "anchor": placed.anchor}


def _plane(placed: StandingJoint) -> str:
    """The plane, and by how many degrees the axis is tilted from it where that can be seen."""
    name = placed.joint.plane or placed.joint.kind
    return f"{name} {placed.tilt:.0f}°" if placed.tilt > 0.5 else name


def _range(placed: StandingJoint) -> str:
    joint = placed.joint
    if joint.kind == "ball":
        return f"to {np.degrees(joint.upper):.0f}" if np.isfinite(joint.upper) else "-"
    if not np.isfinite(joint.lower):
        return "-"
    if joint.kind == "slide":
        return f"{joint.lower:g} .. {joint.upper:g} m"
    return f"{np.degrees(joint.lower):4.0f} .. {np.degrees(joint.upper):.0f}"


def _limit(newton_metres: float) -> str:
    return f"{newton_metres:g}" if np.isfinite(newton_metres) else "none"
