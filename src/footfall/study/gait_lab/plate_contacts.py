"""Contacts with force platforms, and which of them were measured whole.

A platform measures what a foot carries where the foot stands on it, and it alone. A contact is measured in part, and
left out of means and peaks, where

    the sole reaches over the edge of its platforms in the middle of the contact,
    the centre of pressure reaches the edge,
    the foot stands before the platform feels it, or after, so it steps or rolls on or off over an edge,
    the other foot stands on the same platform, or
    it belongs to neither foot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footfall.motion.gait.contact import LOADED
from footfall.motion.gait.feet import sole_positions, soles
from footfall.motion.motion import Motion
from footfall.study.gait_lab.ground_forces import SLACK, FootForce, feet_on_plates, foot_stands, pressure_centre
from footfall.study.measures.cycles import GaitEvents

Array = NDArray[np.float64]

EDGE = 0.01
"""Metres by which the outline of a sole, and a centre of pressure, are known."""
FIRM = 5 * LOADED
"""Newtons from which on a centre of pressure is steady enough to be held against an edge."""
LOW = 0.04
"""Metres above the lowest point of a sole within which its others touch the ground too."""
LONG = 0.04
"""Seconds for which the other foot must be on a platform to count."""
STRUCK = 0.02
"""Seconds after a strike that belong to the cycle before it."""


@dataclass(frozen=True)
class PlateContact:
    """A foot on one platform, or on several at once.

    Attributes:
        side: of the foot; "" where it is under neither.
        plates: indices of the platforms.
        start, end: seconds.
        fault: why it was not measured whole; empty where it was.
    """

    side: str
    plates: tuple[int, ...]
    start: float
    end: float
    fault: str = ""

    @property
    def where(self) -> str:
        """Its platforms by number."""
        numbers = " and ".join(str(plate + 1) for plate in self.plates)
        return f"force platform{'s' if len(self.plates) > 1 else ''} {numbers}"


def plate_contacts(motion: Motion, events: GaitEvents) -> tuple[PlateContact, ...]:
    """The contacts of a captured walk with force platforms, in order of time; none without platforms."""
    if "plate_force" not in motion.channels:
        return ()
    return tuple(replace(contact, fault=_fault(motion, events, contact)) for contact in _contacts(motion))


def _contacts(motion: Motion) -> list[PlateContact]:
    """Rows of the file as contacts; those of one foot that overlap in time are one."""
    owners, found = feet_on_plates(motion), list[PlateContact]()
    rows = sorted((on, off, int(plate), number) for number, (plate, on, off) in _rows(motion))
    for on, off, plate, number in rows:
        side = owners.get(number, "")
        within = (motion.times >= on) & (motion.times <= off)
        if not (motion.channels["plate_force"][within, plate, 2] > FIRM).any():
            continue
        same = [k for k, c in enumerate(found) if side and c.side == side and on < c.end]
        if same:
            one = found[same[-1]]
            plates = tuple(sorted({*one.plates, plate}))
            found[same[-1]] = replace(one, plates=plates, end=max(one.end, off))
        else:
            found.append(PlateContact(side, (plate,), on, off))
    return found


def _rows(motion: Motion) -> list[tuple[int, tuple[float, float, float]]]:
    """Number of a contact -> platform, seconds on and off, as the file's reader found them."""
    return list(enumerate(motion.source.get("plate_contacts") or []))


def _fault(motion: Motion, events: GaitEvents, contact: PlateContact) -> str:
    """Why a contact was not measured whole; empty where it was."""
    if not contact.side:
        return f"what stands on {contact.where} is neither foot alone"
    every = motion.source.get("plate_corners") or []
    corners = [np.array(every[plate]) for plate in contact.plates] if every else []
    over = _over_edge(motion, contact, corners)
    if over > EDGE:
        return f"the {contact.side} foot reaches {100 * over:.0f} cm beyond {contact.where}"
    if _pressure_at_edge(motion, contact, corners):
        return f"the centre of pressure under the {contact.side} foot reaches the edge of {contact.where}"
    before, after = _stands_beside(events, contact)
    if before or after:
        when = f"{before:.2f} s before" if before else f"{after:.2f} s after"
        return f"the {contact.side} foot stands {when} {contact.where} carries it"
    other = "right" if contact.side == "left" else "left"
    if _other_stands_there(motion, events, contact, other, corners):
        return f"the {other} foot stands on {contact.where} too"
    return ""


