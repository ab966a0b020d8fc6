"""``footfall completion``: scripts that complete commands, options and names in bash, zsh and fish."""

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, Literal, get_args, get_origin

import tyro

__all__ = ["completion"]


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], tyro.conf.Positional, tyro.conf.arg(metavar="SHELL")],
) -> int:
    """Print a script that completes footfall's commands, options and names.

    bash: footfall completion bash >> ~/.bashrc. zsh: footfall completion zsh >> ~/.zshrc.
    fish: footfall completion fish > ~/.config/fish/completions/footfall.fish. Then open a new shell.

    Args:
        shell: bash, zsh or fish.
    """
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](), end="")
    return 0


def _commands() -> dict[str, dict[str, tuple[str, ...]]]:
    """Command (of a group: "motion info") -> option -> the words that may follow it."""
    from footfall.cli.main import COMMANDS

    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name, (place, _) in COMMANDS.items():
        module, _, attribute = place.partition(":")
        command = getattr(import_module(module), attribute)
        for more, function in command.items() if isinstance(command, dict) else [("", command)]:
            found[f"{name} {more}".strip()] = _options(function)
    return found


def _options(function: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    options: dict[str, tuple[str, ...]] = {"--help": ()}
    for name, parameter in inspect.signature(function).parameters.items():
        kind = parameter.annotation
        if "Positional" in repr(kind):
            continue
        option = f"--{name.strip('_').replace('_', '-')}"
        options[option] = _values(name, kind)
        if kind is bool and parameter.default is True:
            options[f"--no-{option[2:]}"] = ()
    return options


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
        if get_origin(part) is Literal:
            return tuple(str(v) for v in get_args(part) if v)
    return ()


def _names() -> dict[str, tuple[str, ...]]:
    """Command -> names that it takes."""
    from footfall.control.registry import controller_names
    from footfall.figures.builtin import figure_names
    from footfall.terrain import terrain_names
    from footfall_reproductions import PAPERS

    controllers = controller_names()
    taking = ("run", "sweep", "robustness", "stability", "optimize", "transitions", "learn", "limit-cycle", "studio")
    return {
        **dict.fromkeys(taking, controllers),
        "show": (*controllers, *figure_names(), *terrain_names()),
        "reproduce": (*PAPERS, "all"),
        "completion": ("bash", "zsh", "fish"),
    }


def _bash() -> str:
    commands, names = _commands(), _names()
    groups: dict[str, list[str]] = {}
    for command in commands:
        first, _, second = command.partition(" ")
        groups.setdefault(first, []).extend([second] if second else [])
    cases = []
    for command, options in commands.items():
        after = "".join(
            f'          {option}) words="{" ".join(values)}" ;;\n' for option, values in options.items() if values
        )
        cases.append(
            f'      "{command}")\n'
            f'        words="{" ".join(options)} {" ".join(names.get(command, ()))}"\n'
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
    from footfall.cli.main import COMMANDS

    lines = ["# footfall: completion of commands, options and names"]
    none = "not __fish_seen_subcommand_from " + " ".join(COMMANDS)
    for name, (_, text) in COMMANDS.items():
        about = text.replace("'", "\\'")
        lines.append(f"complete -c footfall -f -n '{none}' -a {name} -d '{about}'")
    for command, options in _commands().items():
        first, _, second = command.partition(" ")
        seen = f"__fish_seen_subcommand_from {first}"
        if second:
            lines.append(f"complete -c footfall -n '{seen}' -a {second}")
        for option, values in options.items():
            words = f" -x -a '{' '.join(values)}'" if values else ""
            lines.append(f"complete -c footfall -n '{seen}' -l {option[2:]}{words}")
    for command, names in _names().items():
        lines.append(f"complete -c footfall -n '__fish_seen_subcommand_from {command}' -a '{' '.join(names)}'")
    return "\n".join(lines) + "\n"
