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
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.escaping import markup, script_data
from footfall.motion.skeleton.solids import MeshSolid, Solid
from footfall.pictures.page import SIDE_COLOURS, hex_to_rgb, plain_letters

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_PROGRAMS = {
    "body": ("solid.vert", "shade", "body.frag"),
    "marks": ("capsule.vert", "shade", "body.frag"),
    "bodyDepth": ("solid.vert", "depth.frag"),
    "floor": ("floor.vert", "sunlit", "floor.frag"),
    "shadedFloor": ("floor.vert", "shade", "floor.frag"),
    "edge": ("floor.vert", "edge.frag"),
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
    head: str = "",
) -> str:
    """The text of a page around the viewport.

    A content security policy lets the page's own script run and nothing else, so that no name in a motion, a controller
    file or a link can.

    Args:
        folder: where the page's own files are.
        page: the name of its ``.html``, what the page shows, and ``.css``.
        scripts: names of its own scripts, and of others beside the viewport's (``grip.js``, hands on a pose); they
            follow the viewport's, all in one function.
        title: of the browser's tab.
        data: what the scripts read from the element ``data``.
        connects: whether they may talk to the server that the page came from.
        head: HTML for the place __HEAD__ of what the page shows.
    """
    here = files("footfall.pictures")
    texts = [_lean(_read(folder if (folder / name).is_file() else here, name)) for name in (*SCRIPTS, *scripts)]
    script = '(() => {\n"use strict";\n' + "\n".join(texts).replace("\nexport ", "\n") + "})();\n"
    style = _read(here, "viewport.css") + _read(folder, f"{page}.css")
    loads = "img-src data: blob:; " + ("connect-src 'self'; " if connects else "")
    shown = _read(folder, f"{page}.html").replace("__HEAD__", head)
    body = f'<main>\n{shown}<div id="sorry"><p></p></div>\n</main>'
    return filled_page(body, script, title=title, style=style, data=data, compiles=" 'wasm-unsafe-eval'", loads=loads)


@cache
def page_colours() -> dict[str, tuple[str, str]]:
    """What all pages colour alike, light and dark, by the names that their sheets have for it (``var(--ink)``)."""
    rows = map(str.split, _read(files("footfall.pictures"), "colours.txt").splitlines())
    return {name: (light, dark) for name, light, dark in rows}


def _colour_sheet() -> str:
    """Light or dark as the system has it, or as ``data-theme`` of the page says."""
    light, dark = ("".join(f" --{name}: {pair[k]};" for name, pair in page_colours().items()) for k in (0, 1))
    return (
        f":root {{ color-scheme: light dark;{light} }}\n:root[data-theme=light] {{ color-scheme: light; }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{{dark} }} }}\n"
        f":root[data-theme=dark] {{ color-scheme: dark;{dark} }}\n"
    )


def filled_page(
    body: str, script: str, *, title: str, style: str, data: Any, compiles: str = "", loads: str = ""
) -> str:
    """The text of a page whose own script runs and nothing else.

    Args:
        body: HTML.
        script: what runs.
        title: of the browser's tab.
        style: sheets, besides the colours and what all pages have.
        data: what the script reads from the page.
        compiles, loads: what the content security policy lets it do besides.
    """
    here = files("footfall.pictures")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    parts = {
        "POLICY": f"default-src 'none'; script-src 'sha256-{digest}'{compiles}; style-src 'unsafe-inline'; "
        f"{loads}base-uri 'none'; form-action 'none'",
        "TITLE": markup(title),
        "STYLE": _colour_sheet() + _read(here, "base.css") + style,
        "DATA": script_data(data),
        "BODY": body,
        "SCRIPT": script,
    }
    pieces = _read(here, "shell.html").split("__")
    return "".join(parts.get(piece, f"__{piece}__") if k % 2 else piece for k, piece in enumerate(pieces))


