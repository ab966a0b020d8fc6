"""What is to be shown at a moment, of the present or of the past, and what was simulated as a motion or a file."""

import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller
from footfall.errors import FootfallError
from footfall.motion import GroundProfile, Motion
from footfall.studio.core.geometry import Kinematics, heading_of
from footfall.studio.core.history import SIGNALS
from footfall.studio.core.posing import Turning
from footfall.studio.core.session import Session
from footfall.studio.core.setting import Setting

Array = NDArray[np.float64]

SPEED_SECONDS = 1.0
"""Seconds over which the speed is taken."""


@dataclass(frozen=True, eq=False)
class Moment:
    """What is drawn.

    Attributes:
        time: seconds.
        qpos: [nq].
        qvel: [nv].
        push: [3] newtons.
        name, number, right: the state: its controller, its number, whether the right leg is in stance.
        anchors: [P, 3] where points stick to the ground.
        contact: [P] which of them touch it.
        steps: footsteps so far.
        speed: metres a second; None where it has none yet.
        fallen: whether the walker lies.
        past: whether this is no longer the present.
        ghost: [nq] a pose asked for; None for no ghost.
        handles: joints that can be dragged, with what is asked of them; None for none.
        saved: [nq] the saved controller's walker; None for none.
        torque: [nv] at that moment; None where it has none yet.
        reference: [nq] the clip that the walker follows, where it is; None for none.
    """

    time: float
    qpos: Array
    qvel: Array
    push: Array
    name: str
    number: int
    right: bool
    anchors: Array
    contact: NDArray[np.bool_]
    steps: int = 0
    speed: float | None = None
    fallen: bool = False
    past: bool = False
    ghost: Array | None = None
    handles: dict[str, Turning] | None = None
    saved: Array | None = None
    reference: Array | None = None
    torque: Array | None = None


def frame_of(session: Session, kinematics: Kinematics) -> Moment:
    world, history = session.world, session.history
    seen = history.last(0.0, until=session.looking) if len(history) else None
    past = session.looking is not None and seen is not None
    shown = world.now(seen) if seen is None or not past else seen
    at, qpos, wanted = float(shown.times[-1]), shown.qpos[-1], shown.target[-1]
    name, number, right = shown.state[-1].item()
    fallen = world.fell_at is not None and at >= world.fell_at
    ground = np.array([p.ground for p in world.figure.points], dtype=bool)
    contact = np.zeros(len(ground), dtype=bool)
    contact[ground] = shown.contact[-1]
    ghost, handles = None, None
    if session.posing:
        ghost, handles = session.hands.pose(kinematics, qpos), session.hands.turnings(kinematics)
    elif session.ghosting and not fallen and np.isfinite(wanted).all():
        ghost = wanted
    return Moment(
        time=at,
        qpos=qpos,
        qvel=shown.qvel[-1],
        push=shown.push[-1],
        name=name,
        number=number,
        right=right,
        anchors=shown.anchor[-1],
        contact=contact,
        steps=session.tracks.steps(at),
        speed=None if fallen else speed_of(session, at),
        fallen=fallen,
        past=past,
        ghost=ghost,
        handles=handles,
        saved=None if past else world.saved_qpos(),
        reference=None if fallen or not shown.reference.shape[1] else shown.reference[-1],
        torque=None if seen is None else seen.torque[-1],
    )


def speed_of(session: Session, until: float, over: float = SPEED_SECONDS) -> float | None:
    """Metres a second forward over the last second (or ``over``) before a time; None before it moved."""
    if len(session.history) < 2:
        return None
    seen = session.history.last(over, until=until)
    seconds = float(seen.times[-1] - seen.times[0])
    if seconds < 0.05:
        return None
    way = seen.qpos[-1, :2] - seen.qpos[0, :2]
    if session.world.figure.root != "free":
        return float(way[0]) / seconds
    heading = heading_of(seen.qpos[len(seen) // 2])
    return float(way[0] * math.cos(heading) + way[1] * math.sin(heading)) / seconds


def shown_end(session: Session) -> float | None:
    """Until when plots show what was simulated: the moment that is looked at, at most that of a fall; None for the
    newest."""
    ends = [t for t in (session.looking, session.world.fell_at) if t is not None]
    return min(ends) if ends else None


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
        session: whose past.
        seconds: how many.
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
        "state": seen.state["number"],
        "push": seen.push,
    }
    if seen.contact.shape[1]:
        channels["contact"] = seen.contact
    qpos, ground = seen.qpos.copy(), GroundProfile.of(world.simulation.terrains[0])
    if at_origin and world.figure.root != "fixed":
        axes, shift = 1 if session.planar else 2, np.zeros(world.figure.nq)
        shift[:axes] = qpos[0, :axes]
        ground = GroundProfile(ground.x - shift[0], ground.y - shift[1] * (len(ground.y) > 1), ground.z)
        qpos -= shift
    return Motion.from_qpos(
        world.figure,
        seen.times - seen.times[0],
        qpos,
        channels={k: v.copy() for k, v in channels.items()},
        ground=ground,
        source={**world.simulation.description(), "controller": session.controller.name},
    )


def motion_bytes(motion: Motion, suffix: str, progress: Callable[[float, float], None] | None = None) -> bytes:
    """A motion as the bytes of a file.

    Args:
        motion: what to write.
        suffix: of the file.
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
        controller: of the walker.
        setting: what it walks on, first of the terrains to choose from.
        fixed: whether gravity, friction and load are the page's own; else a link gives them (:func:`live_link`).
    """
    from footfall.live.page import TERRAINS, live_page

    numbers = {"gravity": -setting.gravity, "friction": setting.friction, "load": setting.load} if fixed else None
    return live_page([controller], terrains=(setting.terrain, *TERRAINS), settings=numbers).encode()


def live_link(name: str, setting: Setting) -> str:
    """What follows the address of a live page so that it opens in a studio's setting."""
    numbers = {"gravity": f"{setting.gravity:g}", "friction": f"{setting.friction:g}", "load": f"{setting.load:g}"}
    return urlencode({"gait": name, "terrain": setting.terrain} | numbers)
