"""The command ``footfall``: finds the sub-command, loads only what it needs, and prints errors in one line."""

import contextlib
import functools
import io
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from footfall import __version__
from footfall.errors import FootfallError, unknown_name

__all__ = ["COMMANDS", "main"]

COMMANDS: dict[str, tuple[str, str]] = {
    "run": ("footfall.cli.run:run", "simulate a controller and report the outcome"),
    "list": ("footfall.cli.list_:list_", "list the controllers, figures and terrains"),
    "show": ("footfall.cli.show:show", "show a controller, a figure or a terrain"),
    "studio": ("footfall.cli.studio:studio", "author, watch and push walking bipeds in the browser"),
    "sweep": ("footfall.cli.sweep:sweep", "run a controller over a grid or sample of anything"),
    "robustness": ("footfall.cli.robustness:robustness", "measure how hard controllers can be pushed and stressed"),
    "stability": ("footfall.cli.stability:stability", "return map, Floquet multipliers, bifurcations, basin"),
    "optimize": ("footfall.cli.optimize:optimize", "search a controller's parameters for a goal"),
    "find-gait": ("footfall.cli.find_gait:find_gait", "search for a gait in space that meets a goal"),
    "transitions": ("footfall.cli.transitions:transitions", "which controllers can be entered from which others"),
    "learn": ("footfall.cli.learn:learn", "let a gait learn to anticipate the swing of its torso"),
    "imitate": ("footfall.cli.imitate:imitate", "turn a captured clip into a simulated character"),
    "steer": ("footfall.cli.steer:steer", "steer a simulated character along a path, from captured clips"),
    "limit-cycle": ("footfall.cli.limit_cycle:limit_cycle", "balance a pose control graph step by step"),
    "script": ("footfall.cli.script:script", "run an animation script of Laszlo's thesis"),
    "pendulum": ("footfall.cli.pendulum:pendulum", "walk in closed form, one walker or a crowd"),
    "motion": ("footfall.cli.motion:COMMANDS", "inspect motion files: info, plot, compare, cycle, stream"),
    "import": ("footfall.cli.import_:import_", "read a motion clip, and retarget it onto a figure"),
    "export": ("footfall.cli.export:export", "write motion: glTF, BVH, CSV, films, web pages"),
    "reproduce": ("footfall_reproductions.command:reproduce", "measure a paper's tables and claims again"),
    "live": ("footfall.cli.live:live", "write a page that simulates controllers in any browser"),
    "export-module": ("footfall.cli.live:export_module", "write a controller as a WebAssembly module"),
    "bench": ("footfall.cli.bench:bench", "compare its speed with MuJoCo's on this machine"),
    "completion": ("footfall.cli.completion:completion", "print a script that completes commands in your shell"),
}
"""Sub-command -> (module:callable, one line of help). A callable's signature is its command line; a dict of callables
is a group of sub-sub-commands."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status (2 for anything the user gave that is wrong)."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        return _dispatch(args)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("footfall: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 141


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0
    if args[0] in ("-V", "--version"):
        print(f"footfall {__version__}")
        return 0
    name, *rest = args
    if name not in COMMANDS:
        raise unknown_name("command", name, COMMANDS)
    module, _, attribute = COMMANDS[name][0].partition(":")
    command = getattr(import_module(module), attribute)
    prog = f"footfall {name}"
    if isinstance(command, dict):
        if not rest or rest[0] in ("-h", "--help"):
            print("\n".join([f"usage: {prog} COMMAND …", ""] + [f"  {prog} {sub} --help" for sub in command]))
            return 0
        if rest[0] not in command:
            raise unknown_name(f"'{prog}' command", rest[0], command)
        prog, command, rest = f"{prog} {rest[0]}", command[rest[0]], rest[1:]
    return _call(command, prog, rest)


def _call(command: Callable[..., Any], prog: str, args: list[str]) -> int:
    import tyro

    said = io.StringIO()
    if any(a in ("-h", "--help") for a in args):
        tyro.cli(command, prog=prog, args=args)
        return 0
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            bound = tyro.cli(_deferred(command), prog=prog, args=args)
    except SystemExit as stop:
        raise FootfallError(_one_line(said.getvalue()) or f"{prog}: bad arguments") from stop
    result = bound()
    return int(result or 0)


def _deferred(command: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    """``command`` with the same signature, but returning the call instead of making it."""

    @functools.wraps(command)
    def bind(*args: Any, **kwargs: Any) -> Callable[[], Any]:
        return functools.partial(command, *args, **kwargs)

    return bind


def _one_line(text: str) -> str:
    plain = re.sub(r"[│╭╮╰╯┃]+", " ", re.sub(r"\x1b\[[0-9;]*m", "", text))
    parts = [re.sub(r"\s+", " ", part).strip() for part in re.split(r"[─━]+|-{4,}", plain)]
    titled = [(part, after) for part, after in zip(parts, [*parts[1:], ""], strict=True) if part]
    return "; ".join(part for part, after in titled if not after.startswith(f"{part}:"))


def _usage() -> str:
    rows = [f"  {name:<12} {text}" for name, (_, text) in COMMANDS.items()]
    return "\n".join(
        ["usage: footfall COMMAND …", "", *rows, "", "footfall COMMAND --help lists the options of a command."]
    )
