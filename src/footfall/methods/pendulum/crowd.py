"""A crowd: many walkers with their own bodies and gaits, frame by frame on the CPU or a GPU.

On the CPU the walkers are split over Python threads, each launching its share of one kernel; what a walker does depends
neither on how many walk with it nor on the number of threads. float64 is the default on the CPU, float32 on a GPU.
"""

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.kernels.start import start_warp
from footfall.methods.pendulum.crowd_kernel import CROWD_POSE, CROWD_STATE, crowd_kernel
from footfall.methods.pendulum.gait import Gait
from footfall.methods.pendulum.walkers import WalkState

Precision = Literal["float32", "float64"]


class Crowd:
    """``[N]`` walkers on a device.

    Args:
        gait: of the walkers.
        device: "cpu" or "cuda" (or "cuda:1" …).
        precision: "float32" or "float64"; by default float64 on the CPU, float32 on a GPU.
        threads: on the CPU; by default one for each core.
        swing_left: which leg each walker starts with, ``[N]`` or one for all.
    """

    def __init__(
        self,
        gait: Gait,
        *,
        device: str = "cpu",
        precision: Precision | None = None,
        threads: int | None = None,
        swing_left: ArrayLike = True,
    ) -> None:
        wp = start_warp()
        if device.startswith("cuda") and not wp.is_cuda_available():
            raise FootfallError(f"device '{device}': this machine has no CUDA device; use 'cpu'")
        if device != "cpu" and not device.startswith("cuda"):
            raise FootfallError(f"device '{device}': choose 'cpu' or 'cuda'")
        self.count = len(gait)
        self.device = device
        self.precision: Precision = precision or ("float64" if device == "cpu" else "float32")
        self.threads = max(1, min(threads or os.cpu_count() or 1, self.count)) if device == "cpu" else 1
        self._wp = wp
        self._kernel, self._struct = crowd_kernel(self.precision)
        self._scalar = getattr(wp, self.precision)
        start = WalkState.start(gait.stride, self.count, swing_left)
        state = np.stack([getattr(start, name) for name in CROWD_STATE]).astype(self.precision)
        self.gait = gait
        self._strides = self._table(gait)
        self._row = wp.array(np.arange(self.count, dtype=np.int32), device=device)
        self._wanted = wp.clone(self._row)
        self._state = wp.array(state, dtype=self._scalar, device=device)
        self._command = wp.zeros((3, self.count), dtype=self._scalar, device=device)
        self._poses = wp.empty((1, len(CROWD_POSE), self.count), dtype=self._scalar, device=device)

    def __len__(self) -> int:
        return self.count

    def _table(self, gait: Gait) -> Any:
        table = gait.stride.table(self.count, self.precision)
        return self._wp.array(table.astype(self._struct.numpy_dtype()), dtype=self._struct, device=self.device)

    def command(self, fx: ArrayLike = 0.0, fy: ArrayLike = 0.0, turn: ArrayLike = 0.0) -> None:
        """From now on push each pelvis with (fx, fy) newtons (world axes) and turn left by ``turn`` rad with each
        step."""
        rows = [np.broadcast_to(np.asarray(v, self.precision), (self.count,)) for v in (fx, fy, turn)]
        if not np.all(np.isfinite(rows)):
            raise FootfallError("a crowd's commands must be finite numbers")
        self._command.assign(np.stack(rows))

    def change(self, gait: Gait) -> None:
        """Every walker walks ``gait`` from its next step on."""
        if len(gait) != self.count:
            raise FootfallError(f"the new gait is for {len(gait)} walkers, but {self.count} walk: give one for each")
        wp = self._wp
        rows = self._row.numpy() % self.count
        joined = np.concatenate([self._strides.numpy()[self._row.numpy()], self._table(gait).numpy()])
        self._strides = wp.array(joined, dtype=self._struct, device=self.device)
        self._row.assign(rows.astype(np.int32))
        self._wanted.assign((np.arange(self.count) + self.count).astype(np.int32))
        self.gait = gait

    def walk(self, frames: int, dt: float) -> Any:
        """Walk ``frames`` frames of ``dt`` seconds; returns their poses as a Warp array ``[frames, len(CROWD_POSE),
        N]`` on
        the device, which the next call overwrites."""
        if frames < 1 or not (np.isfinite(dt) and 0 < dt <= 1):
            raise FootfallError("a crowd walks at least 1 frame of more than 0 and at most 1 s")
        wp = self._wp
        if self._poses.shape[0] != frames:
            shape = (frames, len(CROWD_POSE), self.count)
            self._poses = wp.empty(shape, dtype=self._scalar, device=self.device)
        edges = np.linspace(0, self.count, self.threads + 1).astype(int)
        shares = [(int(a), int(b - a)) for a, b in itertools.pairwise(edges)]
        arrays = [self._strides, self._row, self._wanted, self._state, self._command, self._poses]

        def share(part: tuple[int, int]) -> None:
            inputs = [*arrays, part[0], frames, self._scalar(dt)]
            wp.launch(self._kernel, dim=part[1], inputs=inputs, device=self.device)

        if len(shares) == 1:
            share(shares[0])
        else:
            wp.load_module(self._kernel.module, device=self.device)
            with ThreadPoolExecutor(len(shares)) as pool:
                list(pool.map(share, shares))
        return self._poses

    def state(self) -> dict[str, NDArray[Any]]:
        """The present state by name, ``[N]`` each (see :class:`footfall.methods.pendulum.walkers.WalkState`)."""
        return dict(zip(CROWD_STATE, self._state.numpy(), strict=True))
