"""What walks first in a studio: the controller that was asked for, or the default one, if its kernel is there."""

from pathlib import Path

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.kernels.building import NotCompiledError, without_compiling
from footfall.studio import DEFAULT_CONTROLLER, QUICK_CONTROLLER
from footfall.studio.core.session.document import Document
from footfall.studio.core.session.library import Library
from footfall.studio.core.worlds.makers import make_world
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.world import World

__all__ = ["first_world"]


def first_world(library: Library, controller: str | Path | Controller | None) -> tuple[Document, World, str]:
    """The controller that walks first, its world, and the name of one that is awaited; empty for none.

    Without a controller it is the default one, or, where that takes long to compile, a quick one until it is there.
    """
    if controller is None:
        document = library.document(DEFAULT_CONTROLLER)
        try:
            with without_compiling():
                return document, _world(library, document), ""
        except NotCompiledError:
            document = library.document(QUICK_CONTROLLER)
            return document, _world(library, document), DEFAULT_CONTROLLER
    document = _document(library, controller)
    return document, _world(library, document), ""


def _world(library: Library, document: Document) -> World:
    return make_world(library.together(document.name), Figure.load(document.graph.figure), Setting())


def _document(library: Library, controller: str | Path | Controller) -> Document:
    if not isinstance(controller, str | Path):
        return library.add(controller)
    if str(controller) in library.names:
        return library.document(str(controller))
    path = Path(controller)
    if path.suffix != ".toml":
        return library.document(str(controller))
    if not path.is_file():
        raise FootfallError(f"controller file {path} does not exist")
    return library.upload(path.name, path.read_bytes())
