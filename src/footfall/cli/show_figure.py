"""A figure in tables: its joints with their roles and motors, its bodies, its soles and other points, and what was
found when it was read."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.cli.printing import fitted, print_table, print_text
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.figures import Figure
    from footfall.figures.standing import StandingJoint

__all__ = ["ShownFigure"]


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
        parts = {
            "bodies": [{"name": b.name, "parent": self._name(b.parent), "mass": b.mass} for b in figure.bodies],
            "joints": [
                {k: getattr(j, k) for k in ("name", "kind", "kp", "kd", "torque_limit", "lower", "upper", "actuated")}
                | {"body": self._name(j.body), "plane": j.plane}
                | _part_played(roles.get(j.name))
                for j in figure.joints
            ],
            "points": [
                {"name": p.name, "body": self._name(p.body), "position": p.position, "foot": p.foot, "ground": p.ground}
                for p in figure.points
            ],
            "soles": {side: {"length": size[0], "width": size[1]} for side, size in stance.soles.items()},
        }
        head = {"kind": "figure", "name": figure.name, "root": figure.root, "nq": figure.nq, "nv": figure.nv}
        sizes = {
            "mass": stance.mass,
            "height": self.height,
            "hip_height": stance.hip_height,
            "leg_length": stance.leg_length,
            "meshes": self.meshes,
        }
        return head | sizes | {"torso": figure.torso, "default_qpos": figure.default_qpos} | parts

    @property
    def height(self) -> float:
        """Metres from the ground to the top of the body as it is drawn."""
        from footfall.motion import Motion
        from footfall.pictures.scene import scene_of

        return scene_of(Motion.from_qpos(self.figure, np.zeros(1), self.figure.default_qpos[None])).tall

    @property
    def meshes(self) -> int:
        """How many of its bodies are drawn with the meshes of its file."""
        from footfall.motion.skeleton.figure_skeleton import skeleton_of

        return len(skeleton_of(self.figure).meshes)

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
        print()
        print_table(fitted(self._body_rows()))
        if figure.points:
            print()
            print_table(fitted(self._point_rows()))
        for side, (length, width) in stance.soles.items():
            count = sum(p.foot == side and p.ground for p in figure.points)
            print(f"  {side} sole: {count} points, {length:.3f} m long, {width:.3f} m wide")
        if not stance.soles:
            print("  no soles: no point of it is on a foot")

    def _drawn(self) -> str:
        if self.meshes:
            return f"the meshes of {self.meshes} of its {len(self.figure.bodies)} bodies"
        return "simple shapes"

    def _joint_rows(self) -> list[list[str]]:
        rows = [["joint", "role", "plane", "range deg", "limit N m", "kp", "kd"]]
        for placed in self.stance.joints:
            joint = placed.joint
            servo = [_limit(joint.torque_limit), f"{joint.kp:g}", f"{joint.kd:g}"] if joint.actuated else ["-"] * 3
            if joint.actuated and joint.kp == joint.kd == 0.0:
                servo[1:] = ["motor", "motor"]
            rows.append([joint.name, placed.role, _plane(placed), _range(placed), *servo])
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

        save_figure(figure_sheet(self.figure), file)


def _part_played(placed: "StandingJoint | None") -> dict[str, Any]:
    if placed is None:
        return {"role": "root", "side": None, "axis": None, "anchor": None}
    axis = placed.axis if placed.axis.any() else None
    return {"role": placed.role, "side": placed.side, "axis": axis, "anchor": placed.anchor}


def _plane(placed: "StandingJoint") -> str:
    """The plane, and by how many degrees the axis is tilted from it where that can be seen."""
    name = placed.joint.plane or placed.joint.kind
    return f"{name}, {placed.tilt:.0f}° off" if placed.tilt > 0.5 else name


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
