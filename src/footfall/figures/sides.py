"""Left and right by name: ``left_knee`` and ``right_knee``, ``Knee.L`` and ``Knee.R``, ``lknee`` and ``rknee``."""

import re
from collections.abc import Iterable

from footfall.figures.parts import Side

# A family is a pattern and a text for left and for right; the first under which a name's counterpart exists wins.
_FAMILIES: tuple[tuple[str, str, str, str], ...] = (
    (r"left", "left", r"right", "right"),
    (r"Left", "Left", r"Right", "Right"),
    (r"(?:(?<=[._-])|^)L(?=[._-]|$)", "L", r"(?:(?<=[._-])|^)R(?=[._-]|$)", "R"),
    (r"(?:(?<=[._-])|^)l(?=[._-]|$)", "l", r"(?:(?<=[._-])|^)r(?=[._-]|$)", "r"),
    (r"^l", "l", r"^r", "r"),
    (r"^L(?=[A-Z])", "L", r"^R(?=[A-Z])", "R"),
)


def counterparts(names: Iterable[str]) -> dict[str, tuple[str, Side | None]]:
    """Each name with its counterpart on the other side and its own side; an unpaired name is its own counterpart.

    Beside ``knee_left`` a bare ``knee`` is the right one, if there is no ``knee_right``.
    """
    names = list(names)
    known = set(names)
    found: dict[str, tuple[str, Side | None]] = {}
    for name in names:
        found[name] = (name, None)
        for left, left_text, right, right_text in _FAMILIES:
            to_right = re.sub(left, right_text, name, count=1)
            to_left = re.sub(right, left_text, name, count=1)
            if to_right != name and to_right in known:
                found[name] = (to_right, "left")
                break
            if to_left != name and to_left in known:
                found[name] = (to_left, "right")
                break
    for name, (other, _) in list(found.items()):
        bare = name.removesuffix("_left")
        if other == name != bare and found.get(bare, ("", None))[0] == bare:
            found[name], found[bare] = (bare, "left"), (name, "right")
    return found
