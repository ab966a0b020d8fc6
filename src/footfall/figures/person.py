"""A person's body around a few measures: the joints of human-28, with its own bones, masses and strength.

Bones are those that are given. Every segment has the mass, centre of mass and radii of gyration of the table of
segments (``segment_inertia.csv``), widths and hands their share of the height (``proportions.csv``); joint ranges are
those of human-28, gains and torque limits too, scaled by the leg and the mass (``scaling``). Bodies, joints, points and
their order are human-28's, so that what drives it can drive this body.
"""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cache
from itertools import pairwise
from typing import Any, Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.figure import Figure
from footfall.figures.inertia import combine
from footfall.figures.mirror import POLAR
from footfall.figures.mjcf import mjcf_text, principal_axes
from footfall.figures.scaling import SizeFactors, Strength, scale_servos
from footfall.text_files import packaged_table

Sex = Literal["mean", "female", "male"]

SUBJECT = {"female": (1.735, 61.9), "male": (1.741, 73.0)}
"""Height, m, and mass, kg, of the people in the table of segments."""


@dataclass(frozen=True, eq=False)
class BodySegment:
    """A segment of a person.

    Attributes:
        mass: share of the body's mass.
        length: m, in the table's people.
        com: share of the length from the segment's first end to its centre of mass.
        radii: [3] radii of gyration about the axes forward, sideways and along the segment, in shares of its length.
    """

    mass: float
    length: float
    com: float
    radii: NDArray[np.float64]


@cache
def body_segments(sex: Sex = "mean") -> dict[str, BodySegment]:
    """The segments of a woman, of a man, or their mean; the masses of all (limbs twice) add up to 1."""
    rows: dict[str, list[list[float]]] = {}
    for row in packaged_table("footfall.figures", "segment_inertia.csv"):
        if sex in ("mean", row["sex"]):
            numbers = ("mass", "length", "com", "sagittal", "transverse", "longitudinal")
            rows.setdefault(row["segment"], []).append([float(row[name]) for name in numbers])
    means = {name: np.mean(found, axis=0) for name, found in rows.items()}
    single = ("head", "upper_trunk", "middle_trunk", "lower_trunk")
    total = sum(row[0] * (1 if name in single else 2) for name, row in means.items())
    return {
        name: BodySegment(float(row[0] / total), float(row[1]) / 1000, float(row[2]) / 100, row[3:] / 100)
        for name, row in means.items()
    }


@cache
def proportion(part: str) -> float:
    """A length as a share of the height."""
    return {row["part"]: float(row["share"]) for row in packaged_table("footfall.figures", "proportions.csv")}[part]


Array = NDArray[np.float64]

PATTERN = "human-28"
"""The figure whose joints, ranges and servos a person has."""
_LEG, _MASS = 0.872, 88.572
"""Thigh and shank, m, and mass, kg, of human-28."""
_SOLE = 0.85
"""Share of a foot that bears weight: the tips of the toes do not."""
_SOLE_BALL, _POINT = 0.01, 0.012


