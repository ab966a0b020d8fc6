"""What footfall's HTML pages share: one file without a network, the viewport's scripts and style, and packed numbers.

The viewport (``viewport.js``) shows bodies on a ground, drawn with WebGL 2 (``gl_painter.js``) or, where there is none,
on a plain canvas (``flat_painter.js``). ``bar.js`` is the bar of buttons under it and ``timeline.js`` the line of time.
The player of motions, the live page and the crowd use them.

The programs with which pages in the browser paint bodies and ground (WebGL 2).

A program is a vertex part and a fragment part of ``shaders.glsl``; those that light something have ``shade`` before
their own text.
"""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from footfall.escaping import markup, script_data
from footfall.motion.skeleton.solids import MeshSolid, Solid
from footfall.pictures.page import SIDE_COLOURS, hex_to_rgb

_PROGRAMS = {
    "body": ("solid.vert", "shade", "body.frag"),
    "marks": ("capsule.vert", "shade", "body.frag"),
    "bodyDepth": ("solid.vert", "depth.frag"),
    "floor": ("floor.vert", "shade", "floor.frag"),
}


def named_parts(file: str) -> dict[str, str]:
    """The parts of a file of this folder, each of which begins with a line ``//== NAME: what it is``."""
    cut = re.split(r"^//== (\S+?)(?::.*)?\n", _read(files("footfall.pictures"), file), flags=re.MULTILINE)
    return dict(zip(cut[1::2], cut[2::2]))


@cache
def shader_programs() -> dict[str, tuple[str, str]]:
    """Program -> its vertex and its fragment part, without the line that names the version."""
    parts = named_parts("shaders.glsl")
    return {name: (parts[vertex], "".join(parts[p] for p in rest)) for name, (vertex, *rest) in _PROGRAMS.items()}


SCRIPTS = ("vectors.js", "gl_painter.js", "flat_painter.js", "viewport.js", "bar.js", "timeline.js")
"""What all pages share, in the order in which they follow each other."""


def viewport_page(
    folder: Traversable,
    page: str,
    scripts: Sequence[str],
    *,
    title: str,
    data: Mapping[str, Any],
    connects: bool = False,
) -> str:
    """The text of a page around the viewport.

    A content security policy lets the page's own script run and nothing else, so that no name in a motion, a controller
    file or a link can.

    Args:
        folder: where the page's own files are.
        page: the name of its ``.html`` and ``.css``.
        scripts: names of its own scripts, and of others beside the viewport's (``grip.js``, hands on a pose); they
            follow the viewport's, all in one function.
        title: of the browser's tab.
        data: what the scripts read from the element ``data``.
        connects: whether they may talk to the server that the page came from.
    """
    here = files("footfall.pictures")
    texts = [_lean(_read(folder if (folder / name).is_file() else here, name)) for name in (*SCRIPTS, *scripts)]
    script = '(() => {\n"use strict";\n' + "\n".join(texts).replace("\nexport ", "\n") + "})();\n"
    style = _read(here, "viewport.css") + _read(folder, f"{page}.css")
    loads = "img-src data: blob:; " + ("connect-src 'self'; " if connects else "")
    html = _read(folder, f"{page}.html")
    return filled_page(html, script, title=title, style=style, data=data, compiles=" 'wasm-unsafe-eval'", loads=loads)


def filled_page(
    html: str, script: str, *, title: str, style: str, data: Any, compiles: str = "", loads: str = ""
) -> str:
    """The text of a page whose own script runs and nothing else.

    Args:
        html: with the places __POLICY__, __TITLE__, __STYLE__, __DATA__ and __SCRIPT__.
        script: what runs.
        title: of the browser's tab.
        style: sheets.
        data: what the script reads from the page.
        compiles, loads: what the content security policy lets it do besides.
    """
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    parts = {
        "POLICY": f"default-src 'none'; script-src 'sha256-{digest}'{compiles}; style-src 'unsafe-inline'; "
        f"{loads}base-uri 'none'; form-action 'none'",
        "TITLE": markup(title),
        "STYLE": style,
        "DATA": script_data(data),
        "SCRIPT": script,
    }
    pieces = html.split("__")
    return "".join(parts.get(piece, f"__{piece}__") if k % 2 else piece for k, piece in enumerate(pieces))


def viewport_data() -> dict[str, Any]:
    """Shaders and colours, as the viewport takes them."""
    colours = {side: [round(v / 255, 3) for v in hex_to_rgb(c)] for side, c in SIDE_COLOURS.items()}
    return {"shaders": shader_programs(), "colours": colours}


def packed_body(
    solids: Sequence[Solid | MeshSolid], joints: Sequence[int], shifts: np.ndarray | None = None
) -> dict[str, Any]:
    """The solids as the viewport takes them: a row [rings, points in a ring, place of its joint, side] each, or [0,
    vertices, place of its joint, side, triangles] for a mesh; their vertices and normals, and the meshes' triangles.

    Args:
        solids: of the body.
        joints: the joints whose poses a page has, in its order.
        shifts: [J, 3] from each pose's origin to its joint; by default none.
    """
    moved = [s.vertices if shifts is None else s.vertices + shifts[s.joint] for s in solids]
    vertices = np.concatenate(moved or [np.zeros((0, 3))])
    normals = np.concatenate([s.normals for s in solids] or [np.zeros((0, 3))])
    meshed = [solid.triangles for solid in solids if isinstance(solid, MeshSolid)]
    step = max(float(np.abs(vertices).max(initial=0.0)), 1e-3) / 32767
    return {
        "solids": [_row(solid, list(joints).index(solid.joint)) for solid in solids],
        "step": step,
        "vertices": packed(np.round(vertices / step), "<i2"),
        "normals": packed(np.round(127 * normals), "i1"),
        "triangles": packed(np.concatenate([np.zeros((0, 3)), *meshed]), "<u4"),
    }


def _row(solid: Solid | MeshSolid, joint: int) -> list[Any]:
    if isinstance(solid, Solid):
        return [*solid.rings.shape[:2], joint, solid.side]
    return [0, len(solid.vertices), joint, solid.side, len(solid.triangles)]


def packed(values: np.ndarray, dtype: str = "<f4") -> str:
    """Numbers as base64."""
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")


def _lean(script: str) -> str:
    """A script without lines of comment and without indentation, for a smaller page."""
    lines = (line.strip() for line in script.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//")) + "\n"


def _read(folder: Traversable, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")
