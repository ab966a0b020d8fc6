"""Colours that people with any colour vision can distinguish (Okabe and Ito), and what they mean."""

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
