"""Controllers from captured motion: a clip's averaged cycle as targets that move with the phase (SIMBICON, section 5).

Two states, left and right stance, end when the swing foot touches the ground; the phase then starts again. Torso and
swing hip track the cycle against the world, all other joints against their parents, with the target's velocity; the
stance hip gives the torso its torque and does not track. Gains and feedback are first guesses that a search improves
(:mod:`footfall.study.imitation.captured`).
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Start
from footfall.control.slots import TRANSVERSE, Slot, slots_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.mjcf import posed
from footfall.figures.scaling import SizeFactors, size_of
from footfall.figures.side_names import SIDES
from footfall.methods.simbicon.graph import Balance, PoseControlGraph, Servo, ServoGains, State, Target, TargetCycle
from footfall.motion.quaternion import from_euler
from footfall.motion.synthesis.periodic import SAMPLES, WalkCycle

__all__ = [
    "captured_walk",
    "usual_course",
]

Array = NDArray[np.float64]

HARMONICS = 6
"""Of the targets: what is faster in the clip is left out."""

EARLIEST = 0.75
"""The share of a step before which the swing foot's contact does not end it: it may still be lifting off."""

FEEDBACK = {
    "torso": (0.2, 0.2),
    "torso_roll": (0.14, 0.02),
    "swing_hip": (1.0, -0.13),
    "swing_hip_roll": (0.13, 0.27),
    "stance_ankle": (-0.12, 0.02),
    "stance_ankle_roll": (0.09, -0.16),
}
"""First guesses of c_d and c_v by role: about what a search from the walk in space's own came to for one clip."""

GAINS = {
    "hip_pitch": ServoGains(300.0, 30.0, 300.0),
    "hip_roll": ServoGains(300.0, 30.0, 300.0),
    "hip_yaw": ServoGains(100.0, 10.0, 100.0),
    "torso": ServoGains(1800.0, 180.0),
    "torso_roll": ServoGains(1800.0, 180.0),
    "torso_yaw": ServoGains(200.0, 20.0),
    "knee": ServoGains(500.0, 50.0, 300.0),
    "ankle_pitch": ServoGains(170.0, 17.0, 200.0),
    "ankle_roll": ServoGains(100.0, 10.0, 150.0),
}
"""First guesses of the servos' gains; other joints have the figure's."""

_LEANS = ("pitch", "roll", "yaw")
_BY_STANCE = ("hip", "knee", "ankle")


def slot_curve(cycle: WalkCycle, slot: Slot) -> Array:
    """[SAMPLES] what a slot should do: joints against their parents, torso and hips against the world."""
    if slot.place == "torso":
        return cycle.curve(_LEANS[slot.plane])
    angle = cycle.curve(slot.name)
    if slot.place == "hip" and slot.plane != TRANSVERSE:
        return np.asarray(angle + slot.turn * cycle.curve(_LEANS[slot.plane]))
    return angle


def captured_walk(cycle: WalkCycle, figure: Figure, *, name: str, about: str = "") -> PoseControlGraph:
    """The controller of a cycle, before any search."""
    if figure.root != "free":
        raise FootfallError(f"figure '{figure.name}': walks from captured motion need a figure that moves in space")
    slots = slots_of(figure, balanced=True, where=f"controller '{name}'")
    means, terms = {}, {}
    for slot in slots:
        mean, waves = _series(slot_curve(cycle, slot))
        means[slot.name] = mean
        terms[slot.name] = tuple(round(float(x), 4) for x in waves)
    sides = ("left",) if cycle.symmetric else ("left", "right")
    forward, left = cycle.velocity
    size = size_of(figure)
    return PoseControlGraph(
        name,
        figure.name,
        tuple(_state(side, cycle, slots, means, size) for side in sides),
        symmetric=cycle.symmetric,
        about=about,
        balance=Balance(
            reference="ankle",
            sensor="any",
            speed=round(forward, 4),
            side_speed=0.0 if cycle.symmetric else round(left, 4),
            hip_range=(-1.2, 1.8),
            hip_roll_limit=0.8,
        ),
        servo=Servo(joints=_gains(figure, size)),
        cycle=TargetCycle(round(cycle.left, 4), round(cycle.right, 4), joints=terms, **usual_course(cycle, figure)),
        start=_start(cycle, figure),
    )


def _series(curve: Array) -> tuple[float, Array]:
    """A curve's mean and its terms a_1, b_1, a_2, b_2 ..."""
    spectrum = np.fft.rfft(curve) / len(curve)
    kept = 2.0 * spectrum[1 : HARMONICS + 1]
    return float(spectrum[0].real), np.stack([kept.real, -kept.imag], axis=-1).ravel()


