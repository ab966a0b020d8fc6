"""Captured and recorded motion: poses of a skeleton over time, their algebra, their measures and their files."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.motion.files import load_motion, save_motion
    from footfall.motion.ground import Ground
    from footfall.motion.motion import Motion
    from footfall.motion.skeleton import EndSite, Skeleton

_HOME = {
    "EndSite": "skeleton",
    "Ground": "ground",
    "Motion": "motion",
    "Skeleton": "skeleton",
    "load_motion": "files",
    "save_motion": "files",
}

__all__ = ["EndSite", "Ground", "Motion", "Skeleton", "load_motion", "save_motion"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"footfall.motion.{_HOME[name]}"), name)
    raise AttributeError(f"module 'footfall.motion' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
