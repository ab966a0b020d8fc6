"""The programs with which pages in the browser paint bodies and ground (WebGL 2).

A program is a vertex part and a fragment part of ``shaders.glsl``; those that light something have ``shade`` before
their own text.
"""

import re
from functools import cache
from importlib.resources import files

_PROGRAMS = {
    "body": ("solid.vert", "shade", "body.frag"),
    "marks": ("capsule.vert", "shade", "body.frag"),
    "bodyDepth": ("solid.vert", "depth.frag"),
    "floor": ("floor.vert", "shade", "floor.frag"),
}


@cache
def shader_programs() -> dict[str, tuple[str, str]]:
    """Program -> its vertex and its fragment part, without the line that names the version."""
    text = (files("footfall.pictures") / "shaders.glsl").read_text(encoding="utf-8")
    cut = re.split(r"^//== (\S+?)(?::.*)?\n", text, flags=re.MULTILINE)
    parts = dict(zip(cut[1::2], cut[2::2]))
    return {name: (parts[vertex], "".join(parts[p] for p in rest)) for name, (vertex, *rest) in _PROGRAMS.items()}
