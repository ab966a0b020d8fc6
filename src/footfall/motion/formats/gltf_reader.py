"""glTF 2.0, in: the skeleton and an animation of a .glb or .gltf file, as footfall and other tools write it."""

from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError, unknown_name
from footfall.motion.formats.conventions import axes_from_up, turned
from footfall.motion.formats.gltf_document import GltfDocument, read_gltf_document
from footfall.motion.formats.gltf_skeleton import ancestors, joint_nodes, local, parent_nodes
from footfall.motion.formats.joint_names import tidy_names
from footfall.motion.formats.record import read_description, rebuild
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, multiply, normalised, rotate, slerp
from footfall.motion.skeleton.travel import fold_travel
from footfall.motion.skeleton.tree import Skeleton

_DAMAGED = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
_LIKE_A_REST = 1e-3
Track = tuple[Array, Array, str]


def read_gltf(path: Path, *, animation: str = "") -> Motion:
    """Load an animation of a .glb or .gltf file. A file that footfall wrote comes back as the same motion.

    Args:
        path: the file.
        animation: name of the animation; by default the first.
    """
    document = read_gltf_document(path)
    try:
        with np.errstate(all="ignore"):
            return _motion(document, animation, path)
    except _DAMAGED as error:
        text = " ".join(str(error).split())[:80]
        raise FootfallError(f"{path}: its glTF is damaged ({type(error).__name__}: {text})") from error


def _motion(document: GltfDocument, wanted: str, path: Path) -> Motion:
    content = document.content
    chosen, names = _animation(content, wanted, path)
    tracks = _tracks(document, chosen)
    if not tracks:
        raise FootfallError(f"{path}: its animation moves no joint")
    nodes, order = content["nodes"], joint_nodes(content, {node for node, _ in tracks}, path)
    times = np.unique(np.concatenate([t for t, _, _ in tracks.values()]))
    axes = axes_from_up("y")
    T = len(times)
    rotations = np.empty((T, len(order), 4))
    rest, offsets = np.empty((len(order), 4)), np.empty((len(order), 3))
    root_position = np.empty((T, 3))
    above, lift, scale = ancestors(nodes, order[0])
    parents = parent_nodes(nodes)
    sizes: dict[int, float] = {}
    sliding: dict[int, Array] = {}
    for j, node in enumerate(order):
        place, turn, own = local(nodes[node])
        size = scale if j == 0 else sizes[parents[node]]
        sizes[node] = size * own
        q = _sampled(tracks.get((node, "rotation")), times, turn, quaternions=True)
        p = _sampled(tracks.get((node, "translation")), times, place, quaternions=False)
        if j == 0:
            q, turn = multiply(above, q), multiply(above, turn)
            root_position = (lift + rotate(above, size * p)) @ axes.T
            offsets[0] = axes @ (lift + rotate(above, size * place))
        else:
            moved = size * p @ axes.T
            offsets[j] = moved.mean(axis=0)
            if np.ptp(moved, axis=0).max() > _LIKE_A_REST * max(float(np.abs(moved).max()), 1e-3):
                sliding[j] = moved
        rotations[:, j], rest[j] = turned(axes, q), turned(axes, turn)
    frames: dict[str, np.ndarray] = {"times": times, "root_position": root_position, "rotations": normalised(rotations)}
    extras = (content.get("scenes") or [{}])[0].get("extras", {}).get("footfall")
    if extras:
        described = read_description(str(extras["description"]), str(path))
        for name, row in extras.get("channels", {}).items():
            values = np.frombuffer(document.view(row["bufferView"]), np.dtype(row["dtype"]))
            frames[name] = values.reshape(row["shape"])
        return rebuild(described, frames, str(path))
    joints, notes = tidy_names([str(nodes[node].get("name") or f"joint{k}") for k, node in enumerate(order)])
    links = tuple(-1 if k == 0 else order.index(parents[node]) for k, node in enumerate(order))
    root_position, offsets, home = fold_travel(links, offsets, root_position, frames["rotations"], sliding)
    if home is not None:
        notes.append(f"the travel of joint '{joints[home]}' was given to the root")
    skeleton = Skeleton(joints, links, offsets, rest=rest)
    if len(names) > 1 and not wanted:
        notes.append(f"{len(names)} animations are in the file; '{names[0]}' was read: name another with --animation")
    source: dict[str, Any] = {"file": path.name, "format": path.suffix.lower()[1:], "unit": "m", "unit_from": "file"}
    source |= {"up": "y", "up_from": "file", "animation": wanted or names[0], "animations": names}
    return Motion(
        skeleton, times, root_position, frames["rotations"], source=source | ({"notes": notes} if notes else {})
    )


def _animation(content: dict[str, Any], wanted: str, path: Path) -> tuple[dict[str, Any], list[str]]:
    """The chosen animation, and the names of all."""
    rows = content.get("animations") or []
    if not rows:
        raise FootfallError(f"{path}: it has no animation")
    names, _ = tidy_names([str(row.get("name") or f"animation{k}") for k, row in enumerate(rows)])
    if wanted and wanted not in names:
        raise FootfallError(f"{path}: {unknown_name('animation', wanted, names)}")
    return rows[names.index(wanted) if wanted else 0], list(names)


def _tracks(document: GltfDocument, animation: dict[str, Any]) -> dict[tuple[int, str], Track]:
    """(node, path) -> times [K], values [K, 3 or 4], interpolation."""
    tracks = {}
    for channel in animation["channels"]:
        target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
        if target.get("path") not in ("rotation", "translation") or "node" not in target:
            continue
        times = document.accessor(sampler["input"])[:, 0]
        values = document.accessor(sampler["output"])
        how = sampler.get("interpolation", "LINEAR")
        if how == "CUBICSPLINE":
            values = values.reshape(len(times), 3, -1)[:, 1]
        if len(values) != len(times) or (np.diff(times) <= 0).any() or not np.isfinite(values).all():
            raise ValueError("an animation's times and values do not fit")
        tracks[int(target["node"]), str(target["path"])] = (times, values, how)
    return tracks


def _sampled(track: Track | None, times: Array, rest: Array, *, quaternions: bool) -> Array:
    """[T, 3 or 4] a track at ``times``, or its node's rest value."""
    if track is None:
        return np.tile(rest, (len(times), 1))
    at, values, how = track
    values = normalised(np.roll(values, 1, axis=-1)) if quaternions else values
    i = np.clip(np.searchsorted(at, times, side="right") - 1, 0, len(at) - 1)
    n = np.minimum(i + 1, len(at) - 1)
    span = at[n] - at[i]
    weight = np.where(span > 0, (times - at[i]) / np.where(span > 0, span, 1.0), 0.0)
    weight = np.zeros_like(weight) if how == "STEP" else np.clip(weight, 0.0, 1.0)
    if not weight.any():
        return np.asarray(values[i])
    if quaternions:
        return slerp(values[i], values[n], weight)
    return np.asarray(values[i] + weight[:, None] * (values[n] - values[i]))
