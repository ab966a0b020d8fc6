"""``footfall live``: pages that simulate controllers in a browser."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.cli.arguments import Controllers, Folder, MaybeFloat, MaybeText, Words, load_controllers
from footfall.cli.printing import Answer, check_files, print_columns
from footfall.errors import FootfallError
from footfall.text_files import write_whole

if TYPE_CHECKING:
    from footfall.control.kind import Controller
    from footfall.figures import Figure

LIVE_SUFFIX = ".live.html"
CROWD, COURSE = "3lp", "course"
CHECKED = 10.0
"""Seconds for which a page's controllers are simulated before they are shown to others."""


def live(
    controllers: Controllers = (),
    out: str = "",
    figure: MaybeText = None,
    terrain: Words = (),
    dt: MaybeFloat = None,
    norms: Folder = None,
    check: bool = True,
    grade: Folder = None,
) -> Answer:
    """Write a page that simulates controllers in the visitor's browser: one file, no server, no network.

    Or a course of ten lessons that judge their own exercises: footfall live course --out course/

    Args:
        controllers: built-in controllers (footfall show) or .toml files; the page switches between them. Or 3lp: a
            crowd of closed-form walkers; or course: ten lessons.
        out: the .html file; by default the first controller's name. Of a course, the folder; with --grade, a .csv file.
        figure: a built-in figure, an .xml (MJCF) or a .bones file. Default: the controllers' own.
        terrain: a terrain, NAME[:ARGS], that the page offers instead of the usual ones; the first is used at the start.
            May be repeated.
        dt: time step in seconds. Default 0.001, or what the controller's file says.
        norms: a folder with people's tables: their joint angles are drawn behind the walker's.
        check: simulate each controller for 10 s first, and warn about those that fall by themselves.
        grade: with course: a folder of results that students saved in its pages; they become a table.
    """
    if alone := next((word for word in (CROWD, COURSE) if word in controllers), ""):
        if len(controllers) > 1 or any(other is not None for other in (figure, dt, norms, *terrain)):
            raise FootfallError(
                f"live: '{alone}' stands alone: leave out other controllers, --figure, --terrain, --dt and --norms"
            )
        if alone == COURSE:
            return _course(out, grade)
    if grade is not None:
        raise FootfallError("live: --grade is for a course: footfall live course --grade FOLDER")
    if alone == CROWD:
        return _crowd(out)
    loaded, body = load_controllers("live", controllers, figure, dt)
    (path,) = check_files([out or f"{loaded[0].name}.html"], (".html",))
    from footfall.live.page import TERRAINS, write_live_page

    grounds = terrain or TERRAINS
    write_live_page(loaded, path, figure=body, terrains=grounds, dt=dt, bands=norms)
    falls = _falls(loaded, body, dt, grounds[0]) if check else {}
    for name, seconds in falls.items():
        where = "" if grounds[0] == "flat" else f" on terrain '{grounds[0]}'"
        print(
            f"footfall: warning: '{name}' falls by itself after {seconds:.1f} s{where}, and so it does in the page",
            file=sys.stderr,
        )
    return _report([c.name for c in loaded], path, falls)


def _crowd(out: str) -> Answer:
    """The page of a crowd."""
    (path,) = check_files([out or f"{CROWD}.html"], (".html",))
    from footfall.live.crowd import write_crowd_page

    return _report([CROWD], write_crowd_page(path), {})


def _course(out: str, grade: Path | None) -> Answer:
    """The course's pages, or the table of a class's results."""
    if grade is not None:
        return _grades(grade, out)
    from footfall.live.course import write_course

    written = write_course(out or COURSE)
    answer = {"files": [str(path) for path in written], "bytes": [path.stat().st_size for path in written]}
    words = f"wrote {len(written)} files to {written[0].parent}; open index.html there; answers are in for-teachers"
    return Answer(answer, lambda: print(words))


def _falls(
    controllers: "list[Controller]", figure: "Figure | None", dt: float | None, terrain: str
) -> dict[str, float]:
    """Controllers that fall within 10 s of their start though nobody pushes them, with the seconds they stand."""
    from footfall.control.registry import kind_of
    from footfall.simulation import Simulation
    from footfall.terrain import parse_terrain

    found = {}
    for controller in controllers:
        begun = kind_of(controller).for_page(controller)
        simulation = Simulation(begun, figure=figure, dt=dt, terrain=parse_terrain(terrain))
        simulation.run(CHECKED)
        outcome = simulation.outcome()
        if not outcome.survived[0]:
            found[controller.name] = float(outcome.end_time[0])
    return found


def _report(controllers: list[str], path: Path, falls: dict[str, float]) -> Answer:
    size = path.stat().st_size
    answer = {"controllers": controllers, "file": str(path), "bytes": size, "falls": falls}
    return Answer(answer, lambda: print(f"wrote {path} ({size / 1000:.0f} kB); open it in any browser"))


def _grades(folder: Path, out: str) -> Answer:
    """A class's results as a table."""
    files = check_files([out] if out else [], (".csv",))
    from footfall.live.course.grading import grade_folder, grades_csv

    students, problems = grade_folder(folder)
    for path in files:
        write_whole(path, grades_csv(students))
    for problem in problems:
        print(f"footfall: warning: {problem}", file=sys.stderr)
    rows = [[s.name, f"{sum(map(bool, s.passed.values()))}", *(s.mark(k) for k in s.passed)] for s in students]
    names = list(students[0].passed) if students else []
    head = ["student", "passed", *(name.split("-")[0] for name in names)]
    answer = {"students": [{"student": s.name, "passed": s.passed} for s in students], "problems": problems}
    return Answer(answer, lambda: print_columns([head, *rows]), files)
