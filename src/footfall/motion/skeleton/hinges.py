"""Angles of hinges in series that take a wanted orientation, smooth over time and within limits.

Rotations are matched by vectors: with weights w_k, own vectors g_k and goals f_k(t), the angles θ of hinges about axes
a_1 … a_K (as they lie at zero, in one frame) maximise

    E(θ) = Σ_k w_k f_k · rot(a_1, θ_1) … rot(a_K, θ_K) g_k .

One hinge has a closed form, two equally weighted ones too (the larger singular value of a 2 × 2 matrix), three at right
angles have two solutions in each frame (Davenport's angles). Which of the two is taken is decided over the whole
motion: the path of least change within the limits. Where the hinges come near to a line (gimbal lock) the first of them
is all but undetermined, and is led smoothly through. Limits are kept, and the other hinges then make up for what they
can.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.motion.quaternion import (
    Array,
    angle_between,
    conjugate,
    continuous,
    cross,
    dot,
    from_axis_angle,
    multiply,
    rotate,
    to_matrix,
    twist_angle,
    wrapped_angle,
)
from footfall.motion.smoothing import smoothed_by, transition

FAST = 32.0
"""rad/s beyond which a coordinate is smoothed where it is hardly determined."""

_SWEEPS = 4
_TOO_FAST = 1.0, 1.2
"""Speed over what is allowed at which smoothing sets in, and at which it is in full force."""
_LOOSE = 0.35, 0.45
"""Determinacy (0 to 1) below which a fast coordinate may be led smoothly, and above which it may not."""
_NEAR = 1e-7
"""Radians within which an angle is settled."""
_LOCK_WINDOW = 0.12
_FAR_MORE = 10.0
_LEAP = 0.25
"""Radians between frames below which a branch is smooth enough to stay on."""


def hinge_angles(
    axes: Array,
    wanted: Array,
    *,
    own: Array | None = None,
    goals: Array | None = None,
    weights: Sequence[float] | None = None,
    low: Array | None = None,
    high: Array | None = None,
    frame_time: float = 1 / 60,
    smooth: bool = True,
) -> Array:
    """Angles [T, K] of hinges about ``axes`` [K, 3] that come nearest to rotations ``wanted`` [T, 4].

    Args:
        axes: [K, 3] unit axes, each as it lies when all angles are zero.
        wanted: [T, 4] rotations from that pose.
        own: [V, 3] or [T, V, 3] vectors to be matched, by default the three axes of space.
        goals: [T, V, 3] where they should point, by default what ``wanted`` makes of them.
        weights: [V] of the vectors, by default one.
        low, high: [K] limits.
        frame_time: seconds between frames.
        smooth: lead coordinates smoothly where they are hardly determined or race between limits; without it the
            nearest pose is taken in every frame.
    """
    T, K = len(wanted), len(axes)
    own = np.eye(3) if own is None else own
    weight = np.ones(own.shape[-2]) if weights is None else np.asarray(weights, dtype=float)
    spread = np.swapaxes(own * weight[:, None], -1, -2)

    def waves(rows: Any = slice(None)) -> Array:
        """Coefficients of E in some frames; most motions need them in few."""
        if goals is not None:
            return _waves(
                axes, np.swapaxes(goals[rows], 1, 2) @ np.swapaxes(spread if spread.ndim == 2 else spread[rows], -1, -2)
            )
        return _waves(axes, to_matrix(wanted[rows]) @ (spread @ own))

    low = np.full(K, -np.inf) if low is None else low
    high = np.full(K, np.inf) if high is None else high
    exact = K == 3 and _square(axes)
    if exact:
        angles, sure = _three(axes, wanted, low, high)
        angles = np.unwrap(angles, axis=0)
    elif K == 2 and (aimed := _aimed(axes, own, weight)) is not None:
        angles, sure = _three(np.vstack([axes, aimed]), wanted, np.append(low, -np.inf), np.append(high, np.inf))
        angles = _rewound(np.unwrap(angles[:, :2], axis=0), low, high)
    elif K == 2:
        angles, sure = _two(axes, wanted)
        if weights is not None:
            angles = _ascend(waves(), angles, low, high, range(2), _SWEEPS)
    elif K == 1:
        _, cosine, sine = waves()
        angles = np.unwrap(np.arctan2(sine, cosine))[:, None]
        sure = np.hypot(cosine, sine) / max(float(weight.sum()), 1e-12)
    else:
        angles, sure = np.zeros((T, K)), np.ones(T)
        angles = np.unwrap(_ascend(waves(), angles, low, high, range(K), 6 * _SWEEPS), axis=0)
    angles = _within_turns(angles, low, high)
    if smooth:
        before = angles.copy()
        held = _led_through(angles, sure, frame_time)
        free = [k for k in range(K) if k not in held]
        led = np.abs(angles - before).max(axis=1) > _NEAR
        if held and free and led.any():
            angles[led] = _ascend(waves(led), angles[led], low, high, free, 2 * _SWEEPS)
    limited = np.clip(angles, low, high)
    over = np.abs(limited - angles).max(axis=1) > 1e-9
    if over.any() and K > 1:
        limited[over] = _ascend(waves(over), limited[over], low, high, range(K), _SWEEPS)
    return _slowed(limited, wanted, frame_time) if smooth else np.asarray(limited)


def _slowed(angles: Array, wanted: Array, frame_time: float) -> Array:
    """Angles [T, K] smoothed where one is faster than ``FAST`` and than the wanted turn itself, which happens beyond
    limits."""
    if len(angles) < 3:
        return angles
    allowed = np.maximum(FAST, angle_between(wanted[:-1], wanted[1:]) / frame_time)
    window = max(round(_LOCK_WINDOW / frame_time), 1)
    for grow in (1, 2, 4):
        racing = _racing(np.abs(np.diff(angles, axis=0)).max(axis=1) / frame_time / allowed, grow * window)
        if not racing.any():
            break
        weight = 1e4 * (1e-7) ** racing
        stiffness = 0.02 * (window * grow) ** 4 / 16
        angles = smoothed_by(angles, weight, stiffness)
    return angles


def _racing(speed: Array, reach: int) -> Array:
    """[T] from 0 to 1, how much a coordinate races near a frame: its speed between frames [T - 1], over what is
    allowed, is too high within ``reach`` frames. It grows steadily, so that a digit more or less in a file does not
    decide whether a motion is smoothed."""
    from scipy.ndimage import maximum_filter1d

    over = transition(speed, *_TOO_FAST)
    if not over.any():
        return np.zeros(len(speed) + 1)
    both = np.maximum(np.append(over, 0.0), np.append(0.0, over))
    return np.asarray(maximum_filter1d(both, 2 * reach + 1, mode="nearest"))


def _square(axes: Array) -> bool:
    return bool(abs(axes[0] @ axes[1]) < 1e-6 and abs(axes[1] @ axes[2]) < 1e-6)


def _three(axes: Array, wanted: Array, low: Array, high: Array) -> tuple[Array, Array]:
    """Angles [T, 3] on the smoother path through Davenport's two solutions, and how determined they are [T]."""
    e1, e2 = axes[0], axes[1]
    e3 = cross(e1, e2)
    lean = np.arctan2(axes[2] @ e3, axes[2] @ e1)
    u = rotate(wanted, axes[2])
    u1, u2, u3 = (u @ e for e in (e1, e2, e3))
    size = np.hypot(u2, u3)
    first, second = np.arctan2(-u2, u3), lean - np.arctan2(size, u1)
    rest = multiply(conjugate(multiply(from_axis_angle(e1, first), from_axis_angle(e2, second))), wanted)
    one = np.stack([first, second, twist_angle(rest, axes[2])], axis=-1)
    # Half a turn about the first axis reverses the second: the other solution.
    other = one * [1.0, -1.0, 1.0] + [np.pi, 2.0 * lean, np.pi]
    branches = [one, other]
    return _smoother_path(np.stack(branches, axis=1), low, high), size


