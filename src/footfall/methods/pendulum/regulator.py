"""The discrete regulator of walking: from one step to the next (Faraji and Ijspeert 2018, section 3.1).

A step's start error in one plane is v = (pelvis - swing foot, pelvis - stance foot, pelvis velocity); the inputs are
the constant V and the ramp W of the swing hip's torque. The swing foot must end at rest, which fixes W = G v + K_H V
and leaves v+ = A v + B V. A linear-quadratic regulator V = -K v with Q = I/(0.01 h1)² and R = 1/(m g)² on V and on W
(the elimination of W adds its cost to Q, R and the cross term) is solved for all walkers at once by structured
doubling. Laterally the step mirrors the error, which changes the sign of both A and B: the gain is the same.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.figures.inertia import GRAVITY

Array = NDArray[np.float64]
Weighting = Literal["steps", "soft"]


@dataclass(frozen=True)
class StepMap:
    """The step map with the foot at rest at its end, in one plane.

    ``state`` ``[N, 3, 3]`` and ``input`` ``[N, 3, 1]``: v+ = A v + B V; ``ramp_state`` ``[N, 1, 3]`` and ``ramp_input``
    ``[N, 1, 1]``: W = G v + K_H V; ``free`` ``[N, 4, 4]``: the map of (v, foot velocity) without any feedback.
    """

    state: Array
    input: Array
    ramp_state: Array
    ramp_input: Array
    free: Array


@dataclass(frozen=True)
class Regulator:
    """Gain ``[N, 3]`` of V = -K v, the closed loop ``[N, 3, 3]``, and the row and determinant of time projection."""

    gain: Array
    closed_loop: Array
    row: Array
    determinant: Array


def discrete_riccati(A: Array, B: Array, Q: Array, R: Array) -> Array:
    """P ``[N, n, n]`` with P = AᵀPA - AᵀPB (R + BᵀPB)⁻¹ BᵀPA + Q, by structured doubling (quadratic convergence)."""
    size = A.shape[-1]
    one = np.eye(size)
    E, G, H = A, B @ np.linalg.solve(R, B.mT), Q
    for _ in range(60):
        inverse = np.linalg.inv(one + G @ H)
        grown = H + E.mT @ H @ inverse @ E
        E, G = E @ inverse @ E, G + E @ inverse @ G @ E.mT
        done = np.abs(grown - H).max() <= 1e-14 * np.abs(grown).max()
        H = (grown + grown.mT) / 2
        if done:
            break
    return H


def regulate(step: StepMap, h1: Array, weight: Array, *, weighting: Weighting = "steps") -> Regulator:
    """The regulator of ``step`` for legs of ``h1`` ``[N]`` metres and a ``weight`` ``[N]`` of m g newtons.

    ``weighting`` "steps" weighs errors of 1 % of the leg against hip torques V and W of m g; "soft" weighs positions
    against h1, velocities against √(h1 g) and V alone against m g, which answers more gently.
    """
    A, B, G, K_H = step.state, step.input, step.ramp_state, step.ramp_input
    cost = np.zeros((*h1.shape, 3))
    cost[:, :2] = (1e4 if weighting == "steps" else 1.0) / (h1**2)[:, None]
    cost[:, 2] = 1e4 / h1**2 if weighting == "steps" else 1.0 / (h1 * GRAVITY)
    torque = 1.0 / (weight**2)[:, None, None]
    ramp = torque if weighting == "steps" else 0.0 * torque
    Q = cost[:, :, None] * np.eye(3) + ramp * (G.mT @ G)
    R = torque + ramp * K_H * K_H
    N = ramp * (G.mT * K_H)
    turned = np.linalg.solve(R, N.mT)
    P = discrete_riccati(A - B @ turned, B, Q - N @ turned, R)
    gain: Array = np.linalg.solve(R + B.mT @ P @ B, B.mT @ P @ A + N.mT).astype(float)
    closed = A - B @ gain
    row = (gain @ _adjugate(closed))[:, 0, :]
    return Regulator(gain[:, 0, :], closed, row, np.linalg.det(closed))


def _adjugate(a: Array) -> Array:
    """The adjugate of ``[N, 3, 3]`` matrices: rows are cross products of columns."""
    columns = [a[:, :, i] for i in range(3)]
    return np.stack(
        [np.cross(columns[1], columns[2]), np.cross(columns[2], columns[0]), np.cross(columns[0], columns[1])], axis=1
    )
