"""Markers that a body would wear: Plug-in Gait's labels on the pelvis, legs and feet of any skeleton with legs.

Programs that know markers can then solve it again. Hips, knees and ankles are the joints themselves (``LHJC``,
``LKJC``, ``LAJC``); the pelvis's markers stand in its own axes at usual distances, so that they give these axes back;
markers of knee and ankle stand on their outer sides, heel and toe at the ends of the sole.
"""

import numpy as np

from footfall.motion.gait.feet import sole_positions, soles
from footfall.motion.gait.joint_angles import anatomical_turn
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, rotate
from footfall.motion.skeleton.roles import find_roles

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
