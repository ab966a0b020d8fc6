"""What a person's parts weigh and measure: the tables ``segment_inertia.csv`` and ``proportions.csv``."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Sex = Literal["mean", "female", "male"]

SUBJECT = {"female": (1.735, 61.9), "male": (1.741, 73.0)}
"""Height, m, and mass, kg, of the people in the table of segments."""


@dataclass(frozen=True, eq=False)
class Segment:
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
def segments(sex: Sex = "mean") -> dict[str, Segment]:
    """The segments of a woman, of a man, or their mean; the masses of all (limbs twice) add up to 1."""
    rows: dict[str, list[list[float]]] = {}
    for row in _table("segment_inertia.csv"):
        if sex in ("mean", row["sex"]):
            numbers = ("mass", "length", "com", "sagittal", "transverse", "longitudinal")
            rows.setdefault(row["segment"], []).append([float(row[name]) for name in numbers])
    means = {name: np.mean(found, axis=0) for name, found in rows.items()}
    single = ("head", "upper_trunk", "middle_trunk", "lower_trunk")
    total = sum(row[0] * (1 if name in single else 2) for name, row in means.items())
    return {
        name: Segment(float(row[0] / total), float(row[1]) / 1000, float(row[2]) / 100, row[3:] / 100)
        for name, row in means.items()
    }


@cache
def proportion(part: str) -> float:
    """A length as a share of the height."""
    return {row["part"]: float(row["share"]) for row in _table("proportions.csv")}[part]


def _table(name: str) -> list[dict[str, str]]:
    text = (files("footfall.figures") / name).read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
