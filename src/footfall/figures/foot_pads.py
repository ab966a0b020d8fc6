"""Feet as the sampled ground feels them: four points that span each foot, and round pads under its corners and edges
(Data-Driven Biped Control, section 5)."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import mujoco
import numpy as np

from footfall.errors import FootfallError
from footfall.figures.figure import Figure
from footfall.figures.mjcf_text import mjcf_text
from footfall.figures.parts import Leg

PAD_GROUP = 4
"""Group of the sites that are pads."""
_PAD = 0.6
"""Radius of a pad over the ankle's height."""
_LARGEST = 0.2
"""The same over the sole's length: ankles of robots may be high above short feet."""
_UPRIGHT = [0.5, 0.5, 0.5, 0.5]
"""A pad's orientation: its y axis points up."""
_INSTEP = 0.4
"""Where the instep is along the sole, and how high in shares of the ankle's height it lies below the ankle."""


def has_foot_pads(figure: Figure) -> bool:
    """Whether the figure's feet have pads."""
    return bool((np.asarray(figure.model.site_group) == PAD_GROUP).any())


@lru_cache(maxsize=16)
def with_foot_pads(figure: Figure) -> Figure:
    """The figure with pads under its feet, in place of the corners of its soles; itself where it has some."""
    if has_foot_pads(figure):
        return figure
    if figure.root != "free" or not figure.legs:
        raise FootfallError(f"figure '{figure.name}': pads are made for the feet of a figure in space with two legs")
    spec = figure.spec()
    spec.compile()
    bodies = {int(body.id): body for body in spec.bodies}
    for side, leg in figure.legs.items():
        add_foot_pads(bodies[figure.body(leg.foot).index + 1], spec, figure, side, leg)
    padded = Figure.load(mjcf_text(spec.compile(), figure.name, f"{figure.name} with pads under its feet."))
    return replace(padded, adoption=figure.adoption)


def add_foot_pads(body: Any, spec: Any, figure: Figure, side: str, leg: Leg) -> None:
    """Four points that span a foot, and six pads, in place of the corners of its sole.

    Args:
        body: the foot in ``spec``, an ``mujoco.MjSpec``.
        spec: what is changed.
        figure: where the sole is read. side, leg: whose foot it is.
    """
    corners = np.array([figure.point(name).position for name in leg.sole])
    (rear, front), sole = (corners[:, 0].min(), corners[:, 0].max()), corners[:, 2].min()
    inner, outer = sorted(
        (corners[:, 1].min(), corners[:, 1].max()), key=lambda y: y * (1.0 if side == "left" else -1.0)
    )
    radius = min(_PAD * abs(float(sole)), _LARGEST * float(front - rear))
    for site in list(body.sites):
        spec.delete(site)
    for geom in list(body.geoms):
        if geom.contype == 1:
            spec.delete(geom)
    middle = 0.5 * (inner + outer)
    instep = rear + _INSTEP * (front - rear)
    points = {"heel": (rear, middle, sole), "toe_outer": (front, outer, sole), "toe_inner": (front, inner, sole)}
    for label, place in (points | {"instep": (instep, middle, _INSTEP * sole)}).items():
        body.add_site(name=f"{side}_{label}", pos=place, size=[0.012] * 3, group=0)
    for end, x in (("heel", rear), ("mid", 0.5 * (rear + front)), ("toe", front)):
        for where, y in (("outer", outer), ("inner", inner)):
            centre = [x, y, sole + radius]
            pad = {"name": f"{side}_{end}_{where}_pad", "group": PAD_GROUP, "type": mujoco.mjtGeom.mjGEOM_SPHERE}
            body.add_site(pos=centre, quat=_UPRIGHT, size=[radius] * 3, **pad)
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE, pos=centre, size=[radius, 0.0, 0.0], contype=1, conaffinity=0,
                priority=1, group=3, mass=0.0,
            )  # fmt: skip
