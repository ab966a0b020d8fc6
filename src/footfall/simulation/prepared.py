"""A launch of a simulation's worlds that is prepared once and repeated at little cost, for whoever decides often: what
worlds read and what they are lies on the device, as plain arrays that other kernels read and write."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.simulation.device import rows_to_device
from footfall.simulation.kernels import load_kernel
from footfall.simulation.launching import rollout_inputs, shares, threads_of
from footfall.simulation.simulation import Simulation
from footfall.simulation.trace import Recorder

SHARE = 40_000
"""Degrees of freedom times worlds times steps that are worth a share of their own."""
MOST_SHARES = 8
"""Shares for each thread."""


class PreparedWorlds:
    """The worlds of a simulation, advanced by some steps at a time.

    The simulation itself must not be run, reset or changed any more: its arrays are used here.

    Args:
        simulation: native, with a row of parameters for each world; it records nothing.
        steps: time steps of most advances, by which worlds are shared out.
        footsteps: whether worlds pause before the footstep that :attr:`pause` names.
        terrain: [N, columns] a row of the terrain's table for each world, of the simulation's kind of terrain; None to
            keep what the simulation has.

    Attributes:
        state: the worlds' state by field, each [N] or [N, columns]: qpos, qvel, memory, anchor, contact, step_count,
            status, end_step, state, stance, tally, qacc. Views of the simulation's arrays.
        parameters: [N, NP] what the law reads.
        terrain: [1 or N, columns].
        window, force: [1 or N, K, 2] and [1 or N, K, 3] of the pushes.
        pause: [N or 0] footsteps.
        past: what delays remember, by name (:data:`footfall.simulation.worlds.PAST`).
        noise, key: of sensors (:class:`footfall.simulation.hardware.HardwareTables`).
    """

    def __init__(
        self,
        simulation: Simulation,
        steps: int,
        *,
        footsteps: bool = False,
        terrain: NDArray[np.float64] | None = None,
    ) -> None:
        self.simulation, self.steps = simulation, steps
        state, tables, self.device = simulation._state, simulation._tables, simulation.device
        if terrain is not None:
            tables.terrain = rows_to_device(terrain, simulation.real, self.device)
        rollout = simulation._rollout(pausing=footsteps)
        load_kernel(rollout, self.device, f"{simulation.figure.name} with {simulation.description()['controller']}")
        self.rollout = rollout
        self.state = {name: _plain(array, simulation.real) for name, array in state.arrays.items()}
        self.parameters, self.terrain = tables.parameters, tables.terrain
        self.window, self.force = tables.pushing[:2]
        self.past, (_, self.noise, self.key, _) = state.past, tables.hardware
        self.pause = wp.zeros(simulation.worlds if footsteps else 0, dtype=wp.int32, device=self.device)
        recorder = Recorder(None, simulation.dt, simulation.worlds, self.device)
        recorder.begin(rollout.types, 0, steps)
        samples = recorder.named() | {"ring_stride": 0} | state.rings
        self._kept = rollout_inputs(rollout, state, tables, dt=simulation.dt, samples=samples, pause=self.pause)
        self.shares = self._edges()
        self._pool = ThreadPoolExecutor(simulation.threads - 1) if len(self.shares) > 1 else None

    def _edges(self) -> list[tuple[int, int]]:
        """First world and number of worlds of each share; all in one for a single thread or a GPU."""
        n, threads = self.simulation.worlds, self.simulation.threads
        if threads == 1:
            return [(0, n)]
        worth = n * self.steps * self.simulation.figure.nv // SHARE
        count = min(n, threads * max(1, min(MOST_SHARES, worth // threads)))
        return shares(n, count, self.rollout.lanes)

    def launch(self, first: int, count: int, steps: int) -> Any:
        """The launch of some worlds, recorded: its ``launch()`` advances them by so many steps."""
        head, setting, rest = self._kept
        return wp.launch(
            self.rollout.kernel,
            dim=threads_of(self.rollout, count),
            inputs=[first, steps, *head, setting, *rest],
            device=self.device,
            block_dim=self.rollout.block,
            record_cmd=True,
        )

    def run(self, jobs: Sequence[Callable[[], None]]) -> None:
        """Run a job for each of :attr:`shares`, over the threads; this one takes its part."""
        if self._pool is None:
            for job in jobs:
                job()
            return
        waiting = iter(jobs)

        def work() -> None:
            for job in waiting:  # a list's iterator may be shared between threads
                job()

        others = [self._pool.submit(work) for _ in range(self.simulation.threads - 1)]
        work()
        for other in others:
            other.result()

    def close(self) -> None:
        """Let the threads go."""
        if self._pool is not None:
            self._pool.shutdown(wait=False)


def _plain(array: Any, real: Any) -> Any:
    """An array of vectors [N] as numbers [N, columns], without a copy."""
    if array.dtype in (wp.int32, real):
        return array
    width = int(array.dtype._length_)
    plain = wp.array(ptr=array.ptr, dtype=real, shape=(len(array), width), device=array.device, copy=False)
    plain._kept = array
    return plain
