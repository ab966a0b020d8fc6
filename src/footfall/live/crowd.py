"""The crowd's page: walkers of many heights that walk in closed form (3LP) in the visitor's browser.

The C++ text of the crowd's module: 3LP's kernel as Warp generates it for a CPU, and an entry for a browser.

It exports three functions (tables and their layout are those of :mod:`footfall.live.source`):

    start()          empties all tables; the host then writes strides, row, wanted and state
    walk(n, dt)      the first n walkers walk one frame of dt seconds; fills the table ``poses``
    table(i)         the address of table i, in the order of the description
"""

import base64
import gzip
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.live.modules import compile_module
from footfall.live.source import ENTRY_HEAD, EXPORT, ModuleSource, Table, generated, laid_table
from footfall.methods.pendulum import walker_motion
from footfall.methods.pendulum.closed_form import step_row
from footfall.methods.pendulum.crowd import CROWD_POSE, CROWD_STATE, crowd_kernel
from footfall.methods.pendulum.gait import Gait, periodic_gait
from footfall.methods.pendulum.model import Person
from footfall.methods.pendulum.stride import Stride
from footfall.methods.pendulum.walk import human_walk
from footfall.methods.pendulum.walker_motion import walker_skeleton
from footfall.methods.pendulum.walkers import WalkState
from footfall.motion.skeleton.body_shape import body_solids
from footfall.pictures.web_page import packed, packed_body, viewport_data, viewport_page
from footfall.text_files import write_whole

CROWD = "3lp"
"""The crowd's name where controllers have theirs, and its module's."""
WALKERS, STRIDES = 256, 64
"""Room for walkers, and for gaits that they choose from."""


def crowd_tables() -> tuple[Table, ...]:
    """The module's tables, in order."""
    return tuple(
        Table(name, kind, tuple(n for n in shape if n > 1) + ((width,) if width > 1 else ()))
        for name, (kind, shape, width) in _TABLES.items()
    )


def crowd_source() -> ModuleSource:
    """The whole text for up to :data:`WALKERS` walkers."""
    kernel, _ = crowd_kernel("float64")
    lines = [generated(kernel), ENTRY_HEAD]
    name = kernel.get_mangled_name()
    lines.append(f"static wp_args_{name} crowd_;")
    laid = []
    for table, (kind, shape, width) in _TABLES.items():
        declared, entry = laid_table(f"crowd_.{table}", f"room_{table}", kind, shape, width)
        lines.append(declared)
        laid.append(entry)
    lines.append(f"static const Laid tables_[] = {{{', '.join(laid)}}};")
    lines.append(EXPORT + _ENTRY.format(kernel=name))
    return ModuleSource("\n".join(lines), crowd_tables())


_TABLES = {
    "strides": ("f64", (STRIDES,), len(Stride.names())),
    "row": ("i32", (WALKERS,), 1),
    "wanted": ("i32", (WALKERS,), 1),
    "state": ("f64", (len(CROWD_STATE), WALKERS), 1),
    "command": ("f64", (3, WALKERS), 1),
    "poses": ("f64", (1, len(CROWD_POSE), WALKERS), 1),
}
"""Name -> type, how many elements, numbers in an element."""

_ENTRY = """
EXPORT(start) __attribute__((minsize)) void module_start() {{ for (const Laid& one : tables_) lay(one); }}

EXPORT(table) void* module_table(int i) {{ return tables_[i].bytes; }}

EXPORT(walk) void module_walk(int n, double dt) {{
  crowd_.first = 0; crowd_.frames = 1; crowd_.dt = dt;
  wp::launch_bounds_t<1> dim;
  dim.shape[0] = n; dim.size = n; dim.coord_mult = 1;
  for (int i = 0; i < n; ++i) {kernel}_cpu_kernel_forward<true>(dim, i, &crowd_);
}}
"""

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
    return viewport_page(
        files("footfall.live"), "crowd", ("runtime/walker.js", "joints.js", "crowd.js"), title="3LP crowd", data=data
    )


def _data() -> dict[str, Any]:
    return pendulum_data(crowd_gaits(), HEIGHT, MASS) | {
        "heights": [height for height, _ in PEOPLE],
        "masses": [mass for _, mass in PEOPLE],
        "speeds": list(SPEEDS),
        "pace": SPEEDS.index(1.1),
    }


def pendulum_data(gaits: Gait, height: float, mass: float) -> dict[str, Any]:
    """What a page needs to walk gaits, at most :data:`STRIDES`, and to draw their walkers in one person's shape.

    Args:
        gaits: that walkers choose from, by row.
        height, mass: of that person.
    """
    assert len(gaits) <= STRIDES
    wasm, tables = crowd_module()
    skeleton = walker_skeleton(Person.of(height, mass))
    state = np.stack(step_row(WalkState.start(gaits.stride, len(gaits), True).step), axis=1)
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
        "tilts": np.broadcast_to(gaits.walk.tilt, len(gaits)).tolist(),
        "height": height,
        "tall": height,
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
