"""Body parameters from words, as a command line takes them.

thigh*1.1               both thighs longer, mass kept
left_thigh*1.1          one of them
torso+10kg              a load at the body's centre of mass
torso+10kg@0,0,0.3      a load at a place in the body's frame
head=6kg                another mass
mass*1.2                every body heavier
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, cast

from footfall.errors import FootfallError, unknown_name
from footfall.figures.body_parameters import BodyParameters

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_EDIT = re.compile(
    rf"(?P<body>[\w.-]+?)\s*(?:\*(?P<factor>{_NUMBER})(?:@(?P<axis>[xyz]))?|(?P<kind>[+=])(?P<mass>{_NUMBER})kg"
    rf"(?:@(?P<place>{_NUMBER},{_NUMBER},{_NUMBER}))?)"
)
_FORM = "write thigh*1.1, torso+10kg, torso+10kg@0,0,0.3, head=6kg or mass*1.2"


def edit_bodies(params: BodyParameters, edits: str | Iterable[str]) -> BodyParameters:
    """Apply edits in turn, each in the words above."""
    for edit in [edits] if isinstance(edits, str) else edits:
        match = _EDIT.fullmatch(edit.strip())
        if match is None or (match["place"] and match["kind"] == "="):
            raise FootfallError(f"body edit '{edit}': {_FORM}")
        if match["body"] == "mass" and match["factor"] and not match["axis"]:
            params = params.scaled_mass(float(match["factor"]))
            continue
        for body in bodies_named(match["body"], params.names):
            if match["factor"]:
                axis = cast(Literal["x", "y", "z"] | None, match["axis"])
                params = params.scaled(body, float(match["factor"]), axis=axis)
            elif match["kind"] == "=":
                params = params.with_mass(body, float(match["mass"]))
            else:
                place = [float(v) for v in match["place"].split(",")] if match["place"] else None
                params = params.with_load(body, float(match["mass"]), place)
    return params


def bodies_named(name: str, names: Sequence[str]) -> list[str]:
    """The body of that name, or the left and the right one."""
    if name in names:
        return [name]
    forms = (f"left_{name}", f"right_{name}"), (f"{name}.L", f"{name}.R"), (f"{name}_l", f"{name}_r")
    for left, right in forms:
        if left in names and right in names:
            return [left, right]
    stems = {n.removeprefix("left_") for n in names if n.startswith("left_")}
    raise unknown_name("body", name, [*names, *stems])