def _over_edge(motion: Motion, contact: PlateContact, corners: Sequence[Array]) -> float:
    """Metres by which a sole is over the edge of its platforms in the middle of a contact; below 0 inside."""
    span = contact.end - contact.start
    middle = (motion.times >= contact.start + 0.3 * span) & (motion.times <= contact.end - 0.3 * span)
    if not corners or not middle.any():
        return -np.inf
    sole = np.median(sole_positions(motion, soles(motion.skeleton)[contact.side])[middle], axis=0)[:, :2]
    return float(np.min([outside(sole, own) for own in corners], axis=0).max())


def _pressure_at_edge(motion: Motion, contact: PlateContact, corners: Sequence[Array]) -> bool:
    """Whether the centre of pressure reaches the edge of its one platform. (Between two that a foot is on, it may.)"""
    if len(corners) != 1:
        return False
    plate = contact.plates[0]
    force, moment = motion.channels["plate_force"][:, plate], motion.channels["plate_moment"][:, plate]
    firm = (motion.times >= contact.start) & (motion.times <= contact.end) & (force[:, 2] > FIRM)
    centre, _ = pressure_centre(force[firm], moment[firm], 0.0)
    return bool((outside(centre[:, :2], corners[0]) > -EDGE).any())


def _stands_beside(events: GaitEvents, contact: PlateContact) -> tuple[float, float]:
    """Seconds for which a foot stands before its platform feels it, and after; 0 where it does not."""
    none = np.zeros(0)
    strikes, offs = events.strikes.get(contact.side, none), events.offs.get(contact.side, none)
    before = after = 0.0
    earlier = strikes[strikes < contact.start - SLACK]
    if len(earlier) and not ((offs > earlier[-1]) & (offs <= contact.start)).any():
        before = float(contact.start - earlier[-1])
    later = offs[offs > contact.end + SLACK]
    if len(later) and not ((strikes >= contact.end) & (strikes < later[0])).any():
        after = float(later[0] - contact.end)
    return before, after


def _other_stands_there(
    motion: Motion, events: GaitEvents, contact: PlateContact, other: str, corners: Sequence[Array]
) -> bool:
    """Whether the other foot stands on a contact's platforms; never where two platforms are one place, as each foot's
    are in files of simulated walks."""
    every = motion.source.get("plate_corners") or []
    shared = any(sum(np.allclose(own, plate) for plate in every) > 1 for own in corners)
    if shared or not events.strikes.get(other, np.zeros(0)).size:
        return False
    within = (motion.times >= contact.start) & (motion.times <= contact.end)
    points = sole_positions(motion, soles(motion.skeleton)[other])
    low = points[..., 2] < points[..., 2].min(axis=1, keepdims=True) + LOW
    for own in corners:
        inside = outside(points[..., :2].reshape(-1, 2), own).reshape(low.shape) < -EDGE
        there = within & foot_stands(events, other, motion.times) & (inside & low).any(axis=1)
        if there.sum() * motion.frame_time > LONG:
            return True
    return False


def outside(points: Array, corners: Array) -> Array:
    """[N] metres by which points [N, 2] are outside a convex outline [K, 2]; below 0 inside."""
    sides = np.roll(corners, -1, axis=0) - corners
    normals = np.stack([sides[:, 1], -sides[:, 0]], axis=-1) / np.linalg.norm(sides, axis=-1, keepdims=True)
    away = np.einsum("nkc,kc->nk", points[:, None] - corners[None], normals)
    inwards = np.einsum("kc,kc->k", corners.mean(axis=0) - corners, normals) > 0.0
    return np.asarray(np.where(inwards, -away, away).max(axis=-1))


def without_parts(
    forces: Mapping[str, FootForce], contacts: Sequence[PlateContact], times: Array
) -> dict[str, FootForce]:
    """Forces by side that are not known during contacts that were measured in part."""
    found = {}
    for side, foot in forces.items():
        parts = [c for c in contacts if c.fault and c.side == side]
        known = foot.known.copy()
        for contact in parts:
            known[(times >= contact.start + STRUCK) & (times <= contact.end)] = False
        found[side] = replace(foot, known=known)
    return found


def contact_notes(contacts: Sequence[PlateContact]) -> list[str]:
    """One line on the contacts that were measured in part; none where all were whole."""
    parts = [c for c in contacts if c.fault]
    if not parts:
        return []
    reasons = "; ".join(f"{c.fault} (from {c.start:.2f} s)" for c in parts)
    return [
        f"{len(parts)} of {len(contacts)} contacts with force platforms {'is' if len(parts) == 1 else 'are'} left out "
        f"of means and peaks of forces, moments and powers, as measured only in part: {reasons}"
    ]
