"""Controllers of every kind by name or file: pose control graphs, and captured motion that is tracked."""

from pathlib import Path

from footfall.control.files import controller_names, load_controller
from footfall.control.graph import PoseControlGraph
from footfall.control.tracking.controller import (
    TrackingController,
    is_tracking_file,
    load_tracking,
    tracking_names,
)
from footfall.errors import unknown_name

__all__ = ["Controller", "all_controller_names", "load_any_controller"]

Controller = PoseControlGraph | TrackingController


def all_controller_names() -> tuple[str, ...]:
    """Names of the built-in controllers of every kind."""
    return tuple(sorted((*controller_names(), *tracking_names())))


def load_any_controller(source: str | Path | Controller) -> Controller:
    """A controller by built-in name or from its ``.toml`` file (a controller passes through)."""
    if isinstance(source, TrackingController):
        return source
    if not isinstance(source, PoseControlGraph):
        if is_tracking_file(source):
            return load_tracking(source)
        if Path(source).suffix != ".toml" and str(source) not in controller_names():
            raise unknown_name("controller", str(source), all_controller_names())
    return load_controller(source)
