"""Joint centres from the markers of Plug-in Gait.

Hips, after Davis et al., "A gait analysis data collection and reduction technique" (Human Movement Science, 1991), as
Plug-in Gait takes it. With L the length of the leg, W the distance between the ASIS markers, r the marker's radius,
θ = 0.5 and β = 0.314, in the axes of the pelvis (x forward, y left, z up, from the middle of the ASIS markers):

    C = 0.115 L - 0.0153        d = 0.1288 L - 0.04856
    x = C cosθ sinβ - (d + r) cosβ        y = ±(W / 2 - C sinθ)        z = -C cosθ cosβ - (d + r) sinβ

Knees, ankles, elbows and wrists by the chord: the centre J of a joint with marker K, below the centre H and with half
width o, lies in the plane of H, K and a third marker T, with |JK| = o + r and a right angle at J. Where a file has the
marker on the inner side, the middle of both is taken; where it has the centre itself, that. The width of a joint is
what the file says; else 0.114 (knee), 0.076 (ankle), 0.080 (elbow) and 0.058 (wrist) of the leg's length, as in an
average grown person. The shoulder lies below its marker, along the trunk, by 0.053 of the leg's length.

Markers as a motion: the skeleton of a person where they are labelled as Plug-in Gait has them, else their middle.

Joint centres come from ``plug_in_gait``. Each segment gets a frame from its joint centres and markers in every frame:
its length along z, its flexion axis along y. The skeleton's offsets are the medians over time in those frames, so that
bones are rigid; poses are the frames' rotations, and the root goes where the pelvis is. In the rest pose the person
stands upright with hanging arms.

Markers that a body would wear: Plug-in Gait's labels on the pelvis, legs and feet of any skeleton with legs.

Programs that know markers can then solve it again. Hips, knees and ankles are the joints themselves (``LHJC``,
``LKJC``, ``LAJC``); the pelvis's markers stand in its own axes at usual distances, so that they give these axes back;
markers of knee and ankle stand on their outer sides, heel and toe at the ends of the sole.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import UP_AXES, axes_from_up
from footfall.motion.gait.angles import anatomical_turn
from footfall.motion.gait.feet import sole_positions, soles
from footfall.motion.markers import (
    Markers,
    fill_gaps,
    find_jumps,
    find_labels,
    longest_run,
    plate_channels,
    without_jumps,
)
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, conjugate, from_matrix, multiply, normalised, rotate, unit
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import EndSite, Skeleton, triple

_RADIUS = 0.007
_THETA, _BETA = 0.5, 0.314
_WIDTHS = {"Knee": 0.114, "Ankle": 0.076, "Elbow": 0.080, "Wrist": 0.058}
_SHOULDER_OFFSET = 0.053


def needed(places: Mapping[str, object]) -> list[str]:
    """Markers without which no leg can be solved and that are missing."""
    missing = [f"{side}{label}" for label in ("ASI",) for side in "LR" if f"{side}{label}" not in places]
    if "SACR" not in places and not ("LPSI" in places and "RPSI" in places):
        missing.append("SACR or LPSI and RPSI")
    for side in "LR":
        for marker, centre in (("KNE", "KJC"), ("ANK", "AJC")):
            if f"{side}{marker}" not in places and f"{side}{centre}" not in places:
                missing.append(f"{side}{marker}")
    return missing


def pelvis_frame(places: Mapping[str, Array]) -> tuple[Array, Array]:
    """Origin [T, 3] in the middle of the ASIS markers and axes [T, 3, 3] in columns: forward, left, up."""
    left, right = places["LASI"], places["RASI"]
    back = places["SACR"] if "SACR" in places else 0.5 * (places["LPSI"] + places["RPSI"])
    origin = 0.5 * (left + right)
    y = unit(left - right)
    x = origin - back
    x = unit(x - np.einsum("tk,tk->t", x, y)[:, None] * y)
    return origin, np.stack([x, y, np.cross(x, y)], axis=-1)


def marked_leg_lengths(places: Mapping[str, Array], sizes: Mapping[str, float]) -> dict[str, float]:
    """Length of each leg by side, "L" and "R": what the file says, else ASIS to knee to ankle, the median over time."""
    lengths = {}
    for side in "LR":
        knee = places.get(f"{side}KNE", places.get(f"{side}KJC"))
        ankle = places.get(f"{side}ANK", places.get(f"{side}AJC"))
        assert knee is not None
        assert ankle is not None
        measured = np.linalg.norm(places[f"{side}ASI"] - knee, axis=-1) + np.linalg.norm(knee - ankle, axis=-1)
        lengths[side] = float(sizes.get(f"{side}LegLength") or np.median(measured))
    return lengths


def joint_centres(places: Mapping[str, Array], sizes: Mapping[str, float]) -> dict[str, Array]:
    """Centres [T, 3] of the joints: ``LHJC``, ``LKJC``, ``LAJC`` and, where their markers are there, ``LSJC``,
    ``LEJC``, ``LWJC``, and the right ones.

    Args:
        places: [T, 3] of each marker by its label, without gaps, in metres; z is up.
        sizes: measures of the person in metres, as a file gives them; may be empty.
    """
    origin, pelvis = pelvis_frame(places)
    legs = marked_leg_lengths(places, sizes)
    length = 0.5 * (legs["L"] + legs["R"])
    wide = float(sizes.get("InterAsisDistance") or np.median(np.linalg.norm(places["LASI"] - places["RASI"], axis=-1)))
    spread = 0.115 * length - 0.0153
    found: dict[str, Array] = {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        inward = -sign * pelvis[..., 1]
        depth = float(sizes.get(f"{side}AsisTrocanterDistance") or 0.1288 * legs[side] - 0.04856) + _RADIUS
        local = np.array(
            [
                spread * np.cos(_THETA) * np.sin(_BETA) - depth * np.cos(_BETA),
                sign * (0.5 * wide - spread * np.sin(_THETA)),
                -spread * np.cos(_THETA) * np.cos(_BETA) - depth * np.sin(_BETA),
            ]
        )
        hip = places.get(f"{side}HJC", origin + pelvis @ local)
        found[f"{side}HJC"] = hip
        above = hip
        for joint, marker, medial, third, centre in (
            ("Knee", "KNE", "KNM", "THI", "KJC"),
            ("Ankle", "ANK", "ANM", "TIB", "AJC"),
        ):
            if f"{side}{centre}" in places:
                above = places[f"{side}{centre}"]
            elif f"{side}{medial}" in places:
                above = 0.5 * (places[f"{side}{marker}"] + places[f"{side}{medial}"])
            else:
                half = 0.5 * float(sizes.get(f"{side}{joint}Width") or _WIDTHS[joint] * length) + _RADIUS
                above = chord(above, places[f"{side}{marker}"], places.get(f"{side}{third}"), inward, half)
            found[f"{side}{centre}"] = above
        found |= _arm(places, sizes, side, inward, length)
    return found


def chord(above: Array, marker: Array, third: Array | None, inward: Array, half: float) -> Array:
    """[T, 3] the joint's centre by the chord, on the inner side of its marker.

    Args:
        above: [T, 3] centre of the joint above.
        marker: [T, 3] marker on the outer side of the joint.
        third: [T, 3] a marker on the segment that gives the plane; None takes the plane along ``inward``.
        inward: [T, 3] roughly the way from the marker to the centre.
        half: distance of centre and marker.
    """
    line = above - marker
    reach = np.linalg.norm(line, axis=-1, keepdims=True)
    along = unit(line)
    aside = inward if third is None else third - marker
    aside = aside - np.einsum("tk,tk->t", aside, along)[:, None] * along
    bare = inward - np.einsum("tk,tk->t", inward, along)[:, None] * along
    aside = np.where(np.linalg.norm(aside, axis=-1, keepdims=True) > 1e-6, aside, bare)
    aside = unit(aside) * np.where(np.einsum("tk,tk->t", aside, bare) < 0, -1.0, 1.0)[:, None]
    cosine = np.minimum(half / np.maximum(reach, 1e-9), 0.999)
    return np.asarray(marker + half * (cosine * along + np.sqrt(1 - cosine**2) * aside))


def _arm(
    places: Mapping[str, Array], sizes: Mapping[str, float], side: str, inward: Array, length: float
) -> dict[str, Array]:
    """Shoulder below its marker along the trunk, elbow by the chord, wrist between its markers."""
    if any(label not in places for label in (f"{side}SHO", f"{side}ELB", f"{side}WRA", "C7", "CLAV")):
        return {}
    low = [places[label] for label in ("T10", "STRN") if label in places] or [places["LASI"], places["RASI"]]
    up = unit(0.5 * (places["C7"] + places["CLAV"]) - sum(low) / len(low))
    drop = float(sizes.get(f"{side}ShoulderOffset") or _SHOULDER_OFFSET * length) + _RADIUS
    shoulder = places[f"{side}SHO"] - drop * up
    elbow, wrist, bar = places[f"{side}ELB"], places[f"{side}WRA"], None
    if f"{side}WRB" in places:
        bar = wrist - places[f"{side}WRB"]
        wrist = 0.5 * (wrist + places[f"{side}WRB"])
    flexion = np.cross(shoulder - elbow, wrist - elbow)
    half = {
        joint: 0.5 * float(sizes.get(f"{side}{joint}Width") or _WIDTHS[joint] * length) + _RADIUS
        for joint in ("Elbow", "Wrist")
    }
    bent = np.linalg.norm(flexion, axis=-1, keepdims=True) > 1e-4
    centre = chord(shoulder, elbow, elbow + np.where(bent, flexion, inward), inward, half["Elbow"])
    if bar is not None:
        wrist = chord(centre, wrist, wrist + np.cross(centre - wrist, bar), inward, half["Wrist"])
    return {f"{side}SJC": shoulder, f"{side}EJC": centre, f"{side}WJC": wrist}


_SIDES = (("L", "Left", 1.0), ("R", "Right", -1.0))
_LEGS = ("ASI", "PSI", "KNE", "ANK", "KNM", "ANM", "HJC", "KJC", "AJC")


@dataclass
class _Bone:
    """A segment: its joint's centre [T, 3], its axes [T, 3, 3] in columns and points that end it."""

    name: str
    parent: str
    centre: Array
    axes: Array
    ends: tuple[Array, ...] = ()


