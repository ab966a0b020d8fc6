"""The way back to a robot's file: what an exported controller of an adopted body needs to take the file's own states
and to give torques in the file's own joints.

Where footfall's root is and how it moves follows from the file's kinematics, which are written out as they are for the
figure itself; joints are turned by their signs and moved by their offsets.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics.expressions import Expression, Graph
from footfall.dynamics.mechanism import Mechanism
from footfall.dynamics.recursion import motions
from footfall.dynamics.spatial import add, matmul, matvec
from footfall.embedded.c99 import plain_c
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.adoption import Adoption


@dataclass(frozen=True)
class OriginalWords:
    """What the templates of an adopted figure leave open, besides the controller's own.

    Attributes:
        names, signs, offsets: of the driven joints in their file. qpos, qvel: where the controller begins.
        planar: whether the root moves in the plane. texts: by name in the templates.
    """

    names: list[str]
    signs: list[float]
    offsets: list[float]
    qpos: NDArray[np.float64]
    qvel: NDArray[np.float64]
    planar: bool
    texts: dict[str, str]


def original_words(figure: Figure, qpos: NDArray[np.float64], qvel: NDArray[np.float64]) -> OriginalWords:
    """Those of an adopted figure whose controller begins at qpos [nq] and qvel [nv]."""
    adoption = figure.adoption
    assert adoption is not None
    joints = [adoption.joints[joint.name] for joint in figure.joints if joint.actuated]
    texts = {
        "source_file": adoption.source.name,
        "original_nq": str(adoption.original.nq),
        "original_nv": str(adoption.original.nv),
        "root": "\n  ".join(plain_c(_root(adoption)).splitlines()),
        "root_out": "\n  ".join(_PLANAR if adoption.planar else _FREE),
        "joints_out": "\n  ".join(_joints(figure, adoption)),
        "soles_out": "\n    ".join(_turned_back(adoption)),
    }
    return OriginalWords(
        [f'"{joint.name}"' for joint in joints],
        [joint.sign for joint in joints],
        [joint.offset for joint in joints],
        adoption.to_original_qpos(qpos),
        adoption.to_original_qvel(qpos, qvel),
        adoption.planar,
        texts,
    )


_FREE = [
    "quaternion_of(r, ours_qpos + 3);",
    "for (int i = 0; i < 3; ++i) {",
    "  ours_qpos[i] = r[9 + i];",
    "  ours_qvel[i] = r[12 + i];",
    "  ours_qvel[3 + i] = r[i] * r[15] + r[3 + i] * r[16] + r[6 + i] * r[17];",
    "}",
]
_PLANAR = [
    "ours_qpos[0] = r[9];",
    "ours_qpos[1] = r[11];",
    "ours_qpos[2] = -atan2(r[2], r[0]);",
    "ours_qvel[0] = r[12];",
    "ours_qvel[1] = r[14];",
    "ours_qvel[2] = -r[16];",
]


def _root(adoption: Adoption) -> str:
    """C++ that sets r [18]: rotation, place, velocity and angular velocity of footfall's root in its world."""
    graph, model, hub = Graph(), adoption.original, adoption.hub - 1
    qpos = [graph.symbol(f"qpos[{k}]") for k in range(model.nq)]
    qvel = [graph.symbol(f"qvel[{k}]") for k in range(model.nv)]
    moving = motions(Mechanism(graph, model, np.zeros((0, 3)), []), qpos, qvel)

    def constants(matrix: np.ndarray) -> tuple[tuple[Expression, ...], ...]:
        clean = np.where(np.abs(matrix) < 1e-15, 0.0, matrix)
        return tuple(tuple(graph.constant(float(x)) for x in row) for row in clean)

    turn, hub_turn = constants(adoption.turn), constants(adoption.hub_turn.T)
    at = moving.point(hub, tuple(graph.constant(float(x)) for x in adoption.hub_place))  # type: ignore[arg-type]
    rotation = matmul(matmul(turn, moving.rotation[hub]), hub_turn)  # type: ignore[arg-type]
    values = [
        *(entry for row in rotation for entry in row),
        *matvec(turn, add(moving.origin, at)),  # type: ignore[arg-type]
        *matvec(turn, moving.point_velocity(hub, at)),  # type: ignore[arg-type]
        *matvec(turn, moving.velocity[hub][:3]),  # type: ignore[arg-type]
    ]
    return graph.print([(f"r[{k}]", value) for k, value in enumerate(values)])


def _joints(figure: Figure, adoption: Adoption) -> list[str]:
    """C that sets the joints of ours_qpos and ours_qvel."""
    lines = []
    for name, joint in adoption.joints.items():
        at, dof, width = adoption.layout[name]
        if width == 4:
            raise FootfallError(
                f"figure '{figure.name}': joint '{joint.name}' is a ball; export to C takes files of hinges and slides"
            )
        offset = f" - {joint.offset!r}" if joint.offset > 0 else f" + {-joint.offset!r}" if joint.offset else ""
        sign = "-" if joint.sign < 0 else ""
        bracketed = f"({{}}{offset})" if offset and sign else f"{{}}{offset}"
        lines.append(f"ours_qpos[{at}] = {sign}{bracketed.format(f'qpos[{joint.qpos}]')};")
        lines.append(f"ours_qvel[{dof}] = {sign}qvel[{joint.dof}];")
    return lines


def _turned_back(adoption: Adoption) -> Sequence[str]:
    """C that turns a place ``at`` from footfall's world to the file's, into ``position``."""
    rows = adoption.turn.T
    terms = [[f"({float(x)!r}) * at[{k}]" for k, x in enumerate(row) if abs(x) > 1e-15] for row in rows]
    return [f"position[{i}] = {' + '.join(parts)};" for i, parts in enumerate(terms)]
