"""viser's icons, read from one open archive.

viser opens its archive of thousands of icons again for each one that a page shows, which takes a tenth of a second each
time. While the page is built it stays open.
"""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

__all__ = ["open_icons"]


@contextmanager
def open_icons() -> Iterator[None]:
    """While this lasts, icons come from an archive that is opened once."""
    module: Any = import_module("viser._icons")
    plain, held = module.zipfile, dict[Path, Any]()

    @contextmanager
    def archive(path: Path) -> Iterator[Any]:
        if path not in held:
            held[path] = zipfile.ZipFile(path)
        yield held[path]

    module.zipfile = SimpleNamespace(ZipFile=archive)
    try:
        yield
    finally:
        module.zipfile = plain
        for opened in held.values():
            opened.close()
