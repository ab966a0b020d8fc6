"""A study in its own process, so that the walker in the studio walks on.

``python -m footfall.studio.core.studies.worker`` reads one JSON object on standard input, writes a line
``{"progress": 0…1}`` now and then, some with a ``"sketch"`` of the result so far, and at last a line ``{"result": …}``
or ``{"error": "…"}``. It ends with the process that started it.
"""

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from footfall.errors import FootfallError, unknown_name

__all__ = ["basin_study", "main", "rose_study"]


class Progress(Protocol):
    """Takes the fraction done, and what the result looks like so far."""

    def __call__(self, part: float, sketch: dict[str, Any] | None = None) -> None: ...


DIRECTIONS = 16
PHASES = 4
SIZES = 40
MOST = 1200.0
BASIN = 21
SECONDS_AFTER = 4.0


def _experiment(text: str, setting: dict[str, Any], **parts: Any) -> Any:
    """A controller on the studio's terrain, from where that begins, with its friction, gravity and load."""
    from footfall.clusters.cores import usable_cores
    from footfall.study.sweeps.experiment import Experiment

    return Experiment(
        text,
        figure=_heavy_figure(text, float(setting["gravity"])),
        terrain=str(setting["terrain"]),
        set={"ground.friction": float(setting["friction"]), "body.load": float(setting["load"])},
        threads=max(1, usable_cores() - 1),  # the studio needs one
        **parts,
    )


def _heavy_figure(text: str, gravity: float) -> str:
    """The MJCF text of the controller's figure under another gravity."""
    import mujoco

    from footfall.control.registry import parse_controller
    from footfall.figures import Figure

    spec = mujoco.MjSpec.from_string(Figure.load(parse_controller(text).figure).xml)
    spec.option.gravity = [0.0, 0.0, -gravity]
    return str(spec.to_xml())


def rose_study(
    text: str, setting: dict[str, Any], progress: Progress, *, directions: int = DIRECTIONS, sizes: int = SIZES
) -> dict[str, Any]:
    """The hardest push from each direction that a controller survives, at four phases of its stride.

    Every size tried up to the limit passes too: each fourth one, and near the limit all. All pushes last 0.1 s; a
    planar figure is pushed in its plane.

    Args:
        text: the controller's file. setting: friction, gravity, load and terrain of the studio.
        progress: called with the fraction done. directions: how many. sizes: how many forces are tried, up to 1200 N.
    """
    from footfall.study.robustness.growing_rose import GrowingRose, grow_rose
    from footfall.study.robustness.pushing import SettledGait

    if directions < 1 or sizes < 1:
        raise FootfallError(f"rose: {directions} directions of {sizes} sizes; give at least one of each")
    experiment = _experiment(text, setting, settle=5.0, recovery=SECONDS_AFTER)
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

    def drawn(rose: GrowingRose) -> dict[str, Any]:
        return {
            "angles": angles.tolist(),
            "limits": np.concatenate([[0.0], forces])[rose.passed].tolist(),
            "open": rose.open.tolist(),
            "planar": planar,
            "most": MOST,
            "resolution": float(forces[0]),
            "worlds": worlds,
        }

    return drawn(grow_rose(trial, directions, sizes, lambda part, rose: progress(0.05 + 0.95 * part, drawn(rose))))


def basin_study(text: str, setting: dict[str, Any], progress: Progress, *, count: int = BASIN) -> dict[str, Any]:
    """Which changed starts a controller still walks from: the torso's pitch and the forward speed, each on a grid."""
    experiment = _experiment(text, setting, seconds=6.0)
    names = _basin_axes(experiment)
    x, y = np.linspace(-0.6, 0.6, count), np.linspace(-1.5, 1.5, count)
    survived = np.zeros((count, count), dtype=bool)
    for i, pitch in enumerate(x):
        results = experiment.run({names[0]: np.full(count, pitch), names[1]: y})
        survived[i] = results["survived"]
        progress((i + 1) / count)
    part = float(survived.mean())
    return {"x": x.tolist(), "y": y.tolist(), "survived": survived.tolist(), "part": part, "how": "6 s"}


def _basin_axes(experiment: Any) -> tuple[str, str]:
    figure = experiment.load_figure()
    if figure.root != "planar":
        raise FootfallError("the basin is drawn for planar figures: pitch and forward speed of the start")
    x, _, pitch = (j.name for j in figure.joints[:3])
    return f"start.{pitch}", f"start.{x}.rate"


STUDIES: dict[str, Callable[..., dict[str, Any]]] = {"rose": rose_study, "basin": basin_study}


def _study(asked: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """What a request asks for, of a balanced walker where it has a drive."""
    text, setting, options = asked["controller"], asked["setting"], asked.get("options", {})
    if asked.get("drive") is None:
        return STUDIES[asked["study"]](text, setting, progress, **options)
    from footfall.studio.core.studies.balanced import balanced_basin, balanced_rose

    balanced: dict[str, Callable[..., dict[str, Any]]] = {"rose": balanced_rose, "basin": balanced_basin}
    return balanced[asked["study"]](text, setting, asked["drive"], progress, **options)


def _end_with(parent: int) -> None:
    """End when the process that asked for the study is gone."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def main() -> int:
    """Do the study that standard input asks for."""
    with contextlib.suppress(OSError):
        os.nice(10)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def write(**line: Any) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    def progress(part: float, sketch: dict[str, Any] | None = None) -> None:
        write(progress=part, **({"sketch": sketch} if sketch else {}))

    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    try:
        if asked["study"] not in STUDIES:
            raise unknown_name("study", str(asked["study"]), STUDIES)
        result = _study(asked, progress)
    except FootfallError as error:
        write(error=str(error))
        return 2
    write(result=result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
