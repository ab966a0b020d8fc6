"""The controllers and bodies that a studio offers: built-in ones, those of the user's folder, and those uploaded."""

import itertools
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.control.registry import (
    controller_names,
    kind_of,
    law_of,
    library_law,
    load_controller,
    parse_controller,
    print_controller,
)
from footfall.errors import FootfallError, check_name, unknown_name
from footfall.figures import Figure, figure_names
from footfall.motion import Motion
from footfall.motion.skeleton.body_shape import body_capsules, capsule_ends
from footfall.studio.core.drawings import INK, LEFT, RIGHT
from footfall.text_files import write_whole

MOST_VERSIONS = 200
SAME_EDIT_SECONDS = 1.5


class Document:
    """A controller under edit. Controllers are values, so a version is a controller.

    Attributes:
        controller: the present version.
        saved: the version that was loaded or saved last.
    """

    def __init__(self, controller: Controller, clock: Callable[[], float] = time.monotonic) -> None:
        begun: Controller = kind_of(controller).for_page(controller)
        self.controller = self.saved = begun
        self._clock = clock
        self._past: list[Controller] = []
        self._future: list[Controller] = []
        self._last: tuple[str, float] = ("", -1e9)

    @property
    def name(self) -> str:
        return self.controller.name

    @property
    def changed(self) -> bool:
        return self.controller != self.saved

    @property
    def can_undo(self) -> bool:
        return bool(self._past)

    @property
    def can_redo(self) -> bool:
        return bool(self._future)

    def edit(self, controller: Controller, what: str = "", within: float = SAME_EDIT_SECONDS) -> bool:
        """A new version; whether it differs. Edits of the same ``what`` that follow each other ``within`` seconds (a
        slider that is dragged) make one version."""
        if controller == self.controller:
            return False
        now = self._clock()
        same, at = self._last
        if not (what and what == same and now - at < within and self._past):
            self._past = [*self._past, self.controller][-MOST_VERSIONS:]
        self._future.clear()
        self._last = (what, now)
        self.controller = controller
        return True

    def undo(self) -> bool:
        """Back to the version before; whether there was one."""
        return self._travel(self._past, self._future)

    def redo(self) -> bool:
        """Forward to the version that was undone; whether there was one."""
        return self._travel(self._future, self._past)

    def _travel(self, there: list[Controller], back: list[Controller]) -> bool:
        if not there:
            return False
        back.append(self.controller)
        self.controller = there.pop()
        self._last = ("", -1e9)
        return True