def motion_of_markers(markers: Markers, path: Path, kind: str, *, up: str = "auto") -> Motion:
    """A motion of markers; the marker paths stay beside it as the channel ``markers`` [T, M, 3].

    Args:
        markers: as read from ``path``.
        path: the file.
        kind: the format's name.
        up: the file's upward axis; "auto" takes what the labels tell, else what the file says, else z.
    """
    labels = find_labels(markers.names)
    upward, origin = _up(markers, labels, up)
    axes = np.eye(3) if upward == "z" else axes_from_up(upward)
    positions = markers.positions @ axes.T
    source: dict[str, Any] = {"file": path.name, "format": kind, "markers": list(markers.names)}
    source |= {"unit": markers.unit, "unit_from": "file", "up": upward, "up_from": origin}
    missing = needed(labels)
    notes = list(markers.notes)
    if missing:
        notes.append(f"the markers were not solved onto a skeleton: missing {', '.join(missing)}")
        middle = Markers(markers.names, markers.times, positions).middle()
        still = np.tile([1.0, 0.0, 0.0, 0.0], (len(middle), 1, 1))
        point = Skeleton(("markers",), (-1,), np.zeros((1, 3)))
        forces, known = plate_channels(markers, axes, 0, len(markers.times))
        source["notes"] = notes + lost_events(markers, known, markers.times)
        channels = {"markers": positions, **forces}
        return Motion(point, markers.times, middle, still, channels=channels, source=source | known)
    places, (first, last), remarks = _paths(markers, labels, positions)
    notes += remarks
    bones = _bones(places, joint_centres(places, markers.sizes))
    skeleton, root, rotations = _assembled(bones)
    times = markers.times[first:last] - markers.times[first]
    forces, known = plate_channels(markers, axes, first, last)
    notes += lost_events(markers, known, markers.times[first:last])
    source |= {"solved": "Plug-in Gait"} | ({"notes": notes} if notes else {})
    channels = {"markers": positions[first:last], **forces}
    return Motion(skeleton, times, root, rotations, channels=channels, source=source | known)


