"""Accelerations of several worlds at once, in the lanes of a processor's vector unit.

The printed statements are those of one world; only their scalar type differs, a vector with a number for each world.
Each lane gives what the world alone would, bit for bit.
"""

import re
from typing import Any

import warp as wp

from footfall.dynamics.native import native_function
from footfall.dynamics.stages import Stages

_READ = {
    "qpos": "sense.qpos",
    "qvel": "sense.qvel",
    "scratch": "work.scratch",
    "torque": "command.torque",
    "force": "work.force",
    "stiffness": "command.stiffness",
    "point_stiffness": "work.stiffness",
}
_WRITTEN = {"qacc": "qacc", "point_acceleration": "work.moved"}


def accelerate_lanes(stages: Stages, World: Any, lanes: int) -> wp.Function:
    """A Warp function (first, first_push, body, count): ``accelerate`` of an implicit stage for those of ``count``
    worlds that run, from and to the fields of a world. They lie one after another, and so does what pushes them; at
    most ``lanes``."""
    c, text = stages.compiled, stages.text
    used = {name: sorted({int(k) for k in re.findall(rf"\b{name}\[(\d+)\]", text)}) for name in (*_READ, "push", "row")}
    sources = {name: f"world[LANE]->{place}[K]" for name, place in _READ.items()}
    sources |= {"push": "(*pushed[LANE])[K]", "row": "rows[LANE][K]"}
    lines = [
        f"decltype(&first) world[{lanes}]; decltype(&first_push) pushed[{lanes}]; const R* rows[{lanes}];",
        f"for (int i = 0; i < {lanes}; ++i) {{ const int k = i < count ? i : 0; world[i] = &first + k;"
        " pushed[i] = &first_push + k; rows[i] = wp::address(body, world[i]->rows[0], 0); }",
    ]
    for name, numbers in used.items():
        if numbers:
            lines.append(f"S {name}[{numbers[-1] + 1}];")
        for k in numbers:
            cells = ", ".join(sources[name].replace("LANE", str(i)).replace("K", str(k)) for i in range(lanes))
            lines.append(f"{name}[{k}] = S{{{cells}}};")
    sizes = {"qacc": c.nv, "point_acceleration": 3 * len(c.points)}
    lines += [f"S {name}[{size}];" for name, size in sizes.items()]
    lines.append(text)
    lines.append("for (int i = 0; i < count; ++i) { if (world[i]->k >= world[i]->steps) continue;")
    for name, place in _WRITTEN.items():
        lines.append(f"for (int k = 0; k < {sizes[name]}; ++k) world[i]->{place}[k] = {name}[k][i];")
    lines.append("}")
    arguments = {
        "first": wp.ref[World],
        "first_push": wp.ref[c.Pushes],
        "body": wp.array2d(dtype=c.real),
        "count": wp.int32,
    }
    return native_function("accelerate_lanes", arguments, "\n".join(lines), c.real, lanes=lanes)
