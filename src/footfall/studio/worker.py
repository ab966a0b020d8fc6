"""A study in a process of its own, so that the walker in the studio walks on: ``python -m footfall.studio.worker``.

It reads one JSON object on standard input, writes a line ``{"progress": 0…1}`` now and then and at last a line
``{"result": …}`` or ``{"error": "…"}``.
"""

import contextlib
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.errors import FootfallError

__all__ = ["basin_study", "main", "rose_study"]

Told = Callable[[float], None]

DIRECTIONS = 16
PHASES = 4
SIZES = 40
BASIN = 21
SECONDS_AFTER = 4.0


def rose_study(text: str, setting: dict[str, Any], told: Told, *, directions: int = DIRECTIONS) -> dict[str, Any]:
    """The hardest push from each direction that a controller stands, at four phases of its stride.

    Every size up to the limit passes too. All pushes last 0.1 s; a planar figure is pushed in its plane.

    Args:
        text: the controller's file. setting: friction, gravity, load and terrain of the studio.
        told: called with the fraction done.
    """
    from footfall.study.experiment import Experiment
    from footfall.study.pushing import SettledGait, strict_threshold

    experiment = Experiment(
        text,
        terrain="flat",
        settings={"ground.friction": float(setting["friction"]), "body.load": float(setting["load"])},
        settle=5.0,
        recovery=SECONDS_AFTER,
        threads=1,
    )
    planar = experiment.load_figure().root == "planar"
    gait = SettledGait(experiment, replicas=1, noise=0.0)
    if not gait.stands:
        raise FootfallError("the controller falls before it could be pushed: there is no rose to draw")
    told(0.05)
    angles = 360.0 * np.arange(directions) / directions
    sizes = 1200.0 * (1 + np.arange(SIZES)) / SIZES
    limits, beyond = np.zeros(directions), np.zeros(directions, dtype=bool)
    phases = np.arange(PHASES) / PHASES
    for k, angle in enumerate(angles):
        force, phase = np.meshgrid(sizes, phases, indexing="ij")
        way = {"elevation": angle} if planar else {"angle": angle}
        stood, _ = gait.push(force.ravel(), phase.ravel(), **way)
        passed = stood.reshape(force.shape)
        limits[k], beyond[k] = strict_threshold(sizes, passed), bool(passed.all())
        told(0.05 + 0.95 * (k + 1) / directions)
    return {
        "angles": angles.tolist(),
        "limits": limits.tolist(),
        "open": beyond.tolist(),
        "planar": planar,
        "resolution": float(sizes[0]),
        "worlds": int(directions * SIZES * PHASES),
    }


def basin_study(text: str, setting: dict[str, Any], told: Told, *, count: int = BASIN) -> dict[str, Any]:
    """Which changed starts a controller still walks from: the torso's pitch and the forward speed, each on a grid."""
    from footfall.study.experiment import Experiment

    experiment = Experiment(
        text,
        settings={"ground.friction": float(setting["friction"]), "body.load": float(setting["load"])},
        seconds=6.0,
        threads=1,
    )
    names = _basin_axes(experiment)
    x, y = np.linspace(-0.6, 0.6, count), np.linspace(-1.5, 1.5, count)
    stood = np.zeros((count, count), dtype=bool)
    for i, pitch in enumerate(x):
        results = experiment.run({names[0]: np.full(count, pitch), names[1]: y})
        stood[i] = results["survived"]
        told((i + 1) / count)
    return {"x": x.tolist(), "y": y.tolist(), "stood": stood.tolist(), "part": float(stood.mean())}


def _basin_axes(experiment: Any) -> tuple[str, str]:
    figure = experiment.load_figure()
    if figure.root != "planar":
        raise FootfallError("the basin is drawn for planar figures: pitch and forward speed of the start")
    x, _, pitch = (j.name for j in figure.joints[:3])
    return f"start.{pitch}", f"start.{x}.rate"


STUDIES: dict[str, Callable[..., dict[str, Any]]] = {"rose": rose_study, "basin": basin_study}


def main() -> int:
    """Do the study that standard input asks for."""
    with contextlib.suppress(OSError):
        os.nice(10)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def write(**line: Any) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    asked = json.loads(sys.stdin.readline())
    try:
        study = STUDIES[asked["study"]]
        result = study(
            asked["controller"], asked["setting"], lambda part: write(progress=part), **asked.get("options", {})
        )
    except FootfallError as error:
        write(error=str(error))
        return 2
    write(result=result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
