"""Claims of Laszlo's thesis beside its tables: settling, even steps, its own speed gains, turns by hip yaw."""

from collections.abc import Iterator

import numpy as np

from footfall.methods.limit_cycle import BalancedWalk, GaitChange, SpeedControl, hip_control, load_perturbation
from footfall_reproductions.limit_cycles.basics import STEPS, human, swing_walk, trial_walks
from footfall_reproductions.limit_cycles.variations import BIAS, FORWARD, LATERAL, held, speed_walk, turn_radii
from footfall_reproductions.row import Row


def settling() -> Iterator[Row]:
    """Section 5.1: walks begin from a stop and are steady within about 8 steps; section 5.1: composite variables avoid
    the uneven steps of the swing-COM."""
    walk = speed_walk()
    steady_from = []
    for w in np.flatnonzero((walk.footsteps == len(walk.values)) & (BIAS <= 0.2)):
        strides = (walk.speeds[1:, w] + walk.speeds[:-1, w]) / 2
        off = np.abs(strides - strides[-10:].mean()) > 0.1 * abs(strides[-10:].mean())
        steady_from.append(int(np.flatnonzero(off)[-1]) + 2 if off.any() else 1)
    middle = float(np.median(steady_from)) if steady_from else float("nan")
    yield Row(
        "settles",
        "step from which a stride's speed stays within 10 % of the last ten strides' mean, median of the walks "
        "that keep their Q_bias; holds at 10 or earlier",
        8,
        None if np.isnan(middle) else middle,
        "steps",
        bool(middle <= 10),
        f"by walk: {' '.join(map(str, steady_from)) or 'none stays up'}",
    )

    def unevenness(record: object) -> float:
        lengths = getattr(record, "step_lengths")  # noqa: B009
        stood = getattr(record, "footsteps") == len(lengths)  # noqa: B009
        late = lengths[-20:, stood]
        return (
            float(np.median(np.abs(late[::2] - late[1::2]).mean(axis=0) / late.mean(axis=0))) if stood.any() else np.nan
        )

    composite, swing, up = unevenness(walk), unevenness(swing_walk("F-L")), unevenness(trial_walks("F-L", False))
    yield Row(
        "even-steps",
        "difference of left and right steps over their mean, composite variables; holds if less than with swing-COM",
        "avoids uneven step length",
        None if np.isnan(composite) else round(composite, 3),
        "",
        bool(composite < swing),
        f"swing-COM {swing:.3f}, up vector {up:.3f}; medians of the walks that stay up",
    )


def own_gains() -> Iterator[Row]:
    """Table 5.2 as printed: k 1.5 and 0.5, limits 0.15 and 0.05, Q_bias 0.1 to 0.5, 0.4 m a step."""
    control = hip_control("SP", forward=FORWARD, lateral=LATERAL)
    bias = np.round(np.arange(0.1, 0.501, 0.05), 2)
    speed = (SpeedControl(FORWARD, 0.4, 1.5, 0.15), SpeedControl(LATERAL, 0.0, 0.5, 0.05, "lateral"))
    targets = np.stack([bias, np.full_like(bias, 0.03)], axis=1)
    graph = held(human(servo=True), 0.25)
    walk = BalancedWalk(graph, control, walkers=len(bias), targets=targets, speed=speed).walk(50)
    stood = walk.footsteps == 50
    yield Row(
        "table-5.2-gains",
        "values of Q_bias from 0.1 to 0.5 at which the walk with table 5.2's gains takes 50 steps; holds if most do",
        "0.1 to 0.5",
        f"{int(stood.sum())} of {len(bias)}",
        "",
        bool(stood.mean() > 0.5),
        "steps by Q_bias: " + ", ".join(f"{q:g}: {n}" for q, n in zip(bias, walk.footsteps, strict=True)),
        passed=int(stood.sum()),
        tried=len(bias),
        bound=0.5,
    )


def turn_degrees() -> Iterator[Row]:
    """Section 5.3: turns at Q_d 0.25 with 8 degrees of hip yaw (without the torso servo) and 16 (with it)."""
    for degrees, servo in ((8.0, False), (16.0, True)):
        vector = "pelvis-up" if servo else "up"
        control = hip_control(
            "F-L" if servo else "SP", forward=f"{vector}.forward", lateral=f"{vector}.lateral", targets=(0.25, 0.0)
        )
        gait = GaitChange(load_perturbation("turn-right"), [(10, 0.0), (16, degrees)])
        record = BalancedWalk(human(servo=servo), control, gaits=[gait]).walk(STEPS)
        radius = float(turn_radii(record)[0])
        paper = 0.75 if servo else 2.5
        yield Row(
            f"turn-degrees-{degrees:g}",
            f"radius of a turn at Q_d 0.25 with {degrees:g} degrees of hip yaw, "
            f"{'with' if servo else 'without'} the torso servo; holds within 20 % of the thesis's",
            paper,
            round(radius, 2) if np.isfinite(radius) else "falls",
            "m",
            bool(abs(radius - paper) <= 0.2 * paper),
            f"{record.footsteps[0]} of {STEPS} steps",
        )
