"""Whether a controller's kernel was compiled on this machine before, told without building it.

To find a kernel in Warp's cache, its whole source must be generated, which takes a second. A studio that starts must
know at once, so it leaves an empty file beside the cached kernels, named after footfall's source as it is. The file is
a hint: where it is wrong, the kernel is compiled, and nothing else happens.
"""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import footfall
from footfall.compiling import start_warp
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.studio.core.balanced_world import make_world
from footfall.studio.core.live_world import LiveWorld
from footfall.studio.core.setting import Setting
from footfall.writing import write_whole

if TYPE_CHECKING:
    from footfall.studio.core.session import Session

__all__ = ["is_prepared", "note_prepared", "prepare"]


def prepare(session: "Session") -> None:
    """Compile the controller that a session awaits, beside the walk. It takes over when it is ready, unless somebody
    has begun with something else by then."""
    name, begun, graph = session.awaited, session.document, session.graph
    if not name:
        return
    document = session.library.document(name)

    def make() -> LiveWorld:
        world = make_world(session.library.together(name), Figure.load(document.graph.figure), Setting())
        note_prepared(name)
        return world

    def enter(world: LiveWorld) -> None:
        session.awaited = ""
        if session.document is begun and session.graph == graph and session.setting == Setting():
            session.enter(document, world)
            session.say(f"Now walking: {name}", "it is compiled; the next start takes it from the cache")
        else:
            session.say(f"{name} is ready", "choose it under Edit")

    session.beside("prepare", make, enter)


def is_prepared(controller: str) -> bool:
    """Whether a controller's kernel was compiled with today's source."""
    return _file(controller).is_file()


def note_prepared(controller: str) -> None:
    """Remember that a controller's kernel is compiled."""
    try:
        write_whole(_file(controller), b"")
    except FootfallError:
        return  # a cache that cannot be written holds no kernels either


def _file(controller: str) -> Path:
    wp: Any = start_warp()
    digest = hashlib.sha256(f"{controller} {wp.config.version}".encode())
    home = Path(footfall.__file__).parent
    for path in sorted(home.rglob("*.py")):
        about = path.stat()
        digest.update(f"{path.relative_to(home)} {about.st_size} {about.st_mtime_ns}\n".encode())
    return Path(wp.config.kernel_cache_dir) / f"footfall-studio-{digest.hexdigest()[:16]}"
