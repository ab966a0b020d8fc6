"""A figure in tables: its joints with their roles and motors, its bodies, its soles and other points, and what was
found when it was read."""

import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.cli.printing import fitted, print_table, print_text
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.figures import Figure
    from footfall.figures.standing import StandingJoint

_MESH = 7
"""MuJoCo's number for geoms that are meshes."""
_SUFFIX = "_joint"
"""Where all joints of a file are called so, their names are told without it."""


class ShownFigure:
    """A figure: bodies, joints and points."""

    def __init__(self, figure: "Figure") -> None:
        from footfall.figures.standing import standing

        self.figure, self.stance = figure, standing(figure)

    def toml(self) -> str:
        """Figures have none."""
        raise FootfallError("--toml: only controllers have a .toml file")

    def described(self) -> dict[str, Any]:
        """Everything, for JSON."""
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
            "soles": {side: {"length": size[0], "width": size[1]} for side, size in stance.soles.items()},
        }
        head = {"kind": "figure", "name": figure.name, "root": figure.root, "nq": figure.nq, "nv": figure.nv}
        if figure.adoption is not None:
            parts["source"] = figure.adoption.source
            parts["findings"] = [asdict(finding) for finding in figure.adoption.findings]
        sizes = {
            "mass": stance.mass,
            "height": self.height,
            "hip_height": stance.hip_height,
            "leg_length": stance.leg_length,
            "meshes": self.meshes,
        }
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
        from footfall.motion import Motion
        from footfall.pictures.scene import scene_of

        return scene_of(Motion.from_qpos(self.figure, np.zeros(1), self.figure.default_qpos[None])).tall

    @property
    def missing(self) -> bool:
        """Whether meshes of its file are missing."""
        adoption = self.figure.adoption
        return adoption is not None and any(finding.what == "meshes" for finding in adoption.findings)

    @property
    def meshes(self) -> int:
        """How many of its bodies are drawn with the meshes of its file."""
        from footfall.motion.skeleton.figure_skeleton import skeleton_of

        model = self.figure.model
        meshed = {int(b) - 1 for b, kind in zip(model.geom_bodyid, model.geom_type) if int(kind) == _MESH}
        return len(meshed & {mesh.joint for mesh in skeleton_of(self.figure).meshes})

    def _name(self, index: int) -> str:
        return self.figure.bodies[index].name if index >= 0 else "world"

    def print_summary(self) -> None:
        """Tables that fit a terminal."""
        figure, stance = self.figure, self.stance
        print(
            f"{figure.name}: a {figure.root} figure of {len(figure.bodies)} bodies, {figure.nv} degrees of freedom, "
            f"{stance.mass:.1f} kg"
        )
        sizes = f"{self.height:.2f} m tall"
        if np.isfinite(stance.hip_height):
            sizes += f", hips {stance.hip_height:.3f} m up, hip to ankle {stance.leg_length:.3f} m"
        print_text(f"{sizes}; nq {figure.nq}, nv {figure.nv}; torso '{figure.torso}'; drawn with {self._drawn()}")
        print()
        print_table(fitted(self._joint_rows()))
        if figure.adoption is not None:
            print_text("- before a name of the file: it counts the other way there")
        print()
        print_table(fitted(self._body_rows()))
        if figure.points:
            print()
            print_table(fitted(self._point_rows()))
        for side, (length, width) in stance.soles.items():
            count = sum(p.foot == side and p.ground for p in figure.points)
            wide = f", {width:.3f} m wide" if width > 0.0 else ""
            print(f"  {side} sole: {count} points, {length:.3f} m long{wide}")
        if not stance.soles:
            print("  no soles: no point of it is on a foot")
        self._print_findings()

    def _print_findings(self) -> None:
        """What was found in a stranger's file and how; what a person should look at is marked and told again."""
        adoption = self.figure.adoption
        if adoption is None:
            return
        print()
        print_text(f"read from {adoption.source}:")
        for finding in adoption.findings:
            mark = "!" if finding.warns else " "
            how = f" ({finding.how})" if finding.how else ""
            print_text(f"{mark} {finding.what}: {finding.found}{how}", indent="  ")
        warned = sum(finding.warns for finding in adoption.findings)
        if warned:
            file = f"{adoption.source.stem}.footfall.toml"
            print_text(f"! {warned} to check; what is wrong is overruled in {file} beside the model")

    def _drawn(self) -> str:
        if self.missing:
            return "boxes of its masses where meshes are missing"
        if self.meshes:
            return f"the meshes of {self.meshes} of its {len(self.figure.bodies)} bodies"
        return "simple shapes"

    def _joint_rows(self) -> list[list[str]]:
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

    def _body_rows(self) -> list[list[str]]:
        bodies, mass = self.figure.bodies, max(self.stance.mass, 1e-12)
        rows = [[b.name, self._name(b.parent), f"{b.mass:.4g}", f"{100 * b.mass / mass:.1f}"] for b in bodies]
        return [["body", "parent", "kg", "%"], *rows]

    def _point_rows(self) -> list[list[str]]:
        rows = [["point", "body", "x y z in the body, m", "what"]]
        for p in self.figure.points:
            place = " ".join(f"{x:6.3f}" for x in p.position)
            what = f"{p.foot} sole" if p.foot and p.ground else "touching is a fall" if p.ground else "marker"
            rows.append([p.name, self._name(p.body), place, what])
        return rows

    def draw(self, file: Path) -> None:
        """The sheet about it."""
        from footfall.pictures import save_figure
        from footfall.pictures.figure_sheet import figure_sheet

        save_figure(figure_sheet(self.figure, words=self._words()), file)

    def _words(self) -> list[str]:
        """What the sheet says about the file that the body comes from."""
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


def _part_played(placed: "StandingJoint | None") -> dict[str, Any]:
    if placed is None:
        return {"role": "root", "side": None, "axis": None, "anchor": None}
    axis = placed.axis if placed.axis.any() else None
    return {"role": placed.role, "side": placed.side, "axis": axis, "anchor": placed.anchor}


def _plane(placed: "StandingJoint") -> str:
    """The plane, and by how many degrees the axis is tilted from it where that can be seen."""
    name = placed.joint.plane or placed.joint.kind
    return f"{name} {placed.tilt:.0f}°" if placed.tilt > 0.5 else name


def _range(placed: "StandingJoint") -> str:
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