@dataclass(frozen=True, eq=False)
class Measures:
    """Where the joints of a person's left half are, standing upright with hanging arms: [3] each, m; x forward, y left,
    z up from the ground. The right half is its mirror image."""

    hip: Array
    knee: Array
    ankle: Array
    heel: Array
    """On the ground."""
    toes: Array
    """The tip of the foot, on the ground."""
    waist: Array
    neck: Array
    crown: Array
    shoulder: Array
    elbow: Array
    wrist: Array

    @property
    def height(self) -> float:
        """From the ground to the crown."""
        return float(self.crown[2])

    @property
    def leg(self) -> float:
        """Thigh and shank."""
        return float(np.linalg.norm(self.knee - self.hip) + np.linalg.norm(self.ankle - self.knee))

    def of_height(self, height: float) -> "Measures":
        """The same proportions in another size."""
        factor = height / self.height
        return replace(self, **{row.name: factor * getattr(self, row.name) for row in fields(self)})

    def check(self) -> None:
        """An error that names what no person has."""
        bones = {"thigh": (self.hip, self.knee), "shank": (self.knee, self.ankle), "foot": (self.heel, self.toes)}
        bones |= {"upper arm": (self.shoulder, self.elbow), "forearm": (self.elbow, self.wrist)}
        bones |= {"trunk": (self.waist, self.shoulder), "head": (self.neck, self.crown)}
        for bone, (a, b) in bones.items():
            if not np.linalg.norm(b - a) > 0.02 * self.height > 0.0:
                raise FootfallError(f"this skeleton makes no person: its {bone} has no length")
        order = [self.ankle, self.knee, self.hip, self.waist, self.neck, self.crown]
        if not all(a[2] < b[2] for a, b in pairwise(order)):
            raise FootfallError(
                "this skeleton makes no person: upright, its ankle, knee, hip, waist, neck and crown should lie above "
                f"each other; they are at {', '.join(f'{p[2]:.2f}' for p in order)} m"
            )


def usual_mass(height: float, sex: Sex = "mean") -> float:
    """kg of a person of this height, m, with the density and proportions of the people in the table of segments."""
    people = list(SUBJECT.values()) if sex == "mean" else [SUBJECT[sex]]
    return float(np.mean([mass / tall**3 for tall, mass in people])) * height**3


def person_figure(
    measures: Measures,
    mass: float,
    name: str,
    *,
    sex: Sex = "mean",
    strength: Strength = "muscle",
    comment: str = "",
) -> Figure:
    """The figure of a person.

    Args:
        measures: where the joints are.
        mass: kg, of the whole body.
        name: of the figure.
        sex: whose shares of mass and radii of gyration.
        strength: how torque limits follow from human-28's (``scaling``).
        comment: what the file should say besides.
    """
    if not (np.isfinite(mass) and mass > 0.0):
        raise FootfallError(f"mass {mass:g}: it should be positive and finite")
    measures.check()
    pattern = Figure.load(PATTERN)
    model = copy(pattern.model)
    places = _frames(measures)
    for body in pattern.bodies:
        above = np.zeros(3) if body.parent < 0 else places[pattern.bodies[body.parent].name]
        model.body_pos[body.index + 1] = places[body.name] - above
    _weigh(model, _solids(measures, body_segments(sex)), places, mass)
    _shape(model, measures, places)
    _points(model, measures, places)
    scale_servos(model, SizeFactors(measures.leg / _LEG, mass / _MASS, strength))
    model.qpos0[:3] = places["pelvis"]
    model.key_qpos[:, :3] = places["pelvis"]
    return Figure.load(mjcf_text(model, name, comment))


def _sides(left: Mapping[str, Any]) -> dict[str, Any]:
    """Both sides of what is given for the left one: points [3] by name."""
    both = {f"left_{name}": point for name, point in left.items()}
    return both | {f"right_{name}": _mirrored(point) for name, point in left.items()}


def _mirrored(point: Array) -> Array:
    return np.asarray(point * POLAR)


def _middle(point: Array) -> Array:
    return np.asarray(point * np.array([1.0, 0.0, 1.0]))


def _frames(m: Measures) -> dict[str, Array]:
    """Where every body's frame is: at its joint."""
    limbs = {"thigh": m.hip, "shank": m.knee, "foot": m.ankle}
    limbs |= {"upper_arm": m.shoulder, "lower_arm": m.elbow, "hand": m.wrist}
    return {"pelvis": _middle(m.hip), "torso": m.waist, "head": m.neck} | _sides(limbs)


@dataclass(frozen=True, eq=False)
class _Solid:
    """A rigid part: share of the mass, centre [3] in the world, inertia [3, 3] for a mass of 1 kg of the whole body."""

    mass: float
    com: Array
    inertia: Array


