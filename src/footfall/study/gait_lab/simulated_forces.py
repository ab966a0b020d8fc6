"""Ground forces of captured motion without force platforms.

The whole body's laws of motion say what the ground gives in all: the force F = m (c̈ - g), and about the centre of mass
c the moment L̇; together these put the centre of pressure p at one place of the ground. While one foot stands it
carries all of that. While both stand, the trailing foot's centre of pressure p_1 goes from where it was at the other's
strike to its toes, the leading foot's p_2 from its heel to where it is when it stands alone, and the leading foot has

    the share s = (p - p_1) · (p_2 - p_1) / |p_2 - p_1|²

of the vertical force, so that both together have theirs at p (as Dijkstra and Gutierrez-Farewik, 2015, take it from the
zero moment point). Each foot's force points from its centre of pressure to the centre of mass, as nearly as the sum is
F. While one foot stands, a centre of pressure off its sole is moved to the edge.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.motion.gait.contact import spans_of
from footfall.motion.gait.feet import ground_level, sole_positions, soles
from footfall.motion.motion import Motion
from footfall.motion.person_of_clip import figure_from_motion
from footfall.study.gait_lab.ground_forces import (
    SIDES,
    SIMULATED,
    SUPPORT_EDGE,
    FootForce,
    foot_forces,
    foot_stands,
    pressure_centre,
    whole_body_loads,
)
from footfall.study.gait_lab.plate_contacts import without_parts
from footfall.study.measures.cycles import GaitEvents, kinematic_events

if TYPE_CHECKING:
    from footfall.study.gait_lab.analysis import Analysis

Array = NDArray[np.float64]
HALF_WIDTH = 0.045
"""Metres from the middle of a sole to its sides, where a skeleton's sole has no width."""
MEASURED = ("plate_force", "plate_moment", "grf", "mean_grf", "moment", "mean_moment", "torque", "contact")
"""Channels that say more than how a body moves."""
COMPARED = (
    "grf_vertical",
    "grf_ahead",
    "grf_aside",
    "hip_extension_moment",
    "knee_extension_moment",
    "ankle_plantarflexion_moment",
)
"""Panels in which simulated forces are held against measured ones."""


def with_simulated_forces(motion: Motion, mass: float) -> tuple[Motion, float]:
    """A motion with ground forces that follow from how it moves, in place of measured ones; and the body's kilograms.

    Args:
        motion: of a body with two feet.
        mass: kilograms; 0 for what is usual for its height.
    """
    for side in SIDES:
        if side not in soles(motion.skeleton):
            raise FootfallError(f"its ground forces cannot be found: it has no {side} foot, and both are needed")
    assumed = not mass
    if assumed:
        body = figure_from_motion(motion).figure
        mass = float(sum(part.mass for part in body.bodies))
    kept = {name: values for name, values in motion.channels.items() if name not in MEASURED}
    source = {k: v for k, v in motion.source.items() if k not in ("plate_contacts", "plate_corners", "events")}
    bare = replace(motion, channels=kept, figure_xml="", source=source)
    forces, off = simulated_forces(bare, kinematic_events(bare), mass)
    usual = " (usual for its height: give it with mass where it is known)" if assumed else ""
    notes = [
        f"its ground forces are not measured: they follow from its motion and its mass, {mass:.1f} kg{usual}",
        f"the centre of pressure was moved to the edge of the sole in {off:.0%} of single support",
    ]
    found = zip(SIMULATED, ("force", "centre", "twist", "known"), strict=True)
    channels = {name: np.stack([getattr(forces[side], own) for side in SIDES], axis=1) for name, own in found}
    source |= {"mass": mass, "notes": [*source.get("notes", ()), *(notes if off else notes[:1])]}
    return replace(bare, channels=kept | channels, source=source), mass


