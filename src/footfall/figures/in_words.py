"""A figure in a few lines."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footfall.figures.figure import Figure


def figure_text(figure: "Figure") -> str:
    """What it is made of, and where to look."""
    mass = sum(body.mass for body in figure.bodies)
    moving = [joint for joint in figure.joints if figure.root == "fixed" or joint.body > 0]
    soles = sum(point.foot is not None and point.ground for point in figure.points)
    falls = sum(point.foot is None and point.ground for point in figure.points)
    lines = [
        f"<Figure {figure.name}: {figure.root} root, {len(figure.bodies)} bodies, {len(moving)} joints, "
        f"{sum(joint.actuated for joint in moving)} of them driven, {mass:.1f} kg>",
        f"  nq {figure.nq}, nv {figure.nv}; torso '{figure.torso}'; {soles} contact points on soles, {falls} elsewhere",
    ]
    if figure.legs:
        lines.append(f"  a leg: {', '.join(figure.legs['left'].links)}")
    lines.append("  next: figure.joint(NAME), figure.roles, figure.default_qpos, figure.model (MuJoCo's)")
    lines.append(f"  as a table and a picture: footfall show {figure.name} --out {figure.name}.png")
    return "\n".join(lines)
