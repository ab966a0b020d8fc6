"""Captured motion that is tracked or steered, as files, commands and the studio know it."""

from collections.abc import Mapping
from dataclasses import asdict
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.control.kind import Abilities, ControllerKind, Description, Number, Section
from footfall.methods.tracking.controller import TrackingController, parse_tracking, print_tracking, tracking_numbers

if TYPE_CHECKING:
    from footfall.figures import Figure
    from footfall.methods.tracking.law import TrackingLaw
    from footfall.methods.tracking.step_choice import SteeredController
    from footfall.motion import Motion


class _Tracking(ControllerKind):
    laws: tuple[str, ...] = ("tracking",)
    library = resources.files("footfall.methods.tracking") / "library"
    method = "captured motion"
    usual = Abilities(follow=True)

    def parse(self, text: str, where: str) -> TrackingController:
        return parse_tracking(text, where)

    def print(self, controller: Any) -> str:
        return print_tracking(controller)

    def law(self, controller: TrackingController, figure: "Figure") -> "TrackingLaw":
        from footfall.methods.tracking.law import TrackingLaw

        return TrackingLaw(controller.repertoire, figure)

    def body(self, controller: TrackingController, figure: "Figure") -> "Figure":
        from footfall.figures.ball_joints import with_foot_pads

        return with_foot_pads(figure) if figure.root == "free" and figure.legs else figure

    def numbers(self, controller: TrackingController) -> tuple[Number, ...]:
        return tuple(tracking_numbers(controller).values())

    def with_number(self, controller: TrackingController, name: str, value: float) -> TrackingController:
        known = tracking_numbers(controller)
        if name not in known:
            super().with_number(controller, name, value)
        return controller if known[name].value == value else controller.changed(**{name: value})

    def clip_seconds(self, controller: TrackingController) -> float | None:
        repertoire, frames, seen = controller.repertoire, 0, set[int]()
        number = repertoire.start
        while number >= 0 and number not in seen:
            seen.add(number)
            fragment = repertoire.fragments[number]
            frames, number = frames + len(fragment.frames) - 1, fragment.successor
        return None if number >= 0 else frames * repertoire.settings.frame_time

    def describe(self, controller: TrackingController, *, draw: bool = False) -> Description:
        repertoire = controller.repertoire
        table = [["fragment", "kind", "seconds", "next"]]
        for k, f in enumerate(repertoire.fragments):
            seconds = (len(f.frames) - 1) * repertoire.settings.frame_time
            table.append([str(k), f.kind, f"{seconds:.2f}", "end" if f.successor < 0 else str(f.successor)])
        several = len(repertoire.gains) > 1
        sections = [
            Section(f"gains {k}" if several else "gains", [["gain", "value"], *_rows(asdict(gains))])
            for k, gains in enumerate(repertoire.gains)
        ]
        if controller.report:
            sections.append(
                Section("as it was measured when it was made", [["what", "value"], *_rows(controller.report)])
            )
        return Description(
            f"{controller.name}: tracked motion for {controller.figure}, law '{controller.law}'",
            table,
            data=_data(controller),
            poses=_followed(controller) if draw else None,
            caption=f"{controller.name}: the motion that it follows",
            sections=sections,
        )


class _Steering(_Tracking):
    laws = ("steering",)
    library = resources.files("footfall.methods.tracking") / "steered"
    usual = Abilities(run=False, speed=True, turn=True, follow=True)

    def parse(self, text: str, where: str) -> "SteeredController":
        from footfall.methods.tracking.steered_files import parse_steered

        return parse_steered(text, where)

    def print(self, controller: Any) -> str:
        from footfall.methods.tracking.steered_files import print_steered

        return print_steered(controller)

    def unsteered(self, controller: "SteeredController") -> TrackingController:
        from footfall.methods.tracking.steered_files import straight_ahead

        return straight_ahead(controller)


TRACKING, STEERING = _Tracking(), _Steering()


def _rows(values: Mapping[str, Any]) -> list[list[str]]:
    """Names and values as rows of texts; tables in tables become rows of their own."""
    rows = []
    for key, value in values.items():
        if isinstance(value, Mapping):
            rows += [[f"{key}.{name}", text] for name, text in _rows(value)]
        else:
            shown = f"{value:g}" if isinstance(value, float) else str(value)
            rows.append([key, ("no", "yes")[value] if isinstance(value, bool) else shown])
    return rows


def _data(controller: TrackingController) -> dict[str, Any]:
    repertoire = controller.repertoire
    return {
        "name": controller.name,
        "figure": controller.figure,
        "law": controller.law,
        "about": controller.about,
        "report": dict(controller.report),
        "settings": asdict(repertoire.settings),
        "gains": [asdict(gains) for gains in repertoire.gains],
        "fragments": [
            {"kind": f.kind, "frames": len(f.frames), "successor": f.successor, "turn": f.turn, "gains": f.gains}
            for f in repertoire.fragments
        ],
    }


def _followed(controller: TrackingController) -> "Motion":
    from footfall.figures import Figure
    from footfall.motion import Motion
    from footfall.motion.ball_poses import hinge_chains

    parts = [f.frames[:-1] for f in controller.repertoire.fragments]
    frames = np.concatenate([*parts, controller.repertoire.fragments[-1].frames[-1:]])
    times = np.arange(len(frames), dtype=float) * float(controller.repertoire.settings.frame_time)
    figure = Figure.load(controller.figure)
    chains = hinge_chains(figure)
    return Motion.from_qpos(figure, times, frames if chains is None else chains.hinge_poses(frames))
