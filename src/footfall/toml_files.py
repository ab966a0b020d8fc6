"""TOML files as dataclasses: a dataclass is the schema of a file, its fields are the keys, their types the rules.

:func:`read_table` turns the tables of a file into the value that they describe, or refuses them in one line that names
the file, the place and the valid choices. :func:`print_table` writes a value in one canonical form, which reads back
equal. What a number may be is the dataclass's own business (``__post_init__``), so that values made in Python are held
to the same rules; what fields cannot say (the order of keys, a bare number for a whole table) says a :class:`Schema`.

Why not a library: msgspec and cattrs say at which path a type is wrong, but neither the value nor the choices, and know
no keys that are names of joints; tomlkit keeps the layout of a text, which files that were not changed keep anyway
(:func:`keep_text`), and knows no types.
"""

import datetime
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from footfall.errors import FootfallError, unknown_name


@dataclass(frozen=True)
class Form:
    """How one dataclass is written.

    Attributes:
        noun: what it is called in messages; by default the class's name in lower case.
        order: keys that are written first, in this order; the others follow as the fields do.
        always: keys that are written even where they hold their defaults.
        full: whether all keys are.
        rest: the field, a mapping, whose entries stand in the table itself, beside the keys of the other fields.
        short: the field whose bare value stands for a whole table, where no other field differs from its default.
        renamed: old names of keys; a file that has one is refused with a hint at the new name.
        own: readers of keys whose types do not say enough; each takes the value and the place.
        digits: significant digits of arrays; 0 for all.
    """

    noun: str = ""
    order: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    full: bool = False
    rest: str = ""
    short: str = ""
    renamed: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, Callable[[Any, str], Any]] = field(default_factory=dict)
    digits: int = 0


@dataclass(frozen=True)
class Schema:
    """How the dataclasses of a file are written.

    Attributes:
        forms: by dataclass; what is not there is written as its fields say.
        largest: magnitude of any number; None where the values themselves refuse what is too large, except that
            numbers in lists are finite.
        decimals: to which numbers are rounded when they are written; None for all digits.
    """

    forms: Mapping[type, Form] = field(default_factory=dict)
    largest: float | None = None
    decimals: int | None = None

    def form(self, kind: type) -> Form:
        """How a dataclass is written."""
        return self.forms.get(kind, Form())

    def noun(self, kind: Any) -> str:
        """What a dataclass is called in messages."""
        return self.form(kind).noun or kind.__name__.strip("_").lower()


def types_of(kind: Any) -> dict[str, Any]:
    """Field -> type of a dataclass, in the order of its fields."""
    return _types_of(kind)


