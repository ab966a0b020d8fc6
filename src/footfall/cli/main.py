"""The command ``footfall``: finds the sub-command, loads only what it needs, and prints errors in one line.

Other packages add commands through their ``pyproject.toml``:

    [project.entry-points."footfall.commands"]
    hop = "my_package.command:hop"

A command is a function, or a dict of functions for a command with sub-commands of its own. A function's signature is
its command line (see tyro), its docstring the help; :class:`~footfall.cli.arguments.Offers` in an annotation completes
words. It returns an exit status or nothing, and raises :class:`~footfall.errors.FootfallError` for whatever the user
gave that is wrong.
"""

import contextlib
import functools
import io
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from footfall import __version__
from footfall.errors import FootfallError, FootfallWarning, unknown_name
from footfall.plugins import load_plugin, plugin_names, plugin_package

Command = Callable[..., Any] | dict[str, Callable[..., Any]]

OWN: dict[str, tuple[str, str]] = {
    "run": ("footfall.cli.run:run", "simulate a controller and report the outcome"),
    "list": ("footfall.cli.list_:list_", "list the controllers, figures and terrains"),
    "show": ("footfall.cli.show:show", "show a controller, a figure or a terrain"),
    "studio": ("footfall.cli.studio:studio", "author, watch and push walking bipeds in the browser"),
    "sweep": ("footfall.cli.sweep:sweep", "run a controller over a grid or sample of anything"),
    "robustness": ("footfall.cli.robustness:robustness", "measure how hard controllers can be pushed and stressed"),
    "push-map": ("footfall.cli.robustness:map_pushes", "push a gait in thousands to millions of worlds"),
    "stability": ("footfall.cli.stability:stability", "return map, Floquet multipliers, bifurcations, basin"),
    "optimize": ("footfall.cli.optimize:optimize", "search a controller's parameters for a goal"),
    "find-gait": ("footfall.cli.find_gait:find_gait", "search for a 3D gait that meets a goal"),
    "analyse": ("footfall.cli.analyse:analyse", "analyse a walk as gait laboratories do: angles, moments, forces"),
    "what-if": (
        "footfall.cli.what_if:what_if",
        "a walk before and after a change of its body: a limp, a load, a prosthesis",
    ),
    "adapt": ("footfall.cli.adapt:adapt", "carry a controller to another body, a robot or a child"),
    "adapt-many": ("footfall.cli.adapt:adapt_list", "carry controllers to many bodies, listed in a file"),
    "transitions": ("footfall.cli.transitions:transitions", "which controllers can be entered from which others"),
    "learn": ("footfall.cli.learn:learn", "let a gait learn to anticipate the swing of its torso"),
    "train": ("footfall.cli.train:train", "train a network that corrects a controller (PPO)"),
    "imitate": ("footfall.cli.imitate:imitate", "turn a captured clip into a simulated character"),
    "steer": ("footfall.cli.steer:steer", "steer a simulated character along a path, from captured clips"),
    "limit-cycle": ("footfall.cli.limit_cycle:limit_cycle", "balance a pose control graph step by step"),
    "script": ("footfall.cli.limit_cycle:script", "run an animation script of Laszlo's thesis"),
    "pendulum": ("footfall.cli.pendulum:pendulum", "walk in closed form, one walker or a crowd"),
    "motion": ("footfall.cli.motion:COMMANDS", "inspect motion files: info, plot, compare, cycle, stream"),
    "figure": ("footfall.cli.figure:COMMANDS", "make bodies: from a clip's skeleton, or in another size"),
    "import": ("footfall.cli.import_export:import_", "read a motion clip, and retarget it onto a figure"),
    "export": ("footfall.cli.import_export:export", "write motion: glTF, BVH, CSV, films, web pages"),
    "live": ("footfall.cli.live:live", "write a page that simulates controllers in any browser"),
    "export-module": ("footfall.cli.live:export_module", "write a controller as a WebAssembly module"),
    "export-c": ("footfall.cli.export_c:export_c", "write a controller as C99, for robots"),
    "bench": ("footfall.cli.bench:bench", "compare its speed with MuJoCo's on this machine"),
    "completion": ("footfall.cli.completion:completion", "print a script that completes commands in your shell"),
}
"""Name -> (module:attribute, one line of help) of the commands that come with footfall itself."""

