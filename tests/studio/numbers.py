"""Numbers of a controller, as its kind names them."""

from typing import Any

from footfall.control.registry import kind_of


def number_of(controller: Any, name: str) -> float:
    """A number by its name."""
    return next(number.value for number in kind_of(controller).numbers(controller) if number.name == name)


def with_number(controller: Any, name: str, value: float) -> Any:
    """The controller with another one."""
    return kind_of(controller).with_number(controller, name, value)
