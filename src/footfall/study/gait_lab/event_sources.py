"""Which of a walk's gait events count: those of its contacts, of platforms, of its file, or of its feet's speed."""

from footfall.motion.motion import Motion
from footfall.study.gait_lab.cycles import find_cycles
from footfall.study.gait_lab.events import (
    EventDifference,
    GaitEvents,
    compare_events,
    contact_events,
    file_events,
    kinematic_events,
    merged,
    plate_events,
)
from footfall.study.gait_lab.ground_forces import feet_on_plates


def best_events(motion: Motion) -> tuple[GaitEvents, tuple[EventDifference, ...]]:
    """The events that count, and how other sources differ from the best one."""
    kinematic, contacts = kinematic_events(motion), contact_events(motion)
    if contacts is not None:
        return contacts, (compare_events(contacts, kinematic),)
    marked = file_events(motion)
    plates = plate_events(motion, feet_on_plates(motion)) if "plate_force" in motion.channels else None
    base = marked if marked is not None and find_cycles(marked) else kinematic
    found = [compare_events(plates, other) for other in (kinematic, marked) if plates is not None and other is not None]
    if marked is not None:
        found.append(compare_events(marked, kinematic))
    return merged(base, plates), tuple(found)