APART = {"reproduce": ("footfall-reproductions", "reproductions", "measure a paper's tables and claims again")}
"""Name -> (package, its folder in a checkout, one line of help) of commands whose package is installed on its own."""


def command_names() -> tuple[str, ...]:
    """All commands: footfall's own, those that other packages add, and those that could be installed."""
    return tuple(dict.fromkeys([*OWN, *plugin_names("commands"), *APART]))


def command_package(name: str) -> str:
    """The other package that adds a command; empty where it comes with footfall or is not installed."""
    return plugin_package("commands", name) if name in plugin_names("commands") and name not in OWN else ""


def command_help(name: str) -> str:
    """One line on a command. Nothing is imported for it."""
    if name in OWN:
        return OWN[name][1]
    package = command_package(name)
    if name not in APART:
        return f"from {package}"
    own, _, text = APART[name]
    return f"{text} (from {package})" if package else f"{text} (not installed: pip install {own})"


def load_command(name: str) -> Command:
    """What runs a command; an error that says what to do where it is unknown, not installed, or cannot be loaded."""
    if name in OWN:
        module, _, attribute = OWN[name][0].partition(":")
        own: Command = getattr(import_module(module), attribute)
        return own
    package = command_package(name)
    if package:
        found = load_plugin("commands", name)
        if not callable(found) and not (isinstance(found, dict) and all(callable(f) for f in found.values())):
            raise FootfallError(
                f"package '{package}' adds the command '{name}' to footfall, but names a {type(found).__name__}; "
                "it must name a function, or a dict of functions"
            )
        command: Command = found
        return command
    if name in APART:
        package, folder, text = APART[name]
        raise FootfallError(
            f"{name} ({text}) comes in a package of its own: pip install {package}, "
            f"or in a checkout pip install -e {folder}"
        )
    raise unknown_name("command", name, command_names())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status (2 for anything the user gave that is wrong)."""
    args = list(sys.argv[1:] if argv is None else argv)
    _print_anything()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = functools.partial(_print_warning, warnings.showwarning)
            return _dispatch(args)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("footfall: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 141


def _print_anything() -> None:
    """Print "?" for a character that the terminal or the pipe has no code for (Windows), instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def _print_warning(usual: Callable[..., None], message: Warning | str, *place: Any, **options: Any) -> None:
    """A warning of footfall's in one line; others as usual."""
    if isinstance(message, FootfallWarning):
        print(f"footfall: {message}", file=sys.stderr)
    else:
        usual(message, *place, **options)


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help", "help"):
        print(_usage())
        return 0
    if args[0] in ("-V", "--version"):
        print(f"footfall {__version__}")
        return 0
    name, *rest = args
    command = load_command(name)
    prog = f"footfall {name}"
    if isinstance(command, dict):
        if not rest or rest[0] in ("-h", "--help"):
            print("\n".join([f"usage: {prog} COMMAND …", ""] + [f"  {prog} {sub} --help" for sub in command]))
            return 0
        if rest[0] not in command:
            raise unknown_name(f"'{prog}' command", rest[0], command)
        prog, command, rest = f"{prog} {rest[0]}", command[rest[0]], rest[1:]
    package = command_package(name)
    return _call_guest(command, prog, rest, package) if package else _call(command, prog, rest)


def _call_guest(command: Callable[..., Any], prog: str, args: list[str], package: str) -> int:
    """As _call, for a command of another package: whatever goes wrong is said in one line that names the package."""
    try:
        return _call(command, prog, args)
    except (FootfallError, BrokenPipeError):
        raise
    except Exception as error:
        *_, last = traceback.extract_tb(error.__traceback__)
        text = f"{type(error).__name__}: {error} ({last.filename}, line {last.lineno})"
        raise FootfallError(f"{prog.removeprefix('footfall ')}, from package '{package}': {text}") from error


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
    width = max(len(name) for name in command_names())
    rows = [f"  {name:<{width}}  {command_help(name)}" for name in command_names()]
    return "\n".join(
        ["usage: footfall COMMAND …", "", *rows, "", "footfall COMMAND --help lists the options of a command."]
    )
