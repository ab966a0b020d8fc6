"""The studio: author, watch and poke walking bipeds in the browser.

A studio is a page that several browsers may watch. A core without any page (:mod:`footfall.studio.core`) holds the
walker and does everything that can be done; one thread owns its simulation. It tells what happens through events. A
scene draws it (:mod:`footfall.studio.scene`), panels let people change it (:mod:`footfall.studio.panels`), and the page
they stand on is viser's with footfall's own timeline in it (:mod:`footfall.studio.page`).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.studio.studio import Studio

__all__ = ["DEFAULT_CONTROLLER", "QUICK_CONTROLLER", "Studio"]

DEFAULT_CONTROLLER, QUICK_CONTROLLER = "walk-3d", "walk"
"""The controller that a studio opens with: the most natural walk that footfall has. Its kernel takes half a minute to
compile; the first time, the quick one walks until it is there."""


def __getattr__(name: str) -> Any:
    if name == "Studio":
        return import_module("footfall.studio.studio").Studio
    raise AttributeError(f"module 'footfall.studio' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
