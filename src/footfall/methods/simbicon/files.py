"""Files of pose control graphs: one readable TOML text for each.

A file that was loaded and not changed saves back byte for byte; a changed or new one is written in one canonical form.
"""

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from footfall.control.integration import Integration
from footfall.control.registry import load_controller
from footfall.control.start import Start
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.methods.simbicon.cycle import Cycle
from footfall.methods.simbicon.feedforward import FeedForward, feedforward_section
from footfall.methods.simbicon.graph import (
    Balance,
    Gains,
    PoseControlGraph,
    Reaction,
    Servo,
    Sight,
    State,
    Target,
)
from footfall.methods.simbicon.recovery import Recovery
from footfall.text_files import parse_toml
from footfall.writing import write_whole

__all__ = ["load_graph", "parse_graph", "print_graph", "save_graph"]

_TABLES = ("joints", "shifts")
"""Keys of sections that hold a table by joint."""
_STATE_KEYS = ("name", "stance", "flight", "hold", "contact", "next", "exchange", "disturbed", "handover")
_SECTIONS: dict[str, type] = {
    "balance": Balance,
    "servo": Servo,
    "reaction": Reaction,
    "feedforward": FeedForward,
    "sight": Sight,
    "recovery": Recovery,
    "cycle": Cycle,
    "ground": Ground,
    "integration": Integration,
    "start": Start,
}
_PAIRS = ("hip_range", "torso", *(f.name for f in fields(Cycle) if f.default == (0.0, 0.0)))
_TOP_KEYS = ("name", "figure", "law", "symmetric", "about", *_SECTIONS, "states", "basin")


def load_graph(source: str | Path | PoseControlGraph) -> PoseControlGraph:
    """A pose control graph by built-in name or from a ``.toml`` file (a graph passes through); other controllers are
    refused."""
    controller = load_controller(source)
    if not isinstance(controller, PoseControlGraph):
        raise FootfallError(
            f"controller '{controller.name}' is not a pose control graph; its law is '{controller.law}'"
        )
    return controller


def save_graph(controller: PoseControlGraph, path: str | Path) -> None:
    """Write a controller file, whole or not at all."""
    write_whole(Path(path), print_graph(controller).encode())


def parse_graph(text: str, where: str = "controller text") -> PoseControlGraph:
    """A controller from the text of its file; errors name ``where`` and the place in it."""
    data = feedforward_section(parse_toml(text, where), where)
    _known(data, _TOP_KEYS, where)
    for key in ("name", "figure", "states"):
        if key not in data:
            raise FootfallError(f"{where}: '{key}' is missing")
    if not isinstance(data["states"], list):
        raise FootfallError(f"{where}: states must be written as [[states]] tables")
    parts: dict[str, Any] = {
        "name": _typed(data["name"], str, where, "name"),
        "figure": _typed(data["figure"], str, where, "figure"),
        "states": tuple(_state(s, f"{where}, state {i}") for i, s in enumerate(data["states"])),
    }
    for key, kind in (("law", str), ("about", str), ("symmetric", bool), ("basin", dict)):
        if key in data:
            parts[key] = _typed(data[key], kind, where, key)
    for key, section in _SECTIONS.items():
        if key in data:
            parts[key] = _section(data[key], section, f"{where}, [{key}]")
    try:
        controller = PoseControlGraph(**parts)
    except FootfallError as error:
        rest = str(error).removeprefix(f"controller '{parts['name']}'")
        raise FootfallError(f"{where}{rest}" if rest != str(error) else f"{where}: {error}") from None
    object.__setattr__(controller, "_source", text)
    return controller


