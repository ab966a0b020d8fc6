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
"""

from collections.abc import Mapping

import numpy as np

from footfall.motion.quaternion import Array

_RADIUS = 0.007
_THETA, _BETA = 0.5, 0.314
_WIDTHS = {"Knee": 0.114, "Ankle": 0.076, "Elbow": 0.080, "Wrist": 0.058}
_SHOULDER_OFFSET = 0.053


def needed(places: Mapping[str, object]) -> list[str]:
    """Markers without which no leg can be solved and that are missing, in words."""
    missing = [f"{side}{label}" for label in ("ASI",) for side in "LR" if f"{side}{label}" not in places]
    if "SACR" not in places and not ("LPSI" in places and "RPSI" in places):
        missing.append("SACR or LPSI and RPSI")
    for side in "LR":
        for marker, centre in (("KNE", "KJC"), ("ANK", "AJC")):
            if f"{side}{marker}" not in places and f"{side}{centre}" not in places:
                missing.append(f"{side}{marker}")
    return missing


def unit(v: Array) -> Array:
    """Vectors [..., 3] of length 1."""
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))


def pelvis_frame(places: Mapping[str, Array]) -> tuple[Array, Array]:
    """Origin [T, 3] in the middle of the ASIS markers and axes [T, 3, 3] in columns: forward, left, up."""
    left, right = places["LASI"], places["RASI"]
    back = places["SACR"] if "SACR" in places else 0.5 * (places["LPSI"] + places["RPSI"])
    origin = 0.5 * (left + right)
    y = unit(left - right)
    x = origin - back
    x = unit(x - np.einsum("tk,tk->t", x, y)[:, None] * y)
    return origin, np.stack([x, y, np.cross(x, y)], axis=-1)


def leg_lengths(places: Mapping[str, Array], sizes: Mapping[str, float]) -> dict[str, float]:
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
    legs = leg_lengths(places, sizes)
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
