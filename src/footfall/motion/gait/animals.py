"""Whether a motion is that of an animal: measures of human gait, and figures of people, do not fit it."""

from itertools import pairwise

import numpy as np

from footfall.motion.motion import Motion
from footfall.motion.skeleton.body_shape import leg_length
from footfall.motion.skeleton.roles import find_roles, name_tokens

_PARTS = {
    "tail": "a tail",
    "wing": "wings",
    "wings": "wings",
    "beak": "a beak",
    "paw": "paws",
    "hoof": "hooves",
    "hock": "hocks",
    "horselink": "hocks",
    "snout": "a snout",
    "muzzle": "a muzzle",
    "trunkbase": "a trunk",
    "claw": "claws",
    "fetlock": "fetlocks",
    "pastern": "pasterns",
}


_STRAIGHT = 0.95
"""The cosine above which two bones in a row are one shank with a twist bone, as MakeHuman's skeletons have.
Set after looking at one."""


def animal_warning(motion: Motion) -> str:
    """One line where a captured motion looks like an animal's, empty otherwise.

    Signs are names (a tail, wings, hocks …), a bone between shank and foot, and hands that stand on the ground under a
    level trunk. Figures that footfall knows are what they are.
    """
    if motion.figure:
        return ""
    signs = [*dict.fromkeys(_named(motion)), *_shaped(motion)]
    if not signs:
        return ""
    return f"this looks like an animal ({', '.join(signs)}): gait measures and figures of people do not fit it"


def _named(motion: Motion) -> list[str]:
    words = [word.rstrip("0123456789") for name in motion.skeleton.names for word in _words(name)]
    return [_PARTS[word] for word in words if word in _PARTS]


def _words(name: str) -> list[str]:
    tokens = name_tokens(name[-200:])
    return [*tokens, *("".join(pair) for pair in pairwise(tokens))]


def _shaped(motion: Motion) -> list[str]:
    skeleton, roles = motion.skeleton, find_roles(motion.skeleton)
    leg, signs = leg_length(skeleton), []
    for side in ("left", "right"):
        if f"{side}_knee" in roles and f"{side}_ankle" in roles:
            between = [j for j in skeleton.chain(roles[f"{side}_ankle"]) if roles[f"{side}_knee"] in skeleton.chain(j)]
            bones = np.diff(skeleton.rest_positions()[between], axis=0)
            bones = bones[np.linalg.norm(bones, axis=1) > 0.12 * leg]
            bones = bones / np.linalg.norm(bones, axis=1, keepdims=True)
            if len(bones) > 1 and np.einsum("bk,bk->b", bones[:-1], bones[1:]).min() < _STRAIGHT:
                signs = ["a bone between shank and foot"]
    top = roles.get("neck", roles.get("chest", roles.get("head")))
    hands = [roles[role] for role in ("left_wrist", "right_wrist") if role in roles]
    feet = [roles[role] for role in ("left_ankle", "right_ankle") if role in roles]
    if top is not None and len(hands) == 2 and len(feet) == 2:
        places = motion.positions()
        trunk = places[:, top] - places[:, roles["pelvis"]]
        level = np.median(trunk[:, 2] / np.maximum(np.linalg.norm(trunk, axis=-1), 1e-9)) < 0.5
        low = np.median(places[:, hands, 2].mean(axis=1) - places[:, feet, 2].mean(axis=1)) < 0.15 * leg
        if level and low:
            signs.append("it walks on four feet")
    return signs
