"""Where worlds start: in the state that is given, or standing on their terrain."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.control.start import FARTHEST, Start
from footfall.errors import FootfallError
from footfall.figures import BodyParameters, Figure
from footfall.figures.reading import HEIGHT
from footfall.terrain import Terrain

Array = NDArray[np.float64]


def starting_state(
    figure: Figure,
    start: Start | None,
    body: BodyParameters | None,
    terrains: Sequence[Terrain],
    worlds: int,
    *,
    qpos: ArrayLike | None,
    qvel: ArrayLike | None,
) -> tuple[Array, Array]:
    """qpos [worlds, nq] and qvel [worlds, nv] at time 0.

    Args:
        figure: the figure.
        start: the controller's own start, made for the figure's own body on level ground.
        body: sizes of the bodies, [1 or worlds].
        terrains: [1 or worlds].
        worlds: how many.
        qpos, qvel: used as they are where they are given, [nq] or [worlds, nq], [nv] or [worlds, nv].
    """
    if qpos is None:
        qpos = _raised(figure, start, body, terrains)
    if qvel is None:
        qvel = np.zeros(figure.nv) if start is None else start.qvel
    states = []
    for name, value, size in (("qpos", qpos, figure.nq), ("qvel", qvel, figure.nv)):
        array = np.atleast_2d(np.asarray(value, dtype=float))
        if array.shape[0] not in (1, worlds) or array.shape[1] != size:
            raise FootfallError(
                f"{name} has shape {np.shape(value)}; figure '{figure.name}' needs [{size}] or [{worlds}, {size}]"
            )
        for good, wrong in (
            (np.isfinite(array), "is not finite"),
            (np.abs(array) <= FARTHEST, f"holds a number beyond {FARTHEST:g}"),
        ):
            if not good.all():
                raise FootfallError(f"{name} {wrong} in world {int(np.argmin(good.all(axis=1)))}")
        states.append(np.tile(array, (worlds // len(array), 1)))
    return states[0], states[1]


def _raised(figure: Figure, start: Start | None, body: BodyParameters | None, terrains: Sequence[Terrain]) -> Array:
    """[1 or worlds, nq] the start, or else the default pose, raised to where bodies and terrains put it."""
    qpos = figure.standing_qpos(body)
    if start is not None:
        if len(start.qpos) != figure.nq:
            raise FootfallError(f"start has {len(start.qpos)} qpos; figure '{figure.name}' has {figure.nq}")
        qpos = np.array(start.qpos) + qpos - figure.standing_qpos()
    if figure.root == "fixed":
        return qpos
    height = HEIGHT[figure.root]
    rows = np.tile(qpos, (max(len(terrains) // len(qpos), 1), 1))
    x, y = rows[:, 0], rows[:, 1] if figure.root == "free" else np.zeros(len(rows))
    if len(terrains) == 1:
        rows[:, height] += terrains[0].height(x, y)
    else:
        rows[:, height] += [float(t.height(a, b)) for t, a, b in zip(terrains, x, y, strict=True)]
    return rows
