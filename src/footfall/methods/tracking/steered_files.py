"""Motion graphs as files: clips with their gains and styles, from whose steps a character is steered; and the same
without anyone who steers, straight ahead, round and round.

Steps are then chosen as for a character that follows each exactly (:mod:`.step_choice`). As soon as a step comes again,
the walk leads back to where it came first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.tracking.controller import TrackingController, read_frames, tracking_schema
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph, Tried, bent_clip
from footfall.methods.tracking.repertoire import PAPER_GROUND, Fragment, Settings, TrackingGains
from footfall.methods.tracking.step_choice import SLOTS, SteeredController, StepChoice
from footfall.motion.ball_poses import skeleton_of_balls
from footfall.text_files import parse_toml
from footfall.toml_files import Form, print_table, read_table, value_from

DIGITS = 4
"""Of the numbers of a pose."""
MOST_BEND = 1.0
MOST = 10**6
"""Of a step's number and of starts."""
TriedRows = tuple[tuple[int, ...], ...]
"""A step's number, the next one's, how many starts stayed up, of how many: as files list transitions and stops."""


@dataclass(frozen=True, eq=False)
class _Clip:
    """A clip by its frames, or another one, bent: ``of`` its name, by ``bend`` radians a step."""

    name: str = "clip"
    style: str | None = None
    gains: int | None = None
    frames: NDArray[np.float64] | None = None
    of: str = ""
    bend: float = 0.0


@dataclass(frozen=True, eq=False)
class _SteeredFile:
    name: str
    law: Literal["steering"]
    gains: tuple[TrackingGains, ...]
    clips: tuple[_Clip, ...]
    figure: str = "mocap-biped"
    about: str = ""
    settings: Settings = field(default_factory=Settings)
    ground: Ground = PAPER_GROUND
    choosing: Choosing = field(default_factory=Choosing)
    transitions: TriedRows | None = None
    stops: TriedRows | None = None
    report: Mapping[str, Any] = field(default_factory=dict)


def read_rows(value: Any, where: str) -> TriedRows:
    """Rows of a step's number, the next one's, how many starts stayed up, of how many."""
    if not isinstance(value, list) or not all(
        isinstance(row, list) and len(row) == 4 and all(type(x) is int and 0 <= x < MOST for x in row) for row in value
    ):
        raise FootfallError(
            f"{where}: transitions and stops are rows of four whole numbers: step, next step, starts up, starts tried"
        )
    return tuple(tuple(row) for row in value)


def tried_of(rows: TriedRows | None) -> Tried | None:
    """Counts by transition, from rows."""
    return None if rows is None else {(a, b): (up, tried) for a, b, up, tried in rows}


def tried_rows(tried: Tried | None) -> TriedRows | None:
    """Rows, from counts by transition."""
    return None if tried is None else tuple((a, b, *counts) for (a, b), counts in tried.items())


SCHEMA = tracking_schema(
    {
        _SteeredFile: Form(
            order=("name", "figure", "law", "about"),
            always=("figure",),
            own={"transitions": read_rows, "stops": read_rows},
        ),
        Choosing: Form(full=True),
        _Clip: Form(own={"frames": read_frames}, digits=DIGITS),
    }
)


def parse_steered(text: str, where: str = "motion graph") -> SteeredController:
    """A motion graph from the text of its file."""
    file = read_table(parse_toml(text, where), _SteeredFile, where, SCHEMA)
    figure = Figure.load(file.figure)
    skeleton, clips = skeleton_of_balls(figure), list[GraphClip]()
    for k, part in enumerate(file.clips):
        clips.append(_clip(part, clips, file.gains, skeleton, f"{where}, clip {k}"))
    tried, stops = tried_of(file.transitions), tried_of(file.stops)
    try:
        graph = TrackedGraph(clips, figure, tried=tried, stops=stops, choosing=file.choosing)
    except FootfallError as error:
        raise FootfallError(f"{where}: {error}") from None
    made = SteeredController.of(graph, file.settings, file.ground, file.name, file.about)
    return replace(made, figure=file.figure, report=file.report)


