"""``footfall export-c``: a controller as C99, and a script that walks a figure's file with it in MuJoCo alone."""

from pathlib import Path

from footfall.cli.arguments import Controller, MaybeText
from footfall.cli.printing import print_json
from footfall.errors import FootfallError

SUFFIXES = (".c", ".h")


def export_c(
    controller: Controller,
    out: str = "",
    figure: MaybeText = None,
    runner: bool = False,
    json: bool = False,
) -> int:
    """Write a controller as plain C99 for robots and other programs: NAME.c and NAME.h.

    From sensed positions and velocities it gives joint torques; it holds the law, the controller's numbers and the
    kinematics of the soles, allocates nothing, and needs math.h alone.

    Args:
        controller: a built-in controller (footfall list) or a .toml file.
        out: the files' name without suffix, with a folder or without; names in C begin with it. Default: the
            controller's name.
        figure: a built-in figure, an .xml (MJCF) or a .bones file; Default: the controller's own.
        runner: also write run_NAME.py, which compiles the C and walks the figure's file in MuJoCo without footfall.
        json: print one JSON object on standard output.
    """
    from footfall.control.registry import load_walker
    from footfall.embedded.program import c_program, runner_script
    from footfall.figures import Figure
    from footfall.text_files import write_whole

    loaded = load_walker(controller)
    path = Path(out or loaded.name)
    if path.suffix in SUFFIXES:
        path = path.with_suffix("")
    if not path.parent.is_dir():
        raise FootfallError(f"{path}: there is no folder '{path.parent}'")
    body = Figure.load(figure or loaded.figure)
    program = c_program(loaded, body, path.name)
    texts = {path.with_name(f"{path.name}.c"): program.source, path.with_name(f"{path.name}.h"): program.header}
    if runner:
        texts[path.with_name(f"run_{path.name}.py")] = runner_script(program)
    for file, text in texts.items():
        write_whole(file, text.encode())
    if json:
        print_json(
            {
                "controller": loaded.name,
                "figure": body.name,
                "files": [str(file) for file in texts],
                "joints": [joint.name for joint in program.joints],
                "points": list(program.control.points),
            }
        )
    else:
        print(f"wrote {', '.join(str(file) for file in texts)}")
        print(f"{len(program.joints)} joints; compile with cc -std=c99 -O2 -c {path.name}.c")
    return 0
