"""Left and right in names: ``left_knee`` and ``right_knee``, ``Knee.L`` and ``Knee.R``, ``lknee`` and ``rknee``."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from footfall.errors import unknown_name

Side = Literal["left", "right"]
SIDES: tuple[Side, Side] = ("left", "right")

# A family is a pattern and a text for left and for right; the first under which a name's counterpart exists wins.
_FAMILIES: tuple[tuple[str, str, str, str], ...] = (
    (r"left", "left", r"right", "right"),
    (r"Left", "Left", r"Right", "Right"),
    (r"(?:(?<=[._-])|^)L(?=[._-]|$)", "L", r"(?:(?<=[._-])|^)R(?=[._-]|$)", "R"),
    (r"(?:(?<=[._-])|^)l(?=[._-]|$)", "l", r"(?:(?<=[._-])|^)r(?=[._-]|$)", "r"),
    (r"^l", "l", r"^r", "r"),
    (r"^L(?=[A-Z])", "L", r"^R(?=[A-Z])", "R"),
)
_LEFT = re.compile(r"^[Ll]eft_?|_[Ll]eft(?=_|$)|[._]L$|_l$|^[lL]_|^L(?=[A-Z])|[Ll]eft", re.ASCII)
_PARTS = "femur|tibia|foot|toes|hum|rad|wrist|hand|thumb|finger|clav|hip"


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


def without_left(name: str) -> str:
    """A left name without its side."""
    return _LEFT.sub("", name, count=1)


def side_in_name(name: str) -> Side | None:
    """The side that a name by itself says: left_knee, l_knee, knee.L, LKnee, AL1, lfemur."""
    said = [side for side in SIDES if _says(name, side, side[0])]
    return said[0] if len(said) == 1 else None


def _says(name: str, side: str, letter: str) -> bool:
    lower, capital = name.lower(), letter.upper()
    alone = re.search(rf"{side}|(?:^|[._\- ]){letter}(?=[._\- ]|$)", lower)
    joined = re.search(rf"^[{letter}{capital}](?=[A-Z])|A{capital}\d|(?<=[a-z]){capital}$", name)
    return bool(alone or joined or re.match(rf"{letter}(?={_PARTS})", lower))


def names_meant(name: str, names: Sequence[str]) -> list[str]:
    """The name itself, or that of the left and of the right body where it says no side."""
    if name in names:
        return [name]
    pairs = {without_left(left): [left, right] for left, (right, side) in counterparts(names).items() if side == "left"}
    if name not in pairs:
        raise unknown_name("body", name, [*names, *pairs])
    return pairs[name]
