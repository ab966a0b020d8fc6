"""Which nodes of a glTF scene make the skeleton: the joints of a skin, and what moves them."""

from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.quaternion import Array, from_matrix, multiply, normalised, rotate


def parent_nodes(nodes: list[dict[str, Any]]) -> dict[int, int]:
    """Child node -> its parent."""
    return {int(c): p for p, node in enumerate(nodes) for c in node.get("children") or []}


def joint_nodes(content: dict[str, Any], animated: set[int], path: Path) -> list[int]:
    """The nodes of the skeleton, parents first.

    They are the joints of the skin with the most joints (the animated nodes where there is no skin), the nodes between
    them, a common ancestor where they have several roots, and ancestors that the animation moves.
    """
    nodes = content["nodes"]
    parents = parent_nodes(nodes)
    skins = [[int(j) for j in skin["joints"]] for skin in content.get("skins") or []]
    joints = max(skins, key=len) if skins else sorted(animated)
    if not joints or any(not 0 <= j < len(nodes) for j in joints):
        raise FootfallError(f"{path}: it has no skin, and no node that moves")
    chains = [_chain(j, parents, path) for j in dict.fromkeys(joints)]
    shared = [row[0] for row in zip(*chains) if len(set(row)) == 1]
    inside = set(joints)
    tops = [chain for chain in chains if not inside & set(chain[:-1])]
    if len(tops) > 1 and not shared:
        raise FootfallError(f"{path}: its skeleton has {len(tops)} roots that hang on nothing; footfall reads one")
    root = shared[-1] if len(tops) > 1 else tops[0][-1]
    above = _chain(root, parents, path)
    root = next((node for node in above if node in animated), root)
    kept = {node for chain in chains for node in chain[chain.index(root) :]}
    order, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting += [int(c) for c in reversed(nodes[node].get("children") or []) if int(c) in kept]
    given = [j for j in joints if j in kept]
    return given if _parents_first(given, parents) and len(given) == len(order) else order


def _chain(node: int, parents: dict[int, int], path: Path) -> list[int]:
    """The nodes from the scene's top down to ``node``."""
    chain = [node]
    while chain[-1] in parents:
        chain.append(parents[chain[-1]])
        if len(chain) > len(parents) + 1:
            raise FootfallError(f"{path}: its joints hang on each other in a circle")
    return chain[::-1]


def _parents_first(joints: list[int], parents: dict[int, int]) -> bool:
    seen: set[int] = set()
    for k, joint in enumerate(joints):
        if k and parents.get(joint) not in seen:
            return False
        seen.add(joint)
    return True


def local(node: dict[str, Any]) -> tuple[Array, Array, float]:
    """Translation (3,), rotation (4,) w first, and scale of a node."""
    if "matrix" in node:
        m = np.array(node["matrix"], dtype=float).reshape(4, 4).T
        size = float(np.cbrt(np.linalg.det(m[:3, :3])))
        return m[:3, 3], from_matrix(m[:3, :3] / size), size
    place = np.array(node.get("translation", [0, 0, 0]), dtype=float).reshape(3)
    turn = normalised(np.roll(np.array(node.get("rotation", [0, 0, 0, 1]), dtype=float).reshape(4), 1))
    sizes = np.array(node.get("scale", [1, 1, 1]), dtype=float)
    return place, turn, float(sizes.mean())


def ancestors(nodes: list[dict[str, Any]], root: int) -> tuple[Array, Array, float]:
    """Rotation, translation and scale of everything above the root joint."""
    parents = parent_nodes(nodes)
    turn, place, size = np.array([1.0, 0, 0, 0]), np.zeros(3), 1.0
    node, steps = parents.get(root), 0
    while node is not None and steps < 1000:
        p, q, s = local(nodes[node])
        turn, place, size = multiply(q, turn), p + rotate(q, s * place), s * size
        node, steps = parents.get(node), steps + 1
    return turn, place, size
