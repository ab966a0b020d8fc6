"""Pages for plots: sizes and letters as journals print them, colours, and files whole or not at all.

A page is as wide as a journal's column or its text, with letters of 8 points, so that it can be printed as it is.
People with any colour vision can distinguish the colours (Okabe and Ito).
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from footfall.errors import FootfallError
from footfall.escaping import plain_line
from footfall.text_files import write_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN, TEXT = 3.5, 7.0
"""Inches: the width of a column and of the whole text of a journal's page."""
LETTERS = 8.0
"""Points."""
PLOT_SUFFIXES = (".png", ".svg", ".pdf")
INK, SOFT, _GRID = "#22272E", "#5B6570", "#E5E9ED"
_DOTS_PER_INCH = 300


def empty_figure(width: float, height: float) -> "Figure":
    """A matplotlib figure of so many inches that needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def dress(*axes: "Axes", grid: bool = True) -> None:
    """Give axes the letters and lines that all plots share; call it when they are complete."""
    for ax in axes:
        for edge in ("top", "right"):
            if edge in ax.spines:
                ax.spines[edge].set_visible(False)
        for spine in ax.spines.values():
            spine.set_linewidth(0.6)
        ax.tick_params(labelsize=LETTERS - 1, width=0.6, length=2.5, colors=SOFT)
        for text in (ax.xaxis.label, ax.yaxis.label, ax.title, ax._left_title):  # type: ignore[attr-defined]
            text.set_fontsize(LETTERS)
            text.set_color(INK)
        if grid:
            ax.grid(color=_GRID, linewidth=0.5)
            ax.set_axisbelow(True)
        if legend := ax.get_legend():
            legend.set_frame_on(False)
            for text in legend.get_texts():
                text.set_fontsize(LETTERS - 1)


def set_title(figure: "Figure", title: str | None) -> None:
    """A line above the whole page, if there is one."""
    if title:
        figure.suptitle(title, fontsize=LETTERS + 1, x=0.01, ha="left", color=INK)


def plain_letters(figure: "Figure") -> None:
    """Let every text of a figure be drawn as it is: dollars are no mathematics except in ticks of logarithmic axes, and
    no control character reaches a file."""
    from matplotlib.text import Text
    from matplotlib.ticker import FuncFormatter

    def plain(text: str) -> str:
        return "\n".join(map(plain_line, text.split("\n")))

    axes = [axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)]
    powers = [text for axis in axes if axis.get_scale() == "log" for text in axis.findobj(Text) if text != axis.label]
    for axis in axes:
        if isinstance(names := axis.get_major_formatter(), FuncFormatter):  # labels that were given
            names.func = lambda *place, own=names.func: plain(own(*place))
    for text in set(figure.findobj(Text)) - set(powers):
        text.set_parse_math(False)
        text.set_text(plain(text.get_text()))


def save_figure(figure: "Figure", path: str | Path) -> Path:
    """Save a matplotlib figure as .png, .svg or .pdf, whole or not at all; the same figure gives the same file."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in PLOT_SUFFIXES:
        raise FootfallError(f"{path}: a plot is saved as .png, .svg or .pdf, not as '{suffix or path.name}'")
    import matplotlib

    plain_letters(figure)
    timeless: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(suffix, {})
    # letters stay letters in vector files, so that an editor can set them in a journal's type
    with matplotlib.rc_context({"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "footfall"}):
        write_whole(path, lambda part: figure.savefig(part, dpi=_DOTS_PER_INCH, format=suffix[1:], metadata=timeless))
    return path


SIDE_COLOURS = {"left": "#0072B2", "right": "#D55E00", "": "#46505C"}
"""Left and right limbs, and the trunk."""

PLANE_COLOURS = {"roll": "#B0497F", "pitch": "#C98500", "yaw": "#2A9FD6"}
"""Axes of joints, by the plane in which they move a part."""

POINT_COLOURS = {"sole": "#009E73", "fall": "#8B1E3F"}
"""Contact points of the soles, and those that mean a fall."""

LINE_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#46505C")

OUTCOME_COLOURS = {"no": "#F3DDCB", "yes": "#009E73"}
"""Whether something held; they differ in brightness too, for print without colours."""

BAND_COLOURS = ("#DCE9F5", "#FBE5D6", "#DDF0E7", "#F6E3EE", "#FBF1D3", "#E3F2FA", "#ECECEC", "#E8E2F3")
"""Backgrounds for the states of a controller."""


def tint(colour: str, share: float) -> str:
    """A colour mixed with white: 0 is white, 1 the colour itself."""
    return "#" + "".join(f"{round(255 + share * (v - 255)):02X}" for v in hex_to_rgb(colour))


def hex_to_rgb(colour: str) -> tuple[int, int, int]:
    """(r, g, b) from 0 to 255 of "#rrggbb"."""
    r, g, b = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return r, g, b