def simulated_forces(motion: Motion, events: GaitEvents, mass: float) -> tuple[dict[str, FootForce], float]:
    """Ground forces by side, and in which share of single support a centre of pressure was moved to the sole's edge.

    They are not known within 0.05 s of the recording's ends, nor while both feet stand and it is not known how that
    began and ended.
    """
    times = motion.times
    com, force, turn = whole_body_loads(motion, mass)
    force[:, 2] = np.maximum(force[:, 2], 0.0)
    moment = np.cross(com, force) + turn
    height = ground_level(motion)
    stands = {side: foot_stands(events, side, times, late=0.0) for side in SIDES}
    sure = (times > times[0] + SUPPORT_EDGE) & (times < times[-1] - SUPPORT_EDGE)
    own = {side: (np.zeros_like(force), np.zeros_like(moment)) for side in SIDES}
    alone = stands["left"] != stands["right"]
    moved = 0
    for side in SIDES:
        single = alone & stands[side]
        centre, twist = pressure_centre(force[single], moment[single], height)
        put = _within_sole(motion, side, centre, single)
        moved += int((np.linalg.norm(put - centre, axis=-1) > 1e-6).sum())
        own[side][0][single], own[side][1][single] = force[single], _moments(put, force[single], twist)
    for a, b in spans_of(stands["left"] & stands["right"]):
        trail = _trailing(stands, a, b)
        lead = "left" if trail == "right" else "right"
        ends = [_centre_at(own[side], k, height) for side, k in ((trail, a - 1), (lead, b))] if trail else []
        if not np.isfinite(ends).all() or not ends:
            sure[a:b] = False
            continue
        part = np.linspace(0.0, 1.0, b - a + 2)[1:-1, None]
        behind = (1.0 - part) * ends[0] + part * _end_of_sole(motion, trail, "toe")[a:b]
        before = (1.0 - part) * _end_of_sole(motion, lead, "heel")[a:b] + part * ends[1]
        both = _shared(force[a:b], moment[a:b], com[a:b], (behind, before), height)
        for side, loads in zip((trail, lead), both, strict=True):
            own[side][0][a:b], own[side][1][a:b] = loads
    found = {}
    for side in SIDES:
        centre, twist = pressure_centre(*own[side], height)
        found[side] = FootForce(own[side][0], centre, twist, sure | ~stands[side])
    return found, moved / max(int(alone.sum()), 1)


def _trailing(stands: Mapping[str, NDArray[np.bool_]], a: int, b: int) -> str:
    """The foot that stood before frame ``a`` and is off at frame ``b``; empty where both were not one after another."""
    if a == 0 or b == len(stands["left"]):
        return ""
    return next((side for side in SIDES if stands[side][a - 1] and not stands[side][b]), "")


def _moments(centre: Array, force: Array, twist: Array) -> Array:
    """[T, 3] about the origin, of forces [T, 3] at centres [T, 3] with free moments [T]; zero where there is no
    centre."""
    about = np.cross(centre, force)
    about[:, 2] += twist
    return np.nan_to_num(about)


def _centre_at(loads: tuple[Array, Array], frame: int, height: float) -> Array:
    """[3] centre of pressure at a frame."""
    force, moment = (values[frame : frame + 1] for values in loads)
    return np.asarray(pressure_centre(force, moment, height)[0][0])


def _end_of_sole(motion: Motion, side: str, end: str) -> Array:
    """[T, 3] the middle of the heel or the toe end of a sole."""
    sole = soles(motion.skeleton)[side]
    return np.asarray(sole_positions(motion, sole)[:, getattr(sole, end)].mean(axis=1))


def _shared(
    force: Array, moment: Array, com: Array, centres: tuple[Array, Array], height: float
) -> list[tuple[Array, Array]]:
    """Forces and moments [T, 3] of two feet that stand, from those of both together about the origin.

    Args:
        force: [T, 3] of both.
        moment: [T, 3] the same.
        com: [T, 3] centre of mass.
        centres: [T, 3] of pressure under each.
        height: of the ground.
    """
    first, second = (np.concatenate([c[:, :2], np.full((len(c), 1), height)], axis=1) for c in centres)
    place = pressure_centre(force, moment, height)[0]
    line = (second - first)[:, :2]
    share = np.einsum("tk,tk->t", (place - first)[:, :2], line) / np.maximum((line**2).sum(axis=1), 1e-9)
    share = np.clip(np.nan_to_num(share, nan=0.5), 0.0, 1.0)
    parts = np.stack([1.0 - share, share])[..., None]
    leans = [(com - c) / (com[:, 2:] - height) for c in (first, second)]
    pulls = [part * force[:, 2:] * lean for part, lean in zip(parts, leans, strict=True)]
    rest = force - sum(pulls)
    forces = [pull + part * rest for pull, part in zip(pulls, parts, strict=True)]
    twist = (moment - sum(np.cross(c, f) for c, f in zip((first, second), forces, strict=True)))[:, 2]
    return [(f, _moments(c, f, part[:, 0] * twist)) for f, c, part in zip(forces, (first, second), parts, strict=True)]


