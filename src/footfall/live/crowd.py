"""The crowd's page: walkers of many heights that walk in closed form (3LP) in the visitor's browser."""

import base64
import gzip
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.live.compiling import compile_module
from footfall.live.crowd_source import CROWD, STRIDES, WALKERS, crowd_source, crowd_tables
from footfall.live.source import Table
from footfall.methods.pendulum import walker_motion
from footfall.methods.pendulum.crowd_kernel import CROWD_POSE, CROWD_STATE
from footfall.methods.pendulum.gait import Gait, periodic_gait
from footfall.methods.pendulum.person import Person
from footfall.methods.pendulum.walk import human_walk
from footfall.methods.pendulum.walker_motion import walker_skeleton
from footfall.methods.pendulum.walkers import WalkState
from footfall.motion.skeleton.body_shape import body_solids
from footfall.pictures.web_page import packed, packed_body, viewport_data, viewport_page
from footfall.writing import write_whole

HEIGHT, MASS = 1.7, 70.0
PEOPLE = ((1.15, 21.0), (1.4, 36.0), (1.6, 58.0), (1.7, 70.0), (1.8, 78.0), (1.92, 90.0))
"""Height in metres and mass in kilograms of those who walk."""
SPEEDS = (0.5, 0.7, 0.9, 1.1, 1.3, 1.5)
MIRRORED = ("d", "sy", "py", "pvy")
"""Rows of the state that change sign where the other leg swings."""


def crowd_gaits() -> Gait:
    """The gaits that walkers choose from: every person at every speed, as people walk it."""
    heights, masses = (np.repeat([person[k] for person in PEOPLE], len(SPEEDS)) for k in (0, 1))
    people = Person.of(heights, masses)
    return periodic_gait(people, human_walk(people, np.tile(SPEEDS, len(PEOPLE))))


def crowd_module() -> tuple[bytes, tuple[Table, ...]]:
    """The module, shipped or compiled now, and its tables."""
    shipped = files("footfall.live") / "modules" / f"{CROWD}.wasm.gz"
    if shipped.is_file():
        return gzip.decompress(shipped.read_bytes()), crowd_tables()
    return compile_module(crowd_source().text, CROWD), crowd_tables()


def write_crowd_page(path: str | Path, walkers: int = 49) -> Path:
    """Write the page of :func:`crowd_page`, whole or not at all."""
    path = Path(path)
    write_whole(path, crowd_page(walkers).encode())
    return path


def crowd_page(walkers: int = 49) -> str:
    """The text of the page, with so many walkers at first."""
    if not 1 <= walkers <= WALKERS:
        raise FootfallError(f"a crowd's page has 1 to {WALKERS} walkers, not {walkers}")
    data = viewport_data() | _data() | {"walkers": walkers}
    return viewport_page(files("footfall.live"), "crowd", ("walker.js", "crowd.js"), title="3LP crowd", data=data)


def _data() -> dict[str, Any]:
    gaits = crowd_gaits()
    assert len(gaits) <= STRIDES
    wasm, tables = crowd_module()
    body = Person.of(HEIGHT, MASS)
    skeleton = walker_skeleton(body)
    start = WalkState.start(gaits.stride, len(gaits), True)
    state = np.stack([getattr(start, name) for name in CROWD_STATE], axis=1)
    strides = gaits.stride.table(len(gaits))
    return {
        "module": base64.b64encode(wasm).decode("ascii"),
        "tables": [{"name": t.name, "type": t.type, "shape": list(t.shape)} for t in tables],
        "room": WALKERS,
        "pose": list(CROWD_POSE),
        "strides": packed(strides.view(np.float64), "<f8"),
        "state": state.reshape(-1).tolist(),
        "mirrored": [CROWD_STATE.index(name) for name in MIRRORED],
        "foot": CROWD_STATE.index("foot_x"),
        "heading": CROWD_STATE.index("heading"),
        "heights": [height for height, _ in PEOPLE],
        "masses": [mass for _, mass in PEOPLE],
        "speeds": list(SPEEDS),
        "pace": SPEEDS.index(1.1),
        "tilts": np.broadcast_to(gaits.walk.tilt, len(gaits)).tolist(),
        "height": HEIGHT,
        "tall": HEIGHT,
        "names": list(skeleton.names),
        "parents": list(skeleton.parents),
        "offsets": np.asarray(skeleton.offsets).tolist(),
        "body": packed_body(body_solids(skeleton), range(len(skeleton))),
        "trunk_turn": walker_motion.TRUNK_TURN,
        "arm_swing": walker_motion.ARM_SWING,
        "arm_rest": walker_motion.ARM_REST,
        "elbow_swing": walker_motion.ELBOW_SWING,
        "elbow_rest": walker_motion.ELBOW_REST,
    }
