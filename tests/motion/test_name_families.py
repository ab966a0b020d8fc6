"""Skeletons named as many tools and collections name them: parts are found, and the motion comes over."""

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.motion import EndSite, Motion, Skeleton, retarget
from footfall.motion.skeleton.roles import find_roles
from tests.motion.name_families import FAMILIES, joint_names
from tests.motion.test_zero_poses import lively_walk
from tests.motion.zero_poses import ZERO_POSES, rezeroed

TURNS = {"hip": "UpLeg", "knee": "Leg", "ankle": "Foot", "shoulder": "Arm", "elbow": "ForeArm"}


def placed(count, points):
    """``count`` joints along a limb whose main joints stand at ``points``; twist joints stand between two of them."""
    extra = count - len(points)
    rows = []
    for n, (start, end) in enumerate(zip(points, [*points[1:], None])):
        rows.append((n, np.array(start)))
        if end is not None and n >= len(points) - 3 and extra > 0:
            rows.append((None, 0.5 * (np.array(start) + np.array(end))))
            extra -= 1
    return rows[:count]


def body(family):
    """A person with the family's names: (skeleton, joint by the role that moves it)."""
    spine = FAMILIES[family]["spine"]
    names, parents, places, roles = [], [], [], {}

    def add(name, parent, place, role=""):
        names.append(name)
        parents.append(parent)
        places.append(np.array(place, dtype=float))
        if role:
            roles[role] = len(names) - 1
        return len(names) - 1

    heights = [*np.linspace(0.0, 0.42, len(spine) - 2), 0.5, 0.6]
    for k, (name, height) in enumerate(zip(spine, heights)):
        add(name, k - 1, (0, 0, height), {0: "pelvis", len(spine) - 1: "head"}.get(k, ""))
    chest = spine.index(*FAMILIES[family].get("chest", [spine[-3]]))
    for side, y in (("left", 1), ("right", -1)):
        arm, leg = (joint_names(family, part, side) for part in ("arm", "leg"))
        above = chest
        if len(arm) in (4, 6):
            above = add(arm[0], above, (0, 0.03 * y, 0.48), f"{side}_clavicle")
            arm = arm[1:]
        at = [(0, 0.2 * y, 0.45), (0, 0.2 * y, 0.17), (0, 0.2 * y, -0.08)]
        for (n, place), name in zip(placed(len(arm), at), arm):
            above = add(name, above, place, "" if n is None else f"{side}_{('shoulder', 'elbow', 'wrist')[n]}")
        above = 0
        at = [(0, 0.1 * y, 0.0), (0, 0.1 * y, -0.43), (0, 0.1 * y, -0.86)]
        hips = [name for name in leg if "Twist" in name]
        for n, name in enumerate(name for name in leg if name not in hips):
            place = at[n] if n < 3 else (0.13 + 0.04 * (n - 3), 0.1 * y, -0.93)
            above = add(name, above, place, f"{side}_{('hip', 'knee', 'ankle')[n]}" if n < 3 else "")
            if n == 0 and hips:
                above = add(hips[0], above, (0, 0.1 * y, -0.2))
    offsets = [place - (places[parent] if parent >= 0 else 0.0) for place, parent in zip(places, parents)]
    ends = [EndSite("", roles["head"], (0.0, 0.0, 0.2))]
    for side in ("left", "right"):
        if len(names) - 1 == roles[f"{side}_ankle"] or roles[f"{side}_ankle"] not in parents:
            ends.append(EndSite("", roles[f"{side}_ankle"], (0.13, 0.0, -0.07)))
    return Skeleton(tuple(names), tuple(parents), np.array(offsets), ends=tuple(ends)), roles


@pytest.mark.parametrize("family", FAMILIES)
def test_parts_are_found_by_their_names(family):
    skeleton, known = body(family)
    found = find_roles(skeleton)
    for role, joint in known.items():
        assert skeleton.names[found[role]] == skeleton.names[joint], role
    assert {"chest", "neck"} <= found.keys()


@pytest.mark.parametrize("family", FAMILIES)
def test_the_motion_comes_over_from_any_zero_pose(family):
    source = lively_walk(1.0)
    skeleton, known = body(family)
    rotations = np.tile(skeleton.rest, (len(source), 1, 1))
    for role, joint in known.items():
        side, _, part = role.partition("_")
        name = {"pelvis": "Hips", "head": "Head"}.get(role, f"{side.title()}{TURNS.get(part, '?')}")
        if name in source.skeleton.names:
            rotations[:, joint] = source.rotations[:, source.skeleton.index(name)]
    motion = Motion(skeleton, source.times, source.root_position, rotations)
    kind = ZERO_POSES[[*FAMILIES].index(family) % len(ZERO_POSES)]
    _, report = retarget(rezeroed(motion, kind, seed=1), Figure.load("human-28"))
    assert report.verdict() == "good"
    assert not report.guessed
    assert report.fidelity.worst("upper_arm").worst < 3.0
    assert report.fidelity.worst("forearm").worst < 3.0
    assert report.fidelity.worst("thigh").median < 5.0
