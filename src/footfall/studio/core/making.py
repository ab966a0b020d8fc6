"""Which world a controller walks in, by what it can do, and which controller a studio shows first.

That is the controller that was asked for, or the default one. Where the default one was not compiled before, a quick
one walks while that is done. What takes over after a fall is loaded when it walks already.
"""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.control.kind import Abilities, Controller
from footfall.control.registry import kind_of
from footfall.figures import Figure
from footfall.kernels.building import NotCompiledError, without_compiling
from footfall.methods.limit_cycle.perturbation import can_be_balanced
from footfall.studio import DEFAULT_CONTROLLER, QUICK_CONTROLLER
from footfall.studio.core.balanced_world import BalancedWorld
from footfall.studio.core.clip_worlds import PlayedWorld, SteeredWorld, TrackedWorld
from footfall.studio.core.graph_world import GraphWorld
from footfall.studio.core.library import Document, Library
from footfall.studio.core.setting import Setting
from footfall.studio.core.world import World, fallen_later

if TYPE_CHECKING:
    from footfall.studio.core.session import Session

WORLDS: tuple[tuple[Callable[[Abilities, Any, Figure], bool], type[World]], ...] = (
    (lambda can, controller, figure: can.played, PlayedWorld),
    (lambda can, controller, figure: can.follow and can.turn, SteeredWorld),
    (lambda can, controller, figure: can.follow, TrackedWorld),
    (lambda can, controller, figure: can.balance and can_be_balanced(controller, figure), BalancedWorld),
    (lambda can, controller, figure: can.edit, GraphWorld),
    (lambda can, controller, figure: True, World),
)
"""What a controller can do, and the world that it then gets: the first that fits."""


def make_world(controllers: Sequence[Controller], figure: Figure, setting: Setting, drive: Any = None) -> World:
    """A world for controllers, each on the ground that it was made for.

    Args:
        controllers: the first one starts.
        figure: what they drive.
        setting: what it stands on.
        drive: what is asked of a balanced or a steered walker; by default the drive that walks best.
    """
    can = kind_of(controllers[0]).abilities(controllers[0])
    world = next(world for fits, world in WORLDS if fits(can, controllers[0], figure))
    return world(controllers, figure, setting, drive)


def world_of(library: Library, document: Document, setting: Setting, drive: Any = None) -> World:
    """A world for a controller and those that it can switch to, on its own figure."""
    return make_world(library.together(document.name), Figure.load(document.controller.figure), setting, drive)


SOON = 1.0
"""Seconds after the start at which what takes over after a fall is loaded."""


def first_world(
    library: Library, controller: str | Path | Controller | None, figure: str | None = None
) -> tuple[Document, World, str]:
    """The controller that walks first, its world, and the name of one that is awaited; empty for none.

    Without a controller it is the default one, or, where that takes long to compile, a quick one until it is there.
    """
    if controller is None and figure is not None:
        controller = DEFAULT_CONTROLLER
    if controller is None:
        document = library.document(DEFAULT_CONTROLLER)
        try:
            with without_compiling():
                return document, _walking_soon(library, document), ""
        except NotCompiledError:
            document = library.document(QUICK_CONTROLLER)
            return document, _walking_soon(library, document), DEFAULT_CONTROLLER
    document = _document(library, controller, figure)
    return document, _walking_soon(library, document), ""


def _walking_soon(library: Library, document: Document) -> World:
    with fallen_later():
        return world_of(library, document, Setting())


def _document(library: Library, controller: str | Path | Controller, figure: str | None) -> Document:
    if not isinstance(controller, str | Path):
        return library.add(controller, figure)
    if Path(controller).suffix == ".toml":
        return library.open(Path(controller), figure)
    document = library.document(str(controller))
    return document if figure is None else library.add(document.controller, figure)


def load_fallen_soon(session: "Session") -> None:
    """Load what takes over after a fall of the walker that a session has now, beside the walk."""
    load = session.world.load_fallen
    act = partial(session.in_background, "fallen", load, lambda _: None)
    later = threading.Timer(SOON, session.act, (act,))
    later.daemon = True
    later.start()


def compile_awaited(session: "Session") -> None:
    """Compile the controller that a session awaits, beside the walk. It takes over when it is ready, unless somebody
    has begun with something else by then."""
    name, document_then, first = session.awaited, session.document, session.controller
    if not name:
        return
    document = session.library.document(name)

    def make() -> World:
        return world_of(session.library, document, Setting())

    def enter(world: World) -> None:
        session.awaited = ""
        if session.document is document_then and session.controller == first and session.setting == Setting():
            session.enter(document, world)
            session.say(f"Now walking: {name}", "it is compiled; the next start takes it from the cache")
        else:
            session.say(f"{name} is ready", "choose it under Switch gait")

    words = f"Compiling {name}, once, about half a minute; {document_then.name} walks until then"
    session.in_background("prepare", make, enter, words=words)