def _gains(figure: Figure, size: SizeFactors) -> dict[str, ServoGains]:
    """First guesses for a figure: those of human-28, or scaled to another size with the figure's own torque limits."""
    known = {role for role in GAINS if role.startswith("torso") or role in figure.roles}
    if size == SizeFactors(1.0, 1.0):
        return {role: gains for role, gains in GAINS.items() if role in known}
    return {
        role: ServoGains(round(size.stiffness * gains.kp, 3), round(size.damping * gains.kd, 4))
        for role, gains in GAINS.items()
        if role in known and gains.kp is not None and gains.kd is not None
    }


def _state(stance: str, cycle: WalkCycle, slots: Sequence[Slot], means: dict[str, float], size: SizeFactors) -> State:
    targets = {}
    for slot in slots:
        role = slot.name
        if slot.place in _BY_STANCE:
            leg = "stance" if slot.side == stance else "swing"
            role = f"{leg}_{slot.name.removeprefix(f'{slot.side}_').removesuffix('_pitch')}"
        c_d, c_v = FEEDBACK.get(role, (0.0, 0.0))
        feedback = (round(c_d / size.length, 6), round(c_v / math.sqrt(size.length), 6)) if role in FEEDBACK else ()
        targets[role] = Target(round(means[slot.name], 4), *feedback)
    seconds = cycle.left if stance == "left" else cycle.right
    return State(targets, hold=round(EARLIEST * seconds, 4), contact=True, stance=stance, name=f"{stance}-stance")  # type: ignore[arg-type]


def _start(cycle: WalkCycle, figure: Figure) -> Start:
    """The cycle's first moment: the left foot has just landed."""
    qvel, pace, k = np.zeros(figure.nv), 0.5 / cycle.left, np.arange(1, HARMONICS + 1)

    def at(name: str) -> tuple[float, float]:
        mean, waves = _series(cycle.curve(name))
        return mean + float(waves[0::2].sum()), float(2 * np.pi * pace * (k @ waves[1::2]))

    qpos = _pose(figure, lambda name: at(name)[0])
    for joint in figure.joints:
        if joint.kind == "hinge":
            qvel[joint.dof] = at(joint.name)[1]
    pitch, roll, yaw = (at(name)[1] for name in _LEANS)
    qvel[3:6] = roll, -pitch, yaw
    qvel[:3] = [at(name)[0] for name in ("forward", "left", "up")]
    soles = [figure.model.site(p.name).id for p in figure.points if p.ground and p.foot]
    qpos[2] -= posed(figure.model, qpos).site_xpos[soles, 2].min()
    return Start(tuple(round(float(x), 5) for x in qpos), tuple(round(float(x), 5) for x in qvel))


def usual_course(cycle: WalkCycle, figure: Figure) -> dict[str, tuple[float, float]]:
    """The straight lines that d and v follow in each half of a cycle, by their names in :class:`TargetCycle`."""
    done = np.arange(SAMPLES // 2) / (SAMPLES // 2)
    mean = cycle.velocity
    found = {}
    for half, side in enumerate(SIDES):
        ankle = figure.model.body(figure.legs[side].foot).id
        numbers = []
        for k in range(half * SAMPLES // 2, (half + 1) * SAMPLES // 2):
            data = posed(figure.model, _pose(figure, lambda name, k=k: float(cycle.curve(name)[k])))  # type: ignore[misc]
            yaw = float(cycle.curve("yaw")[k])
            d = data.qpos[:2] - data.xpos[ankle, :2]
            v = np.array([cycle.curve("forward")[k], cycle.curve("left")[k]])
            c, s = np.cos(yaw), np.sin(yaw)
            turned = [np.array([c * x[0] + s * x[1], c * x[1] - s * x[0]]) for x in (d, v)]
            numbers.append([*turned[0], *(turned[1] - mean)])
        slopes, starts = np.polyfit(done, np.array(numbers), 1)
        for name, slope, start in zip(("d", "d_side", "v", "v_side"), slopes, starts, strict=True):
            found[f"{side}_{name}"] = (round(float(start), 4), round(float(start + slope), 4))
    return found


def _pose(figure: Figure, angle: Callable[[str], float]) -> Array:
    """[nq] a pose of a cycle, over the origin and along x, from its angles by name."""
    qpos = np.array(figure.default_qpos, dtype=float)
    for joint in figure.joints:
        if joint.kind == "hinge":
            qpos[joint.qpos] = angle(joint.name)
    pitch, roll, yaw = (float(angle(name)) for name in _LEANS)
    qpos[:2] = 0.0
    qpos[3:7] = from_euler("zyx", np.array([yaw, -pitch, roll]))
    return qpos
