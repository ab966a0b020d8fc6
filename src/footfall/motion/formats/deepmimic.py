"""DeepMimic's motions: JSON in .txt files, in and out.

A frame is its duration, then 43 numbers: the root's place (3) and rotation, the rotations of chest, neck and right hip,
the angle of the right knee, the rotations of right ankle and shoulder, the angle of the right elbow, and the same on
the left. Rotations are quaternions, w first. Axes: x forward, y up, z right; metres. The figure is the humanoid3d of
Peng et al., "DeepMimic" (2018).
"""

import json
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import turned
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, from_axis_angle, normalised
from footfall.motion.skeleton.tree import EndSite, Skeleton

_LARGEST = 1 << 27
_AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
_JOINTS = (
    ("root", -1, (0.0, 0.0, 0.0), 4),
    ("chest", 0, (0.0, 0.236151, 0.0), 4),
    ("neck", 1, (0.0, 0.223894, 0.0), 4),
    ("right_hip", 0, (0.0, 0.0, 0.084887), 4),
    ("right_knee", 3, (0.0, -0.421546, 0.0), 1),
    ("right_ankle", 4, (0.0, -0.40987, 0.0), 4),
    ("right_shoulder", 1, (-0.02405, 0.2435, 0.18311), 4),
    ("right_elbow", 6, (0.0, -0.274788, 0.0), 1),
    ("left_hip", 0, (0.0, 0.0, -0.084887), 4),
    ("left_knee", 8, (0.0, -0.421546, 0.0), 1),
    ("left_ankle", 9, (0.0, -0.40987, 0.0), 4),
    ("left_shoulder", 1, (-0.02405, 0.2435, -0.18311), 4),
    ("left_elbow", 11, (0.0, -0.274788, 0.0), 1),
)
"""Name, parent, offset (metres, in DeepMimic's axes) and numbers of each joint."""

_ENDS = (
    (2, (0.0, 0.28, 0.0)),
    (5, (0.13, -0.055, 0.0)),
    (10, (0.13, -0.055, 0.0)),
    (5, (-0.045, -0.055, 0.0)),
    (10, (-0.045, -0.055, 0.0)),
    (7, (0.0, -0.34, 0.0)),
    (12, (0.0, -0.34, 0.0)),
)
_WIDTH = 4 + sum(width for _, _, _, width in _JOINTS)
_HINGE = np.array([0.0, 0.0, 1.0])


def humanoid3d() -> Skeleton:
    """DeepMimic's figure in footfall's axes."""
    return Skeleton(
        tuple(name for name, _, _, _ in _JOINTS),
        tuple(parent for _, parent, _, _ in _JOINTS),
        np.array([offset for _, _, offset, _ in _JOINTS]) @ _AXES.T,
        ends=tuple(EndSite("", j, _triple(_AXES @ np.array(offset))) for j, offset in _ENDS),
    )


def read_deepmimic(path: Path) -> Motion:
    """Load a motion in DeepMimic's text format. A clip that loops is one cycle of it."""
    try:
        if path.stat().st_size > _LARGEST:
            raise FootfallError(f"{path}: too large for a DeepMimic motion (at most {_LARGEST >> 20} MB)")
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise FootfallError(f"{path}: not a DeepMimic motion (it must be JSON with 'Frames')") from error
    rows = content.get("Frames") if isinstance(content, dict) else None
    if not isinstance(rows, list) or not rows:
        raise FootfallError(f"{path}: not a DeepMimic motion (it must be JSON with 'Frames')")
    for number, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != _WIDTH:
            count = len(row) if isinstance(row, list) else "no"
            raise FootfallError(f"{path}, frame {number}: {count} numbers; a humanoid3d frame has {_WIDTH}")
    try:
        table = np.array(rows, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise FootfallError(f"{path}: its frames hold more than numbers") from error
    if not (np.abs(table) < 1e7).all() or (table[:-1, 0] <= 0).any():
        raise FootfallError(f"{path}: durations must be above 0 and all numbers finite")
    rotations = np.empty((len(table), len(_JOINTS), 4))
    at = 4
    for j, (_, _, _, width) in enumerate(_JOINTS):
        block = table[:, at : at + width]
        at += width
        turn = normalised(block) if width == 4 else from_axis_angle(_HINGE, block[:, 0])
        rotations[:, j] = turned(_AXES, turn)
    times = np.concatenate([[0.0], np.cumsum(table[:-1, 0])])
    source = {"file": path.name, "format": "deepmimic", "loop": str(content.get("Loop", "")), "unit": "m"}
    source |= {"unit_from": "file", "up": "y", "up_from": "file"}
    return Motion(humanoid3d(), times, table[:, 1:4] @ _AXES.T, normalised(rotations), source=source)


def write_deepmimic(motion: Motion, path: Path, *, loop: bool | None = None) -> None:
    """Save a motion of DeepMimic's humanoid3d in its text format.

    Args:
        motion: one with the joints of humanoid3d, as ``read_deepmimic`` gives it.
        path: the file.
        loop: whether it repeats; by default as the file that the motion came from.
    """
    wanted = [name for name, _, _, _ in _JOINTS]
    missing = [name for name in wanted if name not in motion.skeleton.names]
    if missing:
        raise FootfallError(
            f"{path}: DeepMimic's files hold its humanoid3d alone; this motion has no joint '{missing[0]}'"
        )
    durations = np.diff(motion.times, append=motion.times[-1] + motion.frame_time)
    columns: list[Array] = [durations[:, None], motion.root_position @ _AXES]
    for name, _, _, width in _JOINTS:
        turn = turned(_AXES.T, motion.rotations[:, motion.skeleton.index(name)])
        turn = turn * np.where(turn[:, :1] < 0, -1.0, 1.0)
        columns.append(turn if width == 4 else 2 * np.arctan2(turn[:, 3:], turn[:, :1]))
    again = str(motion.source.get("loop", "none")) in ("wrap", "True") if loop is None else loop
    rows = ",\n".join(json.dumps([round(float(v), 8) for v in row]) for row in np.concatenate(columns, axis=1))
    path.write_text(f'{{\n"Loop": "{"wrap" if again else "none"}",\n"Frames":\n[\n{rows}\n]\n}}\n', encoding="utf-8")


def _triple(v: Array) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])