LARGEST_UPLOAD = 4 << 20
"""Bytes: a minute of motion to be tracked has one."""
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class Library:
    """Controllers by name, each a document.

    Args:
        folder: where controllers are saved, and looked for; None for nowhere.

    Attributes:
        documents: the controllers that were read. Built-in tracked motions are read when they are first asked for.
        skipped: what is wrong with files of the folder that were left out, one line each.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.documents: dict[str, Document] = {}
        self.skipped: list[str] = []
        for name in controller_names("edit"):
            self.documents[name] = Document(load_controller(name))
        if folder is not None:
            for path in sorted(folder.glob("*.toml"))[:200]:
                self._add_file(path)

    def _add_file(self, path: Path) -> None:
        try:
            self.open(path)
        except FootfallError as error:
            self.skipped.append(_naming(path.name, error, str(path)))
        except (OSError, UnicodeDecodeError) as error:
            reason = "it is not text" if isinstance(error, UnicodeDecodeError) else error.strerror or error
            self.skipped.append(f"{path.name}: cannot be read: {reason}")

    def open(self, path: Path, figure: str | None = None) -> Document:
        """A controller from a file of this machine, with what lies beside it: a network, a robot's model.

        Args:
            path: of the controller.
            figure: on which it walks, by name or file; by default the controller's own.
        """
        if path.is_file() and path.stat().st_size > LARGEST_UPLOAD:
            raise FootfallError(f"{path.name}: too large for a controller (at most {LARGEST_UPLOAD} bytes)")
        return self.add(load_controller(path), figure)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.documents, *(name for name in controller_names("") if name not in self.documents))

    def group(self, name: str) -> str:
        """The figure and the method of a controller; of one that was not read yet, the method."""
        document = self.documents.get(name)
        law = library_law(name) if document is None else document.controller.law
        method = kind_of(law).method or law
        return method if document is None else f"{Path(document.controller.figure).name} · {method}"

    def add(self, controller: Any, figure: str | None = None) -> Document:
        """Offer one more controller, on another figure than its own where one is given."""
        if figure is not None:
            controller = replace(controller, figure=figure)
        self._check(controller, f"controller '{controller.name}'", files=True)
        self.documents[controller.name] = Document(controller)
        return self.documents[controller.name]

    def _check(self, controller: Controller, where: str, *, files: bool = False) -> None:
        """Refuse what cannot walk here; only text of this machine may name files of it (``files``)."""
        _check_name(controller.name, where)
        if controller.figure not in figure_names() and not files:
            raise FootfallError(f"{where}: {unknown_name('figure', controller.figure[:60], figure_names())}")
        try:
            figure = Figure.load(controller.figure)
            law_of(controller, figure)
            if controller.start is not None:
                controller.start.check_size(figure)
        except FootfallError as error:
            raise FootfallError(f"{where}: {error}") from None

    def document(self, name: str) -> Document:
        check_name("controller", name, self.names)
        if name not in self.documents:
            self.documents[name] = Document(load_controller(name))
        return self.documents[name]

    def upload(self, filename: str, content: bytes) -> Document:
        """A controller from the bytes of an uploaded file; nothing but its text is read."""
        where = f"'{Path(filename).name[:60]}'"
        controller = parse_controller(_text(content, f"{where}: not a text file; upload a controller's .toml"), where)
        self._check(controller, where)
        self.documents[controller.name] = Document(controller)
        return self.documents[controller.name]

    def take(self, text: str) -> Document:
        """A controller that was made here, as its file's text; it gets a name that no other one has."""
        controller = parse_controller(text)
        return self.add(kind_of(controller).named(controller, self.free_name(controller.name)))

    def free_name(self, name: str) -> str:
        """A name, or where it is taken the same with the first number that is free."""
        names = (name if k == 1 else f"{name[:60]}-{k}" for k in itertools.count(1))
        return next(one for one in names if one not in self.names)

    def save(self, document: Document, name: str) -> tuple[Document, Path]:
        """Write a controller into the folder under a name; a new name makes a new controller, the old one stays."""
        if self.folder is None:
            raise FootfallError("save: this studio has no folder; start it with --folder, or download the controller")
        _check_name(name, "save")
        controller = (
            document.controller
            if name == document.name
            else kind_of(document.controller).named(document.controller, name)
        )
        path = self.folder / f"{name}.toml"
        write_whole(path, print_controller(controller).encode())
        if name == document.name:
            document.saved = controller
            return document, path
        document.controller = document.saved
        self.documents[name] = Document(controller)
        return self.documents[name], path

    def together(self, name: str) -> list[Controller]:
        """The controller and those that it can switch to: of the same figure and law."""
        first = self.document(name).controller
        others = [d.controller for d in self.documents.values() if d.name != name and d.controller.law == first.law]
        return [first, *sorted(kind_of(first).switchable(first, others), key=lambda c: c.name)]


def _check_name(name: str, where: str) -> None:
    if not NAME.fullmatch(name):
        raise FootfallError(f"{where}: name '{name[:40]}' must be lower-case letters, digits and hyphens, at most 64")


