"""Names of an adopted body's links: those of the file, with a side in front where they do not pair by themselves."""

from __future__ import annotations

from collections.abc import Mapping

from footfall.figures.adoption.limbs import side_in_name
from footfall.figures.adoption.roles import Parts
from footfall.figures.adoption.tree import Tree
from footfall.figures.sides import counterparts


def link_names(tree: Tree, parts: Parts, images: Mapping[int, int]) -> tuple[str, ...]:
    """One name for each link, so that the names of mirror images are each other's counterparts."""
    names = _apart([link.name for link in tree.links])
    sides = _sides(tree, parts, images)
    pairs = counterparts(names)
    good = all(
        pairs[names[i]] == (names[images.get(i, i)], sides[i]) for i in range(len(names)) if i in images or sides[i]
    )
    if good and all(pairs[name][0] == name for i, name in enumerate(names) if i not in images):
        return tuple(names)
    made = list(names)
    for i, side in enumerate(sides):
        image = images.get(i, i)
        if side is None:
            made[i] = names[i] if side_in_name(names[i]) is None else f"middle_{names[i]}"
        elif image == i:
            made[i] = f"single_{names[i]}"
        else:
            left = i if side == "left" else image
            made[i] = f"{side}_{names[left]}" if side_in_name(names[left]) is None else f"{side}_{_bare(names[left])}"
    return tuple(_apart(made))


def _sides(tree: Tree, parts: Parts, images: Mapping[int, int]) -> list[str | None]:
    found: list[str | None] = []
    limbs = {
        i: side
        for side in ("left", "right")
        for kind in (parts.legs, parts.arms)
        if side in kind
        for i in kind[side].all
    }
    for i, link in enumerate(tree.links):
        image = images.get(i, i)
        if i in limbs:
            found.append(limbs[i])
        elif image == i:
            found.append(None)
        else:
            found.append("left" if link.com[1] > tree.links[image].com[1] else "right")
    return found


def _bare(name: str) -> str:
    for text in ("left_", "Left_", "_left", "_Left", "l_", "L_", "_l", "_L", "left", "Left"):
        if text in name and (len(text) > 2 or name.startswith(text) or name.endswith(text)):
            return name.replace(text, "", 1)
    return name


def _apart(names: list[str]) -> list[str]:
    """Names made different by numbers."""
    found: list[str] = []
    for name in names:
        free, number = name, 2
        while free in found:
            free, number = f"{name}_{number}", number + 1
        found.append(free)
    return found
