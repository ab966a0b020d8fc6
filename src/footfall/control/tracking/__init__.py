"""Tracking of captured motion (Data-Driven Biped Control): fragments of motion followed by a figure of ball joints,
corrected for balance and kept in step with the simulation."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.control.tracking.capture import frames_of
    from footfall.control.tracking.clips import ContactRule, clip_repertoire, fragments_of
    from footfall.control.tracking.controller import (
        TrackingController,
        load_tracking,
        parse_tracking,
        print_tracking,
        save_tracking,
        tracking_names,
    )
    from footfall.control.tracking.gains import Gains
    from footfall.control.tracking.law import TrackingLaw
    from footfall.control.tracking.repertoire import PAPER_GROUND, Fragment, Repertoire, Settings

_HOME = {
    "ContactRule": "clips",
    "Fragment": "repertoire",
    "Gains": "gains",
    "PAPER_GROUND": "repertoire",
    "Repertoire": "repertoire",
    "Settings": "repertoire",
    "TrackingController": "controller",
    "TrackingLaw": "law",
    "clip_repertoire": "clips",
    "fragments_of": "clips",
    "frames_of": "capture",
    "load_tracking": "controller",
    "parse_tracking": "controller",
    "print_tracking": "controller",
    "save_tracking": "controller",
    "tracking_names": "controller",
}

__all__ = [
    "PAPER_GROUND",
    "ContactRule",
    "Fragment",
    "Gains",
    "Repertoire",
    "Settings",
    "TrackingController",
    "TrackingLaw",
    "clip_repertoire",
    "fragments_of",
    "frames_of",
    "load_tracking",
    "parse_tracking",
    "print_tracking",
    "save_tracking",
    "tracking_names",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"footfall.control.tracking.{_HOME[name]}"), name)
    raise AttributeError(f"module 'footfall.control.tracking' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
