"""What a tracker practises a clip for: to follow it on course, to be hard to push over, or to look like it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from footfall.errors import unknown_name


@dataclass(frozen=True)
class Aim:
    """What counts in practice.

    Attributes:
        push: newtons of pushes while it practises, from and to.
        near: share of its way by which a policy that needs no more practice may be off, along its path or aside.
        like: millimetres by which its joints may be then, with the pelvises laid together.
        poses: weight of that error in the judge's cost, for each metre.
        tried: newtons of pushes of 0.4 s, from four sides each, that the judge tries on clips of 6 s or more.
        pushes: weight in the judge's cost of the share of them that throw it over.
        weights: of the reward's terms, where they are not the usual ones of practice.
        always: whether a policy practises that follows the clip well as it is.
    """

    push: tuple[float, float]
    near: float = 0.04
    like: float = 80.0
    poses: float = 3.0
    tried: tuple[float, ...] = (100.0,)
    pushes: float = 1.0
    weights: Mapping[str, float] = field(default_factory=dict)
    always: bool = False


AIMS: Mapping[str, Aim] = {
    "course": Aim((0.0, 300.0)),
    "sturdy": Aim((50.0, 400.0), tried=(100.0, 200.0), pushes=2.0, always=True),
    "faithful": Aim((0.0, 50.0), like=25.0, poses=12.0, tried=(), weights={"imitation": 4.0}, always=True),
}
"""By name: "course" is the usual one."""


def aim_of(name: str) -> Aim:
    """The aim of a name."""
    if name not in AIMS:
        raise unknown_name("aim of practice", name, list(AIMS))
    return AIMS[name]
