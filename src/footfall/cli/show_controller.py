"""A controller in tables and as a picture, as its kind describes it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.cli.printing import fitted, print_table, print_text
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.control.kind import Controller, Description


class ShownController:
    """A controller of any kind, as its kind describes it."""

    def __init__(self, controller: "Controller") -> None:
        self.controller = controller

    def toml(self) -> str:
        """The text of its file."""
        from footfall.control.registry import print_controller

        return print_controller(self.controller)

    def _described(self, *, draw: bool = False) -> "Description":
        from footfall.control.registry import kind_of

        return kind_of(self.controller).describe(self.controller, draw=draw)

    def described(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {"kind": "controller"} | self._described().data

    def print_summary(self) -> None:
        """Tables that fit a terminal."""
        from footfall.control.registry import warn_of_doubts
        from footfall.figures import Figure

        found = self._described()
        warn_of_doubts(self.controller, Figure.load(self.controller.figure))
        print(found.title)
        if self.controller.about:
            print_text(self.controller.about)
        if found.table:
            print_table(fitted(found.table))
        for section in found.sections:
            print()
            print_text(section.title, indent="")
            if section.table:
                print_table(fitted(section.table))
            for line in section.lines:
                print_text(line)
        if found.lines:
            print()
        for line in found.lines:
            print_text(line)

    def draw(self, file: Path) -> None:
        """The graph of its poses, or a strip of what it follows."""
        from footfall.pictures import save_figure, save_picture

        found = self._described(draw=True)
        if found.poses is None:
            name = self.controller.name
            raise FootfallError(
                f"{file}: controller '{name}' has no poses to draw (law '{self.controller.law}'); "
                f"draw how it moves: footfall run {name} --out {file}"
            )
        if found.links:
            from footfall.pictures.pose_graph import pose_graph

            save_figure(pose_graph(found.poses, found.links, found.labels, found.notes, title=found.caption), file)
        else:
            options: dict[str, Any] = {"poses": len(found.poses), "labels": list(found.labels)} if found.labels else {}
            save_picture(found.poses, file, title=found.caption, **options)
