"""Which world a controller walks in, by what it can do, and which controller a studio shows first.

That is the controller that was asked for, or the default one. Where it was not compiled before, it stands while that is
done. What takes over after a fall is loaded when it walks already.
"""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.control.kind import Abilities, Controller
from footfall.control.registry import kind_of
from footfall.figures import Figure
from footfall.methods.limit_cycle.perturbation import can_be_balanced
from footfall.studio import DEFAULT_CONTROLLER
from footfall.studio.core.balanced_world import BalancedWorld
from footfall.studio.core.clip_worlds import PlayedWorld, SteeredWorld, TrackedWorld
from footfall.studio.core.graph_world import GraphWorld
from footfall.studio.core.library import Document, Library
from footfall.studio.core.setting import Setting
from footfall.studio.core.world import World, soon

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
    library: Library, controller: str | Path | Controller | None, figure: str | None = None, *, stand: bool = False
) -> tuple[Document, World]:
    """The controller that walks first, by default the default one, and its world; with ``stand`` it stands where that
    has to be compiled."""
    document = _document(library, DEFAULT_CONTROLLER if controller is None else controller, figure)
    with soon(stand=stand):
        return document, world_of(library, document, Setting())


def _document(library: Library, controller: str | Path | Controller, figure: str | None) -> Document:
    if not isinstance(controller, str | Path):
        return library.add(controller, figure)
    if Path(controller).suffix == ".toml":
        return library.open(Path(controller), figure)
    document = library.document(str(controller))
    return document if figure is None else library.add(document.controller, figure)


def load_soon(session: "Session") -> None:
    """Compile what a session's walker awaits, and load what takes over after its falls, while its page is there."""
    if not session.world.standing:
        _load_fallen_soon(session)
        return
    document, setting, drive = session.document, session.setting, session.world.drive

    def make() -> None:
        with soon():
            world_of(session.library, document, setting, drive)
        session.act(enter)  # even where somebody cancelled, as it stands otherwise

    def enter() -> None:
        if session.world.standing:
            with soon():
                world = world_of(session.library, session.document, session.setting, session.world.drive)
            session.enter(session.document, world)
            session.say(f"Now walking: {session.document.name}", "the next start takes it from the cache")
            _load_fallen_soon(session)

    words = f"Compiling {document.name}, once, about half a minute; it walks then"
    session.in_background("prepare", make, lambda _: None, words=words)


def _load_fallen_soon(session: "Session") -> None:
    act = partial(session.in_background, "fallen", session.world.load_fallen, lambda _: None)
    later = threading.Timer(SOON, session.act, (act,))
    later.daemon = True
    later.start()
