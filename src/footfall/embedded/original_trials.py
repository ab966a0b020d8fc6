"""The last judge of a robot's walk: the exported C in the file of its body, stepped by MuJoCo without footfall."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import which

from footfall.control.kind import Controller
from footfall.embedded.program import c_program, runner_script
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.study.trials.final import EACH, NOISES, SECONDS, Trials
from footfall.text_files import write_whole

_SAID = re.compile(r"(\d+) of \d+ up after .* at steps of (\S+) s")


def original_trials(
    controller: Controller,
    figure: Figure,
    *,
    steps: Sequence[float] = (0.0,),
    each: int = EACH,
    seconds: float = SECONDS,
    processes: int = 2,
) -> Trials:
    """Walk from disturbed starts in the file that a body came from, with the file's own inertias, shapes and contacts.

    Args:
        controller: with its figure.
        figure: the body; one without a file is judged in its MJCF.
        steps: of time, seconds; 0 for the file's own.
        each: starts with each noise, for each step.
        seconds: of walking.
        processes: how many walk at a time.

    Raises:
        FootfallError: there is no C compiler, its feet have no shape in the file, or MuJoCo cannot step it.
    """
    check_can_be_judged(figure)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(processes) as pool:
        program, place = c_program(controller, figure, "judged"), Path(folder)
        texts = {"judged.c": program.source, "judged.h": program.header, "run_judged.py": runner_script(program)}
        body = Path(figure.source)
        if body.suffix not in (".xml", ".urdf"):
            texts["body.xml"], body = figure.xml, place / "body.xml"
        for name, text in texts.items():
            write_whole(place / name, text.encode())

        def walk(case: tuple[float, float]) -> tuple[float, float, int, int]:
            dt, noise = case
            words = ["--seconds", seconds, "--dt", dt, "--noise", noise, "--starts", each]
            command = [sys.executable, str(place / "run_judged.py"), str(body), *map(str, words)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            said = _SAID.search(done.stdout)
            if said is None:
                last = (done.stderr.strip().splitlines() or ["no word"])[-1]
                raise FootfallError(f"{body}: the exported C cannot be judged in it: {last}")
            return float(said[2]), noise, int(said[1]), each

        return Trials("original", tuple(pool.map(walk, [(dt, noise) for dt in steps for noise in NOISES])), None)


def check_can_be_judged(figure: Figure) -> None:
    """Refuse a body whose walk cannot be tried in its own file here, with the reason."""
    if which("cc") is None:
        raise FootfallError("there is no C compiler (cc) to walk the body's own file")
    if not _feet_collide(figure):
        raise FootfallError(f"{figure.source}: nothing of its feet collides; their shapes or meshes are missing")


def _feet_collide(figure: Figure) -> bool:
    """Whether any geom of the feet touches in the file."""
    model, feet, back = figure.model, [leg.foot for leg in figure.legs.values()], figure.adoption
    if back is not None:
        model, feet = back.original, [name for foot in feet for name in back.body_names[foot]]
    touches = model.geom_contype | model.geom_conaffinity
    return any(touches[g] and model.body(int(model.geom_bodyid[g])).name in feet for g in range(model.ngeom))
