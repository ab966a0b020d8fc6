"""How robust a controller is: the push rose and the basin of attraction."""

from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.studio.core.studies.drawings import basin_map, rose
from footfall.studio.core.studies.study import Progress, Result, Subject

DIRECTIONS = 16
PHASES = 4
SIZES = 40
MOST = 1200.0
BASIN = 21
SECONDS_AFTER = 4.0
PLANAR = ((0.0, "forward"), (90.0, "up"), (180.0, "back"), (270.0, "down"))
SPATIAL = ((0.0, "forward"), (90.0, "left"), (180.0, "back"), (270.0, "right"))


def rose_study(subject: Subject, progress: Progress, *, directions: int = DIRECTIONS, sizes: int = SIZES) -> Result:
    """The hardest push from each direction that a controller survives, at four phases of its stride.

    Every size tried up to the limit passes too: each fourth one, and near the limit all. All pushes last 0.1 s; a
    planar figure is pushed in its plane.

    Args:
        subject: what is pushed. progress: called as it goes on.
        directions: how many. sizes: how many forces are tried, up to 1200 N.
    """
    from footfall.study.robustness.growing_rose import GrowingRose, grow_rose
    from footfall.study.robustness.pushing import SettledGait

    if directions < 1 or sizes < 1:
        raise FootfallError(f"rose: {directions} directions of {sizes} sizes; give at least one of each")
    experiment = subject.experiment(settle=5.0, recovery=SECONDS_AFTER)
    planar = experiment.load_figure().root == "planar"
    gait = SettledGait(experiment, replicas=1, noise=0.0)
    if not gait.upright:
        raise FootfallError("the controller falls before it could be pushed: there is no rose to draw")
    progress(0.05)
    angles = 360.0 * np.arange(directions) / directions
    forces = MOST * (1 + np.arange(sizes)) / sizes
    phases = np.arange(PHASES) / PHASES
    worlds = 0

    def trial(way: Any, size: Any) -> Any:
        nonlocal worlds
        worlds += len(way) * PHASES
        turned = {"elevation" if planar else "angle": np.repeat(angles[way], PHASES)}
        survived, _ = gait.push(np.repeat(forces[size], PHASES), np.tile(phases, len(way)), **turned)
        return survived.reshape(-1, PHASES).all(axis=1)

    def drawn(found: GrowingRose) -> Result:
        limits = np.concatenate([[0.0], forces])[found.passed]
        return drawn_rose(angles, limits, found.open, forces, worlds, planar=planar)

    return drawn(grow_rose(trial, directions, sizes, lambda part, one: progress(0.05 + 0.95 * part, "", drawn(one))))


def drawn_rose(angles: Any, limits: Any, beyond: Any, forces: Any, worlds: int, *, planar: bool) -> Result:
    """A rose as a result: limits [D] at angles [D] in degrees, and where nothing harder than the limit was tried."""
    most, resolution = float(forces[-1]), float(forces[0])
    more = f"; where it says {most:.0f} N nothing harder was tried" if beyond.any() else ""
    return Result(
        picture=rose(angles, limits, PLANAR if planar else SPATIAL),
        words=f"{limits.min():.0f} to {limits.max():.0f} N, in steps of {resolution:.0f} N{more}; {worlds} pushes",
        numbers={"angles": angles.tolist(), "limits": limits.tolist(), "resolution": resolution, "worlds": worlds},
    )


def basin_study(subject: Subject, progress: Progress, *, count: int = BASIN) -> Result:
    """Which changed starts a controller still walks from: the torso's pitch and the forward speed, each on a grid."""
    experiment = subject.experiment(seconds=6.0)
    figure = experiment.load_figure()
    if figure.root != "planar":
        raise FootfallError("the basin is drawn for planar figures: pitch and forward speed of the start")
    along, _, turn = (joint.name for joint in figure.joints[:3])
    x, y = np.linspace(-0.6, 0.6, count), np.linspace(-1.5, 1.5, count)
    survived = np.zeros((count, count), dtype=bool)
    for i, pitch in enumerate(x):
        results = experiment.run({f"start.{turn}": np.full(count, pitch), f"start.{along}.rate": y})
        survived[i] = results["survived"]
        progress((i + 1) / count)
    return drawn_basin(x, y, survived, "6 s")


def drawn_basin(x: Any, y: Any, survived: Any, how_long: str) -> Result:
    """A basin as a result: pitches x [X], speeds y [Y], survived [X, Y]."""
    share = 100.0 * float(survived.mean())
    return Result(
        picture=basin_map(x, y, survived, "pitch of the start, changed by (rad)", "speed, changed by (m/s)"),
        words=f"{share:.0f} % of {survived.size} starts walk for {how_long} (green)",
        numbers={"x": x.tolist(), "y": y.tolist(), "survived": survived.tolist()},
    )
