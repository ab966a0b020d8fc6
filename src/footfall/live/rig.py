"""A character of one's own, driven by a module: how its bones follow the module's bodies, saved beside it as JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.pendulum import Person, periodic_gait, record_walk, walk_motion
from footfall.motion.formats.conventions import axes_from_up, turned
from footfall.motion.formats.files import load_motion
from footfall.motion.formats.gltf_reader import read_gltf_document
from footfall.motion.formats.gltf_rig import rig_nodes
from footfall.motion.quaternion import Array, conjugate
from footfall.motion.retargeting.extremities import ARM_FREE, GIRDLE_SHARE, MOST_BENT, SOLE_DOWN
from footfall.motion.retargeting.retarget import retarget
from footfall.motion.retargeting.rigs import RigBinding, bind_rig
from footfall.motion.skeleton.roles import find_roles

VERSION = 1
WALK_SECONDS, FPS = 4.0, 30.0
"""Of the walk in closed form that shows how a figure's limbs bend."""


def rig_description(figure: Figure, character: Path) -> dict[str, Any]:
    """How the bones of a character's .glb follow the bodies of a figure, for ``rig.js``.

    Args:
        figure: what the module simulates.
        character: a .glb file with a skin.
    """
    if character.suffix.lower() != ".glb":
        raise FootfallError(f"{character}: a page drives a .glb; export your character as one")
    walk = walk_motion(record_walk(periodic_gait(Person.of()), WALK_SECONDS, fps=FPS))
    motion, _ = retarget(walk, figure)
    rig = load_motion(character)
    found = bind_rig(motion, rig)
    document = read_gltf_document(character)
    above, rows = rig_nodes(document, rig.skeleton, character)
    axes = axes_from_up("y")
    starts = {series[0]: series for series in found.series.values()}
    bones: list[dict[str, Any]] = []
    for j, row in enumerate(rows):
        bone: dict[str, Any] = {"name": row.name, "parent": rig.skeleton.parents[j]}
        bone["frame"] = _numbers(conjugate(found.turns[j]))
        if j in starts:
            bone["series"] = starts[j]
        if j in found.driven:
            bone |= {"body": found.driven[j], "offset": _numbers(found.offsets[j])}
        if row.moved is not None:
            bone["place"] = _numbers(row.moved)
        bones.append(bone)
    if len({(bone["parent"], bone["name"]) for bone in bones}) < len(bones):
        raise FootfallError(f"{character}: bones on one parent have the same name or none; name them apart for a page")
    _toes_and_clavicles(bones, found)
    turn, lift, size = above
    anchor = np.asarray(figure.bodies[0].com) - np.asarray(motion.skeleton.com)[0]
    return {
        "footfall": VERSION,
        "rig": character.name,
        "figure": figure.name,
        "scale": found.scale,
        "anchor": _numbers(anchor),
        "root": _numbers(found.root),
        "lift": found.lift,
        "above": {"turn": _numbers(turned(axes, turn)), "lift": _numbers(axes @ lift), "size": size},
        "bones": bones,
        "off_deg": {bones[j]["name"]: round(degrees, 1) for j, degrees in found.off.items()},
    }


def _toes_and_clavicles(bones: list[dict[str, Any]], found: RigBinding) -> None:
    """Add what turns by a rule (:mod:`footfall.motion.retargeting.extremities`) instead of with a body."""
    skeleton, roles = found.upright, find_roles(found.upright)
    places = skeleton.at_rest()[0]
    for toes in found.toes.values():
        shape = {"length": toes.length, "slope": toes.slope, "most": MOST_BENT, "down": SOLE_DOWN}
        low = float(places[list(toes.joints), 2].mean()) - toes.height
        for joint in toes.joints:
            bones[joint]["toe"] = shape | {"foot": toes.foot, "height": float(places[joint][2]) - low}
            for link in skeleton.chain(joint)[1:]:
                bones[link]["at"] = _numbers(skeleton.offsets[link])
    for joint, side in found.clavicles.items():
        bones[joint]["clavicle"] = {
            "arm": roles[f"{side}_shoulder"],
            "chest": roles.get("chest", roles["pelvis"]),
            "free": ARM_FREE,
            "share": GIRDLE_SHARE if side == "left" else -GIRDLE_SHARE,
        }


def _numbers(values: Array | Sequence[float]) -> list[float]:
    return [round(float(v), 9) for v in values]