def lost_events(markers: Markers, known: Mapping[str, Any], times: Array) -> list[str]:
    """A note where events of a file lie outside the frames at ``times`` [T] that are read of it; else none."""
    lost = len(markers.events) - len(known.get("events", ()))
    if not lost:
        return []
    outside = f"outside its frames, {times[0]:.2f} to {times[-1]:.2f} s after the file's first"
    return [f"{lost} of the file's {len(markers.events)} events lie {outside}, and were left out"]


def _up(markers: Markers, labels: Mapping[str, int], up: str) -> tuple[str, str]:
    """The upward axis, and where it is known from: the trunk's markers stand above the feet's."""
    if up != "auto":
        return up, "given"
    high = [labels[name] for name in ("C7", "CLAV", "LSHO", "RSHO", "LASI", "RASI", "SACR") if name in labels]
    feet = [f"{side}{name}" for side in "LR" for name in ("ANK", "HEE", "TOE", "AJC")]
    low = [labels[name] for name in feet if name in labels]
    if high and low:
        rise = _middle(markers.positions[:, high]) - _middle(markers.positions[:, low])
        if np.isfinite(rise).all():
            return max(UP_AXES, key=lambda axis: float(axes_from_up(axis)[2] @ rise)), "guess"
    return (markers.up, "file") if markers.up in UP_AXES else ("z", "guess")


