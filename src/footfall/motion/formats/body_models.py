"""SMPL motions, in: the .npz files of AMASS and of tools that follow it.

Such a file holds rotation vectors of the body model's joints and the root's path, but no bone lengths: those follow
from the SMPL model, which is not free to share. footfall takes the bones of the model's mean shape, as humanoids made
after it have them, rounded to a millimetre and made symmetric. Differences of shape (``betas``) are left out; fingers,
jaw and eyes are dropped with a note.

The model's own axes have y up, and it looks along z. AMASS turns it by the root's rotation into a world with z up.

DeepMimic's motions: JSON in .txt files, in and out.

A frame is its duration, then 43 numbers: the root's position (3) and rotation, the rotations of chest, neck and right
hip, the angle of the right knee, the rotations of right ankle and shoulder, the angle of the right elbow, and the same
on the left. Rotations are quaternions, w first. Axes: x forward, y up, z right; metres. The figure is the humanoid3d of
Peng et al., "DeepMimic" (2018).
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import axes_from_up, file_bytes, guess_up, seen_in, turned
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, exp, from_axis_angle, from_matrix, multiply, normalised
from footfall.motion.skeleton.tree import EndSite, Skeleton
from footfall.text_files import packaged_table


@cache
def _body_model(name: str) -> tuple[Skeleton, tuple[int, ...]]:
    """A body of the table in its own axes, and how many numbers of a frame turn each of its joints."""
    table = packaged_table("footfall.motion.formats", "body_models.csv")
    rows = [row for row in table if row["body"] == name]
    joints = [row for row in rows if row["joint"]]
    index = {row["joint"]: k for k, row in enumerate(joints)} | {"": -1}
    places = {id(row): (float(row["x"]), float(row["y"]), float(row["z"])) for row in rows}
    skeleton = Skeleton(
        tuple(row["joint"] for row in joints),
        tuple(index[row["parent"]] for row in joints),
        np.array([places[id(row)] for row in joints]),
        ends=tuple(EndSite("", index[row["parent"]], places[id(row)]) for row in rows if not row["joint"]),
    )
    return skeleton, tuple(int(row["numbers"]) for row in joints)


_RATES = ("mocap_framerate", "mocap_frame_rate", "fps", "framerate", "frame_rate")
_PLACES = ("trans", "transl", "translation")
_POSES = ("poses", "fullpose")
_PARTS = (("root_orient", "pose_body"), ("global_orient", "body_pose"))
SMPL_KEYS = (*_RATES, *_PLACES, *_POSES, *(name for pair in _PARTS for name in pair))
"""Arrays of a file that are read; others may hold anything and are not touched."""


def is_smpl(names: set[str]) -> bool:
    """Whether a .npz file with arrays of these names is an SMPL motion."""
    posed = any(name in names for name in _POSES) or any(a in names and b in names for a, b in _PARTS)
    return posed and any(name in names for name in _PLACES)


def smpl_motion(arrays: Mapping[str, np.ndarray], path: Path, *, up: str = "auto") -> Motion:
    """The motion of an SMPL file's arrays.

    Args:
        arrays: by name, as far as the file has those of ``SMPL_KEYS``.
        path: the file.
        up: the upward axis of its world; "auto" takes what the poses tell (z in AMASS).
    """
    poses, place = _numbers(arrays, path)
    skeleton, _ = _body_model("smpl")
    frames, joints = len(poses), len(skeleton)
    turns = exp(poses[:, : 3 * joints].reshape(frames, joints, 3))
    # The model's own rest pose says nothing about its world's axes, so the first frame takes its place.
    upward = guess_up(replace(skeleton, rest=turns[0]), place, turns) if up == "auto" else up
    body, world = axes_from_up("y"), axes_from_up(upward)
    rotations = turned(body, turns)
    rotations[:, 0] = multiply(multiply(from_matrix(world), turns[:, 0]), from_matrix(body.T))
    fps, notes = _rate(arrays)
    if poses.shape[1] > 3 * joints:
        notes.append(f"{poses.shape[1] // 3 - joints} joints of fingers, jaw or eyes were dropped")
    notes.append("bone lengths are those of the SMPL model's mean shape: the file holds none")
    source: dict[str, Any] = {"file": path.name, "format": "smpl", "unit": "m", "unit_from": "file", "up": upward}
    source |= {"up_from": "guess" if up == "auto" else "given", "frame_time": 1.0 / fps, "notes": notes}
    times = np.arange(frames) / fps
    return Motion(seen_in(skeleton, body), times, place @ world.T, normalised(rotations), source=source)


def _numbers(arrays: Mapping[str, np.ndarray], path: Path) -> tuple[Array, Array]:
    """[T, 3 J] rotation vectors and [T, 3] the root's path, checked."""
    if whole := next((name for name in _POSES if name in arrays), ""):
        poses = np.asarray(arrays[whole])
    else:
        pair = next(pair for pair in _PARTS if pair[0] in arrays and pair[1] in arrays)
        rows = [np.asarray(arrays[name]) for name in pair]
        if any(row.ndim < 2 or len(row) != len(rows[0]) for row in rows):
            raise FootfallError(f"{path}: '{pair[0]}' and '{pair[1]}' must have a row for each frame")
        poses = np.concatenate([row.reshape(len(row), -1) for row in rows], axis=1)
    name = next(name for name in _PLACES if name in arrays)
    place = np.asarray(arrays[name])
    if poses.ndim == 3:
        poses = poses.reshape(len(poses), -1)
    kinds = poses.dtype.kind + place.dtype.kind
    if poses.ndim != 2 or place.shape != (len(poses), 3) or any(kind not in "fiu" for kind in kinds):
        raise FootfallError(f"{path}: poses of shape {poses.shape} and '{name}' of shape {place.shape} do not fit")
    least = sum(_body_model("smpl")[1])
    if poses.shape[1] < least or poses.shape[1] % 3:
        raise FootfallError(f"{path}: {poses.shape[1]} numbers a pose; SMPL has at least {least}")
    if len(poses) == 0 or not (np.isfinite(poses).all() and np.isfinite(place).all()):
        raise FootfallError(f"{path}: it has no frames, or numbers that are not finite")
    return poses.astype(float), place.astype(float)


