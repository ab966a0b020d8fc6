"""Controllers: pose control graphs as values, their files, and the laws that drive figures with them."""

from typing import TYPE_CHECKING

from footfall.lazy import lazy_names

if TYPE_CHECKING:
    from footfall.control.composite import composite_graph
    from footfall.control.files import (
        controller_names,
        load_controller,
        parse_controller,
        print_controller,
        save_controller,
    )
    from footfall.control.graph import (
        Balance,
        FeedForward,
        Gains,
        Integration,
        PoseControlGraph,
        Reaction,
        Servo,
        State,
        Target,
    )
    from footfall.control.law import Law, Types
    from footfall.control.laws import law_of
    from footfall.control.start import Start

_HOME = {
    "Balance": "graph",
    "FeedForward": "graph",
    "Gains": "graph",
    "Integration": "graph",
    "Law": "law",
    "PoseControlGraph": "graph",
    "Reaction": "graph",
    "Servo": "graph",
    "Start": "start",
    "State": "graph",
    "Target": "graph",
    "Types": "law",
    "composite_graph": "composite",
    "controller_names": "files",
    "law_of": "laws",
    "load_controller": "files",
    "parse_controller": "files",
    "print_controller": "files",
    "save_controller": "files",
}

__all__ = [
    "Balance",
    "FeedForward",
    "Gains",
    "Integration",
    "Law",
    "PoseControlGraph",
    "Reaction",
    "Servo",
    "Start",
    "State",
    "Target",
    "Types",
    "composite_graph",
    "controller_names",
    "law_of",
    "load_controller",
    "parse_controller",
    "print_controller",
    "save_controller",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