def _middle(paths: Array) -> Array:
    """(3,) the median of all points [T, M, 3] that are seen; not a number without any."""
    points = paths[np.isfinite(paths).all(axis=-1)]
    return np.median(points, axis=0) if len(points) else np.full(3, np.nan)


def _paths(
    markers: Markers, labels: Mapping[str, int], positions: Array
) -> tuple[dict[str, Array], tuple[int, int], list[str]]:
    """Gapless paths by label, over the longest stretch of frames in which the legs are known; notes."""
    steady = {label: without_jumps(positions[:, k], markers.times) for label, k in labels.items()}
    filled = {label: fill_gaps(path, markers.times) for label, path in steady.items()}
    share = {label: float(np.isfinite(path).all(axis=-1).mean()) for label, path in filled.items()}
    for side in "LR":
        for centre, marker in (("HJC", "ASI"), ("KJC", "KNE"), ("AJC", "ANK")):
            if share.get(f"{side}{centre}", 1.0) < 0.8 * share.get(f"{side}{marker}", 0.0):
                filled.pop(f"{side}{centre}", None)
    legs = {label: path for label, path in filled.items() if label[1:] in _LEGS or label == "SACR"}
    first, last = longest_run(legs)
    if last - first < 2:
        raise FootfallError("the markers of pelvis and legs are never seen together for two frames")
    notes = []
    if last - first < len(positions):
        notes.append(f"frames {first} to {last - 1} of {len(positions)} were solved; the others lack leg markers")
    jumped = {label: find_jumps(positions[first:last, labels[label]], markers.times[first:last]) for label in filled}
    when = [f"{label} at {markers.times[jumps[0]]:.2f} s" for label, jumps in jumped.items() if len(jumps)]
    if when:
        more = f" and {len(when) - 4} more" if len(when) > 4 else ""
        notes.append(f"markers that jump, smoothed over: {', '.join(when[:4])}{more}")
    places, lost = {}, []
    for label, path in filled.items():
        part = path[first:last]
        seen = np.isfinite(part).all(axis=-1)
        if seen.mean() < 0.5:
            lost.append(label)
            continue
        known, frames = np.flatnonzero(seen), np.arange(len(part))
        places[label] = np.stack([np.interp(frames, known, part[known, k]) for k in range(3)], axis=-1)
    if lost:
        notes.append(f"hardly seen, so not used: {', '.join(lost)}")
    return places, (first, last), notes


def _frame(up: Array, left: Array) -> Array:
    """[T, 3, 3] axes in columns with z along ``up`` and y as near to ``left`` as that allows."""
    z = unit(up)
    y = unit(left - np.einsum("tk,tk->t", left, z)[:, None] * z)
    return np.stack([np.cross(y, z), y, z], axis=-1)


