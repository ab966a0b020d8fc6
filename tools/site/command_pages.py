"""The command reference, from the commands themselves: their signatures, docstrings and defaults."""

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import tyro

from footfall.cli.commands import OWN, command_groups, command_help, load_command
from tools.site.toctree import toctree

_DEFAULT = " (default:"


def command_pages(names: tuple[str, ...] = (*OWN, "reproduce")) -> dict[str, str]:
    """Page name -> Markdown: a page for each command, and ``index`` with a line on each."""
    index = "# Commands\n\n`footfall COMMAND --help` prints what these pages hold.\n\n"
    for title, commands in command_groups().items():
        rows = [
            f"| [`footfall {name}`]({name}.md) | {command_help(name).partition(' (from')[0]} |\n"
            for name in commands
            if name in names
        ]
        index += f"## {title[0].upper()}{title[1:]}\n\n| command | |\n|---|---|\n{''.join(rows)}\n" if rows else ""
    index += toctree(*(f"footfall {name} <{name}>" for name in names))
    return {"index": index} | {name: _page(name) for name in names}


def _page(name: str) -> str:
    command = load_command(name)
    title = f"# footfall {name}\n\n"
    if not isinstance(command, dict):
        return title + _described(f"footfall {name}", command)
    head = f"{command_help(name)[0].upper()}{command_help(name)[1:]}.\n\n"
    parts = [f"## footfall {name} {sub}\n\n{_described(f'footfall {name} {sub}', run)}" for sub, run in command.items()]
    return title + head + "\n".join(parts)


def _described(prog: str, command: Callable[..., Any]) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # tyro has no other way to its parser
        parser = tyro.extras.get_parser(command, prog=prog)
    arguments = [action for action in parser._actions if action.dest != "help"]
    words = " ".join(_placeholder(action) for action in arguments if not action.option_strings)
    parts = [_paragraphs(parser.description or ""), f"```text\n{prog} {words} [OPTIONS]\n```".replace("  ", " ")]
    for heading, chosen in (
        ("argument", [a for a in arguments if not a.option_strings]),
        ("option", [a for a in arguments if a.option_strings]),
    ):
        if chosen:
            parts.append("\n".join([f"| {heading} | what it is | default |", "|---|---|---|", *map(_row, chosen)]))
    return "\n\n".join(parts) + "\n"


def _row(action: argparse.Action) -> str:
    text, _, default = " ".join((action.help or "").replace(" (repeatable)", "").split()).partition(_DEFAULT)
    default = default.strip().removesuffix(")").strip("'")
    shown = f"`{default}`" if default not in ("", "None", "False") else ""
    return f"| {'<br>'.join(_names(action))} | {_cell(text)} | {_cell(shown)} |"


def _names(action: argparse.Action) -> Iterator[str]:
    if not action.option_strings:
        yield f"`{_placeholder(action)}`"
    value = "" if action.nargs == 0 else f" {_placeholder(action)}"
    for name in action.option_strings:
        yield f"`{_cell(name + value)}`"


def _placeholder(action: argparse.Action) -> str:
    if isinstance(action, argparse.BooleanOptionalAction):
        return ""
    if action.choices is not None:
        return "{" + ",".join(_ordered(action)) + "}"
    shown = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    return f"[{shown}]" if action.nargs in ("?", "*") and not action.option_strings else shown


def _ordered(action: argparse.Action) -> list[str]:
    """The choices in the order of the signature: argparse may hold them as a set."""
    shown = action.metavar if isinstance(action.metavar, str) else ""
    given = shown.strip("{}").split(",") if shown.startswith("{") else sorted(str(c) for c in action.choices or ())
    return [choice for choice in given if choice != "None"]


def _paragraphs(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
