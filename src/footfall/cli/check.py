"""``footfall check``: replay the golden run of a pack."""

from pathlib import Path
from typing import Annotated, Any, Literal

import tyro

from footfall.cli.arguments import MaybeText
from footfall.cli.printing import Answer, progress
from footfall.errors import FootfallError
from footfall.text_files import is_file

ENGINES = ("native", "c", "mujoco")
SAME = {
    "native": "footfall's law answers the golden run's states with its torques",
    "c": "the pack's C answers the golden run's states with its torques",
    "mujoco": "MuJoCo steps as the golden run does, and the walk stays up as long",
}


def check(
    pack: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="PACK")],
    engine: Literal["native", "c", "mujoco", "all"] = "all",
    figure: MaybeText = None,
) -> Answer:
    """Replay the golden run of a pack, which footfall adapt or footfall export wrote, and print the first difference.

    The exit status is 0 without a difference, 1 with one, and 2 for a damaged pack. A pack contains
    programs, which this command compiles and runs: check only packs that you trust. The script check.py in the pack
    does the same without footfall.

    Args:
        pack: a .zip file or a folder.
        engine: what replays the run: native (the controller's .toml in footfall), c (the pack's C, compiled
            here), mujoco (the robot's own file, stepped with that C), or all.
        figure: a built-in figure needs none; of a robot, its own file, beside its meshes. Default: the pack's copy.
    """
    from footfall.embedded.pack import opened, replays

    if figure is not None and (engine == "c" or not is_file(Path(figure))):
        raise FootfallError(
            "check: the C replays without a body; leave out --figure"
            if engine == "c"
            else f"figure file {figure} does not exist"
        )
    engines = ENGINES if engine == "all" else (engine,)
    with progress(f"{pack}"), opened(pack) as folder:
        checked, found = replays(folder, engines, None if figure is None else Path(figure))
    differs = [found[name] for name in engines if found[name] is not None and not isinstance(found[name], str)]
    golden = dict(checked.about["golden"])
    rows = {
        name: {"difference": None, "note": what} if what is None or isinstance(what, str) else
        {"difference": what._asdict(), "note": None} for name, what in found.items()
    }  # fmt: skip
    answer: dict[str, Any] = {"pack": str(pack), "controller": checked.about["controller"], "figure": checked.body}
    answer |= {"golden": golden, "steps": len(checked.rows), "same": not differs, "replays": rows}

    def say() -> None:
        ending = "up" if checked.up else "falls"
        print(
            f"{answer['controller']} on {checked.body}: {len(checked.rows)} steps, {golden['seconds']:.2f} s, {ending}"
        )
        for name in engines:
            print(f"  {found[name] or SAME[name]}")

    return Answer(answer, say, status=1 if differs else 0)