def _clip(
    clip: _Clip, before: Sequence[GraphClip], gains: Sequence[TrackingGains], figure: Figure, where: str
) -> GraphClip:
    if clip.of:
        for key in ("style", "gains", "frames"):
            if getattr(clip, key) is not None:
                raise FootfallError(f"{where}: {key} comes from the clip that it is made of, '{clip.of}'; leave it out")
        names = [other.name for other in before]
        if clip.of not in names:
            raise FootfallError(f"{where}: {unknown_name('clip before it', clip.of, names)}")
        if not abs(clip.bend) < MOST_BEND:
            raise FootfallError(f"{where}: bend is {clip.bend:g}; it must be below {MOST_BEND:g} radian")
        return bent_clip(before[names.index(clip.of)], clip.name, clip.bend, figure)
    number = clip.gains or 0
    if not 0 <= number < len(gains):
        raise FootfallError(f"{where}: gains is {number}; there are {len(gains)} sets, counted from 0")
    if clip.frames is None:
        raise FootfallError(f"{where}: 'frames' is missing")
    if clip.frames.shape[1] != figure.nq:
        raise FootfallError(f"{where}: frames must be lists of {figure.nq} numbers, poses of '{figure.name}'")
    return GraphClip(clip.name, clip.frames, clip.style or "normal", gains[number])


def print_steered(controller: SteeredController) -> str:
    """The text of a motion graph's file, with gains as they were edited."""
    sets: list[TrackingGains] = []
    clips = []
    for clip in controller.graph.clips:
        gains = controller.edited(clip.gains)
        if gains not in sets:
            sets.append(gains)
        own = _Clip(clip.name, clip.style, sets.index(gains), clip.frames)
        clips.append(_Clip(clip.name, of=clip.of, bend=clip.bend) if clip.of else own)
    graph = controller.graph
    file = value_from(
        _SteeredFile,
        controller,
        controller.repertoire,
        law=controller.law,
        gains=tuple(sets),
        clips=tuple(clips),
        choosing=graph.choosing,
        transitions=tried_rows(graph.tried),
        stops=tried_rows(graph.stops),
    )
    return print_table(file, SCHEMA)


LONGEST_ROUND = 200
"""Steps after which it ends, where none comes again."""
LEAST = 4
"""Steps before the walk may lead back: its start is over by then."""


def straight_ahead(controller: SteeredController) -> TrackingController:
    """The steps of a steered controller as one that walks straight ahead at the middle one of its speeds."""
    graph, own = controller.graph, controller.repertoire
    choice = StepChoice(graph, own.settings, own.ground)
    choice.direct(0.0, float(np.median([step.speed for step in graph.steps if step.speed > 0.0] or [0.0])))
    fragments: list[Fragment] = []
    gains: list[TrackingGains] = []
    numbers: list[int] = []
    headings: list[float] = []
    heading, slot, back = 0.0, 0, -1
    while len(fragments) < LONGEST_ROUND and back < 0:
        choice.observe(slot, heading)
        choice.decide()
        slots = choice.slots
        if slots.all[slot].number in numbers[LEAST:]:
            back = numbers.index(slots.all[slot].number, LEAST)
            break
        set_of = controller.edited(slots.all[slot].gains)
        if set_of not in gains:
            gains.append(set_of)
        turn, count = slots.all[slot].turn, len(fragments)
        fragments.append(replace(slots.all[slot].fragment, turn=turn, gains=gains.index(set_of), successor=count + 1))
        numbers.append(slots.all[slot].number)
        headings.append(heading)
        heading, slot = heading + turn, (slot + 1) % SLOTS
    last = fragments[-1]
    fragments[-1] = replace(last, successor=back, turn=headings[back] - headings[-1] if back >= 0 else last.turn)
    repertoire = replace(own, fragments=tuple(fragments), gains=tuple(gains), start=0)
    return value_from(TrackingController, controller, repertoire=repertoire)
