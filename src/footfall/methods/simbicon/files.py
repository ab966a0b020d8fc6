"""Files of pose control graphs: one readable TOML text for each.

A file that was loaded and not changed saves back byte for byte; a changed or new one is written in one canonical form.
"""

from pathlib import Path

from footfall.control.kind import Start
from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.methods.simbicon.feedforward import feedforward_section
from footfall.methods.simbicon.graph import PoseControlGraph, State, Target
from footfall.text_files import parse_toml
from footfall.toml_files import Form, Schema, keep_text, kept_text, print_table, read_table

SCHEMA = Schema(
    {
        PoseControlGraph: Form(noun="controller", always=("law", "symmetric")),
        State: Form(
            rest="targets",
            order=("name", "stance", "flight", "hold", "contact", "next", "exchange", "disturbed", "handover"),
        ),
        Target: Form(short="angle"),
        Start: Form(order=("state",), full=True),
    }
)
"""A state's targets stand beside its other keys, by joint; a bare number is a target's angle."""


def load_graph(source: str | Path | PoseControlGraph) -> PoseControlGraph:
    """A pose control graph by built-in name or from a ``.toml`` file (a graph passes through); other controllers are
    refused."""
    controller = load_controller(source)
    if not isinstance(controller, PoseControlGraph):
        raise FootfallError(
            f"controller '{controller.name}' is not a pose control graph; its law is '{controller.law}'"
        )
    return controller


def parse_graph(text: str, where: str = "controller text") -> PoseControlGraph:
    """A controller from the text of its file; errors name ``where`` and the place in it."""
    controller = read_table(feedforward_section(parse_toml(text, where), where), PoseControlGraph, where, SCHEMA)
    keep_text(controller, text)
    return controller


def print_graph(controller: PoseControlGraph) -> str:
    """The text of a controller's file."""
    return kept_text(controller, parse_graph) or print_table(controller, SCHEMA)
