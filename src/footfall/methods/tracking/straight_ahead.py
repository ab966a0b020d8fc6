"""A motion graph without anyone who steers: its steps straight ahead, round and round.

Steps are chosen as for a character that follows each exactly (:mod:`.step_choice`). As soon as a step comes again, the
walk leads back to where it came first.
"""

from dataclasses import replace

import numpy as np

from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.gains import Gains
from footfall.methods.tracking.repertoire import Fragment
from footfall.methods.tracking.step_choice import SLOTS, SteeredController, StepChoice

MOST = 200
"""Steps after which it ends, where none comes again."""
LEAST = 4
"""Steps before the walk may lead back: its start is over by then."""


def straight_ahead(controller: SteeredController) -> TrackingController:
    """The steps of a steered controller as one that walks straight ahead at the middle one of its speeds."""
    graph, own = controller.graph, controller.repertoire
    choice = StepChoice(graph, own.settings, own.ground)
    choice.direct(0.0, float(np.median([step.speed for step in graph.steps if step.speed > 0.0] or [0.0])))
    fragments: list[Fragment] = []
    gains: list[Gains] = []
    numbers: list[int] = []
    headings: list[float] = []
    heading, slot, back = 0.0, 0, -1
    while len(fragments) < MOST and back < 0:
        choice.observe(slot, heading)
        choice.decide()
        slots = choice.slots
        if slots.numbers[slot] in numbers[LEAST:]:
            back = numbers.index(slots.numbers[slot], LEAST)
            break
        set_of = controller.edited(slots.gains[slot])
        if set_of not in gains:
            gains.append(set_of)
        turn, count = slots.turns[slot], len(fragments)
        fragments.append(replace(slots.fragments[slot], turn=turn, gains=gains.index(set_of), successor=count + 1))
        numbers.append(slots.numbers[slot])
        headings.append(heading)
        heading, slot = heading + turn, (slot + 1) % SLOTS
    last = fragments[-1]
    fragments[-1] = replace(last, successor=back, turn=headings[back] - headings[-1] if back >= 0 else last.turn)
    repertoire = replace(own, fragments=tuple(fragments), gains=tuple(gains), start=0)
    return TrackingController(
        controller.name, repertoire, controller.figure, controller.about, controller.report, controller.entry
    )
