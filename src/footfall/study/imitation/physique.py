"""How bodily a simulated motion is: feet that slide or sink, joints that vibrate, torques that no body has."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.tracking.ground_fit import soles_of
from footfall.motion.quaternion import conjugate, log, multiply
from footfall.motion.synthesis.hinge_chains import hinge_chains, skeleton_of_balls

Array = NDArray[np.float64]
QUICK = 10.0
"""Hz above which joints vibrate: no walking motion is that fast."""
STANCE = 5
"""Samples that a foot stands for it to count as a stance."""
ON_GROUND = 0.0
"""Metres above the ground below which a sole touches it."""


@dataclass(frozen=True)
class Physique:
    """What a motion asks of a body and its ground.

    Attributes:
        slide: metres that a standing foot moves over the ground in one stance, median. sink: metres that standing soles
            are under the ground, median.
        vibration: power of the joints' velocities above 10 Hz over that of the clip.
        hip_torque: N m for each kg of the body, 99th percentile over both hips. peak_torque: the largest at any joint.
        clearance: greatest height of the lowest point of a swinging sole, metres, median over swings. clip_clearance:
            the clip's.
    """

    slide: float
    sink: float
    vibration: float
    hip_torque: float
    peak_torque: float
    clearance: float
    clip_clearance: float


def physique_of(figure: Figure, own: Array, torque: Array, clip: Array, fps: float) -> Physique:
    """Measure poses [S, nq] with torques [S', nv] (any rate) beside the clip's frames [T, nq], both of ball joints."""
    body, figure = figure, skeleton_of_balls(figure)
    soles = soles_of(own, figure)
    slides, deep = [], []
    for k in range(2):
        for a, b in _runs(soles.height[:, k] < ON_GROUND):
            if b - a >= STANCE:
                middle = slice(a + 1, b - 1)
                slides.append(float(np.linalg.norm(soles.velocity[middle, k, :2], axis=-1).sum()) / fps)
                deep.append(float(np.median(-soles.height[a:b, k])))
    mass = float(sum(part.mass for part in body.bodies))
    size = np.stack([np.linalg.norm(torque[:, at], axis=1) for at in hip_freedoms(body)])
    every = np.stack([np.linalg.norm(torque[:, at], axis=1) for at in joint_freedoms(body)])
    return Physique(
        slide=float(np.median(slides)) if slides else 0.0,
        sink=float(np.median(deep)) if deep else 0.0,
        vibration=vibration(own, fps) / max(vibration(clip, fps), 1e-9),
        hip_torque=float(np.percentile(size, 99.0)) / mass if size.size else 0.0,
        peak_torque=float(every.max()) / mass if every.size else 0.0,
        clearance=_clearance(own, figure),
        clip_clearance=_clearance(clip, figure),
    )


def joint_freedoms(figure: Figure) -> list[list[int]]:
    """Degrees of freedom of each ball joint, or of each chain of hinges that acts as one."""
    chains = hinge_chains(figure)
    if chains is not None:
        return [list(chain.dof) for chain in chains.chains]
    return [list(range(k, k + 3)) for k in range(6, figure.nv, 3)]


def hip_freedoms(figure: Figure) -> list[list[int]]:
    """The same of the left and the right hip."""
    first = {figure.joint(figure.legs[side].hip[0]).dof for side in ("left", "right")}
    return [found for found in joint_freedoms(figure) if found[0] in first]


def vibration(frames: Array, fps: float) -> float:
    """Power of the joints' velocities above 10 Hz, rad² s⁻², of poses [T, nq] of ball joints."""
    joints = frames[:, 7:].reshape(len(frames), -1, 4)
    velocity = fps * log(multiply(conjugate(joints[:-1]), joints[1:]))
    window = np.hanning(len(velocity))[:, None, None]
    spectrum = np.abs(np.fft.rfft(window * velocity, axis=0)) ** 2 / max(float((window**2).sum()), 1e-9)
    quick = np.fft.rfftfreq(len(velocity), 1.0 / fps) > QUICK
    return float(spectrum[quick].sum() / len(velocity))


def _clearance(frames: Array, figure: Figure) -> float:
    """The greatest height of the sole's lowest point in a swing, median over swings."""
    heights = soles_of(frames, figure).height
    found = []
    for k in range(2):
        for a, b in _runs(heights[:, k] > ON_GROUND):
            if b - a >= STANCE and a > 0 and b < len(heights):
                found.append(float(heights[a:b, k].max()))
    return float(np.median(found)) if found else float("nan")


def _runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flags.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