@dataclass(frozen=True)
class Verdict:
    """What a report says first.

    Attributes:
        asked: what was asked.
        came: what came out.
        stays: whether it stays up, as a sentence.
        good: whether it does; None where that was not tried.
        question: that ``stays`` answers.
    """

    asked: str
    came: str
    stays: str
    good: bool | None = None
    question: str = "does it stay up?"

    def html(self) -> str:
        """The three beside each other."""
        kind = {True: "yes", False: "no", None: ""}[self.good]
        rows = (("asked", self.asked, ""), ("came out", self.came, ""), (self.question, self.stays, kind))
        cells = (f'<div class="card {k}"><dt>{name}</dt><dd>{markup(text)}</dd></div>' for name, text, k in rows)
        return f'<dl class="verdict">{"".join(cells)}</dl>'


def page_head(title: str, verdict: Verdict | None) -> str:
    """What a page that reports something begins with: its title and its verdict, if there is one."""
    return f"<h1>{markup(title)}</h1>" + ("" if verdict is None else verdict.html())


def report_page(
    title: str, verdict: Verdict | None, body: str, *, style: str = "", script: str = "", data: Any = None
) -> str:
    """The text of a report, as all of footfall's are: its verdict, then ``body``. It needs no network.

    Args:
        title: of the page.
        verdict: what it says first; None for a page that only lists something.
        body: the rest, HTML.
        style, script, data: of its own, besides what all reports have.
    """
    here = files("footfall.pictures")
    sheet, whole = _read(here, "report.css") + style, f"<main>\n{page_head(title, verdict)}{body}\n</main>"
    loads = "img-src 'self' file: data:; media-src 'self' file: data:; "
    return filled_page(whole, script, title=title, style=sheet, data=data, loads=loads)


def table_section(heading: str, table: str) -> str:
    """A table under a heading; where it is wider than the page it scrolls by itself."""
    name = markup(heading)
    return f'<h2>{name}</h2><div class="card scroll" tabindex="0" role="region" aria-label="{name}">{table}</div>'


def plot_section(heading: str, plots: Sequence[tuple[str, str]]) -> str:
    """Plots (SVG or an image, HTML) with their captions under a heading."""
    around = '<figure class="card scroll" tabindex="0">'
    shown = "".join(f"{around}{p}<figcaption>{markup(c)}</figcaption></figure>" for c, p in plots)
    return f'<h2>{markup(heading)}</h2><div class="plots">{shown}</div>' if plots else ""


PLOT_COLOURS = {
    "#000000": "ink", "#22272e": "ink", "#46505c": "ink", "#5b6570": "soft", "#9aa5b1": "soft", "#9aa4ae": "soft",
    "#e5e9ed": "line", "#0072b2": "left", "#d55e00": "right", "#009e73": "good", "#f3ddcb": "fill",
}  # fmt: skip
"""Colours of the plots that footfall prints, and what they are on a page, light or dark (``--ink`` and so on)."""
_LEFT_OUT = re.compile(r"<metadata>.*?</metadata>|<style.*?</style>", re.DOTALL)


def plot_svg(figure: "Figure", words: str, more: str = "") -> str:
    """A plot of matplotlib as a drawing in a page, in the page's colours.

    Args:
        figure: the plot.
        words: what it shows, for those who cannot see it.
        more: further attributes of the drawing.
    """
    import matplotlib

    plain_letters(figure)
    written = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "font.family": "sans-serif", "svg.hashsalt": "footfall"}):
        figure.savefig(written, format="svg", transparent=True)
    _, _, inner = written.getvalue().partition("<svg ")
    box = re.search(r'viewBox="(0 0 ([\d.]+) [\d.]+)"', inner)
    assert box is not None
    inner = _LEFT_OUT.sub("", inner[inner.index(">") + 1 : inner.rindex("</svg>")]).replace("xlink:href", "href")
    for colour, own in PLOT_COLOURS.items():
        inner = re.sub(colour, f"var(--{own})", inner, flags=re.IGNORECASE)
    said = f'viewBox="{box[1]}" width="100%" style="--wide:{box[2]}px" role="img" aria-label="{markup(words)}" {more}'
    return f'<svg {said} font-family="system-ui,sans-serif" font-size="10" fill="var(--ink)">{inner}</svg>'


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
