"""Force platforms and gait events of C3D files.

A platform's corners c1 … c4 span its axes: x from the middle of c2 and c3 to the middle of c1 and c4, y from the
middle of c3 and c4 to that of c1 and c2, z = x × y, into the ground. Its channels are the force on the foot F and the
moment M about the sensors' point o (the C3D manual; types 2 and 4, and Kistler's type 3), or F, the place of its centre
of pressure and its free moment (type 1). About the middle of the surface the moment is M + o × F. ORIGIN is o seen from
the middle of the surface in some laboratories' files and the middle seen from o, as the manual has it, in others':
sensors lie below the surface, which tells the two apart. Some laboratories write what the foot does to the platform
instead; a walker is carried, so the sign is the one under which the mean force points up.

A platform that nobody stands on shows a small force all the same. The median of such times is taken off all its
channels, as a laboratory does that sets its platforms to zero before a trial.
"""

from collections.abc import Sequence

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.c3d_parameters import C3DParameters
from footfall.motion.markers.markers import GaitEvent, Plate
from footfall.motion.quaternion import Array

_EMPTY, _STEADY = 50.0, 15.0
"""Newtons that an empty platform may show, and by how much they may vary in 0.1 s."""
_KINDS = {"foot strike": "strike", "foot off": "off", "heel strike": "strike", "toe off": "off"}


def event_list(parameters: C3DParameters, begin: float) -> tuple[GaitEvent, ...]:
    """Foot strikes and foot offs in order of time, ``begin`` seconds being the first frame."""
    labels, contexts = parameters.texts("EVENT", "LABELS"), parameters.texts("EVENT", "CONTEXTS")
    times = parameters.numbers("EVENT", "TIMES")
    if times.ndim != 2 or times.shape[1] != 2:
        return ()
    found = []
    for label, context, (minutes, seconds) in zip(labels, contexts, times, strict=False):
        kind, side = _KINDS.get(label.lower()), context.lower()
        if kind and side in ("left", "right"):
            found.append(GaitEvent(float(60.0 * minutes + seconds - begin), side, kind))
    return tuple(sorted(found, key=lambda event: event.time))


def plate_signals(table: Array, parameters: C3DParameters, unit: float, rate: float) -> tuple[Plate, ...]:
    """The platforms of a file.

    Args:
        table: [S, A] samples of the analogue channels as stored.
        parameters: of the file. unit: of its lengths, metres. rate: frames a second.
    """
    count = int(parameters.number("FORCE_PLATFORM", "USED"))
    if not count or not rate > 0:
        return ()
    scaled = _scaled(table, parameters)
    types = parameters.numbers("FORCE_PLATFORM", "TYPE").ravel()
    corners = parameters.numbers("FORCE_PLATFORM", "CORNERS").reshape(-1, 4, 3)
    origins = parameters.numbers("FORCE_PLATFORM", "ORIGIN").reshape(-1, 3)
    channels = parameters.numbers("FORCE_PLATFORM", "CHANNEL")
    channels = channels.reshape(count, -1).astype(int) - 1 if channels.size % count == 0 else channels.reshape(0, 0)
    if min(len(types), len(corners), len(origins), len(channels)) < count:
        return ()
    units = parameters.texts("ANALOG", "UNITS")
    samples = parameters.number("ANALOG", "RATE", rate) or rate
    plates = []
    for k in range(count):
        used = channels[k]
        if (used < 0).any() or (used >= scaled.shape[1]).any():
            continue
        signals, kind = scaled[:, used], int(types[k])
        metres = 1e-3 if any(u.lower().replace(".", "") in ("nmm", "n-mm") for u in _of(units, used)) else 1.0
        plate = _plate(signals, kind, metres, corners[k] * unit, origins[k] * unit, parameters, k, samples)
        if plate is not None:
            plates.append(plate)
    return tuple(plates)


def _of(units: Sequence[str], used: Array) -> list[str]:
    return [units[int(c)] for c in used if int(c) < len(units)]


