"""The default controller, compiled beside a quick one where it was not compiled before."""

from typing import TYPE_CHECKING

from footfall.figures import Figure
from footfall.studio.core.worlds.makers import make_world
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.world import World

if TYPE_CHECKING:
    from footfall.studio.core.session.session import Session

__all__ = ["prepare"]


def prepare(session: "Session") -> None:
    """Compile the controller that a session awaits, beside the walk. It takes over when it is ready, unless somebody
    has begun with something else by then."""
    name, begun, graph = session.awaited, session.document, session.controller
    if not name:
        return
    document = session.library.document(name)

    def make() -> World:
        return make_world(session.library.together(name), Figure.load(document.graph.figure), Setting())

    def enter(world: World) -> None:
        session.awaited = ""
        if session.document is begun and session.controller == graph and session.setting == Setting():
            session.enter(document, world)
            session.say(f"Now walking: {name}", "it is compiled; the next start takes it from the cache")
        else:
            session.say(f"{name} is ready", "choose it under Edit")

    session.beside("prepare", make, enter)
