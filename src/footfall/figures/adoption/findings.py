"""What was found in a stranger's file, in words: a table that a person can check at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from footfall.figures.adoption.limbs import Stance
from footfall.figures.adoption.overrules import Overrules, overrules_beside
from footfall.figures.adoption.source import Source
from footfall.figures.adoption.symmetry import SIZES, Asymmetry
from footfall.figures.adoption.way_back import Finding
from footfall.figures.adoption.writing import Design

LARGE = Asymmetry(mass=0.05, inertia=0.05, place=0.005, axis=0.05, range=0.1)
"""Differences between the sides that a person should look at."""


def list_findings(
    source: Source,
    design: Design,
    stance: Stance,
    up: str,
    asymmetry: Asymmetry,
    images: Mapping[int, int],
    notes: Sequence[str],
    overrules: Overrules,
) -> tuple[Finding, ...]:
    """Rows of the table, warnings among them."""
    tree, parts = design.tree, design.parts
    hip = float(design.contacts.falls["pelvis"][1][2]) - design.contacts.ground
    found = [
        Finding("root", design.bodies[0], "the link that carries both legs"),
        Finding(
            "torso", design.bodies[parts.torso], "it carries the arms" if parts.arms else "the last link of the trunk"
        ),
        Finding(
            "forward",
            f"{'x' if design.planar else _axis(stance)} of the file",
            "; ".join(stance.signs),
            not stance.sure,
        ),
        Finding("legs", f"{hip:.2f} m to the hips", _leg_words(design)),
        Finding("arms", _arm_words(design), ""),
    ]
    if up != "z":
        found.append(Finding("up", f"{up} of the file", "turned until its legs are below it", True))
    knees = [j for link in tree.links for j in link.joints if parts.names[j.index].endswith("_knee")]
    if knees and all(np.isfinite(j.upper) and j.lower + j.upper > 0.2 for j in knees):
        found.append(Finding("knees", "bend backward, as a bird's", "from their ranges", True))
    found.append(_sole_finding(design))
    found += _side_findings(design, asymmetry, images, overrules)
    found.append(_motor_finding(design))
    if source.missing:
        found.append(
            Finding("meshes", f"{len(source.missing)} files are missing", "links are drawn by their masses and joints")
        )
    found += [Finding("note", note) for note in notes]
    beside = overrules_beside(source.path)
    if beside.is_file():
        found.append(Finding("overruled", f"by {beside.name}"))
    return tuple(found)


def _axis(stance: Stance) -> str:
    ahead = stance.turn[0]
    k = int(np.argmax(np.abs(ahead)))
    text = ("" if ahead[k] > 0 else "-") + "xyz"[k]
    return text if abs(ahead[k]) > 0.999 else f"{text} (turned {np.degrees(np.arccos(abs(ahead[k]))):.0f} degrees)"


def _leg_words(design: Design) -> str:
    parts, tree = design.parts, design.tree
    joints = [j for i in parts.legs["left"].all for j in tree.links[i].joints]
    return ", ".join(parts.names[j.index].removeprefix("left_") for j in joints)


def _arm_words(design: Design) -> str:
    parts, tree = design.parts, design.tree
    if not parts.arms:
        return "none"
    joints = [j for i in parts.arms["left"].links for j in tree.links[i].joints]
    return ", ".join(parts.names[j.index].removeprefix("left_") for j in joints)


def _sole_finding(design: Design) -> Finding:
    places = np.array([place for name, (_, place) in design.contacts.soles.items() if name.startswith("left")])
    length, width = np.ptp(places[:, 0]), np.ptp(places[:, 1])
    kind = {1: "a point", 2: f"a line of {length:.3f} m"}.get(len(places), f"{length:.3f} m long, {width:.3f} m wide")
    how = (
        f"guessed from {design.contacts.guessed}" if design.contacts.guessed else "the lowest part of the feet's geoms"
    )
    return Finding("soles", f"{kind}, {len(places)} points each", how, bool(design.contacts.guessed))


def _side_findings(
    design: Design, asymmetry: Asymmetry, images: Mapping[int, int], overrules: Overrules
) -> list[Finding]:
    alone = [design.bodies[i] for i in range(len(design.tree.links)) if i not in images]
    found = []
    if alone:
        found.append(
            Finding("sides", f"no mirror image: {', '.join(alone)}", "controllers that mirror will refuse it", True)
        )
    if not overrules.symmetric:
        found.append(Finding("sides", "left as they are", "symmetric = false"))
        return found
    large = any(getattr(asymmetry, name) > getattr(LARGE, name) for name in SIZES)
    words = (
        f"masses {100 * asymmetry.mass:.2g} %, inertias {100 * asymmetry.inertia:.2g} %, places "
        f"{1000 * asymmetry.place:.2g} mm ({asymmetry.link}), axes {np.degrees(asymmetry.axis):.2g} and ranges "
        f"{np.degrees(asymmetry.range):.2g} degrees apart"
    )
    found.append(Finding("sides averaged", words, "the largest differences", large))
    return found


def _motor_finding(design: Design) -> Finding:
    joints = [j for link in design.tree.links for j in link.joints]
    motors = [design.motors[j.index] for j in joints if j.index in design.motors]
    passive = [design.parts.names[j.index] for j in joints if j.index not in design.motors]
    limited = [motor for motor in motors if np.isfinite(motor.limit)]
    sources = sorted({motor.source for motor in limited})
    words = f"{len(motors)} motors, {len(limited)} with torque limits"
    if passive:
        words += f"; passive: {', '.join(passive)}"
    how = f"from {', '.join(sources)}" if sources else "the file has no limits"
    return Finding("motors", words, how, not limited)
