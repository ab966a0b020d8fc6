"""Runs the thesis's animation scripts: every trial balanced, its output files written (Laszlo's thesis, section 2.4,
appendix C)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from footfall.control.registry import save_controller
from footfall.dynamics.ground import Ground
from footfall.errors import FootfallError
from footfall.methods.limit_cycle.balanced_walk import BalancedWalk
from footfall.methods.limit_cycle.cycle import Cycle, detect_cycle
from footfall.methods.limit_cycle.script import Script, Trial, read_script
from footfall.methods.limit_cycle.walk_record import WalkRecord
from footfall.motion.formats.files import save_motion
from footfall.writing import write_whole


@dataclass(frozen=True, eq=False)
class ScriptTrial:
    """The result of a trial: the walk that it is one walker of, and the files written."""

    trial: Trial
    record: WalkRecord
    walker: int
    files: tuple[Path, ...]

    @property
    def footsteps(self) -> int:
        """Steps taken."""
        return int(self.record.footsteps[self.walker])

    @property
    def cycle(self) -> Cycle:
        """Whether it is a limit cycle, chaos or a fall."""
        return detect_cycle(self.record.values[:, self.walker], fell=bool(self.record.fell[self.walker]))


def run_script(
    script: Script | str | Path,
    out: str | Path | None = None,
    *,
    dt: float | None = None,
    integrator: str = "rk4",
    motion: str | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> list[ScriptTrial]:
    """Run all trials of a script; those that differ in their targets alone are walkers side by side.

    Args:
        script: a script, its name or its file.
        out: folder for the output: for each trial its showfile (a table of its steps) and beside it, as .toml, the
            aperiodic graph that replays it. None to write nothing.
        dt: step, seconds; by default the script's own sddt.
        integrator: by default the thesis's Runge-Kutta.
        motion: a suffix (.npz, .csv, .bvh, .glb) to write each trial's motion too.
        progress: called with a trial's name and the steps taken.
    """
    if not isinstance(script, Script):
        script = read_script(script)
    folder = None if out is None else Path(out)
    if folder is not None and not folder.is_dir():
        raise FootfallError(f"there is no folder '{folder}' for the script's output")
    ground = Ground(script.stiffness, script.damping, script.friction)
    done: list[ScriptTrial] = []
    for trials in _batches(script):
        walk = BalancedWalk(
            script.graph,
            trials[0].control,
            walkers=len(trials),
            figure=script.figure,
            targets=[trial.targets for trial in trials],
            ground=ground,
            dt=script.dt if dt is None else dt,
            integrator=integrator,
        )
        record = walk.walk(trials[0].steps, _named(progress, trials[0].name))
        for w, trial in enumerate(trials):
            files = () if folder is None else _written(folder, trial, record, w, motion)
            done.append(ScriptTrial(trial, record, w, files))
    return done


def _named(progress: Callable[[str, int], None] | None, name: str) -> Callable[[int], None] | None:
    return None if progress is None else lambda steps: progress(name, steps)


def _batches(script: Script) -> Iterator[list[Trial]]:
    """Runs of trials that differ in their targets alone."""

    def same(trial: Trial) -> tuple[object, ...]:
        parts = [
            (d.variable.name, repr(d.perturbation), d.sample, d.limit, d.tolerance) for d in trial.control.dimensions
        ]
        return (trial.control.sampling, trial.steps, *parts)

    for _, group in groupby(script.trials, key=same):
        yield list(group)


def _written(folder: Path, trial: Trial, record: WalkRecord, walker: int, motion: str | None) -> tuple[Path, ...]:
    path = folder / trial.name
    names = [d.variable.name for d in trial.control.dimensions]
    head = ["step", "end", "x", "y", *(f"{p} {n}" for p in ("Q_d", "K", "Q") for n in names)]
    lines = [f"# {trial.name}: {record.controller.name}, {record.footsteps[walker]} of {trial.steps} steps"]
    lines.append("\t".join(head))
    for s in range(int(record.footsteps[walker])):
        place = [record.times[s + 1, walker], *record.pelvis[s + 1, walker, :2]]
        parts = (record.targets, record.scalings, record.values)
        numbers = [*place, *np.concatenate([part[s, walker] for part in parts])]
        lines.append("\t".join([str(s + 1), *(f"{v:.6f}" for v in numbers)]))
    text = "\n".join(lines) + "\n"

    def write(part: Path) -> None:
        part.write_text(text, encoding="utf-8")

    write_whole(path, write)
    files = [path, path.with_suffix(".toml")]
    save_controller(record.aperiodic(walker), files[1])
    if motion is not None:
        files.append(path.with_suffix(motion))
        save_motion(record.motion(walker), files[2])
    return tuple(files)