@cache
def _types_of(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {part.name: hints[part.name] for part in fields(kind)}


def default_of(kind: type, name: str) -> Any:
    """What a field holds that is not given; MISSING if it must be."""
    part = kind.__dataclass_fields__[name]  # type: ignore[attr-defined]
    return part.default_factory() if part.default_factory is not MISSING else part.default


T = TypeVar("T")


def value_from(kind: type[T], *sources: Any, **own: Any) -> T:
    """A dataclass's value whose fields are those of other dataclasses by the same names, the last one's first; ``own``
    are its own."""
    names = types_of(kind)
    known = {part.name: getattr(source, part.name) for source in sources for part in fields(source)}
    return kind(**{name: value for name, value in known.items() if name in names} | own)


USUAL = Schema()
MOST_SHOWN = 60
"""Characters of a wrong value."""
NAMES = {str: "text", float: "a number", bool: "true or false", int: "a whole number"}
MANY = {str: "texts", float: "numbers", bool: "true or false", int: "whole numbers"}
COUNTS = {1: "one", 2: "two", 3: "three", 4: "four"}


def read_table(
    data: Any,
    kind: type[T],
    where: str,
    schema: Schema = USUAL,
    *,
    given: Mapping[str, Any] | None = None,
    default: T | None = None,
) -> T:
    """A value from a table.

    Args:
        data: the table, as a parser of TOML gives it.
        kind: the dataclass.
        where: the place, with which errors begin.
        schema: how it is written.
        given: values of fields that the file does not hold.
        default: the value whose fields stand for keys that are missing; by default the fields' own.
    """
    if not isinstance(data, Mapping):
        raise FootfallError(f"{where}: it is {_shown(data)}; it must be a table")
    form, types, values = schema.form(kind), types_of(kind), dict(given or {})
    keys = [name for name in types if name not in values and name != form.rest]
    rest = {key: value for key, value in data.items() if key not in keys} if form.rest else {}
    for key in data:
        if key not in keys and key not in rest:
            hint = f"; {key} is now {form.renamed[key]}" if key in form.renamed else ""
            raise FootfallError(f"{where}: {unknown_name('key', key, keys)}{hint}")
    if default is None:
        for key in keys:
            if key not in data and default_of(kind, key) is MISSING:
                raise FootfallError(f"{where}: '{key}' is missing")
    for key in (key for key in data if key not in rest):
        if key in form.own:
            values[key] = form.own[key](data[key], where)
        else:
            blank = default_of(kind, key) if default is None else getattr(default, key)
            values[key] = _field(data[key], types[key], where, key, schema, blank)
    if form.rest:
        (entry,) = get_args(types[form.rest])[1:]
        values[form.rest] = {name: _value(value, entry, where, name, schema) for name, value in rest.items()}
    try:
        return kind(**values) if default is None else replace(default, **values)  # type: ignore[type-var]
    except FootfallError as error:
        subject = f"{schema.noun(kind)} '{values.get('name')}'"
        text = str(error)
        raise FootfallError(where + (text.removeprefix(subject) if text.startswith(subject) else f": {text}")) from None


def _field(value: Any, kind: Any, where: str, key: str, schema: Schema, blank: Any) -> Any:
    """The value of a key of a table; sections and their lists have places of their own."""
    (kind,) = _options(kind) if len(_options(kind)) == 1 else (kind,)
    if is_dataclass(kind) and isinstance(kind, type) and not schema.form(kind).short:
        own = blank if isinstance(blank, kind) else None
        return read_table(value, kind, f"{where}, [{key}]", schema, default=own)
    if get_origin(kind) is tuple and _is_table(get_args(kind)[0]):
        if not isinstance(value, list) or not all(isinstance(part, Mapping) for part in value):
            raise FootfallError(f"{where}: {key} must be written as [[{key}]] tables")
        part = get_args(kind)[0]
        noun = schema.noun(part) if is_dataclass(part) else key.removesuffix("s")
        labels = [own["name"] if isinstance(own.get("name"), str) and own["name"] else i for i, own in enumerate(value)]
        return tuple(_table(own, part, f"{where}, {noun} {labels[i]}", schema) for i, own in enumerate(value))
    return _value(value, kind, where, key, schema)


def _is_table(kind: Any) -> bool:
    return is_dataclass(kind) or get_origin(kind) in (Mapping, dict)


def _table(data: Any, kind: Any, where: str, schema: Schema) -> Any:
    if is_dataclass(kind) and isinstance(kind, type):
        return read_table(data, kind, where, schema)
    return {name: _value(value, get_args(kind)[1], where, name, schema) for name, value in data.items()}


def _options(kind: Any) -> tuple[Any, ...]:
    """The types of a union; None is for keys that are missing."""
    if get_origin(kind) in (Union, UnionType):
        return tuple(option for option in get_args(kind) if option is not NoneType)
    return (kind,)


def _value(value: Any, kind: Any, where: str, key: str, schema: Schema) -> Any:
    """A value of a type; errors say that ``key`` is wrong."""
    options = _options(kind)
    if kind is Any:
        return value
    if len(options) > 1:
        for option in options:
            try:
                return _value(value, option, where, key, schema)
            except FootfallError:
                continue
        raise _wrong(value, where, key, f"it must be {', or '.join(_described(option) for option in options)}")
    (kind,) = options
    origin = get_origin(kind)
    if origin is Literal:
        if value not in get_args(kind) or isinstance(value, bool):
            raise _wrong(value, where, key, f"choose {_described(kind)}")
        return value
    if origin is tuple:
        return _list(value, get_args(kind), where, key, schema)
    if is_dataclass(kind) and isinstance(kind, type):
        short = schema.form(kind).short
        if short and not isinstance(value, Mapping):
            return kind(**{short: _value(value, types_of(kind)[short], where, key, schema)})
        return read_table(value, kind, f"{where}, {key}", schema)
    if _is_table(kind):
        if not isinstance(value, Mapping):
            raise _wrong(value, where, key, "it must be a table")
        return _table(value, kind, f"{where}, {key}", schema)
    return _scalar(value, kind, where, key, schema)


def _list(value: Any, parts: tuple[Any, ...], where: str, key: str, schema: Schema) -> tuple[Any, ...]:
    count = None if parts[-1] is Ellipsis else len(parts)
    if not isinstance(value, list) or (count is not None and len(value) != count):
        raise _wrong(value, where, key, f"it must be {_listed(parts)}")
    read = tuple(_value(own, parts[0], where, key, schema) for own in value)
    if schema.largest is None and not all(math.isfinite(own) for own in read if isinstance(own, float)):
        raise FootfallError(f"{where}: {key} holds a number that is not finite")
    return read


def _scalar(value: Any, kind: type, where: str, key: str, schema: Schema) -> Any:
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            value = float(value)
        except OverflowError:
            raise FootfallError(f"{where}: {key} is a number of {len(str(value))} digits, which is too large") from None
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        raise _wrong(value, where, key, f"it must be {_described(kind)}")
    if schema.largest is not None and isinstance(value, int | float) and not abs(value) <= schema.largest:
        limit = f"a finite number, within ±{schema.largest:g}" if math.isfinite(schema.largest) else "a number"
        raise _wrong(value, where, key, f"it must be {limit}")
    return value


def _described(kind: Any) -> str:
    """What a value of a type is, for messages."""
    if get_origin(kind) is Literal:
        choices = [repr(choice) for choice in get_args(kind)]
        return " or ".join(filter(None, [", ".join(choices[:-1]), choices[-1]]))
    return _listed(get_args(kind)) if get_origin(kind) is tuple else NAMES.get(kind, "a table")


def _listed(parts: tuple[Any, ...]) -> str:
    count = "" if parts[-1] is Ellipsis else f"{COUNTS.get(len(parts), len(parts))} "
    return f"a list of {count}{MANY.get(parts[0], 'lists')}"


def _wrong(value: Any, where: str, key: str, rule: str) -> FootfallError:
    return FootfallError(f"{where}: {key} is {_shown(value)}; {rule}")


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # a whole number of more digits than Python writes
        text = "a number of too many digits"
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


ESCAPES = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_ESCAPED = str.maketrans({chr(c): f"\\u{c:04x}" for c in (*range(32), 127)} | ESCAPES)
_IN_LINES = {c: text for c, text in _ESCAPED.items() if chr(c) not in '\n\t"'}
LONG = 1000
"""Letters of a text from which on it is written as a literal one, which is read at once and not letter by letter."""


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
        kept = text.translate(_IN_LINES).replace('"""', '\\"\\"\\"')
        return f'"""\n{kept}"""'
    if len(text) > LONG and text.isascii() and text.isprintable() and "'" not in text:
        return f"'{text}'"
    return f'"{text.translate(_ESCAPED)}"'


def key_text(name: str) -> str:
    """A key, in quotation marks where it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else f'"{name.translate(_ESCAPED)}"'
