"""The studio: author, watch and poke walking bipeds in the browser.

A studio is a page that several browsers may watch. One thread owns the simulation
(:mod:`footfall.studio.core.loop`), one scene draws its latest state (:mod:`footfall.studio.scene`), panels let one
change it (:mod:`footfall.studio.panels`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.studio.studio import Studio

__all__ = ["Studio"]


def __getattr__(name: str) -> Any:
    if name == "Studio":
        return import_module("footfall.studio.studio").Studio
    raise AttributeError(f"module 'footfall.studio' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
