"""The bodies that a studio offers: those that come with footfall, and the files of the user's folder."""

import re
import tempfile
from pathlib import Path

from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure, figure_names
from footfall.writing import write_whole

BODY_SUFFIXES = (".xml", ".urdf", ".bones")
LARGEST_BODY = 4 << 20
MOST_FILES, LONGEST_NAME = 100, 80
ELSEWHERE = re.compile(r"<include\b|\bfile\s*=|\bfilename\s*=|meshdir\s*=|texturedir\s*=")
"""What in a body's text names other files."""


class Bodies:
    """Figures by name.

    Args:
        folder: where files of bodies are looked for and written; None for nowhere.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    @property
    def names(self) -> tuple[str, ...]:
        """What can be chosen: built-in figures, then files of the folder and of those in it."""
        return (*figure_names(), *self._files())

    def _files(self) -> tuple[str, ...]:
        if self.folder is None:
            return ()
        found = (p for depth in ("*", "*/*") for p in sorted(self.folder.glob(depth)) if p.suffix in BODY_SUFFIXES)
        return tuple(path.relative_to(self.folder).as_posix() for path, _ in zip(found, range(MOST_FILES)))

    def choice(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names, and where each comes from."""
        names, own = self.names, figure_names()
        return names, tuple("built in" if name in own else "your folder" for name in names)

    def name_of(self, source: str) -> str:
        """The name of what a controller's file calls a body; itself where that is not in the folder."""
        path = Path(source)
        if self.folder is None or not path.is_absolute() or not path.is_relative_to(self.folder.resolve()):
            return source
        return path.relative_to(self.folder.resolve()).as_posix()

    def source(self, name: str) -> str:
        """What a controller's file calls a body: a name, or the path of its file."""
        if name not in self.names:
            raise unknown_name("body", name, self.names)
        return name if name in figure_names() or self.folder is None else str((self.folder / name).resolve())

    def load(self, name: str) -> Figure:
        """The body of a name; a file that is no good is refused by its name alone."""
        return _read(self.source(name), name)

    def upload(self, filename: str, content: bytes) -> str:
        """Keep the file of a body that somebody uploads in the folder; its name."""
        given = Path(filename)
        name = given.stem[: LONGEST_NAME - len(given.suffix)] + given.suffix
        path = self._place(name)
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            raise FootfallError(f"'{name}': not a text file; upload a body's .xml, .urdf or .bones") from None
        if ELSEWHERE.search(text):
            raise FootfallError(
                f"'{name}' names other files, such as meshes; put it into the studio's folder together with them"
            )
        with tempfile.TemporaryDirectory() as folder:
            there = Path(folder) / name
            there.write_bytes(content)
            _read(str(there), name)
        write_whole(path, content)
        return name

    def save(self, figure: Figure) -> str:
        """Keep a body that was made here in the folder; its name."""
        name = f"{figure.name}.xml"
        path = self.folder / name if self.folder is not None else None
        if path is None or not path.exists() or path.read_text(encoding="utf-8") != figure.xml:
            write_whole(self._place(name), figure.xml.encode())
        return name

    def _place(self, name: str) -> Path:
        """Where a new file may be written."""
        if self.folder is None:
            raise FootfallError("this studio has no folder for bodies; start it with --folder")
        if Path(name).suffix not in BODY_SUFFIXES:
            raise FootfallError(f"'{name}': a body is a .xml (MJCF), .urdf or .bones file")
        if (self.folder / name).exists():
            raise FootfallError(f"'{name}' is in the folder already; give it another name")
        return self.folder / name


def _read(source: str, name: str) -> Figure:
    """A body; where it is no good, the error names it as the studio does."""
    try:
        return Figure.load(source)
    except FootfallError as error:
        words = str(error).replace(source, name)
        raise FootfallError(words if name in words else f"{name}: {words}") from None
