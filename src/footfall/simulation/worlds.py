"""What worlds are made of, as tables on a device; their state there, which a rollout reads, advances and writes back;
and where they start: in the state that is given, or standing on their terrain.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.control.kind import FARTHEST, Start
from footfall.control.law import Law
from footfall.control.rows import check_kernel_index
from footfall.dynamics.ground import Ground, terrain_table
from footfall.dynamics.lying import bare_skin, skin_rows
from footfall.dynamics.mechanism import body_rows
from footfall.errors import FootfallError
from footfall.figures import BodyParameters, Figure
from footfall.figures.reading import HEIGHT
from footfall.push import Push
from footfall.simulation.device import memory_of, rows_to_device, to_device
from footfall.simulation.hardware import HardwareTables
from footfall.simulation.inputs import MOST_STEPS, check_worlds, push_tables
from footfall.simulation.rollout import Rollout
from footfall.simulation.structures import FELL, TALLY
from footfall.terrain import Terrain


class Tables:
    """Tables with one row for all worlds, or one for each.

    Args:
        figure: what moves.
        worlds: how many.
        dt: step, seconds.
        real: the scalar type.
        device: where the tables are.
        solid: whether limbs touch each other.

    Attributes:
        body, parameters, ground, terrain: [1 or N, …] numbers that the figure, the law, the ground and the terrain
            read.
        library: [rows, columns] numbers that the law reads and all worlds share.
        hardware: every, noise, key and motors (see :class:`HardwareTables`).
        pushing: windows [1 or N, K, 2], forces [1 or N, K, 3] and places [K] of K pushes.
    """

    def __init__(self, figure: Figure, worlds: int, dt: float, real: Any, device: Any, *, solid: bool = False) -> None:
        self.figure = figure
        self._solid = figure.solid if solid else None
        self.worlds, self.dt, self.real, self.device = worlds, dt, real, device

    def fill(
        self,
        body: BodyParameters | None,
        gravity: NDArray[np.float64],
        grounds: Sequence[Ground],
        terrains: Sequence[Terrain],
    ) -> None:
        """Replace bodies, grounds and terrains; if one is wrong, none."""
        check_worlds("terrain", len(terrains), self.worlds)
        check_worlds("ground", len(grounds), self.worlds)
        if len({g.law for g in grounds}) > 1:
            raise FootfallError("ground: all worlds need the same contact law")
        if body is not None:
            check_worlds("body", body.worlds, self.worlds)
        self.body = self._rows(np.zeros((1, 1)) if body is None else body_rows(body, gravity, self._solid))
        self._stretched = body
        self.ground = to_device(np.array([g.row() for g in grounds]), self.real, self.device)
        self.terrain = self._rows(terrain_table(terrains)[1])

    def set_parameters(self, rows: ArrayLike, which: ArrayLike | None = None) -> None:
        """[1 or N, NP] what the law reads; or [R, NP] with the row of each world [N]."""
        self.parameters = rows_to_device(rows, self.real, self.device, which)

    def set_library(self, numbers: ArrayLike) -> None:
        """[rows, columns] what the law reads and all worlds share."""
        self.library = to_device(numbers, self.real, self.device)

    def set_hardware(self, hardware: HardwareTables) -> None:
        """What is between the law and the body."""
        self.hardware = hardware.on_device(self.real, self.device)

    def set_pushes(self, pushes: Sequence[Push]) -> None:
        """Timed forces."""
        windows, forces, places = push_tables(pushes, self.figure, self.worlds, self.dt)
        self.pushing = [to_device(table, self.real, self.device) for table in (windows, forces)]
        self.pushing.append(to_device(places, wp.int32, self.device))

    @property
    def skin(self) -> Any:
        """[1 or N, …] the balls of the figure's skin, for worlds that have fallen."""
        return self._rows(skin_rows(self.figure.skin, self._stretched))

    @property
    def bare_skin(self) -> Any:
        """The same without feet and ankles, for worlds that may kneel."""
        return self._rows(skin_rows(bare_skin(self.figure), self._stretched))

    @property
    def rows(self) -> tuple[Any, Any, Any, Any]:
        """Those that may have a row for each world."""
        return self.body, self.parameters, self.ground, self.terrain

    def _rows(self, rows: ArrayLike) -> Any:
        return rows_to_device(rows, self.real, self.device)