def _solids(m: Measures, table: Mapping[str, BodySegment]) -> dict[str, _Solid]:
    """By body: the table's segments laid along the bones."""
    hand = m.wrist + np.array([0.0, 0.0, -1.0]) * table["hand"].length / _table_height() * m.height
    limbs = {
        "upper_arm": _along(table["upper_arm"], m.shoulder, m.elbow),
        "lower_arm": _along(table["forearm"], m.elbow, m.wrist),
        "hand": _along(table["hand"], m.wrist, hand),
        "thigh": _along(table["thigh"], m.hip, m.knee),
        "shank": _along(table["shank"], m.knee, m.ankle),
        "foot": _foot(table["foot"], m),
    }
    hips, top = _middle(m.hip), _middle(m.shoulder)
    names = ("upper_trunk", "middle_trunk", "lower_trunk")
    cuts = np.cumsum([0.0, *(table[name].length for name in names)])
    ends = [top + cut / cuts[-1] * (hips - top) for cut in cuts]
    upper, middle, lower = (_along(table[name], a, b) for name, a, b in zip(names, ends, ends[1:], strict=False))
    solids = {"pelvis": lower, "torso": _together(upper, middle), "head": _along(table["head"], m.crown, m.neck)}
    for name, solid in limbs.items():
        solids[f"left_{name}"] = solid
        image = POLAR[:, None] * solid.inertia * POLAR
        solids[f"right_{name}"] = _Solid(solid.mass, _mirrored(solid.com), image)
    return solids


def _table_height() -> float:
    return float(np.mean([height for height, _ in SUBJECT.values()]))


def _along(segment: BodySegment, start: Array, end: Array) -> _Solid:
    """A segment from ``start`` to ``end``: its first two axes lie forward and sideways, square to it."""
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    side = np.cross(along, [1.0, 0.0, 0.0])
    side = side / np.linalg.norm(side)
    axes = np.stack([np.cross(side, along), side, along], axis=1)
    moments = segment.mass * (segment.radii * length) ** 2
    return _Solid(segment.mass, start + segment.com * (end - start), axes @ np.diag(moments) @ axes.T)


def _foot(segment: BodySegment, m: Measures) -> _Solid:
    """A foot lies along x; its centre of mass is halfway between the ankle and the ground."""
    length = float(m.toes[0] - m.heel[0])
    com = m.heel + segment.com * (m.toes - m.heel)
    com = np.array([com[0], m.ankle[1], 0.5 * m.ankle[2]])
    upright, across, along = segment.mass * (segment.radii * length) ** 2
    return _Solid(segment.mass, com, np.diag([along, across, upright]))


def _together(a: _Solid, b: _Solid) -> _Solid:
    mass, com, inertia = combine(np.asarray(a.mass), a.com, a.inertia, np.asarray(b.mass), b.com, b.inertia)
    return _Solid(float(mass), com, inertia)


def _weigh(model: Any, solids: Mapping[str, _Solid], places: Mapping[str, Array], mass: float) -> None:
    for name, solid in solids.items():
        b = model.body(name).id
        model.body_mass[b] = mass * solid.mass
        model.body_ipos[b] = solid.com - places[name]
        inertia = mass * solid.inertia
        if np.allclose(inertia, np.diag(np.diag(inertia)), rtol=0.0, atol=1e-12 * np.trace(inertia)):
            model.body_iquat[b], model.body_inertia[b] = [1.0, 0.0, 0.0, 0.0], np.diag(inertia)
            continue
        model.body_inertia[b], model.body_iquat[b] = principal_axes(inertia)


