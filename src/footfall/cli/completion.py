"""``footfall --completion SHELL``: scripts that complete commands, options and names in bash, zsh and fish."""

import sys
from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin

from footfall.cli.arguments import Offers, arguments_of
from footfall.cli.commands import OWN, command_help, command_names, command_package, load_command
from footfall.errors import FootfallError
from footfall.escaping import completed_words, fish_string


def completion_script(shell: str) -> str:
    """A script that completes footfall's commands, options and names.

    bash: footfall --completion bash >> ~/.bashrc. zsh: footfall --completion zsh >> ~/.zshrc.
    fish: footfall --completion fish > ~/.config/fish/completions/footfall.fish. Then open a new shell.
    """
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _functions() -> dict[str, Callable[..., Any]]:
    """Command (of a group: "motion info") -> its function. A command that cannot be loaded is left out, and said."""
    found: dict[str, Callable[..., Any]] = {}
    for name in _installed():
        try:
            command = load_command(name)
        except FootfallError as error:
            print(f"footfall: {error}", file=sys.stderr)
            continue
        for more, function in command.items() if isinstance(command, dict) else [("", command)]:
            found[f"{name} {more}".strip()] = function
    return found


def _installed() -> list[str]:
    return [name for name in command_names() if name in OWN or command_package(name)]


def _is_positional(kind: Any) -> bool:
    return "Positional" in repr(kind)


def _options(function: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    """Option -> the words that may follow it."""
    options: dict[str, tuple[str, ...]] = {"--help": ()}
    for name, (kind, default) in arguments_of(function).items():
        if _is_positional(kind):
            continue
        option = f"--{name.strip('_').replace('_', '-')}"
        options[option] = _values(name, kind)
        if kind is bool and default is True:
            options[f"--no-{option[2:]}"] = ()
    return options


def _names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The words that a command takes without an option before them."""
    kinds = arguments_of(function).items()
    return tuple(word for name, (kind, _) in kinds if _is_positional(kind) for word in _values(name, kind))


def _values(name: str, kind: Any) -> tuple[str, ...]:
    if name == "figure":
        from footfall.figures.builtin import figure_names

        return tuple(figure_names())
    if name == "onto":
        return _values("figure", kind)
    if name == "terrain":
        from footfall.terrain import terrain_names

        return tuple(terrain_names())
    if name == "device":
        return ("cpu", "cuda")
    for part in (kind, *get_args(kind)):
        if isinstance(part, Offers):
            return tuple(part.words())
        if get_origin(part) is Literal:
            return tuple(str(v) for v in get_args(part) if v)
    return ()


def _bash() -> str:
    functions = _functions()
    commands = {command: _options(function) for command, function in functions.items()}
    groups: dict[str, list[str]] = {}
    for command in commands:
        first, _, second = command.partition(" ")
        groups.setdefault(first, []).extend([second] if second else [])
    cases = []
    for command, options in commands.items():
        after = "".join(
            f'          {option}) words="{completed_words(values)}" ;;\n'
            for option, values in options.items()
            if values
        )
        cases.append(
            f'      "{command}")\n'
            f'        words="{" ".join(options)} {completed_words(_names(functions[command]))}"\n'
            f'        case "$before" in\n{after}          *) ;;\n        esac ;;\n'
        )
    for first, seconds in groups.items():
        if seconds:
            cases.append(f'      "{first}") words="{" ".join(seconds)}" ;;\n')
    grouped = " ".join(first for first, seconds in groups.items() if seconds)
    return f"""# footfall: completion of commands, options and names
_footfall() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="{" ".join(groups)}"
  else
    for group in {grouped}; do
      if [ "$command" = "$group" ] && [ "$COMP_CWORD" -gt 2 ]; then command="$command ${{COMP_WORDS[2]}}"; fi
    done
    case "$command" in
{"".join(cases)}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _footfall footfall
"""


def _zsh() -> str:
    return f"autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n{_bash()}"


def _fish() -> str:
    lines = ["# footfall: completion of commands, options and names"]
    none = "not __fish_seen_subcommand_from " + " ".join(_installed())
    for name in _installed():
        lines.append(f"complete -c footfall -f -n '{none}' -a {name} -d {fish_string(command_help(name))}")
    for command, function in _functions().items():
        first, _, second = command.partition(" ")
        seen = f"__fish_seen_subcommand_from {first}"
        if second:
            lines.append(f"complete -c footfall -n '{seen}' -a {second}")
        for option, values in _options(function).items():
            words = f" -x -a '{completed_words(values)}'" if values else ""
            lines.append(f"complete -c footfall -n '{seen}' -l {option[2:]}{words}")
        if names := _names(function):
            lines.append(f"complete -c footfall -n '{seen}' -a '{completed_words(names)}'")
    return "\n".join(lines) + "\n"
