"""``footfall imitate`` on every clip of a folder, a row for each: does the simulated character stay up to its end?

A clip takes seconds where a known set of gains keeps it up, and minutes where gains are searched along it.
"""

from functools import partial
from pathlib import Path

from footfall.errors import FootfallError
from footfall.motion import load_motion
from footfall.study.imitation.followers import TrackingFollower, controller_name
from footfall_reproductions.data_driven.search.training_clips import clip_files
from footfall_reproductions.part import Part
from footfall_reproductions.row import Row


def imitated_files(folder: Path) -> list[Path]:
    """Every motion file under a folder of clips, or under the one that holds it and its like (snu-paper); one of each
    name and size."""
    root = folder.parent if folder.name == "snu-paper" else folder
    return list({(file.stem, file.stat().st_size): file for file in clip_files(root)}.values())


def clip_parts(folder: Path) -> tuple[Part, ...]:
    """A part for each clip."""
    made, taken = [], set()
    for file in imitated_files(folder):
        name = controller_name(file)
        name = f"{controller_name(file.parent)}-{name}" if name in taken else name
        taken.add(name)
        row, measure = f"imitate-{name}", partial(_clip_row, name, file)
        made.append(Part(row, f"imitate {name}", (row,), measure, searches=True))
    return tuple(made)


def _clip_row(name: str, file: Path) -> list[Row]:
    what = f"footfall imitate {file.name}: seconds that the character stays up; holds when it does to the clip's end"
    claim = (
        "any clip of walking, turning, starting and stopping becomes a simulated character by one command (90 % wanted)"
    )
    rule = "the undisturbed run is up at the end of the clip"
    try:
        made = TrackingFollower().imitate(load_motion(file), controller_name(file), pushes=False)
    except FootfallError as error:
        note = f"refused: {error}"
        return [Row(f"imitate-{name}", what, None, None, "s", None, note, source="ours", claim=claim, rule=rule)]
    f = made.following
    pace = "" if f.speed != f.speed else f", {f.speed:.2f} of the clip's speed"
    sets = len(made.controller.repertoire.gains)
    along = f", {sets} sets of gains along the clip" if sets > 1 else ""
    return [
        Row(
            f"imitate-{name}",
            what,
            None,
            f"{f.time:.1f} of {f.seconds:.1f}",
            "s",
            not f.fell,
            f"{made.up} of {made.tried} disturbed starts (0.03 rad/s) stay up; joints {f.joint_error:.1f} degrees off, "
            f"correlation {f.correlation:.2f}{pace}{along}",
            source="ours",
            claim=claim,
            rule=rule,
            departures="a firmer ground with friction 1.5, taken implicitly; quick ankles, as in the authors' turning "
            "demonstrations",
            changed="gains that change along a clip were built after long clips of this folder had fallen",
        )
    ]
