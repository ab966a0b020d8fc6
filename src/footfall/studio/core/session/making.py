"""Controllers that are made here: scaled to another body, begun from a sketch."""

from typing import Any

from footfall.errors import FootfallError
from footfall.studio.core.session.document import Document
from footfall.studio.core.session.events import LibraryChanged
from footfall.studio.core.session.session import Session
from footfall.studio.core.worlds.makers import make_world
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.world import World

THIS = "this controller"
"""What a gait may begin from, besides sketches."""


def walk_on(session: Session, body: str, height: float | None = None, mass: float | None = None) -> None:
    """Walk on another body, or on one of another size, with the controller scaled to it.

    Args:
        session: whose controller. body: its name among the session's bodies.
        height: metres. mass: kilograms; both as they are where None. A body of another size is kept in the folder.
    """
    controller: Any = session.controller
    bodies, library = session.bodies, session.library

    def make() -> tuple[Document, World, tuple[str, ...]]:
        from footfall.figures.scaling import scaled_figure
        from footfall.study.adaptation.fitting import fit_controller

        name, figure = body, bodies.load(body)
        if height is not None or mass is not None:
            size = f"{height:g}m" if height is not None else f"{mass:g}kg"
            figure = scaled_figure(figure, height=height, mass=mass, name=f"{figure.name}-{size}")
            name = bodies.save(figure)
        fitted = fit_controller(controller, figure, figure_name=bodies.source(name))
        made = library.add(fitted.controller.changed(name=library.free_name(fitted.controller.name)))
        return made, make_world(library.together(made.name), figure, Setting()), fitted.notes

    def enter(made: tuple[Document, World, tuple[str, ...]]) -> None:
        document, world, notes = made
        session.enter(document, world)
        session.events.emit(LibraryChanged())
        more = "if it falls, Adapt under Stress searches until it walks"
        session.say(f"{controller.name}, scaled to {world.figure.name}", "; ".join((*notes, more)))

    session.in_background("body", make, enter, words=f"Preparing {body}; a new body is compiled once")


def begin_gait(session: Session, sketch: str, name: str) -> None:
    """Begin a gait under a name of its own, saved in the folder, and walk under it.

    Args:
        session: that it walks in. sketch: one of footfall's, or :data:`THIS`. name: of the new controller.
    """
    from footfall.control.registry import kind_of
    from footfall.study.adaptation.fitting import load_any_graph

    if name in session.library.names:
        raise FootfallError(f"new gait: there is a controller '{name}' already; choose another name")
    first: Any = session.controller if sketch == THIS else load_any_graph(sketch)
    document = session.library.add(kind_of(first).named(first, name))
    try:
        session.library.save(document, name)
    except (FootfallError, OSError):
        del session.library.documents[name]
        raise
    session.uploaded(document)
