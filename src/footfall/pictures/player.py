"""The player: one HTML file that shows a motion in any browser, without a network.

The page (``player.html`` beside this file) draws the body's solids with WebGL 2; they and the motion travel inside it
as base64.
"""

import base64
import html
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.gait.heading import ground_path
from footfall.motion.motion import Motion
from footfall.pictures.palette import SIDE_COLOURS, hex_to_rgb
from footfall.pictures.scene import Scene, frames_at, scene_of
from footfall.pictures.shaders import shader_programs

__all__ = ["write_player"]


def write_player(motion: Motion, path: Path, *, title: str = "", fps: float = 60.0, speed: float = 1.0) -> None:
    """Write the player for a motion.

    Args:
        motion: what to show.
        path: the .html file.
        title: a line above the picture.
        fps: frames kept for each second; the page interpolates between them.
        speed: how fast it plays at first: 0.5 is slow motion.
    """
    if not 0.01 <= speed <= 100:
        raise FootfallError(f"player: speed {speed:g}; it is 0.01 to 100, and 1 is as it happened")
    scene = scene_of(motion, frames_at(motion, fps))
    page = (files("footfall.pictures") / "player.html").read_text(encoding="utf-8")
    data = json.dumps(_data(motion, scene, title) | {"speed": speed}, separators=(",", ":"), allow_nan=False).replace(
        "<", "\\u003c"
    )
    text = page.replace("__TITLE__", html.escape(title or "footfall"), 1).replace("__DATA__", data, 1)
    path.write_text(text, encoding="utf-8")


def _data(motion: Motion, scene: Scene, title: str) -> dict[str, Any]:
    ground = scene.ground
    used = sorted({solid.joint for solid in scene.solids})
    return {
        "title": title,
        "facts": _facts(motion),
        "times": _packed(scene.times),
        "joints": _packed(np.concatenate([scene.positions[:, used], scene.orientations[:, used]], axis=-1)),
        "body": _body(scene, used),
        "colours": {s: [round(v / 255, 3) for v in hex_to_rgb(c)] for s, c in SIDE_COLOURS.items()},
        "sides": any(s.side for s in scene.solids),
        "shaders": shader_programs(),
        "root": _packed(scene.root),
        "points": _packed(scene.contact_points),
        "touching": ["".join("1" if touch else "0" for touch in row) for row in scene.touching],
        "push": None if scene.push is None else _packed(np.concatenate([scene.push_at, scene.push], axis=-1)),
        "state": None if scene.state is None else [int(s) for s in scene.state],
        "planar": scene.planar,
        "heading": round(scene.heading, 4),
        "tall": scene.tall,
        "ground": {"x": ground.x.tolist(), "y": ground.y.tolist(), "z": np.round(ground.z, 5).tolist()},
    }


def _body(scene: Scene, used: list[int]) -> dict[str, Any]:
    """The solids: a row [rings, points in a ring, place of its joint, side] each, and their vertices and normals."""
    vertices = np.concatenate([s.vertices for s in scene.solids] or [np.zeros((0, 3))])
    normals = np.concatenate([s.normals for s in scene.solids] or [np.zeros((0, 3))])
    step = max(float(np.abs(vertices).max(initial=0.0)), 1e-3) / 32767
    return {
        "solids": [[*s.rings.shape[:2], used.index(s.joint), s.side] for s in scene.solids],
        "step": step,
        "vertices": _packed(np.round(vertices / step), "<i2"),
        "normals": _packed(np.round(127 * normals), "i1"),
    }


def _facts(motion: Motion) -> str:
    path = ground_path(motion)
    way = float(np.linalg.norm(np.diff(path, axis=0), axis=-1).sum())
    speed = f" · {way / motion.seconds:.2f} m/s" if motion.seconds > 0 else ""
    return f"{motion.seconds:.1f} s · {way:.1f} m{speed}"


def _packed(values: np.ndarray, dtype: str = "<f4") -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")
