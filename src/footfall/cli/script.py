"""``footfall script``: the animation scripts of Laszlo's thesis."""

from pathlib import Path
from typing import Annotated, Any

import tyro

from footfall.cli.printing import print_files, print_json
from footfall.cli.progress import progress
from footfall.errors import FootfallError


def script(
    source: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SCRIPT")],
    out: Annotated[Path, tyro.conf.arg(metavar="FOLDER")] = Path("."),
    dt: float | None = None,
    integrator: str = "rk4",
    motion: str | None = None,
    json: bool = False,
) -> int:
    """Run an animation script of Laszlo's thesis (.script with its .bones): balance every trial and write its files.

    For each trial, the file that the script names gets a table of its footsteps, and a .toml file beside it the graph
    that replays the walk (footfall run FILE.toml).

    Args:
        source: a built-in script (human-walk-trials) or a .script file.
        out: folder for the files.
        dt: time step in seconds, instead of the script's own.
        integrator: rk4 as in the thesis, or implicit, which allows steps of 0.001.
        motion: also write each trial's motion, by suffix: .npz, .csv, .bvh or .glb.
        json: print one JSON object on standard output.
    """
    from footfall.methods.limit_cycle import run_script
    from footfall.motion.formats.files import writable_suffixes

    if motion is not None and motion not in writable_suffixes():
        raise FootfallError(f"motion is '{motion}'; choose one of: {', '.join(writable_suffixes())}")
    with progress("balancing") as show:
        trials = run_script(
            source,
            out,
            dt=dt,
            integrator=integrator,
            motion=motion,
            progress=lambda name, n: show(n, what=f"{name} and others: footstep {n}"),
        )
    rows: list[dict[str, Any]] = [
        {
            "file": str(t.files[0]),
            "targets": list(t.trial.targets),
            "footsteps": t.footsteps,
            "of": t.trial.steps,
            "kind": t.cycle.kind,
            "period": t.cycle.period,
            "files": [str(f) for f in t.files],
        }
        for t in trials
    ]
    if json:
        print_json({"script": source, "trials": rows, "files": [name for row in rows for name in row["files"]]})
        return 0
    for row in rows:
        print(f"{row['file']}: {row['footsteps']} of {row['of']} footsteps, {row['kind']}")
    print_files(name for row in rows for name in row["files"])
    return 0