def _scaled(table: Array, parameters: C3DParameters) -> Array:
    """(stored - offset) × scale × general scale."""
    width = table.shape[1]
    general = parameters.number("ANALOG", "GEN_SCALE", 1.0)
    scale = np.resize(parameters.numbers("ANALOG", "SCALE").ravel(), width) if width else np.zeros(0)
    scale = scale if scale.any() else np.ones(width)
    offset = parameters.numbers("ANALOG", "OFFSET").ravel()
    offset = np.concatenate([offset, np.zeros(width)])[:width]
    return np.asarray((table - offset) * scale * general)


def _plate(
    signals: Array,
    kind: int,
    metres: float,
    corners: Array,
    origin: Array,
    parameters: C3DParameters,
    number: int,
    rate: float,
) -> Plate | None:
    axes = _axes(corners)
    below = -origin if origin[2] < 0.0 else origin
    if kind == 1 and signals.shape[1] >= 6:
        force, below = signals[:, :3], np.zeros(3)
        place = np.column_stack([signals[:, 3:5] * 1e-3, np.zeros(len(signals))])
        moment = np.cross(place, force) + np.outer(signals[:, 5] * metres, [0.0, 0.0, 1.0])
    elif kind in (2, 4) and signals.shape[1] >= 6:
        six = signals[:, :6]
        if kind == 4:
            matrix = parameters.numbers("FORCE_PLATFORM", "CAL_MATRIX").reshape(-1, 6, 6)
            if number >= len(matrix):
                return None
            six = six @ matrix[number]  # stored by columns
        force, moment = six[:, :3], six[:, 3:] * metres
    elif kind == 3 and signals.shape[1] >= 8:
        force, moment = _kistler(signals, origin)
    else:
        return None
    arm = np.array([0.0, 0.0, below[2]]) if kind == 3 else below
    moment = moment + np.cross(arm, force)
    force, moment = _zeroed(force, moment, rate)
    force, moment = force @ axes.T, moment @ axes.T
    loaded = np.abs(force[:, 2]) > 20.0
    if loaded.any() and not np.isfinite(force[loaded]).all():
        raise FootfallError(f"force platform {number + 1}: its channels are not finite")
    sign = -1.0 if loaded.any() and _pulls(force[loaded], corners) else 1.0
    return Plate(sign * force, sign * moment, corners)


def _zeroed(force: Array, moment: Array, rate: float) -> tuple[Array, Array]:
    """Forces and moments [S, 3] less their medians over the times at which nobody stands on the platform: stretches of
    0.1 s in which the vertical force is small and steady. As they are without such times."""
    each = max(round(0.1 * rate), 4)
    count = len(force) // each
    if not count:
        return force, moment
    vertical = force[: count * each, 2].reshape(count, each)
    empty = (np.abs(vertical).max(axis=1) < _EMPTY) & (np.ptp(vertical, axis=1) < _STEADY)
    if not empty.any():
        return force, moment
    inside = np.repeat(empty, each)
    return tuple(v - np.median(v[: count * each][inside], axis=0) for v in (force, moment))


def _pulls(force: Array, corners: Array) -> bool:
    """Whether the mean force points into the ground: against the normal of the platform that the walker stands on,
    the one that is nearer to the file's positive axes."""
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
    normal = normal * np.sign(normal[np.argmax(np.abs(normal))])
    return bool(force.mean(axis=0) @ normal < 0)


def _axes(corners: Array) -> Array:
    """[3, 3] the platform's axes in columns."""
    x = corners[0] + corners[3] - corners[1] - corners[2]
    y = corners[0] + corners[1] - corners[2] - corners[3]
    x = x / max(float(np.linalg.norm(x)), 1e-12)
    y = y - (y @ x) * x
    y = y / max(float(np.linalg.norm(y)), 1e-12)
    return np.stack([x, y, np.cross(x, y)], axis=-1)


def _kistler(signals: Array, origin: Array) -> tuple[Array, Array]:
    """Force and moment about the middle of the sensors of eight channels: fx12, fx34, fy14, fy23, fz1 … fz4."""
    x12, x34, y14, y23, z1, z2, z3, z4 = signals[:, :8].T
    a, b = abs(origin[0]), abs(origin[1])
    force = np.stack([x12 + x34, y14 + y23, z1 + z2 + z3 + z4], axis=-1)
    moment = np.stack([b * (z1 + z2 - z3 - z4), a * (-z1 + z2 + z3 - z4), b * (-x12 + x34) + a * (y14 - y23)], axis=-1)
    return force, moment
