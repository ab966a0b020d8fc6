"""The player: one HTML file that shows a motion in any browser, without a network; also in notebooks.

``player.js`` beside this file plays the motion, which travels in the page as base64, in the viewport of all pages. The
harder a joint works, the redder what it carries.
"""

import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.escaping import markup
from footfall.figures import Figure
from footfall.motion.gait.feet import ground_path
from footfall.motion.motion import Motion
from footfall.pictures.page import plain_letters
from footfall.pictures.scene import Scene, default_title, frames_at, scene_of
from footfall.pictures.web_page import Verdict, packed, packed_body, page_head, viewport_data, viewport_page

Array = NDArray[np.float64]

LEAST, FADING = 20.0, 0.99
"""N m that are full red at least, and how the largest torque of late fades from frame to frame."""


class TorqueColours:
    """How hard each body of a figure is worked, frame after frame."""

    def __init__(self, figure: Figure) -> None:
        joints = [joint for joint in figure.joints if joint.actuated]
        self._dofs = np.array([d for j in joints for d in range(j.dof, j.dof + j.ndof)], dtype=int)
        self._moved = np.array([j.body for j in joints for _ in range(j.ndof)], dtype=int)
        self._count, self._most = len(figure.bodies), LEAST

    def heat(self, torque: Array) -> Array:
        """[B] from 0 to 1: the torque [nv] at the joint that carries each body, of the largest lately."""
        sizes = np.abs(torque[self._dofs])
        heat = np.zeros(self._count)
        np.maximum.at(heat, self._moved, sizes)
        self._most = max(LEAST, float(sizes.max(initial=0.0)), FADING * self._most)
        return np.minimum(1.0, heat / self._most)


def torque_colours(motion: Motion, frames: NDArray[np.int64]) -> Array | None:
    """[F, B] the heat of the bodies of a simulated figure at frames of its motion; None where no torques were
    recorded, or nothing is known of its joints."""
    torque = motion.channels.get("torque")
    if torque is None or not motion.figure_xml:
        return None
    try:
        figure = Figure.load(motion.figure_xml)
    except FootfallError:
        return None
    if torque.shape[1:] != (figure.nv,) or len(figure.bodies) != len(motion.skeleton):
        return None
    colours = TorqueColours(figure)
    return np.array([colours.heat(row) for row in np.nan_to_num(torque[frames])])


def write_player(
    motion: Motion,
    path: Path,
    *,
    title: str = "",
    fps: float = 60.0,
    speed: float = 1.0,
    beside: Motion | None = None,
) -> None:
    """Write the player for a motion.

    Args:
        motion: what to show.
        path: the .html file.
        title: a line above the picture.
        fps: frames kept for each second; the page interpolates between them.
        speed: how fast it plays at first: 0.5 is slow motion.
        beside: another motion, of any body, that is shown to its left at the same time.
    """
    if not 0.01 <= speed <= 100:
        raise FootfallError(f"player: speed {speed:g}; it is 0.01 to 100, and 1 is as it happened")
    frames = frames_at(motion, fps)
    scene = scene_of(motion, frames)
    data = _data(motion, scene) | {"speed": speed}
    if (heat := torque_colours(motion, frames)) is not None:
        data["heat"] = packed(255 * heat[:, _drawn(scene)], "u1")
    if beside is not None:
        data["beside"] = _body(scene_of(beside, frames_at(beside, fps)))
    here = files("footfall.pictures")
    head = page_head(title, _verdict(motion))
    text = viewport_page(here, "player", ["player.js"], title=title or "footfall", data=data, head=head)
    path.write_text(text, encoding="utf-8")


def _data(motion: Motion, scene: Scene) -> dict[str, Any]:
    ground = scene.ground
    lefts = {solid.joint for solid in scene.solids if solid.side == "left"}
    return (
        viewport_data()
        | _body(scene)
        | {
            "sides": any(s.side for s in scene.solids),
            "forces": None if scene.forces is None else packed(scene.forces),
            "points": packed(scene.contact_points),
            "left": [end.joint in lefts for end in motion.skeleton.ends if end.contact],
            "touching": ["".join("1" if touch else "0" for touch in row) for row in scene.touching],
            "push": None if scene.push is None else packed(np.concatenate([scene.push_at, scene.push], axis=-1)),
            "state": None if scene.state is None else [int(s) for s in scene.state],
            "states": list(motion.source.get("states", ())),
            "planar": scene.planar,
            "heading": round(scene.heading, 4),
            "tall": scene.tall,
            "ground": {"x": ground.x.tolist(), "y": ground.y.tolist(), "z": np.round(ground.z, 5).tolist()},
        }
    )


def _drawn(scene: Scene) -> list[int]:
    """The joints that carry something."""
    return sorted({solid.joint for solid in scene.solids})


def _body(scene: Scene) -> dict[str, Any]:
    """A body and where it is when."""
    used = _drawn(scene)
    return {
        "times": packed(scene.times),
        "joints": packed(np.concatenate([scene.positions[:, used], scene.orientations[:, used]], axis=-1)),
        "body": packed_body(scene.solids, used),
        "root": packed(scene.root),
    }


def _verdict(motion: Motion) -> Verdict:
    """What was asked of a motion and what came out, as the command that simulated it says; else what its poses say."""
    told, seconds = motion.source.get("walked"), motion.seconds
    asked, stays, good = f"a motion of {len(motion.skeleton)} joints", "its poses alone do not say", None
    if "asked" in motion.source and told and abs(told[0] - seconds) < 1e-9:
        asked, (_, way, speed, ended) = motion.source["asked"], told
        stays, good = ended or "yes", ended is None
    else:
        way = float(np.linalg.norm(np.diff(ground_path(motion), axis=0), axis=-1).sum())
        speed = way / seconds if seconds > 0 else None
    came = f"{way:.2f} m in {seconds:.1f} s" + ("" if speed is None else f", {speed:.2f} m/s")
    return Verdict(asked, came, stays, good)


HEIGHT = 420


def motion_html(motion: Motion, height: int = HEIGHT) -> str:
    """An inline frame that plays a motion; it needs no network and no kernel once it is shown."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "motion.html"
        write_player(motion, path, title=default_title(motion))
        page = path.read_text(encoding="utf-8")
    style = f"width:100%;height:{height}px;border:1px solid #d8dde3;border-radius:4px"
    return f'<iframe srcdoc="{markup(page)}" style="{style}" allowfullscreen></iframe>'


def figure_html(figure: Any) -> str:
    """A matplotlib figure as an inline picture."""
    import base64
    import io

    plain_letters(figure)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    return f'<img src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}" style="max-width:100%">'