def _text(content: bytes, refusal: str) -> str:
    """The text of an uploaded file; ``refusal`` is said of one that has none."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise FootfallError(refusal) from None


def _naming(name: str, error: FootfallError, source: str) -> str:
    """What is wrong with a file, which is called by its name here, wherever it comes from."""
    words = str(error).replace(source, name)
    return words if name in words else f"{name}: {words}"


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
        self._elsewhere: dict[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """What can be chosen: built-in figures, then files of the folder and of those in it."""
        return (*figure_names(), *self._files(), *self._elsewhere)

    def _files(self) -> tuple[str, ...]:
        if self.folder is None:
            return ()
        found = (p for depth in ("*", "*/*") for p in sorted(self.folder.glob(depth)) if p.suffix in BODY_SUFFIXES)
        return tuple(path.relative_to(self.folder).as_posix() for path, _ in zip(found, range(MOST_FILES)))

    def choice(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names, and where each comes from."""
        groups = [*((name, "built in") for name in figure_names()), *((name, "your folder") for name in self._files())]
        found = dict([*groups, *((name, "from elsewhere") for name in self._elsewhere)])
        return tuple(found), tuple(found.values())

    def name_of(self, source: str) -> str:
        """The name of what a controller's file calls a body. A file from elsewhere is offered from then on."""
        path = Path(source)
        if path.suffix in BODY_SUFFIXES and (self.folder is None or not path.is_relative_to(self.folder.resolve())):
            self._elsewhere[path.name] = source
            return path.name
        if self.folder is None or not path.is_absolute() or not path.is_relative_to(self.folder.resolve()):
            return source
        return path.relative_to(self.folder.resolve()).as_posix()

    def source(self, name: str) -> str:
        """What a controller's file calls a body: a name, or the path of its file."""
        check_name("body", name, self.names)
        if name in self._elsewhere:
            return self._elsewhere[name]
        return name if name in figure_names() or self.folder is None else str((self.folder / name).resolve())

    def load(self, name: str) -> Figure:
        """The body of a name; a file that is no good is refused by its name alone."""
        return _read(self.source(name), name)

    def upload(self, filename: str, content: bytes) -> str:
        """Keep the file of a body that somebody uploads in the folder; its name."""
        given = Path(filename)
        name = given.stem[: LONGEST_NAME - len(given.suffix)] + given.suffix
        path = self._place(name)
        if ELSEWHERE.search(_text(content, f"'{name}': not a text file; upload a body's .xml, .urdf or .bones")):
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
        raise FootfallError(_naming(name, error, source)) from None


POSES, WIDTH, HEIGHT, EDGE = 3, 96.0, 48.0, 2.0
COLOURS = {"left": LEFT, "right": RIGHT, "": INK}
Segment = tuple[str, float, NDArray[np.float64]]
"""Side, width and two ends, [2, 2] metres ahead and up."""


def thumbnail(controller: Controller) -> str:
    """A drawing of a controller's poses, as many as there is room for; empty where its kind has none."""
    poses = kind_of(controller).describe(controller, draw=True).poses
    if poses is None or not len(poses):
        return ""
    frames = np.unique(np.linspace(0, len(poses) - 1, POSES).round().astype(int))
    drawn = [_segments(poses, int(frame)) for frame in frames]
    heights = np.array([[ends[:, 1].min() - width / 2, ends[:, 1].max() + width / 2]
                        for pose in drawn for _, width, ends in pose])  # fmt: skip
    low = float(heights.min())
    scale = (HEIGHT - 2 * EDGE) / max(float(heights.max()) - low, 1e-3)
    parts = []
    for k, pose in enumerate(drawn):
        middle = WIDTH * (k + 0.5) / len(drawn)
        for (side, width), same in groupby(pose, key=lambda one: one[:2]):
            way = ""
            for _, _, ends in same:
                x, y = middle + scale * ends[:, 0], HEIGHT - EDGE - scale * (ends[:, 1] - low)
                way += f"M{x[0]:.1f} {y[0]:.1f}L{x[1]:.1f} {y[1]:.1f}"
            parts.append(f"<path d='{way}' stroke='{COLOURS[side]}' stroke-width='{max(scale * width, 1.0):.1f}'/>")
    return (
        f"<svg viewBox='0 0 {WIDTH:g} {HEIGHT:g}' width='{WIDTH:g}' height='{HEIGHT:g}' aria-hidden='true' fill='none' "
        f"stroke-linecap='round'>{''.join(parts)}</svg>"
    )


def _segments(motion: Motion, frame: int) -> list[Segment]:
    """The bones of a pose, the left side first, so that the right one is in front."""
    skeleton = motion.skeleton
    one = slice(frame, frame + 1)
    positions, turns = (a[0] for a in skeleton.forward(motion.root_position[one], motion.rotations[one]))
    bones = body_capsules(skeleton)
    ends = (capsule_ends(bones, positions, turns) - positions[0])[..., [0, 2]]
    found = [(bone.side, round(bone.radius_start + bone.radius_end, 2), both) for bone, both in zip(bones, ends)]
    order = {"left": 0, "": 1, "right": 2}
    return sorted(found, key=lambda one: (order[one[0]], one[1]))