def _shape(model: Any, m: Measures, places: Mapping[str, Array]) -> None:
    """Capsules along the bones, as thick as human-28's but for the leg's length, a box for each foot, balls at the ends
    of the soles."""
    size = m.leg / _LEG
    geoms = {name: name for name in ("pelvis", "torso", "shoulders", "head")}
    geoms |= {name: f"left_{name}" for name in ("upper_arm", "lower_arm", "hand", "thigh", "shank")}
    thick = {name: size * float(model.geom(geom).size[0]) for name, geom in geoms.items()}
    high = m.shoulder - np.array([0.0, 0.0, thick["shoulders"]])
    spine = [m.waist - [0.0, 0.0, -0.3 * thick["torso"]], _middle(high) - [0.0, 0.0, 0.2 * thick["torso"]]]
    inner = m.shoulder * [1.0, 0.8, 1.0]
    skull = [m.crown - [0.0, 0.0, t] for t in (0.13 * m.height - thick["head"], thick["head"])]
    tips = m.wrist - [0.0, 0.0, proportion("hand") * m.height - 0.5 * thick["hand"]]
    for name, (a, b) in {
        "pelvis": (m.hip, _mirrored(m.hip)),
        "torso": (spine[0], spine[1]),
        "shoulders": (inner, _mirrored(inner)),
        "head": (skull[0], skull[1]),
    }.items():
        _capsule(model, name, a, b, thick[name], places)
    limbs = {"thigh": (m.hip, m.knee), "shank": (m.knee, m.ankle), "upper_arm": (m.shoulder, m.elbow)}
    limbs |= {"lower_arm": (m.elbow, m.wrist), "hand": (m.wrist - [0.0, 0.0, thick["hand"]], tips)}
    for name, (a, b) in limbs.items():
        _capsule(model, f"left_{name}", a, b, thick[name], places)
        _capsule(model, f"right_{name}", _mirrored(a), _mirrored(b), thick[name], places)
    ball, corners = _SOLE_BALL * size, _corners(m)
    low, high = np.min(list(corners.values()), axis=0), np.max(list(corners.values()), axis=0)
    top = 0.6 * m.ankle[2]
    box = 0.5 * (low + high) + [0.0, 0.0, 0.5 * top]
    for side, flip in (("left", 1.0), ("right", -1.0)):
        foot = model.body(f"{side}_foot").id
        g = model.geom(f"{side}_foot").id
        model.geom_size[g] = [0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]), 0.5 * top]
        model.geom_pos[g] = box * [1.0, flip, 1.0] - places[f"{side}_foot"]
        balls = [k for k in range(model.ngeom) if model.geom_bodyid[k] == foot and k != g]
        for k, corner in zip(balls, corners.values(), strict=True):
            model.geom_size[k, 0] = ball
            model.geom_pos[k] = corner * [1.0, flip, 1.0] + [0.0, 0.0, ball] - places[f"{side}_foot"]


def _capsule(model: Any, name: str, a: Array, b: Array, radius: float, places: Mapping[str, Array]) -> None:
    g = model.geom(name).id
    home = places[model.body(int(model.geom_bodyid[g])).name]
    length = float(np.linalg.norm(b - a))
    turn = np.zeros(4)
    mujoco.mju_quatZ2Vec(turn, (b - a) / max(length, 1e-12))
    model.geom_pos[g] = 0.5 * (a + b) - home
    model.geom_quat[g] = turn
    model.geom_size[g] = [radius, 0.5 * length, 0.0]


def _corners(m: Measures) -> dict[str, Array]:
    """The left sole's corners on the ground, as human-28 names them."""
    half = 0.5 * proportion("foot_width") * m.height
    front = m.heel[0] + _SOLE * (m.toes[0] - m.heel[0])
    return {
        f"{where}_{end}": np.array([x, m.ankle[1] + y, 0.0])
        for end, x in (("heel", m.heel[0]), ("toe", front))
        for where, y in (("inner", -half), ("outer", half))
    }


def _points(model: Any, m: Measures, places: Mapping[str, Array]) -> None:
    tips = m.wrist - [0.0, 0.0, proportion("hand") * m.height]
    points = {"pelvis": places["pelvis"], "head": m.crown} | _sides({"knee": m.knee, "hand": tips} | _corners(m))
    model.site_size[:] = _POINT * m.leg / _LEG
    for s in range(model.nsite):
        body = model.body(int(model.site_bodyid[s])).name
        model.site_pos[s] = points[model.site(s).name] - places[body]
