"""The dynamics compiler: from a figure to Warp functions specialised to it, and the ground under its feet."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.dynamics.compiler import CompiledFigure
    from footfall.dynamics.ground import Ground

_HOME = {"CompiledFigure": "compiler", "Ground": "ground"}

__all__ = ["CompiledFigure", "Ground"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"footfall.dynamics.{_HOME[name]}"), name)
    raise AttributeError(f"module 'footfall.dynamics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
