"""A gait's stability, and how it does over a range of anything."""

import numpy as np

from footfall.errors import FootfallError
from footfall.studio.core.markup import plot
from footfall.studio.core.studies.study import Progress, Result, Subject

FINE, COARSE = 0.00005, 0.0002
"""Seconds: steps of the return map, for planar figures and for larger ones."""
NEWTON = 8
CHUNK, MOST_WORLDS = 64, 4096


def stability_study(subject: Subject, progress: Progress, *, settle: float = 12.0) -> Result:
    """The fixed point of the gait's return map and its Floquet multipliers, after ``settle`` seconds of walking."""
    from footfall.study.stability.return_map import ReturnMap
    from footfall.study.stability.stability_picture import plot_multipliers

    subject.unbalanced("stability")
    experiment = subject.experiment(settle=settle)
    dt = FINE if experiment.load_figure().root == "planar" else COARSE
    progress(0.02, "letting it walk until it has settled")
    gait = ReturnMap(experiment, dt)
    share = 0.85 / (NEWTON + 1)
    progress(0.1, f"looking for the fixed point, {gait.size} numbers")
    point = gait.fixed_point(
        iterations=NEWTON, progress=lambda k: progress(0.1 + (k + 1) * share, f"step {k + 1} of Newton's method")
    )
    progress(0.95, "letting a disturbance fade")
    decay, fitted = gait.decay(point)
    largest = float(np.abs(point.multipliers[0]))
    word = "stable: small disturbances fade" if point.stable else "NOT stable: small disturbances grow"
    rows = (
        (f"one {point.per}", f"{point.period:.3f} s"),
        ("largest multiplier, by differences", f"{largest:.3f}"),
        ("the same, by simulated decay", f"{abs(fitted):.3f}"),
        ("misses its fixed point by", f"{point.residual:.1e} rad"),
        ("time step of the map", f"{1e3 * dt:g} ms"),
    )
    return Result(
        picture=plot(plot_multipliers(point, decay, fitted), "multipliers"),
        words=f"{word}; a {point.per} multiplies them by {largest:.2f}",
        rows=rows,
        numbers={"largest": largest, "by_decay": abs(fitted), "stable": point.stable},
    )


def sweep_study(
    subject: Subject,
    progress: Progress,
    *,
    over: str = "",
    across: str = "",
    show: str = "survived",
    seconds: float = 20.0,
) -> Result:
    """A controller over a grid of one or two numbers, as ``footfall sweep`` has them.

    Args:
        subject: what walks. progress: called as it goes on.
        over, across: NAME=LOW:HIGH:COUNT; the second may be empty. show: the outcome to draw. seconds: of each world.
    """
    from footfall.study.sweeps.experiment import OUTCOMES
    from footfall.study.sweeps.factors import Design, parse_factor
    from footfall.study.sweeps.sweep import Sweep
    from footfall.study.sweeps.sweep_picture import plot_sweep

    subject.unbalanced("sweep")
    factors = [parse_factor(text) for text in (over.strip(), across.strip()) if text]
    if not factors:
        raise FootfallError("sweep: say what varies, as in ground.friction=0.1:1.0:10")
    design = Design.of(factors, 1, 0)
    if design.worlds > MOST_WORLDS:
        raise FootfallError(f"sweep: {design.worlds} worlds are too many here (at most {MOST_WORLDS}); "
                            "footfall sweep computes as many as you like")  # fmt: skip
    pushed = any(factor.name.startswith("push.") for factor in factors)
    lasts = {} if pushed else {"seconds": seconds}
    experiment = subject.experiment(tuple(factor.name for factor in factors), **lasts)
    study = Sweep(experiment, design, CHUNK)
    data = study.run(progress=lambda done, of: progress(max(done / of, 0.01), f"{done} of {of} worlds"))
    up, (unit, what) = int(data.survived.sum()), OUTCOMES[show]
    values = np.asarray(data[show], dtype=float)
    known = values[np.isfinite(values)]
    rows = [("worlds that stayed up", f"{up} of {design.worlds}")]
    if show not in ("survived", "fell", "diverged") and len(known):
        rows.append((show, f"{known.min():.3g} to {known.max():.3g} {unit}".rstrip()))
    return Result(
        picture=plot(plot_sweep(data, show), "sweep"),
        words=what,
        rows=tuple(rows),
        numbers={"survived": up, "worlds": design.worlds},
    )
