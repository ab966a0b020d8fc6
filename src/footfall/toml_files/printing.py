"""Values as TOML writes them, in one canonical form; and texts that are kept as they were read."""

import datetime
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, is_dataclass
from typing import Any

import numpy as np

from footfall.toml_files.schema import Schema, default_of, types_of

USUAL = Schema()
ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def keep_text(value: Any, text: str) -> None:
    """Remember the text that a value was read from, with its comments and its layout."""
    object.__setattr__(value, "_source", text)


def kept_text(value: Any, parse: Callable[[str], Any]) -> str | None:
    """The text that a value was read from, if it still says the same."""
    source = getattr(value, "_source", None)
    return source if isinstance(source, str) and parse(source) == value else None


def print_table(value: Any, schema: Schema = USUAL) -> str:
    """A dataclass's value as the text of a file: what differs from the defaults, single values first, then tables, then
    lists of tables."""
    return "\n".join(_lines(value, "", schema, None)).lstrip("\n") + "\n"


def _lines(value: Any, path: str, schema: Schema, blank: Any) -> list[str]:
    """The lines below a table's head."""
    form = schema.form(type(value))
    plain, tables, lists = [], [], []
    for name, part in _written(value, schema, blank):
        place = f"{path}{key_text(name)}"
        if name == form.rest:
            plain += [f"{key_text(key)} = {value_text(own, schema)}" for key, own in part.items()]
        elif is_dataclass(part):
            own = default_of(type(value), name) if blank is None else getattr(blank, name)
            inside = _lines(part, f"{place}.", schema, own if isinstance(own, type(part)) else None)
            tables += inside if inside and inside[0] == "" else ["", f"[{place}]", *inside]
        elif isinstance(part, Mapping):
            tables += ["", f"[{place}]", *_entries(part, schema)]
        elif isinstance(part, tuple) and part and (is_dataclass(part[0]) or isinstance(part[0], Mapping)):
            for own in part:
                inside = _lines(own, f"{place}.", schema, None) if is_dataclass(own) else _entries(own, schema)
                lists += ["", f"[[{place}]]", *inside]
        elif isinstance(part, np.ndarray):
            rows = (", ".join(f"{x:.{form.digits}g}" if form.digits else repr(float(x)) for x in row) for row in part)
            plain += [f"{key_text(name)} = [", *(f"  [{row}]," for row in rows), "]"]
        else:
            plain.append(f"{key_text(name)} = {value_text(part, schema)}")
    return [*plain, *tables, *lists]


def _entries(table: Mapping[str, Any], schema: Schema) -> list[str]:
    return [f"{key_text(key)} = {value_text(own, schema)}" for key, own in table.items() if own is not None]


def _written(value: Any, schema: Schema, blank: Any) -> Iterator[tuple[str, Any]]:
    """Name and value of the fields that a table holds."""
    kind = type(value)
    form, types = schema.form(kind), types_of(kind)
    for name in (*form.order, *(name for name in types if name not in form.order)):
        part = getattr(value, name)
        usual = default_of(kind, name) if blank is None else getattr(blank, name)
        written = form.full or name in form.always or usual is MISSING or isinstance(part, np.ndarray) or part != usual
        if written and part is not None:
            yield name, bool(part) if types[name] is bool else part


def value_text(value: Any, schema: Schema = USUAL) -> str:
    """A value on the right of ``key =``; tables are written inline."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value if schema.decimals is None else round(value, schema.decimals))
    if isinstance(value, tuple | list | np.ndarray):
        return "[" + ", ".join(value_text(own, schema) for own in value) + "]"
    if is_dataclass(value) and not isinstance(value, type):
        pairs = dict(_written(value, schema, None))
        short = schema.form(type(value)).short
        return value_text(pairs[short] if short and set(pairs) == {short} else pairs, schema)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(_entries(value, schema)) + " }" if value else "{}"
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    text = str(value)
    if "\n" in text:
        kept = "".join(c if c in '\n\t"' else _escaped(c) for c in text).replace('"""', '\\"\\"\\"')
        return f'"""\n{kept}"""'
    return '"' + "".join(_escaped(c) for c in text) + '"'


def key_text(name: str) -> str:
    """A key, in quotation marks where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else '"' + "".join(_escaped(c) for c in name) + '"'


def _escaped(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    return f"\\u{ord(character):04x}" if ord(character) < 32 or ord(character) == 127 else character
