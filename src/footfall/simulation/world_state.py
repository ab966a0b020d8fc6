"""The state of all worlds on a device: what a rollout reads, advances and writes back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.control.kernel_indices import check_kernel_index
from footfall.control.law import Law
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation.device import memory_of, to_device
from footfall.simulation.hardware import Hardware
from footfall.simulation.inputs import MOST_STEPS
from footfall.simulation.rollout import FELL, Rollout
from footfall.simulation.tallying import TALLY

PAST = ("qpos", "qvel", "torque", "contact")
"""What delays remember, [N, depth] each: steps are written round and round."""


def check_room(worlds: int, figure: Figure, law: Law, last_states: int, hardware: Hardware, device: Any) -> None:
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
        rings: the latest samples of qpos and qvel, [N, R].
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
        hardware: Hardware,
    ) -> None:
        qpos, qvel = start
        n, types, compiled = len(qpos), rollout.types, rollout.types.compiled
        self.device = device

        def zeros(dtype: Any, shape: int | tuple[int, int] = n) -> Any:
            return wp.zeros(shape, dtype=dtype, device=device)

        tally = np.zeros((n, len(TALLY)))
        tally[:, TALLY.index("torso_low")], tally[:, TALLY.index("torso_high")] = np.inf, -np.inf
        self.arrays = {
            "qpos": to_device(qpos, compiled.Qpos, device),
            "qvel": to_device(qvel, compiled.Qvel, device),
            "memory": to_device(np.broadcast_to(memory, (n, len(memory))), types.Memory, device),
            "anchor": zeros(compiled.Points),
            "contact": zeros(wp.int32),
            "step_count": zeros(wp.int32),
            "status": zeros(wp.int32),
            "end_step": zeros(wp.int32),
            "state": zeros(wp.int32),
            "stance": wp.full(n, -1, dtype=wp.int32, device=device),
            "tally": to_device(tally, rollout.structures.Tally, device),
            "qacc": zeros(compiled.Qvel),
        }
        self.rings = [zeros(t, (n, max(1, last_states))) for t in (compiled.Qpos, compiled.Qvel)]
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
        chosen = self._chosen(worlds, count, n)
        taken = {}
        for name, array in self.arrays.items():
            values, shape = np.asarray(snapshot[name]), getattr(array.dtype, "_shape_", ())
            if values.shape != (count, *shape):
                raise FootfallError(
                    f"snapshot's {name} has shape {values.shape[1:]} per world; this simulation needs {shape}"
                )
            taken[name] = values[chosen]
        check_memory(np.asarray(taken["memory"], dtype=float))
        _check_counts(taken, recorded, ended)
        past = self._taken_past(snapshot, chosen, count, taken)
        for name, values in taken.items():
            self.arrays[name] = to_device(values, self.arrays[name].dtype, self.device)
        for name, values in past.items():
            new = to_device(values, self._hardware()[name].dtype, self.device)
            if name == "held":
                self.held = new
            else:
                self.past[name.removeprefix("past_")] = new

    def _taken_past(
        self, snapshot: Mapping[str, NDArray[Any]], chosen: NDArray[np.int64], count: int, taken: dict[str, Any]
    ) -> dict[str, NDArray[Any]]:
        """What delays and held torques need. A snapshot of a simulation without them has none: the body was then always
        as it is, and no torque is on its way."""
        past = {}
        for name, array in self._hardware().items():
            old = array.numpy()
            if name in snapshot:
                values = np.asarray(snapshot[name])
                if values.shape != (count, *old.shape[1:]):
                    raise FootfallError(
                        f"snapshot's {name} has shape {values.shape[1:]} per world; this simulation needs "
                        f"{old.shape[1:]}: give it the same delays"
                    )
                past[name] = values[chosen]
            else:
                past[name] = np.zeros_like(old)
                if name.removeprefix("past_") in taken:
                    past[name][:] = np.asarray(taken[name.removeprefix("past_")])[:, None]
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
        return [ring.numpy().astype(float) for ring in self.rings]


def _are_indices(values: NDArray[np.float64], count: int) -> bool:
    return bool(((values >= 0) & (values < count) & (values == np.floor(values))).all())


def _check_counts(taken: Mapping[str, NDArray[Any]], recorded: int, ended: int) -> None:
    """Refuse steps that cannot be counted, and recorded worlds that run at times of their own."""
    steps = np.asarray(taken["step_count"], dtype=float)
    check_kernel_index(steps, 0, MOST_STEPS, "snapshot: step_count")
    running = steps[:recorded][taken["status"][:recorded] < ended]
    if len(running) and (running < steps.max()).any():
        raise FootfallError("snapshot: its worlds run at times of their own; record no more than those at the latest")
