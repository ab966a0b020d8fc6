"""``footfall live``: pages that simulate controllers in a browser."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.cli.arguments import Controllers, Folder, MaybeFloat, MaybeText, Words, load_controllers
from footfall.cli.printing import Answer, check_files
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.control.kind import Controller
    from footfall.figures import Figure

LIVE_SUFFIX = ".live.html"
CROWD = "3lp"
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
) -> Answer:
    """Write a page that simulates controllers in the visitor's browser: one file, no server, no network.

    Args:
        controllers: built-in controllers (footfall show) or .toml files; the page switches between them. Or 3lp: a
            crowd of closed-form walkers.
        out: the .html file; by default the first controller's name.
        figure: a built-in figure, an .xml (MJCF) or a .bones file. Default: the controllers' own.
        terrain: a terrain, NAME[:ARGS], that the page offers instead of the usual ones; the first is used at the start.
            May be repeated.
        dt: time step in seconds. Default 0.001, or what the controller's file says.
        norms: a folder with people's tables: their joint angles are drawn behind the walker's.
        check: simulate each controller for 10 s first, and warn about those that fall by themselves.
    """
    if CROWD in controllers:
        return _crowd(controllers, out, (figure, dt, norms, *terrain))
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


def _crowd(controllers: tuple[str, ...], out: str, others: tuple[object, ...]) -> Answer:
    """The page of a crowd."""
    if len(controllers) > 1 or any(other is not None for other in others):
        raise FootfallError(
            f"live: '{CROWD}' is a crowd: leave out other controllers, --figure, --terrain, --dt and --norms"
        )
    (path,) = check_files([out or f"{CROWD}.html"], (".html",))
    from footfall.live.crowd import write_crowd_page

    return _report([CROWD], write_crowd_page(path), {})


def _falls(
    controllers: "list[Controller]", figure: "Figure | None", dt: float | None, terrain: str
) -> dict[str, float]:
    """Controllers that fall by themselves within 10 s, with the seconds until they fall."""
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