PAST = ("qpos", "qvel", "torque", "contact")
"""What delays remember, [N, depth] each: steps are written round and round."""


def check_room(worlds: int, figure: Figure, law: Law, last_states: int, hardware: HardwareTables, device: Any) -> None:
    """Refuse more worlds, or longer delays, than the memory of a device holds."""
    depth = int(hardware.delay.max()) + 1 if hardware.delayed else 0
    each = (last_states + 3) * (figure.nq + figure.nv) + depth * (figure.nq + 2 * figure.nv) + len(law.memory)
    need, has = 8 * worlds * each, memory_of(device)
    if need > has:
        late = f" with delays of {depth - 1} steps" if depth else ""
        raise FootfallError(
            f"{worlds:,} worlds{late} take {need / 2**30:,.0f} GiB; there are {has / 2**30:.0f} GiB of memory"
        )


class WorldState:
    """N worlds at time 0.

    Args:
        rollout: the kernel that advances them.
        device: where they are.
        start: qpos [N, nq] and qvel [N, nv] where they begin.
        memory: [M] the law's own state at the start.
        last_states: how many of the latest samples each world keeps.
        hardware: how late sensors and torques are, and whether the law has a rate of its own.

    Attributes:
        arrays: the rollout's ``Worlds``, by field, each with a leading world axis.
        rings: the latest samples of qpos and qvel, [N, R] each, by their names in a kernel's ``Trace``.
        past: delays, and the states and torques that delayed senses and actuators still need, by name.
        held: [N or 0] the law's latest command, where it has a rate of its own.
    """

    def __init__(
        self,
        rollout: Rollout,
        device: Any,
        start: tuple[NDArray[np.float64], NDArray[np.float64]],
        memory: NDArray[np.float64],
        last_states: int,
        hardware: HardwareTables,
    ) -> None:
        qpos, qvel = start
        n, compiled = len(qpos), rollout.types.compiled
        self.device = device

        def zeros(dtype: Any, shape: int | tuple[int, int] = n) -> Any:
            return wp.zeros(shape, dtype=dtype, device=device)

        tally = np.zeros((n, len(TALLY)))
        tally[:, TALLY.index("torso_low")], tally[:, TALLY.index("torso_high")] = np.inf, -np.inf
        given = {"qpos": qpos, "qvel": qvel, "memory": np.broadcast_to(memory, (n, len(memory))), "tally": tally}
        given["stance"] = np.full(n, -1)
        self.arrays = {
            name: to_device(given[name], array.dtype, device) if name in given else zeros(array.dtype)
            for name, array in rollout.structures.Worlds.cls.__annotations__.items()
        }
        rings = {"ring_qpos": compiled.Qpos, "ring_qvel": compiled.Qvel}
        self.rings = {name: zeros(t, (n, max(1, last_states))) for name, t in rings.items()}
        depth = (n, int(hardware.delay.max()) + 1) if hardware.delayed else (0, 0)
        vectors = (compiled.Qpos, compiled.Qvel, compiled.Qvel, wp.int32)
        self.past = {"delay": to_device(hardware.delay, wp.int32, device)}
        self.past |= {name: zeros(t, depth) for name, t in zip(PAST, vectors, strict=True)}
        self.held = zeros(rollout.structures.Held, n if hardware.held else 0)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A field of all worlds, [N, …]."""
        return np.asarray(self.arrays[name].numpy())

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Every field, copied; with delays or held torques also what these need."""
        return {name: array.numpy().copy() for name, array in (self.arrays | self._hardware()).items()}

    def _hardware(self) -> dict[str, Any]:
        """What delays and held torques need, by name, where there are any."""
        late = {f"past_{name}": self.past[name] for name in PAST} if self.past["qpos"].size else {}
        return late | ({"held": self.held} if self.held.size else {})

    def restore(
        self,
        snapshot: Mapping[str, NDArray[Any]],
        worlds: ArrayLike | None = None,
        *,
        check_memory: Callable[[NDArray[np.float64]], None],
        recorded: int = 0,
        ended: int = FELL,
    ) -> None:
        """Put worlds into the states of a snapshot (see :meth:`Simulation.restore`); if something in it is wrong, they
        stay as they are. ``recorded`` is how many worlds are recorded, ``ended`` the least status of one that has
        stopped."""
        for name in self.arrays:
            if name not in snapshot:
                raise FootfallError(f"snapshot has no '{name}'; give all that a simulation's own snapshot has")
        count, n = len(snapshot["qpos"]), len(self.arrays["qpos"])
        if worlds is None and count not in (1, n):
            raise FootfallError(f"snapshot has {count} worlds; name one for each of the {n} here")
        chosen, taken = self._chosen(worlds, count, n), dict[str, NDArray[Any]]()
        for name, array in (self.arrays | self._hardware()).items():
            shape = (*array.shape[1:], *getattr(array.dtype, "_shape_", ()))
            if name not in snapshot:
                taken[name] = self._never_late(name, array, taken)
                continue
            values = np.asarray(snapshot[name])
            if values.shape != (count, *shape):
                hint = "" if name in self.arrays else ": give it the same delays"
                raise FootfallError(
                    f"snapshot's {name} has shape {values.shape[1:]} per world; this simulation needs {shape}{hint}"
                )
            taken[name] = values[chosen]
        check_memory(np.asarray(taken["memory"], dtype=float))
        _check_counts(taken, recorded, ended)
        for name, values in taken.items():
            late = name.removeprefix("past_")
            place = self.arrays if name in self.arrays else self.past if late in self.past else vars(self)
            place[late] = to_device(values, place[late].dtype, self.device)

    @staticmethod
    def _never_late(name: str, array: Any, taken: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """What delays and held torques need where a snapshot of a simulation without them has none: the body was then
        always as it is, and no torque is on its way."""
        past: NDArray[Any] = np.zeros_like(array.numpy())
        if (late := name.removeprefix("past_")) in taken:
            past[:] = taken[late][:, None]
        return past

    @staticmethod
    def _chosen(worlds: ArrayLike | None, count: int, n: int) -> NDArray[np.int64]:
        if worlds is not None:
            chosen = np.asarray(worlds, dtype=float)
            if chosen.shape not in ((), (1,), (n,)) or not _are_indices(chosen, count):
                raise FootfallError(f"worlds: give one world of the snapshot, from 0 to {count - 1}, for each of {n}")
            return np.broadcast_to(chosen, (n,)).astype(int)
        return np.arange(n) if count == n else np.zeros(n, dtype=int)

    def sampled(self) -> Sequence[NDArray[np.float64]]:
        """The latest samples of qpos [N, R, nq] and qvel [N, R, nv], in ring order."""
        return [ring.numpy().astype(float) for ring in self.rings.values()]


def _are_indices(values: NDArray[np.float64], count: int) -> bool:
    return bool(((values >= 0) & (values < count) & (values == np.floor(values))).all())


def _check_counts(taken: Mapping[str, NDArray[Any]], recorded: int, ended: int) -> None:
    """Refuse steps that cannot be counted, and recorded worlds that run at times of their own."""
    steps = np.asarray(taken["step_count"], dtype=float)
    check_kernel_index(steps, 0, MOST_STEPS, "snapshot: step_count")
    running = steps[:recorded][taken["status"][:recorded] < ended]
    if len(running) and (running < steps.max()).any():
        raise FootfallError(
            "snapshot: its worlds are at different times; record only worlds that are at the latest time"
        )


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