def _smoother_path(branches: Array, low: Array, high: Array) -> Array:
    """[T, K] one of Davenport's two branches [T, 2, K] in each frame: least change over time, within limits, near zero
    (Viterbi)."""
    wrapped = wrapped_angle(branches)
    out = np.full(wrapped.shape, np.inf)
    for turn in (-2 * np.pi, 0.0, 2 * np.pi):
        out = np.minimum(out, np.maximum(np.maximum(low - wrapped - turn, wrapped + turn - high), 0.0))
    unary = dot(out, out) + 0.02 * dot(wrapped, wrapped)
    keep = int(np.argmin(unary.sum(axis=0)))
    leaps = np.abs(wrapped_angle(np.diff(wrapped[:, keep], axis=0))).max(initial=0.0)
    if len(branches) < 2 or not (out[:, keep].any() or leaps > _LEAP):
        return np.asarray(branches[:, keep])
    stay, leave = (wrapped_angle(wrapped[1:, end] - wrapped[:-1, 0]) for end in (0, 1))
    extra = (10.0 * (dot(leave, leave) - dot(stay, stay))).tolist()
    ahead = (unary[:, 0] - unary[:, 1]).tolist()
    # Both branches move alike, so only the difference of their costs matters, and what it costs more to change over.
    cost = ahead[0]
    costs = [cost]
    for more, own in zip(extra, ahead[1:]):
        both = cost + more
        cost = (cost if cost < more else more) - (both if both < 0.0 else 0.0) + own
        costs.append(cost)
    chosen = [costs[-1] > 0]
    for cost, more in zip(costs[-2::-1], extra[::-1]):
        chosen.append(chosen[-1] != (cost < -more if chosen[-1] else cost > more))
    return np.asarray(np.where(np.array(chosen[::-1])[:, None], branches[:, 1], branches[:, 0]))


