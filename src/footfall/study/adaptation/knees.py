"""Knees that bend the other way: the same steps of the foot with the knee behind the leg.

A leg of thigh a and shank b, its knee bent by k ≥ 0, has its ankle at the angle δ from the thigh's line:

    δ = atan2(b sin k, a + b cos k)

With the knee bent as people's do, the foot is at θ - δ for a thigh at θ, and turned by θ - k. With the knee bent the
other way it is at θ' + δ and turned by θ' + k. So the same place and turn of the foot need

    θ' = θ - 2 δ,     ankle' = ankle + 2 δ - 2 k
"""

import math
from dataclasses import replace

from footfall.methods.simbicon.graph import State, Target


def mirrored_leg(bend: float, thigh: float, shank: float) -> tuple[float, float]:
    """By how much hip and ankle angles change when a knee bent by ``bend`` bends the other way."""
    k = abs(bend)
    delta = math.atan2(shank * math.sin(k), thigh + shank * math.cos(k))
    turn = math.copysign(1.0, bend)
    return -2.0 * turn * delta, 2.0 * turn * (delta - k)


def mirrored_knees(state: State, thigh: float, shank: float) -> State:
    """A state for knees that bend the other way. Targets of the hip and of the swing ankle move along; a stance hip
    has no target of its own, and an ankle against the world keeps its."""
    targets = dict(state.targets)
    for leg in ("swing", "stance"):
        knee = targets.get(f"{leg}_knee")
        if knee is None:
            continue
        hip_shift, ankle_shift = mirrored_leg(-knee.angle, thigh, shank)
        targets[f"{leg}_knee"] = _turned(knee)
        for name, shift in ((f"{leg}_hip", hip_shift), (f"{leg}_hip_pitch", hip_shift), (f"{leg}_ankle", ankle_shift)):
            own = targets.get(name)
            if own is not None and not own.world:
                targets[name] = replace(own, angle=own.angle + shift)
    return replace(state, targets=targets)


def _turned(target: Target) -> Target:
    return replace(
        target,
        angle=-target.angle,
        c_d=-target.c_d,
        c_v=-target.c_v,
        c_h=-target.c_h,
        c_hip=-target.c_hip,
    )