def _rate(arrays: Mapping[str, np.ndarray]) -> tuple[float, list[str]]:
    for name in _RATES:
        value = np.asarray(arrays.get(name, np.nan))
        if value.size == 1 and value.dtype.kind in "fiu" and 0.1 < float(value.reshape(-1)[0]) < 1e5:
            return float(value.reshape(-1)[0]), []
    return 30.0, ["the file does not say its rate; 30 frames a second were taken"]


_LARGEST = 1 << 27
_DEEPMIMIC_AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
_HINGE = np.array([0.0, 0.0, 1.0])


def humanoid3d() -> Skeleton:
    """DeepMimic's figure in footfall's axes."""
    return seen_in(_body_model("deepmimic")[0], _DEEPMIMIC_AXES)


def read_deepmimic(path: Path) -> Motion:
    """Load a motion in DeepMimic's text format. A clip that loops is one cycle of it."""
    text = file_bytes(path, "a DeepMimic motion", _LARGEST)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FootfallError(f"{path}: not a DeepMimic motion (it must be JSON with 'Frames')") from error
    rows = content.get("Frames") if isinstance(content, dict) else None
    if not isinstance(rows, list) or not rows:
        raise FootfallError(f"{path}: not a DeepMimic motion (it must be JSON with 'Frames')")
    widths = _body_model("deepmimic")[1]
    for number, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != 4 + sum(widths):
            count = len(row) if isinstance(row, list) else "no"
            raise FootfallError(f"{path}, frame {number}: {count} numbers; a humanoid3d frame has {4 + sum(widths)}")
    try:
        table = np.array(rows, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise FootfallError(f"{path}: its frames hold more than numbers") from error
    if not (np.abs(table) < 1e7).all() or (table[:-1, 0] <= 0).any():
        raise FootfallError(f"{path}: durations must be above 0 and all numbers finite")
    rotations = np.empty((len(table), len(widths), 4))
    for j, block in enumerate(np.split(table[:, 4:], np.cumsum(widths)[:-1], axis=1)):
        turn = normalised(block) if block.shape[1] == 4 else from_axis_angle(_HINGE, block[:, 0])
        rotations[:, j] = turned(_DEEPMIMIC_AXES, turn)
    times = np.concatenate([[0.0], np.cumsum(table[:-1, 0])])
    source = {"file": path.name, "format": "deepmimic", "loop": str(content.get("Loop", "")), "unit": "m"}
    source |= {"unit_from": "file", "up": "y", "up_from": "file"}
    return Motion(humanoid3d(), times, table[:, 1:4] @ _DEEPMIMIC_AXES.T, normalised(rotations), source=source)


def write_deepmimic(motion: Motion, path: Path, *, loop: bool | None = None) -> None:
    """Save a motion of DeepMimic's humanoid3d in its text format.

    Args:
        motion: one with the joints of humanoid3d, as ``read_deepmimic`` gives it.
        path: the file.
        loop: whether it repeats; by default as the file that the motion came from.
    """
    skeleton, widths = _body_model("deepmimic")
    missing = [name for name in skeleton.names if name not in motion.skeleton.names]
    if missing:
        raise FootfallError(
            f"{path}: DeepMimic's files hold its humanoid3d alone; this motion has no joint '{missing[0]}'"
        )
    durations = np.diff(motion.times, append=motion.times[-1] + motion.frame_time)
    columns: list[Array] = [durations[:, None], motion.root_position @ _DEEPMIMIC_AXES]
    for name, width in zip(skeleton.names, widths, strict=True):
        turn = turned(_DEEPMIMIC_AXES.T, motion.rotations[:, motion.skeleton.index(name)])
        turn = turn * np.where(turn[:, :1] < 0, -1.0, 1.0)
        columns.append(turn if width == 4 else 2 * np.arctan2(turn[:, 3:], turn[:, :1]))
    again = str(motion.source.get("loop", "none")) in ("wrap", "True") if loop is None else loop
    rows = ",\n".join(json.dumps([round(float(v), 8) for v in row]) for row in np.concatenate(columns, axis=1))
    path.write_text(f'{{\n"Loop": "{"wrap" if again else "none"}",\n"Frames":\n[\n{rows}\n]\n}}\n', encoding="utf-8")
