"""The controllers that a studio offers: the built-in ones, those of the user's folder, and those uploaded."""

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from footfall.control.kind import Controller
from footfall.control.registry import (
    controller_names,
    kind_of,
    law_of,
    load_controller,
    parse_controller,
    print_controller,
)
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure, figure_names
from footfall.studio.core.session.document import Document
from footfall.writing import write_whole

LARGEST_UPLOAD = 4 << 20
"""Bytes: a minute of motion to be tracked has one."""
METHODS = {
    "simbicon": "SIMBICON",
    "servo": "limit cycles",
    "torso-servo": "limit cycles",
    "tracking": "captured motion",
    "steering": "captured motion",
    "network": "a network",
    "steered-network": "captured motion",
}
"""What a law is called among controllers."""
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
            if path.stat().st_size > LARGEST_UPLOAD:
                raise FootfallError(f"{path.name}: too large for a controller")
            controller = load_controller(path)
            self._check(controller, path.name, files=True)
        except FootfallError as error:
            self.skipped.append(str(error).replace(str(path), path.name))
            return
        except (OSError, UnicodeDecodeError) as error:
            reason = "it is not text" if isinstance(error, UnicodeDecodeError) else error.strerror or error
            self.skipped.append(f"{path.name}: cannot be read: {reason}")
            return
        self.documents[controller.name] = Document(controller)

    def open(self, path: Path, figure: str | None = None) -> Document:
        """A controller from a file of this machine, with what lies beside it: a network, a robot's model.

        Args:
            path: of the controller. figure: on which it walks, by name or file; by default the controller's own.
        """
        if path.is_file() and path.stat().st_size > LARGEST_UPLOAD:
            raise FootfallError(f"{path.name}: too large for a controller (at most {LARGEST_UPLOAD} bytes)")
        return self.add(load_controller(path), figure)

    @property
    def names(self) -> tuple[str, ...]:
        """The controllers that can be chosen."""
        return (*self.documents, *(name for name in controller_names("") if name not in self.documents))

    def group(self, name: str) -> str:
        """The figure and the method of a controller; of one that was not read yet, that it follows captured motion."""
        document = self.documents.get(name)
        if document is None:
            return METHODS["tracking"]
        law, figure = document.controller.law, Path(document.controller.figure).name
        return f"{figure} · {METHODS.get(law, law)}"

    def add(self, controller: Any, figure: str | None = None) -> Document:
        """Offer one more controller, on another figure than its own where one is given."""
        if figure is not None:
            controller = replace(controller, figure=figure)
        self._check(controller, f"controller '{controller.name}'", files=True)
        self.documents[controller.name] = Document(controller)
        return self.documents[controller.name]

    def _check(self, controller: Controller, where: str, *, files: bool = False) -> None:
        """Refuse what cannot walk here; only text of this machine may name files of it (``files``)."""
        if not NAME.fullmatch(controller.name):
            raise FootfallError(
                f"{where}: name '{controller.name[:40]}' must be lower-case letters, digits and hyphens, at most 64"
            )
        if controller.figure not in figure_names() and not files:
            raise FootfallError(f"{where}: {unknown_name('figure', controller.figure[:60], figure_names())}")
        try:
            figure = Figure.load(controller.figure)
            law_of(controller, figure)
            _check_start(controller, figure)
        except FootfallError as error:
            raise FootfallError(f"{where}: {error}") from None

    def document(self, name: str) -> Document:
        """The controller of that name."""
        if name not in self.names:
            raise unknown_name("controller", name, self.names)
        if name not in self.documents:
            self.documents[name] = Document(load_controller(name))
        return self.documents[name]

    def upload(self, filename: str, content: bytes) -> Document:
        """A controller from the bytes of an uploaded file; nothing but its text is read."""
        where = f"'{Path(filename).name[:60]}'"
        if len(content) > LARGEST_UPLOAD:
            raise FootfallError(
                f"{where}: {len(content)} bytes are too many for a controller (at most {LARGEST_UPLOAD})"
            )
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            raise FootfallError(f"{where}: not a text file; upload a controller's .toml") from None
        controller = parse_controller(text, where)
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

    def is_builtin(self, name: str) -> bool:
        """Whether a name is that of a controller that comes with footfall."""
        return name in controller_names("")

    def save(self, document: Document, name: str) -> tuple[Document, Path]:
        """Write a controller into the folder under a name; a new name makes a new controller, the old one stays."""
        if self.folder is None:
            raise FootfallError("save: this studio has no folder; start it with --folder, or download the controller")
        if not NAME.fullmatch(name):
            raise FootfallError(f"save: name '{name[:40]}' must be lower-case letters, digits and hyphens, at most 64")
        controller = (
            document.controller
            if name == document.name
            else kind_of(document.controller).named(document.controller, name)
        )
        path = self.folder / f"{name}.toml"
        write_whole(path, print_controller(controller).encode())
        if name == document.name:
            document.mark_saved()
            return document, path
        document.controller = document.saved
        self.documents[name] = Document(controller)
        return self.documents[name], path

    def together(self, name: str) -> list[Controller]:
        """The controller and those that it can switch to: of the same figure and law."""
        first = self.document(name).controller
        others = [d.controller for d in self.documents.values() if d.name != name and d.controller.law == first.law]
        return [first, *sorted(kind_of(first).switchable(first, others), key=lambda c: c.name)]


def _check_start(controller: Controller, figure: Figure) -> None:
    """Whether a controller's start fits its figure."""
    start = controller.start
    for name, width in (("qpos", figure.nq), ("qvel", figure.nv)):
        given = None if start is None else getattr(start, name)
        if given is not None and len(given) != width:
            raise FootfallError(f"start.{name} has {len(given)} numbers; figure '{figure.name}' needs {width}")
