"""The command ``footfall``: finds the sub-command, loads only what it needs, and prints errors in one line."""

import contextlib
import functools
import io
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from footfall import __version__
from footfall.cli.commands import command_groups, command_help, command_names, command_package, load_command
from footfall.errors import MOST_COUNT, FootfallError, FootfallWarning, check_name

SHELLS = ("bash", "zsh", "fish")


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
    except MemoryError as error:
        print(f"footfall: {_out_of_memory(error)}", file=sys.stderr)
        return 2


def _out_of_memory(error: MemoryError) -> str:
    asked = f" ({error})" if str(error) else ""
    return f"there is not enough memory for this{asked}; ask for fewer at a time: worlds, values, candidates or frames"


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
        check_name(f"'{prog}' command", rest[0], command)
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
    _check_counts(bound.keywords)
    result = bound()
    return int(result or 0)


def _deferred(command: Callable[..., Any]) -> Callable[..., functools.partial[Any]]:
    """``command`` with the same signature, but returning the call instead of making it."""

    @functools.wraps(command)
    def bind(*args: Any, **kwargs: Any) -> functools.partial[Any]:
        return functools.partial(command, *args, **kwargs)

    return bind


def _check_counts(options: Mapping[str, Any]) -> None:
    """Refuse counts that nothing can have, whatever is counted, also those of a group of options; seeds are none."""
    for name, value in options.items():
        if is_dataclass(value) and not isinstance(value, type):
            _check_counts({f.name: getattr(value, f.name) for f in fields(value)})
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, int) and abs(one) > MOST_COUNT and name != "seed":
                raise FootfallError(f"--{name.strip('_').replace('_', '-')} is {one}; it may be at most {MOST_COUNT}")


def _one_line(text: str) -> str:
    plain = re.sub(r"[│╭╮╰╯┃]+", " ", re.sub(r"\x1b\[[0-9;]*m", "", text))
    parts = [re.sub(r"\s+", " ", part).strip() for part in re.split(r"[─━]+|-{4,}", plain)]
    titled = [(part, after) for part, after in zip(parts, [*parts[1:], ""], strict=True) if part]
    return "; ".join(part for part, after in titled if not after.startswith(f"{part}:"))


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
