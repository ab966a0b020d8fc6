"""A figure of hinges as one of ball joints, which the tracking law drives (Data-Driven Biped Control).

Bones, masses and shapes stay. The hinges of a body become one ball joint where they are; a body without joints, a
hand, becomes part of the one that it hangs on. Feet get what the sampled ground feels: four points that span them, and
round pads under their corners and edges (section 5).
"""

import math
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.figure import Figure
from footfall.figures.inertia import combine
from footfall.figures.mjcf import inertia_tensor, mjcf_text, principal_axes, rotation_matrix
from footfall.figures.parts import Leg

PAD_GROUP = 4
"""Group of the sites that are pads."""
RING = 6
"""Samples on a ring of a pad."""
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
        figure: where the sole is read.
        side, leg: whose foot it is.
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


Array = NDArray[np.float64]

_PLANES = re.compile(r"_(roll|pitch|yaw|twist)(_\d+)?$")


def pad_samples(figure: Any, body: int) -> tuple[Array, Array]:
    """Pads of a body, [K, 4] centre and radius, and their samples [K, 13, 3], all in the body's frame: on the lower
    half of each its lowest point and two rings of six points, 60 and 30 degrees below its equator."""
    model = figure.model
    pads, samples = [], []
    for s in range(model.nsite):
        if int(model.site_bodyid[s]) - 1 == body and int(model.site_group[s]) == PAD_GROUP:
            radius, centre = float(model.site_size[s, 0]), np.asarray(model.site_pos[s])
            pads.append([*centre, radius])
            samples.append(centre + radius * _lower_half() @ rotation_matrix(model.site_quat[s]).T)
    return np.array(pads).reshape(-1, 4), np.array(samples).reshape(-1, 1 + 2 * RING, 3)


def _lower_half() -> Array:
    """[13, 3] of a unit sphere whose y axis is up: its lowest point and two rings."""
    places = [(0.0, -1.0, 0.0)]
    for below in (60.0, 30.0):
        low, wide = -math.sin(math.radians(below)), math.cos(math.radians(below))
        turns = [2 * math.pi * j / RING for j in range(RING)]
        places += [(wide * math.cos(t), low, -wide * math.sin(t)) for t in turns]
    return np.array(places)


def with_ball_joints(figure: Figure, name: str = "") -> Figure:
    """The figure with ball joints in place of hinges.

    Args:
        figure: on a free root, with legs, every body's hinges at one point and its frames along the world's axes, as
            human-28 and the figures that are made from clips have them.
        name: of the new figure; by default the old one's with "-ball".
    """
    _check(figure)
    spec = figure.spec()
    spec.compile()
    for actuator in list(spec.actuators):
        spec.delete(actuator)
    for key in list(spec.keys):
        spec.delete(key)
    bodies = {int(body.id): body for body in spec.bodies}
    for part in figure.bodies:
        _explicit(bodies[part.index + 1], figure.model, part.index + 1)
    for part in reversed(figure.bodies):
        if part.parent >= 0 and not part.joints:
            _weld(spec, bodies[part.index + 1], bodies[part.parent + 1], np.asarray(part.position))
        elif part.parent >= 0:
            for joint in list(bodies[part.index + 1].joints):
                spec.delete(joint)
            label = _PLANES.sub("", part.joints[0])
            bodies[part.index + 1].add_joint(type=mujoco.mjtJoint.mjJNT_BALL, name=label)
    for side, leg in figure.legs.items():
        add_foot_pads(bodies[figure.body(leg.foot).index + 1], spec, figure, side, leg)
    model = spec.compile()
    qpos = np.zeros((1, model.nq))
    qpos[0, 3::4] = 1.0
    qpos[0, :3] = figure.default_qpos[:3]
    spec.add_key(name="home", qpos=qpos[0])
    return Figure.load(mjcf_text(spec.compile(), name or f"{figure.name}-ball", f"{figure.name} with ball joints."))


def _check(figure: Figure) -> None:
    if figure.root != "free" or not figure.legs:
        raise FootfallError(f"figure '{figure.name}': ball joints are made for figures with legs on a free root")
    hinges = [joint for joint in figure.joints if joint.kind != "free"]
    if any(joint.kind != "hinge" or joint.anchor.any() for joint in hinges):
        raise FootfallError(f"figure '{figure.name}': ball joints are made where all joints are hinges at their bodies")
    for leg in figure.legs.values():
        if len(leg.links) != 3:
            raise FootfallError(
                f"figure '{figure.name}': its {leg.side} leg has {len(leg.links)} links ({', '.join(leg.links)}); "
                "a leg of ball joints has three, thigh, shank and foot; a robot's hip is a chain of links"
            )


def _explicit(body: Any, model: Any, b: int) -> None:
    body.explicitinertial = True
    body.mass, body.ipos, body.iquat, body.inertia = (
        float(model.body_mass[b]),
        model.body_ipos[b],
        model.body_iquat[b],
        model.body_inertia[b],
    )
    body.fullinertia = np.full(6, np.nan)


def _weld(spec: Any, body: Any, parent: Any, offset: Array) -> None:
    """Make a body part of its parent."""
    mass, com, inertia = combine(
        np.asarray(parent.mass), np.array(parent.ipos), inertia_tensor(parent.iquat, parent.inertia),
        np.asarray(body.mass), np.array(body.ipos) + offset, inertia_tensor(body.iquat, body.inertia),
    )  # fmt: skip
    parent.mass, parent.ipos = float(mass), com
    parent.inertia, parent.iquat = principal_axes(inertia)
    kept = ("name", "type", "contype", "conaffinity", "group")
    shapes = []
    for geom in body.geoms:
        shape = {key: getattr(geom, key) for key in kept}
        shape |= {key: np.array(getattr(geom, key)) for key in ("size", "friction", "rgba")}
        long = bool(np.isfinite(geom.fromto).all())
        place = {"fromto": geom.fromto + np.tile(offset, 2)} if long else {"pos": geom.pos + offset, "quat": geom.quat}
        shapes.append(shape | {key: np.array(value) for key, value in place.items()})
    points = [(site.name, np.array(site.pos) + offset, np.array(site.size), site.group) for site in body.sites]
    spec.delete(body)
    for shape in shapes:
        parent.add_geom(**shape)
    for label, pos, size, group in points:
        parent.add_site(name=f"{label}_point", pos=pos, size=size, group=group)
