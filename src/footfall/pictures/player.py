"""The player: one HTML file that shows a motion in any browser, without a network.

The page (``player.html`` beside this file) draws the body's capsules with the viewport that it shares with live pages
(``viewport.js``); the motion travels inside it as base64.
"""

import base64
import html
import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from footfall.motion.gait.heading import ground_path
from footfall.motion.motion import Motion
from footfall.pictures.palette import SIDE_COLOURS, hex_to_rgb
from footfall.pictures.scene import Scene, frames_at, scene_of

__all__ = ["write_player"]


def write_player(motion: Motion, path: Path, *, title: str = "", fps: float = 60.0) -> None:
    """Write the player for a motion.

    Args:
        motion: what to show.
        path: the .html file.
        title: a line above the picture.
        fps: frames kept for each second; the page interpolates between them.
    """
    scene = scene_of(motion, frames_at(motion, fps))
    page, style, viewport = (
        (files("footfall.pictures") / name).read_text(encoding="utf-8")
        for name in ("player.html", "viewport.css", "viewport.js")
    )
    page = page.replace("__STYLE__", style, 1).replace("__VIEWPORT__", viewport, 1)
    data = json.dumps(_data(motion, scene, title), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    text = page.replace("__TITLE__", html.escape(title or "footfall"), 1).replace("__DATA__", data, 1)
    path.write_text(text, encoding="utf-8")


def _data(motion: Motion, scene: Scene, title: str) -> dict[str, Any]:
    ground = scene.ground
    ends = np.concatenate([scene.starts, scene.ends], axis=-1)
    top = np.maximum(scene.starts[..., 2], scene.ends[..., 2]).max(axis=1, initial=0.0)
    tall = float(np.median(top - ground.height(scene.root[:, 0], scene.root[:, 1])))
    return {
        "title": title,
        "facts": _facts(motion),
        "times": _packed(scene.times),
        "capsules": _packed(ends),
        "radii": [[round(c.radius_start, 4), round(c.radius_end, 4)] for c in scene.capsules],
        "colours": [[round(v / 255, 3) for v in hex_to_rgb(SIDE_COLOURS[c.side])] for c in scene.capsules],
        "neutral": [not c.side for c in scene.capsules],
        "sides": any(c.side for c in scene.capsules),
        "root": _packed(scene.root),
        "points": _packed(scene.contact_points),
        "touching": ["".join("1" if touch else "0" for touch in row) for row in scene.touching],
        "push": None if scene.push is None else _packed(np.concatenate([scene.push_at, scene.push], axis=-1)),
        "state": None if scene.state is None else [int(s) for s in scene.state],
        "planar": scene.planar,
        "heading": round(scene.heading, 4),
        "tall": max(tall, 0.2),
        "ground": {"x": ground.x.tolist(), "y": ground.y.tolist(), "z": np.round(ground.z, 5).tolist()},
    }


def _facts(motion: Motion) -> str:
    path = ground_path(motion)
    way = float(np.linalg.norm(np.diff(path, axis=0), axis=-1).sum())
    speed = f" · {way / motion.seconds:.2f} m/s" if motion.seconds > 0 else ""
    return f"{motion.seconds:.1f} s · {way:.1f} m{speed}"


def _packed(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode("ascii")