def _aimed(axes: Array, own: Array, weight: Array) -> Array | None:
    """The vector (3,) that two hinges at right angles aim, as a shoulder of two does: it counts for far more than the
    others and is square to the second hinge. None where there is no such vector."""
    most = int(np.argmax(weight))
    if own.ndim != 2 or weight[most] < _FAR_MORE * np.delete(weight, most).max(initial=0.0):
        return None
    square = abs(axes[0] @ axes[1]) < 1e-6 and abs(axes[1] @ own[most]) < 1e-6
    return np.asarray(own[most]) if square else None


def _two(axes: Array, wanted: Array) -> tuple[Array, Array]:
    """Angles [T, 2] of the nearest rotations, and how determined they are [T]."""
    p = continuous(wanted)
    v = p[:, 1:]
    m00, m01, m10 = p[:, 0], v @ axes[1], v @ axes[0]
    m11 = -p[:, 0] * (axes[0] @ axes[1]) + v @ cross(axes[0], axes[1])
    apart = np.unwrap(np.arctan2(m10 - m01, m00 + m11))
    along = np.unwrap(np.arctan2(m10 + m01, m00 - m11))
    angles = np.stack([along + apart, along - apart], axis=-1)
    sure = np.minimum(np.hypot(m10 - m01, m00 + m11), np.hypot(m10 + m01, m00 - m11))
    return angles, sure


def _waves(axes: Array, match: Array) -> Array:
    """[3, … 3, T] coefficients of E over the angles of K hinges, from M = Σ w f gᵀ [T, 3, 3].

    A turn about a is a aᵀ + cos θ (1 - a aᵀ) + sin θ [a]×, so E = tr(Mᵀ R_1 … R_K) is linear in (1, cos θ_k, sin θ_k)
    for each hinge k.
    """
    basis = np.eye(3)[None]
    for axis in axes:
        x, y, z = axis
        along = np.outer(axis, axis)
        parts = np.stack([along, np.eye(3) - along, np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])])
        basis = (basis[:, None] @ parts[None]).reshape(-1, 3, 3)
    table = basis.reshape(-1, 9) @ match.reshape(-1, 9).T
    return np.asarray(table.reshape(*[3] * len(axes), len(match)))


