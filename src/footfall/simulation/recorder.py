"""The recorder of a running simulation: samples of the first worlds, taken at a fixed rate."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.law import Types
from footfall.simulation.trace import FIELDS, FORCES, Record, record_block


class Recorder:
    """Collects what the rollout samples, run by run.

    Args:
        record: what to record; None for nothing.
        dt: step of the simulation, seconds.
        worlds: of the simulation.
        device: where its arrays are.

    Attributes:
        stride: steps between samples; 0 without a record.
        first: number of the first sample of the present run.
        blocks: the samples of the runs so far, by field.
    """

    def __init__(self, record: Record | None, dt: float, worlds: int, device: Any) -> None:
        self.record, self.dt, self.device = record, dt, device
        self.worlds = min(record.worlds, worlds) if record else 0
        self._all_worlds = worlds
        self.stride = max(1, round(1.0 / (record.rate * dt))) if record else 0
        self.first = 0
        self.blocks: list[dict[str, NDArray[Any]]] = []

    def begin(self, types: Types, step_number: int, steps: int) -> None:
        """Make room for the samples of the next steps."""
        self.first = self._sample(step_number)
        count = self._sample(step_number + steps) - self.first
        self._arrays = record_block(self.record, types, self._all_worlds, count, self.device)

    def values(self) -> list[Any]:
        """The first values of the rollout's ``Trace``: stride, number of the first sample, and an array each field."""
        return [self.stride, self.first, *self._arrays.values()]

    def named(self) -> dict[str, Any]:
        """The same by name."""
        return {"stride": self.stride, "first": self.first, **self._arrays}

    def end(self, step_number: int) -> None:
        """Keep what was sampled up to a step."""
        if self.record is not None:
            lived = self._sample(step_number) - self.first
            self.blocks.append({name: self._arrays[name].numpy()[:lived] for name in (*FIELDS, *FORCES)})

    def samples(self, step_counts: NDArray[Any]) -> NDArray[np.int64]:
        """[W] samples that the recorded worlds lived through, from their step counts [N]."""
        return np.asarray(self._sample(step_counts[: self.worlds].astype(np.int64)), dtype=np.int64)

    def _sample(self, step: Any) -> Any:
        """Number of the first sample at or after a step."""
        return -(-step // self.stride) if self.stride else 0
