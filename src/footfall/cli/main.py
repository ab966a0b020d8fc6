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

GROUPS: dict[str, dict[str, tuple[str, str]]] = {
    "make it walk": {
        "run": ("footfall.cli.run:run", "simulate a controller and report the outcome"),
        "optimize": ("footfall.cli.optimize:optimize", "search a controller's parameters for a goal, or a new gait"),
        "adapt": ("footfall.cli.adapt:adapt", "carry controllers to other bodies: a robot, a child, a list of them"),
        "train": ("footfall.cli.train:train", "train a network that corrects a controller, or its torso's torques"),
        "imitate": ("footfall.cli.imitate:imitate", "turn captured clips into a simulated character"),
    },
    "watch it": {
        "studio": ("footfall.cli.studio:studio", "author, watch and push walking bipeds in the browser"),
        "live": ("footfall.cli.live:live", "write a page that simulates controllers in any browser"),
        "show": ("footfall.cli.show:show", "list or show the controllers, figures and terrains"),
    },
    "study it": {
        "sweep": ("footfall.cli.sweep:sweep", "run a controller over a grid or sample of anything"),
        "robustness": ("footfall.cli.robustness:robustness", "measure how hard controllers can be pushed and stressed"),
        "stability": ("footfall.cli.stability:stability", "return map, Floquet multipliers, bifurcations, basin"),
        "analyse": ("footfall.cli.analyse:analyse", "analyse a walk as gait laboratories do: angles, moments, forces"),
        "what-if": ("footfall.cli.what_if:what_if", "change the body of a walk: a limp, a load, a prosthesis"),
    },
    "motion": {
        "motion": ("footfall.cli.motion:COMMANDS", "import, inspect, plot, compare and join motion files"),
        "steer": ("footfall.cli.steer:steer", "steer a simulated character along a path, from captured clips"),
    },
    "export": {
        "export": ("footfall.cli.export:export", "write motion, films, pages, bodies, WebAssembly modules or C"),
    },
    "the papers' own": {
        "limit-cycle": ("footfall.cli.limit_cycle:limit_cycle", "balance a pose control graph or script step by step"),
        "pendulum": ("footfall.cli.pendulum:pendulum", "walk in closed form, one walker or a crowd"),
        "transitions": ("footfall.cli.transitions:transitions", "which controllers can be entered from which others"),
    },
}
"""Group, by what people want -> its commands: name -> (module:attribute, one line of help)."""
OWN = {name: row for group in GROUPS.values() for name, row in group.items()}
"""Name -> (module:attribute, one line of help) of the commands that come with footfall itself."""

APART = {"reproduce": ("footfall-reproductions", "reproductions", "measure a paper's tables and claims again")}
"""Name -> (package, its folder in a checkout, one line of help) of commands whose package is installed on its own; they
are listed with the papers' own."""
SHELLS = ("bash", "zsh", "fish")


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
    if name == "--completion":
        if len(rest) != 1 or rest[0] not in SHELLS:
            raise FootfallError(f"--completion: name your shell: {', '.join(SHELLS)}")
        from footfall.cli.completion import completion_script

        print(completion_script(rest[0]), end="")
        return 0
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


def command_groups() -> dict[str, list[str]]:
    """Title -> commands: footfall's own groups, then what other packages add."""
    groups = {title: list(commands) for title, commands in GROUPS.items()}
    groups["the papers' own"] += APART
    added = [name for name in plugin_names("commands") if name not in OWN and name not in APART]
    return groups | ({"from other packages": added} if added else {})


def _usage() -> str:
    width = max(len(name) for name in command_names())
    lines = ["usage: footfall COMMAND …", ""]
    for title, names in command_groups().items():
        lines += [f"{title}:", *(f"  {name:<{width}}  {command_help(name)}" for name in names), ""]
    lines += [
        "footfall COMMAND --help lists the options of a command.",
        "footfall --completion bash (or zsh, fish) prints a script that completes commands, options and names.",
    ]
    return "\n".join(lines)