def _known(data: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in keys:
            raise FootfallError(f"{where}: {unknown_name('key', key, keys)}")


def _typed(value: Any, kind: type, where: str, key: str) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            value = float(value)
        except OverflowError:
            raise FootfallError(f"{where}: {key} is a number of {len(str(value))} digits, which is too large") from None
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        names = {
            str: "text",
            float: "a number",
            bool: "true or false",
            dict: "a table",
            int: "a whole number",
            list: "a list of numbers",
        }
        raise FootfallError(f"{where}: {key} is {value!r}; it must be {names.get(kind, kind.__name__)}")
    return value


def _section(data: Any, kind: type, where: str) -> Any:
    _typed(data, dict, where, "it")
    _known(data, tuple(f.name for f in fields(kind)), where)
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key in ("qpos", "qvel", *_PAIRS):
            pair = key in _PAIRS
            if not isinstance(value, list) or (pair and len(value) != 2):
                raise FootfallError(f"{where}: {key} is {value!r}; it must be a list of {'two ' * pair}numbers")
            values[key] = tuple(_typed(v, float, where, key) for v in value)
            if not all(math.isfinite(v) for v in values[key]):
                raise FootfallError(f"{where}: {key} holds a number that is not finite")
        elif key in _TABLES:
            _typed(value, dict, where, key)
            values[key] = {joint: _joint(own, kind, f"{where}, {joint}") for joint, own in value.items()}
        else:
            texts = dict.fromkeys(("reference", "sensor", "stable", "law", "integrator", "over"), str)
            kinds: dict[str, type] = {"joint_limits": bool, "state": int, "bins": int, **texts}
            values[key] = _typed(value, kinds.get(key, float), where, key)
    try:
        return kind(**values)
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from None
    except TypeError:
        missing = [f.name for f in fields(kind) if f.name not in values and f.default is MISSING]
        raise FootfallError(f"{where}: '{missing[0]}' is missing") from None


def _joint(data: Any, kind: type, where: str) -> Any:
    """What a section says of one joint: gains, or a list of numbers."""
    if kind is Servo:
        return _section(data, Gains, where)
    return tuple(_typed(x, float, where, "it") for x in _typed(data, list, where, "it"))


def _state(data: Any, where: str) -> State:
    _typed(data, dict, where, "it")
    values: dict[str, Any] = {}
    targets: dict[str, Target] = {}
    for key, value in data.items():
        if key in _STATE_KEYS:
            kind = {"hold": float, "contact": bool, "flight": bool, "exchange": bool, "handover": bool}.get(key, str)
            values[key] = value if (key, value) == ("contact", "stance") else _typed(value, kind, where, key)
        elif isinstance(value, dict):
            _known(value, tuple(f.name for f in fields(Target)), f"{where}, {key}")
            kinds = dict.fromkeys(value, float) | {"world": bool}
            numbers = {k: _typed(v, kinds[k], f"{where}, {key}", k) for k, v in value.items()}
            if "angle" not in numbers:
                raise FootfallError(f"{where}, {key}: 'angle' is missing")
            targets[key] = Target(**numbers)
        else:
            targets[key] = Target(_typed(value, float, where, key))
    if values.get("stance", "left") not in ("left", "right"):
        raise FootfallError(f"{where}: stance is '{values['stance']}'; it must be 'left' or 'right'")
    return State(targets, **values)


def print_graph(controller: PoseControlGraph) -> str:
    """The text of a controller's file."""
    source = getattr(controller, "_source", None)
    if isinstance(source, str) and parse_graph(source) == controller:
        return source
    blank = PoseControlGraph("", "", (State({}),))
    lines = [
        f"name = {_value(controller.name)}",
        f"figure = {_value(controller.figure)}",
        f"law = {_value(controller.law)}",
    ]
    lines.append(f"symmetric = {_value(controller.symmetric)}")
    if controller.about:
        lines.append(f"about = {_value(controller.about)}")
    for key in [name for name in _SECTIONS if name != "start"]:
        section = getattr(controller, key)
        if section != getattr(blank, key):
            changed = {
                f.name: getattr(section, f.name) for f in fields(section) if getattr(section, f.name) != f.default
            }
            below = {name: changed.pop(name) for name in _TABLES if name in changed}
            if changed or not below:
                lines += ["", f"[{key}]", *(f"{name} = {_value(v)}" for name, v in changed.items() if v is not None)]
            for table, entries in below.items():
                lines += ["", f"[{key}.{table}]", *(f"{name} = {_value(v)}" for name, v in entries.items())]
    if controller.start is not None:
        lines += ["", "[start]", f"state = {controller.start.state}"]
        lines += [f"qpos = {_value(controller.start.qpos)}", f"qvel = {_value(controller.start.qvel)}"]
    if controller.basin:
        lines += ["", "[basin]", *(f"{key} = {_value(value)}" for key, value in controller.basin.items())]
    for state in controller.states:
        lines += ["", "[[states]]"]
        for key in _STATE_KEYS:
            value = getattr(state, key)
            if value != getattr(State({}), key):
                lines.append(f"{key} = {_value(value)}")
        for joint, target in state.targets.items():
            cells = [(f.name, getattr(target, f.name)) for f in fields(target)]
            told = [f"{name} = {_value(value)}" for name, value in cells if name == "angle" or value]
            lines.append(f"{joint} = {_value(target.angle) if len(told) == 1 else '{ ' + ', '.join(told) + ' }'}")
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_value(v) for v in value) + "]"
    if isinstance(value, Gains):
        return _value({f.name: getattr(value, f.name) for f in fields(value) if getattr(value, f.name) is not None})
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{k} = {_value(v)}" for k, v in value.items()) + " }"
    text = str(value)
    if "\n" in text:
        return '"""\n' + text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') + '"""'
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
