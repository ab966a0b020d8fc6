"""Joints by the part that they play: ``knee``, ``hip_roll``, ``shoulder`` on either side."""

import re
from collections.abc import Mapping, Sequence

from footfall.figures.parts import Joint, Leg, Side

PITCH = "_pitch"
"""A place of several hinges, named without its plane, means its joint of this ending."""

_LEFT = re.compile(r"^left_?|_left(?=_|$)|^Left|[._]L$|_l$|^l_|^L(?=[A-Z])", re.ASCII)


def joint_roles(
    joints: Sequence[Joint], pairs: Sequence[tuple[str, str]], legs: Mapping[Side, Leg]
) -> dict[str, tuple[str, str]]:
    """Role -> (left joint, right joint).

    Every left-right pair has its name without the side, and ``shoulder_pitch`` is also the ``shoulder``. Joints of the
    legs have also their place with the plane in which they move (``hip_pitch``) and without it, which then means the
    only one there, or the first that pitches.
    """
    roles = {_LEFT.sub("", left, count=1): (left, right) for left, right in pairs}
    for role, pair in list(roles.items()):
        if role.endswith(PITCH):
            roles.setdefault(role.removesuffix(PITCH), pair)
    if not legs:
        return roles
    planes = {joint.name: joint.plane for joint in joints}
    for place in ("hip", "knee", "ankle"):
        there = list(zip(getattr(legs["left"], place), getattr(legs["right"], place)))
        for left, right in there:
            roles.setdefault(f"{place}_{planes[left]}", (left, right))
        pitching = [pair for pair in there if planes[pair[0]] == "pitch"]
        if pitching or len(there) == 1:
            roles.setdefault(place, pitching[0] if pitching else there[0])
    return roles