def _ascend(waves: Array, angles: Array, low: Array, high: Array, which: Sequence[int], sweeps: int) -> Array:
    """Angles [T, K] after sweeps that set one hinge after another to its best angle within limits: that of the wave
    A cos θ + B sin θ which E is with the others as they are. Frames that no longer change are done."""
    angles = angles.copy()
    rows = np.arange(len(angles))
    for _ in range(sweeps):
        now = angles[rows]
        change = np.zeros(len(rows))
        for k in which:
            wave = waves
            for n in range(now.shape[1] - 1, -1, -1):
                if n != k:
                    constant, cosine, sine = np.moveaxis(wave, n, 0)
                    wave = constant + np.cos(now[:, n]) * cosine + np.sin(now[:, n]) * sine
            best = np.arctan2(wave[2], wave[1])
            best = np.clip(now[:, k] + wrapped_angle(best - now[:, k]), low[k], high[k])
            change = np.maximum(change, np.abs(best - now[:, k]))
            now[:, k] = best
        angles[rows] = now
        moving = change > _NEAR
        if not moving.all():
            rows, waves = rows[moving], waves[..., moving]
        if not len(rows):
            break
    return angles


def _within_turns(angles: Array, low: Array, high: Array) -> Array:
    """Unwrapped angles [T, K], each moved by whole turns so that its path lies within its limits, or near zero."""
    bounded = np.isfinite(low) & np.isfinite(high)
    centre = 0.5 * (np.where(bounded, low, 0.0) + np.where(bounded, high, 0.0))
    away = np.median(angles, axis=0) - centre
    return np.asarray(angles - 2 * np.pi * np.round(away / (2 * np.pi)))


def _rewound(angles: Array, low: Array, high: Array) -> Array:
    """Angles [T, K] moved by whole turns in the frames in which that brings them within their limits: a limb that goes
    around once must turn back where its joint ends."""
    wrapped = _within_turns(angles, low, high)
    turned = wrapped_angle(wrapped)
    inside = (turned >= low) & (turned <= high) & np.isfinite(low) & np.isfinite(high)
    return np.where(inside, turned, wrapped)


def _led_through(angles: Array, sure: Array, frame_time: float) -> list[int]:
    """Smooth coordinates in place where they are fast and hardly determined; returns which ones. Of the first and the
    last of three, the first where both race."""
    T, K = angles.shape
    if T < 3:
        return []
    window = max(round(_LOCK_WINDOW / frame_time), 1)
    loose = 1.0 - transition(np.minimum(sure[1:], sure[:-1]), *_LOOSE)
    tried = (0, 2) if K == 3 else range(K)
    speed = {k: np.abs(np.diff(angles[:, k])) / frame_time / FAST * (loose > 0) for k in tried}
    need = {k: float((transition(row, *_TOO_FAST) * loose).sum()) for k, row in speed.items()}
    held = [k for k in tried if need[k] > 0]
    held = held[:1] if K == 3 else held
    free = np.minimum(sure, 1.0) ** 4 + 1e-6
    for k in held:
        smooth, near = angles[:, k], np.zeros(T)
        for grow in (1, 2, 4, 8):
            racing = _racing(np.abs(np.diff(smooth)) / frame_time / FAST * loose, grow * window)
            if not racing.any():
                break
            near = np.maximum(near, racing)
            more = smoothed_by(angles[:, k], 1e4 * (free / 1e4) ** near, 0.02 * (window * grow) ** 4 / 16)
            smooth = smooth + racing.max() * (more - smooth)
        angles[:, k] = smooth
    return held
