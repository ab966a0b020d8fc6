"""Measures beside the curves: margin of stability, foot clearance, mechanical work and cost of transport.

Margin of stability (Hof, Gazendam and Sinke, J. Biomechanics 38, 2005): the extrapolated centre of mass is

    x = c + ċ / ω        ω = sqrt(g / l)        l the height of the centre of mass above the ground

and the margin, at a foot's strike, is the distance from x to the edge of that foot: to its outer edge aside, to its
front ahead. It is positive while x is inside.

Foot clearance: the lowest mean height of the toe's end of the sole above its height in stance, between 30 and 80 % of
the swing.

Work: the positive and negative powers of the joints, summed joint by joint over a cycle, per body mass. Mechanical cost
of transport: positive work / (m g × stride length). No muscle is modelled, so no metabolic cost is given.

Recovery (Cavagna, Thys and Zamboni 1976): 100 (W_v + W_f - W_ext) / (W_v + W_f) with W the sums of the positive
increments over a cycle of the centre of mass's potential and vertical kinetic energy, of its kinetic energy along the
ground, and of both together.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.body_angles import progression
from footfall.motion.gait.feet import clearance, sole_positions, soles
from footfall.motion.gait.treadmill import carried_path
from footfall.motion.motion import Motion
from footfall.motion.skeleton.mass_centre import centre_of_mass
from footfall.study.gait_lab.cycles import Cycle
from footfall.study.gait_lab.kinetics import Kinetics
from footfall.study.gait_lab.limb_dynamics import low_pass
from footfall.study.gait_lab.norms import GRAVITY
from footfall.study.gait_lab.parameters import Value

Array = NDArray[np.float64]

MEASURES = {
    "margin_ahead": ("margin of stability ahead", "m"),
    "margin_aside": ("margin of stability aside", "m"),
    "foot_clearance": ("foot clearance", "m"),
    "com_excursion": ("rise and fall of the centre of mass", "m"),
    "recovery": ("pendular recovery", "%"),
    "positive_work": ("positive joint work a stride", "J/kg"),
    "negative_work": ("negative joint work a stride", "J/kg"),
    "cost_of_transport": ("mechanical cost of transport", ""),
}
"""Name -> title and unit."""


def balance_measures(
    motion: Motion, cycles: Sequence[Cycle], kinetics: Kinetics, mass: float
) -> dict[str, dict[str, Value]]:
    """Name -> side -> value, as far as each can be had; "both" has those of all cycles."""
    rows: dict[str, dict[str, list[float]]] = {name: {"left": [], "right": [], "both": []} for name in MEASURES}
    carried = np.concatenate([carried_path(motion), np.zeros((len(motion), 1))], axis=1)
    com = low_pass(centre_of_mass(motion), motion.fps, 6.0) - carried
    speed = np.gradient(com, motion.times, axis=0)
    ahead = progression(motion)
    height = float(np.median(clearance(motion, com + carried)))
    reach = com[:, :2] + speed[:, :2] / np.sqrt(GRAVITY / max(height, 0.1))
    feet = {side: sole_positions(motion, sole) for side, sole in soles(motion.skeleton).items()}
    for cycle in cycles:
        found = _of_cycle(motion, cycle, com, speed, reach - com[:, :2], ahead, feet, carried, kinetics, mass)
        for name, value in found.items():
            rows[name][cycle.side].append(value)
            rows[name]["both"].append(value)
    made = {name: {side: Value.of(values) for side, values in sides.items()} for name, sides in rows.items()}
    return {name: sides for name, sides in made.items() if sides["both"].count}


def _of_cycle(
    motion: Motion,
    cycle: Cycle,
    com: Array,
    speed: Array,
    beyond: Array,
    ahead: Array,
    feet: dict[str, Array],
    carried: Array,
    kinetics: Kinetics,
    mass: float,
) -> dict[str, float]:
    times = motion.times
    k = int(np.argmin(np.abs(times - cycle.start)))
    inside = (times >= cycle.start) & (times <= cycle.end)
    way = ahead[k]
    left = np.array([-way[1], way[0]]) * (1.0 if cycle.side == "left" else -1.0)
    edge = (feet[cycle.side][k] - carried[k])[:, :2] - (com[k, :2] + beyond[k])
    found = {
        "margin_ahead": float((edge @ way).max()),
        "margin_aside": float((edge @ left).max()),
        "com_excursion": float(np.ptp(com[inside, 2])),
        "recovery": _recovery(com[inside, 2], speed[inside]),
    }
    swing = cycle.end - cycle.off
    middle = (times >= cycle.off + 0.3 * swing) & (times <= cycle.off + 0.8 * swing)
    stance = (times >= cycle.start) & (times <= cycle.off)
    toes = clearance(motion, feet[cycle.side][:, soles(motion.skeleton)[cycle.side].toe]).mean(axis=1)
    if middle.any() and stance.any():
        found["foot_clearance"] = float(toes[middle].min() - np.median(toes[stance]))
    if len(kinetics.power) == len(times) and np.isfinite(kinetics.power[inside]).all():
        stride = float(np.linalg.norm(com[inside][-1, :2] - com[inside][0, :2]))
        gained, lost = (float(np.trapezoid(p[inside], times[inside])) for p in (kinetics.power, kinetics.negative))
        if mass > 0:
            found |= {"positive_work": gained / mass, "negative_work": lost / mass}
            if stride > 0.1:
                found["cost_of_transport"] = gained / (mass * GRAVITY * stride)
    return found


def _recovery(height: Array, speed: Array) -> float:
    potential = GRAVITY * height + 0.5 * speed[:, 2] ** 2
    forward = 0.5 * (speed[:, :2] ** 2).sum(axis=1)
    gains = [float(np.maximum(np.diff(e), 0.0).sum()) for e in (potential, forward, potential + forward)]
    return 100.0 * (gains[0] + gains[1] - gains[2]) / max(gains[0] + gains[1], 1e-12)
