"""What was simulated as a motion, and a motion as the bytes of a file."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.motion import GroundProfile, Motion
from footfall.studio.core.history.samples import SIGNALS
from footfall.studio.core.session.session import Session
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.state_codes import state_number

FORMATS = {
    "BVH": (".bvh", "poses, for Blender, MotionBuilder, Unreal"),
    "glTF": (".glb", "a skinned body that moves"),
    "USD": (".usdz", "the same as USD, for Omniverse, Houdini, Maya, Unreal"),
    "CSV": (".csv", "every number, for a spreadsheet"),
    "NPZ": (".npz", "every number, for Python"),
    "MP4": (".mp4", "a film"),
    "HTML": (".html", "a page that plays it without network"),
}


def recent_motion(session: Session, seconds: float, *, at_origin: bool = True) -> Motion:
    """The last seconds before the moment that is shown, as a motion whose time begins at 0 (call it in the simulation's
    thread).

    Args:
        session: whose past. seconds: how many.
        at_origin: whether it begins over the origin; else it stays where it was walked.
    """
    if len(session.history) < 2:
        raise FootfallError("nothing was simulated yet; let it walk first")
    seen, world = session.history.last(seconds, until=session.looking), session.world
    if len(seen) < 2:
        raise FootfallError("nothing was simulated before the moment that is shown; choose a later one")
    channels: dict[str, Any] = {
        "qvel": seen.qvel,
        "torque": seen.torque,
        **{name: seen.signals[:, k] for k, name in enumerate(SIGNALS)},
        "state": state_number(seen.state),
        "push": seen.push,
    }
    if seen.contact.shape[1]:
        channels["contact"] = seen.contact
    motion = Motion.from_qpos(
        world.figure,
        seen.times - seen.times[0],
        seen.qpos.copy(),
        channels={k: v.copy() for k, v in channels.items()},
        ground=GroundProfile.of(world.simulation.terrains[0]),
        source={**world.simulation.description(), "controller": session.controller.name},
    )
    return _at_origin(motion, world.figure.root) if at_origin else motion


def _at_origin(motion: Motion, root: str) -> Motion:
    """The motion moved over the ground so that it begins at the origin; the ground and the coordinates move along."""
    if root == "fixed":
        return motion
    axes = 1 if root == "planar" else 2
    shift = np.zeros(3)
    shift[:axes] = motion.root_position[0, :axes]
    ground, channels = motion.ground, dict(motion.channels)
    if ground is not None:
        across = ground.y - shift[1] if len(ground.y) > 1 else ground.y
        ground = GroundProfile(ground.x - shift[0], across, ground.z)
    if "qpos" in channels:
        qpos = np.array(channels["qpos"])
        qpos[:, :axes] -= shift[:axes]
        channels["qpos"] = qpos
    return replace(motion, root_position=motion.root_position - shift, ground=ground, channels=channels)


def motion_bytes(motion: Motion, suffix: str, progress: Callable[[float, float], None] | None = None) -> bytes:
    """A motion as the bytes of a file.

    Args:
        motion: what to write. suffix: of the file.
        progress: called with the frames of a film drawn and their number; what it raises ends the work.
    """
    from footfall.pictures.files import FILM_SUFFIXES, save

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"motion{suffix}"
        options: dict[str, Any] = {"progress": progress} if suffix in FILM_SUFFIXES else {}
        save(motion, path, **options)
        return path.read_bytes()


def live_page_bytes(controller: Controller, setting: Setting, *, fixed: bool) -> bytes:
    """A page that simulates a controller in any browser (:mod:`footfall.live.page`).

    Args:
        controller: what walks. setting: what it walks on, first of the terrains to choose from.
        fixed: whether gravity, friction and load are the page's own; else a link gives them (:func:`live_link`).
    """
    from footfall.live.page import TERRAINS, live_page

    numbers = {"gravity": -setting.gravity, "friction": setting.friction, "load": setting.load} if fixed else None
    return live_page([controller], terrains=(setting.terrain, *TERRAINS), settings=numbers).encode()


def live_link(name: str, setting: Setting) -> str:
    """What follows the address of a live page so that it opens in a studio's setting."""
    numbers = {"gravity": f"{setting.gravity:g}", "friction": f"{setting.friction:g}", "load": f"{setting.load:g}"}
    return urlencode({"gait": name, "terrain": setting.terrain} | numbers)
