"""Tables into values: keys, types and lengths checked, errors in one line with their place."""

import math
from collections.abc import Mapping
from dataclasses import MISSING, is_dataclass, replace
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from footfall.errors import FootfallError, unknown_name
from footfall.toml_files.schema import Schema, default_of, types_of

T = TypeVar("T")
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
        kind: the dataclass. where: the place, with which errors begin. schema: how it is written.
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
            raise FootfallError(f"{where}: {unknown_name('key', key, keys)}")
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
    """What a value of a type is, in words."""
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