def _bones(places: Mapping[str, Array], centres: Mapping[str, Array]) -> list[_Bone]:
    _, pelvis = pelvis_frame(places)
    across = pelvis[..., 1]
    bones = [_Bone("Hips", "", 0.5 * (centres["LHJC"] + centres["RHJC"]), pelvis)]
    bones += _trunk(places, bones[0])
    for side, word, sign in _SIDES:
        hip, knee, ankle = (centres[f"{side}{name}"] for name in ("HJC", "KJC", "AJC"))
        outer = places[f"{side}KNE"] - knee if f"{side}KNE" in places else sign * across
        thigh = _frame(hip - knee, sign * outer)
        outer = places[f"{side}ANK"] - ankle if f"{side}ANK" in places else sign * thigh[..., 1]
        shank = _frame(knee - ankle, sign * outer)
        bones += [_Bone(f"{word}UpLeg", "Hips", hip, thigh), _Bone(f"{word}Leg", f"{word}UpLeg", knee, shank)]
        bones += _foot(places, side, word, ankle, shank)
    for side, word, _ in _SIDES:
        if f"{side}SJC" not in centres or not any(bone.name == "Spine" for bone in bones):
            continue
        shoulder, elbow, wrist = (centres[f"{side}{name}"] for name in ("SJC", "EJC", "WJC"))
        trunk = next(bone for bone in bones if bone.name == "Spine").axes
        bend = np.cross(elbow - wrist, shoulder - elbow)
        bend = np.where(np.linalg.norm(bend, axis=-1, keepdims=True) > 2e-3, bend, trunk[..., 1])
        bend = bend * np.where(np.einsum("tk,tk->t", bend, trunk[..., 1]) < 0, -1.0, 1.0)[:, None]
        bones.append(_Bone(f"{word}Arm", "Spine", shoulder, _frame(shoulder - elbow, bend)))
        lower = _frame(elbow - wrist, bend)
        tip = places.get(f"{side}FIN", wrist + 0.4 * (wrist - elbow))
        bones.append(_Bone(f"{word}ForeArm", f"{word}Arm", elbow, lower))
        bones.append(_Bone(f"{word}Hand", f"{word}ForeArm", wrist, lower, (tip,)))
    return bones


def _trunk(places: Mapping[str, Array], hips: _Bone) -> list[_Bone]:
    """Chest, neck and head as far as their markers are there."""
    if "C7" not in places or "CLAV" not in places:
        return []
    top = 0.5 * (places["C7"] + places["CLAV"])
    low = [places[label] for label in ("T10", "STRN") if label in places]
    waist = hips.centre + 0.35 * (top - hips.centre)
    base = sum(low) / len(low) if len(low) == 2 else waist
    x = places["CLAV"] - places["C7"]
    z = top - base
    x = x - np.einsum("tk,tk->t", x, unit(z))[:, None] * unit(z)
    chest = _frame(z, np.cross(unit(z), unit(x)))
    bones = [_Bone("Spine", "Hips", waist, chest)]
    crown = [places[label] for label in ("LFHD", "RFHD", "LBHD", "RBHD") if label in places]
    if len(crown) == 4:
        front, back = 0.5 * (crown[0] + crown[1]), 0.5 * (crown[2] + crown[3])
        left = 0.5 * (crown[0] + crown[2]) - 0.5 * (crown[1] + crown[3])
        ahead = unit(front - back)
        upward = np.cross(ahead, unit(left))
        head = _frame(upward, left)
        middle = 0.5 * (front + back)
        base_of_head = middle - 0.08 * unit(upward)
        return [
            *bones,
            _Bone("Neck", "Spine", top, _frame(base_of_head - top, chest[..., 1])),
            _Bone("Head", "Neck", base_of_head, head, (middle + 0.10 * unit(upward),)),
        ]
    if "HEAD" in places:
        neck = _Bone("Neck", "Spine", top, _frame(places["HEAD"] - top, chest[..., 1]))
        skull = top + 0.4 * (places["HEAD"] - top)
        return [*bones, neck, _Bone("Head", "Neck", skull, neck.axes, (places["HEAD"],))]
    bones[0].ends = (top,)
    return bones


