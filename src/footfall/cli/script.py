"""``footfall script``: the thesis's animation scripts, run as they stand."""

import json as jsonlib
from pathlib import Path
from typing import Any

import tyro

from footfall.errors import FootfallError

__all__ = ["script"]


def script(
    source: tyro.conf.Positional[str],
    /,
    *,
    out: Path = Path("."),
    dt: float | None = None,
    integrator: str = "rk4",
    motion: str | None = None,
    json: bool = False,
) -> None:
    """Run an animation script of Laszlo's thesis (.script with its .bones): balance every trial and write its files.

    For each trial the file that the script names gets a table of its steps; beside it, as .toml, goes the aperiodic
    graph that replays the walk (footfall run FILE.toml).

    Args:
        source: a built-in script (human-walk-trials) or a .script file.
        out: folder for the files.
        dt: step in seconds, instead of the script's own.
        integrator: rk4 as in the thesis, or implicit, which allows steps of 0.001.
        motion: also write each trial's motion, by suffix: .npz, .csv, .bvh or .glb.
        json: answer with one JSON object on standard output.
    """
    from rich.console import Console
    from rich.progress import Progress

    from footfall.motion.formats.files import MOTION_WRITERS
    from footfall.simulation.limit_cycle import run_script

    if motion is not None and motion not in MOTION_WRITERS:
        raise FootfallError(f"motion is '{motion}'; choose one of: {', '.join(MOTION_WRITERS)}")
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("balancing", total=None)
        trials = run_script(
            source,
            out,
            dt=dt,
            integrator=integrator,
            motion=motion,
            progress=lambda name, n: bar.update(task, description=f"{name} and beside it: step {n}"),
        )
    rows: list[dict[str, Any]] = [
        {
            "file": str(t.files[0]),
            "targets": list(t.trial.targets),
            "steps": t.footsteps,
            "of": t.trial.steps,
            "kind": t.cycle.kind,
            "period": t.cycle.period,
            "files": [str(f) for f in t.files],
        }
        for t in trials
    ]
    if json:
        print(jsonlib.dumps({"script": source, "trials": rows}))
        return
    for row in rows:
        print(f"{row['file']}: {row['steps']} of {row['of']} steps, {row['kind']}")
