"""How dataclasses are written as tables, where their fields do not say it."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from typing import Any, get_type_hints


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
        own: readers of keys whose types do not say enough; each takes the value and the place.
        digits: significant digits of arrays; 0 for all.
    """

    noun: str = ""
    order: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    full: bool = False
    rest: str = ""
    short: str = ""
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