def _foot(places: Mapping[str, Array], side: str, word: str, ankle: Array, shank: Array) -> list[_Bone]:
    toe = places.get(f"{side}TOE")
    if toe is None:
        return [
            _Bone(f"{word}Foot", f"{word}Leg", ankle, shank, (ankle + 0.15 * shank[..., 0] - 0.07 * shank[..., 2],))
        ]
    heel = places.get(f"{side}HEE", ankle - 0.06 * shank[..., 2])
    x = unit(toe - heel)
    y = shank[..., 1] - np.einsum("tk,tk->t", shank[..., 1], x)[:, None] * x
    foot = np.stack([x, unit(y), np.cross(x, unit(y))], axis=-1)
    return [
        _Bone(f"{word}Foot", f"{word}Leg", ankle, foot, (heel - 0.02 * foot[..., 2],)),
        _Bone(f"{word}ToeBase", f"{word}Foot", toe, foot, (toe + 0.05 * x - 0.02 * foot[..., 2],)),
    ]


def _assembled(bones: list[_Bone]) -> tuple[Skeleton, Array, Array]:
    """The skeleton of the bones' median offsets, root positions [T, 3] and local rotations [T, J, 4]."""
    index = {bone.name: k for k, bone in enumerate(bones)}
    turns = [normalised(from_matrix(bone.axes)) for bone in bones]
    offsets = np.zeros((len(bones), 3))
    rotations = np.empty((len(turns[0]), len(bones), 4))
    ends = []
    for k, bone in enumerate(bones):
        above = index.get(bone.parent, -1)
        rotations[:, k] = turns[k] if above < 0 else multiply(conjugate(turns[above]), turns[k])
        if above >= 0:
            away = bone.centre - bones[above].centre
            offsets[k] = np.median(np.einsum("tkc,tk->tc", bones[above].axes, away), axis=0)
        for end in bone.ends:
            place = np.median(np.einsum("tkc,tk->tc", bone.axes, end - bone.centre), axis=0)
            ends.append(EndSite("", k, triple(place)))
    parents = tuple(index.get(bone.parent, -1) for bone in bones)
    skeleton = Skeleton(tuple(index), parents, offsets, ends=tuple(ends))
    return skeleton, bones[0].centre, rotations


_PELVIS = {"LASI": (0.07, 0.12, 0.08), "RASI": (0.07, -0.12, 0.08), "SACR": (-0.11, 0.0, 0.08)}
"""Metres ahead, to the left and above the middle of the hips."""
_OUT = {"KNE": 0.055, "ANK": 0.04}
_ABOVE_SOLE = 0.02
"""Metres from a sole to the markers of heel and toe."""


def virtual_markers(motion: Motion) -> tuple[list[str], Array]:
    """Labels of M markers and their places [T, M, 3]; none for a skeleton without two legs."""
    roles = find_roles(motion.skeleton)
    needed = [f"{side}_{joint}" for side in ("left", "right") for joint in ("hip", "knee", "ankle")]
    if any(role not in roles for role in needed):
        return [], np.zeros((len(motion), 0, 3))
    places = motion.positions()
    middle = 0.5 * (places[:, roles["left_hip"]] + places[:, roles["right_hip"]])
    pelvis = anatomical_turn(motion, roles["pelvis"])
    found = {label: middle + rotate(pelvis, np.array(at)) for label, at in _PELVIS.items()}
    for side, letter, sign in (("left", "L", 1.0), ("right", "R", -1.0)):
        for joint, label in (("hip", "HJC"), ("knee", "KJC"), ("ankle", "AJC")):
            found[f"{letter}{label}"] = places[:, roles[f"{side}_{joint}"]]
        for joint, label in (("knee", "KNE"), ("ankle", "ANK")):
            out = np.array([0.0, sign * _OUT[label], 0.0])
            above = {"knee": "hip", "ankle": "knee"}[joint]
            turn = anatomical_turn(motion, roles[f"{side}_{above}"])
            found[f"{letter}{label}"] = places[:, roles[f"{side}_{joint}"]] + rotate(turn, out)
        sole = soles(motion.skeleton)[side]
        points, foot = sole_positions(motion, sole), anatomical_turn(motion, sole.ankle)
        lift = rotate(foot, np.array([0.0, 0.0, _ABOVE_SOLE]))
        found[f"{letter}HEE"] = points[:, sole.heel].mean(axis=1) + lift
        found[f"{letter}TOE"] = points[:, sole.toe].mean(axis=1) + lift
    return list(found), np.stack(list(found.values()), axis=1)
