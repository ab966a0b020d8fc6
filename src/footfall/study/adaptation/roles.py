"""Which joint of a body plays the part of which joint of another, and which way their knees bend."""

import math
from collections.abc import Iterator

from footfall.figures import Figure
from footfall.figures.parts import Joint


def joint_groups(figure: Figure) -> Iterator[tuple[str, tuple[Joint, ...]]]:
    """Every servo of a figure once: (the name of a pair without its side, both joints), or (a joint's name, itself)."""
    paired: set[str] = set()
    for left, right in figure.sides.joints:
        joints = (figure.joint(left), figure.joint(right))
        paired |= {left, right}
        if all(joint.actuated for joint in joints):
            yield _role(figure, left), joints
    for joint in figure.joints:
        if joint.actuated and joint.name not in paired:
            yield joint.name, (joint,)


def _role(figure: Figure, left: str) -> str:
    """The most telling role of a left joint: with its plane where it has one."""
    names = [role for role, pair in figure.roles.items() if pair[0] == left]
    planes = [role for role in names if role.endswith(("_pitch", "_roll", "_yaw")) and not role.startswith("knee_")]
    return (planes or sorted(names, key=len))[0]


def counterpart(source: Figure, target: Figure, name: str) -> str | None:
    """The joint of ``source`` that plays the part of ``target``'s joint; None where there is none."""
    for role, pair in target.roles.items():
        if name in pair and role in source.roles:
            return source.roles[role][pair.index(name)]
    own = {joint.name for joint in source.joints}
    return name if name in own and name not in (j for pair in target.sides.joints for j in pair) else None


def knee_sense(figure: Figure) -> float:
    """-1 where knees bend as people's do, the shank backward; 1 where they bend as a bird's seem to; -1 without knees
    or where a range does not tell."""
    if "knee" not in figure.roles:
        return -1.0
    knee = figure.joint(figure.roles["knee"][0])
    if math.isfinite(knee.lower) and math.isfinite(knee.upper) and knee.lower + knee.upper != 0.0:
        return -1.0 if knee.lower + knee.upper < 0.0 else 1.0
    at_rest = float(figure.default_qpos[knee.qpos])
    return 1.0 if at_rest > 0.1 else -1.0
