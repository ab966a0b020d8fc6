"""The dynamics compiler: from a figure to Warp functions specialised to it, and the ground under its feet."""

from typing import TYPE_CHECKING

from footfall.lazy import lazy_names

if TYPE_CHECKING:
    from footfall.dynamics.compiler import CompiledFigure
    from footfall.dynamics.contact import Ground

_HOME = {"CompiledFigure": "compiler", "Ground": "contact"}

__all__ = ["CompiledFigure", "Ground"]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