def _within_sole(motion: Motion, side: str, centre: Array, frames: Any) -> Array:
    """Centres of pressure [T, 3] at some frames, moved into the outline of a sole: a rectangle along the foot."""
    points = sole_positions(motion, soles(motion.skeleton)[side])[frames]
    sole = soles(motion.skeleton)[side]
    along = (points[:, sole.toe].mean(axis=1) - points[:, sole.heel].mean(axis=1))[:, :2]
    along = along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
    aside = np.stack([-along[:, 1], along[:, 0]], axis=-1)
    put = centre.copy()
    put[:, :2] = 0.0
    for axis, least in ((along, 0.0), (aside, HALF_WIDTH)):
        spread = np.einsum("tpk,tk->tp", points[..., :2], axis)
        middle, half = 0.5 * (spread.min(axis=1) + spread.max(axis=1)), 0.5 * np.ptp(spread, axis=1)
        half = np.maximum(half, least)
        at = np.clip(np.einsum("tk,tk->t", centre[:, :2], axis), middle - half, middle + half)
        put[:, :2] += at[:, None] * axis
    return put


@dataclass(frozen=True)
class ForceError:
    """How far simulated forces or moments are from measured ones.

    Attributes:
        error: root mean square, in the panel's unit.
        share: that error in per cent of the range: the mean of both ranges.
        contacts: over how many whole contacts.
    """

    error: float
    share: float
    contacts: int


def force_errors(simulated: "Analysis", measured: "Analysis") -> dict[str, ForceError]:
    """Panel -> the error of simulated forces over the contacts that were measured whole; empty without any.

    Args:
        simulated: analysis with simulated forces.
        measured: of the same frames, with measured ones.
    """
    times = measured.motion.times
    whole = without_parts(foot_forces(measured.motion, measured.events), measured.contacts, times)
    ours = foot_forces(simulated.motion, simulated.events)
    spans = []
    for side, foot in whole.items():
        for strike in measured.events.strikes.get(side, ()):
            offs = [t for t in measured.events.offs.get(side, ()) if t > strike]
            inside = (times >= strike) & (times <= min(offs, default=-np.inf))
            if inside.any() and foot.known[inside].all() and ours[side].known[inside].all():
                spans.append((side, inside))
    found = {}
    for name in COMPARED:
        pairs = [
            (simulated.signals[f"{side}_{name}"][inside], measured.signals[f"{side}_{name}"][inside])
            for side, inside in spans
            if f"{side}_{name}" in simulated.signals and f"{side}_{name}" in measured.signals
        ]
        if pairs:
            error = float(np.sqrt(np.mean(np.concatenate([a - b for a, b in pairs]) ** 2)))
            ranges = np.mean([0.5 * (np.ptp(a) + np.ptp(b)) for a, b in pairs])
            found[name] = ForceError(error, 100.0 * error / float(ranges), len(pairs))
    return found


def check_forces(walk: Any, forces: str, *, captured: bool) -> None:
    """Refuse simulated forces of a walk whose forces a simulation knows."""
    if forces not in ("measured", "simulated"):
        raise FootfallError(f"forces is '{forces}'; choose 'measured' or 'simulated'")
    if forces == "simulated" and not captured:
        raise FootfallError(
            f"{walk} is simulated, so its ground forces are known: forces 'simulated' works only with motion files"
        )
