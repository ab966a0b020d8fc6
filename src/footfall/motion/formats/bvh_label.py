"""How a BVH file that footfall wrote says its unit and upward axis.

BVH has no place for either. Some tools write a name behind ``End Site``, and readers skip it (Blender's and three.js'
among them); footfall writes one word behind the first:

    End Site footfall:unit=cm,up=y
"""

from footfall.errors import FootfallError
from footfall.motion.formats.conventions import UP_AXES, metres_per

_SIGN = "footfall:"


def unit_label(unit: str | float, up: str) -> str:
    """The word for a unit (a name, or metres) and an upward axis."""
    return f"{_SIGN}unit={unit if isinstance(unit, str) else repr(float(unit))},up={up}"


def read_label(word: str) -> dict[str, str]:
    """``unit`` and ``up`` from such a word; empty for any other."""
    if not word.startswith(_SIGN):
        return {}
    pairs = dict(part.split("=", 1) for part in word.removeprefix(_SIGN).split(",") if "=" in part)
    try:
        metres_per(pairs.get("unit", ""))
    except FootfallError:
        return {}
    return {"unit": pairs["unit"], "up": pairs["up"]} if pairs.get("up") in UP_AXES else {}
