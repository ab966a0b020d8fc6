"""Push maps: what a gait survives of thousands to millions of pushes of every size, phase and direction.

World i of a map has the same push in every map with the same arguments, however many worlds it has: sizes, phases and
directions follow a low-discrepancy sequence, so that any number of worlds covers them evenly and a small map's samples
are the first ones of a large one's. A picture shows survival over size and phase, or a rose over directions.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import MOST_CANDIDATES, FootfallError, check_whole
from footfall.pictures.page import empty_figure, save_figure
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import Progress, SettledGait

Array = NDArray[np.float64]

BATCH = {"cpu": 2048, "cuda": 1 << 18}


@dataclass(frozen=True, eq=False)
class PushMap:
    """The results of N pushes, arrays [N].

    Attributes:
        controller: name of the gait.
        force: newtons, along the direction.
        phase: of the stride, 0 to 1.
        replica: which settled gait was pushed.
        direction: degrees from straight ahead: to the left, or upward on a planar figure.
        survived: whether it stayed up.
        fall_after: seconds from the push to the fall, NaN if it stayed up.
        duration: of every push, seconds.
        seconds: wall-clock time of the map.
        device, precision: where it ran.
    """

    controller: str
    force: Array
    phase: Array
    direction: Array
    replica: NDArray[np.int64]
    survived: NDArray[np.bool_]
    fall_after: Array
    duration: float
    seconds: float
    device: str
    precision: str

    def save(self, path: str | Path) -> None:
        """Write a NumPy archive, whole or not at all."""
        import io

        from footfall.text_files import write_whole

        path = Path(path)
        if path.suffix != ".npz":
            raise FootfallError(f"{path}: a push map is saved as .npz")
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **vars(self))
        write_whole(path, buffer.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> "PushMap":
        """Read what :meth:`save` wrote."""
        try:
            with np.load(path, allow_pickle=False) as archive:
                values = {name: archive[name] for name in archive.files}
            plain = {name: values[name].item() for name in ("controller", "duration", "seconds", "device", "precision")}
            return cls(**{**values, **plain})
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FootfallError(f"{path}: not a push map: {error}") from error


def push_map(
    experiment: Experiment,
    worlds: int,
    *,
    largest: float = 1000.0,
    rose: bool = False,
    replicas: int = 5,
    duration: float = 0.1,
    progress: Progress | None = None,
) -> PushMap:
    """Push a settled gait in N worlds.

    Args:
        experiment: the gait and where it runs.
        worlds: N.
        largest: newtons; forces lie between it forward and it backward, or from 0 to it in every direction of a rose.
        rose: all directions: about the vertical, or in the plane of a planar figure.
        replicas: settled gaits, from randomly changed starts.
        duration: of a push, seconds.
        progress: called with the number of worlds done and N.
    """
    check_whole("worlds", worlds, 1, MOST_CANDIDATES)
    check_whole("replicas", replicas, 1, MOST_CANDIDATES)
    began = time.perf_counter()
    gait = SettledGait(experiment, replicas)
    if not gait.upright:
        raise FootfallError(f"controller '{experiment.name}' falls before it is pushed")
    planar = experiment.load_figure().root == "planar"
    u = even_points(worlds)
    force = largest * (u[:, 0] if rose else 2.0 * u[:, 0] - 1.0)
    phase, direction = u[:, 1], 360.0 * u[:, 2] if rose else np.zeros(worlds)
    replica = (replicas * u[:, 3]).astype(int)
    survived, fall_after = np.zeros(worlds, dtype=bool), np.full(worlds, np.nan)
    size = BATCH[experiment.device.split(":")[0]]
    for first in range(0, worlds, size):
        at = slice(first, min(first + size, worlds))
        turned = {"elevation" if planar else "angle": direction[at]}
        survived[at], fall_after[at] = gait.push(force[at], phase[at], replica[at], duration=duration, **turned)
        if progress is not None:
            progress(at.stop, worlds)
    return PushMap(
        controller=experiment.name,
        force=force,
        phase=phase,
        direction=direction,
        replica=replica,
        survived=survived,
        fall_after=fall_after,
        duration=duration,
        seconds=time.perf_counter() - began,
        device=experiment.device,
        precision=experiment.precision or ("float64" if experiment.device == "cpu" else "float32"),
    )


def even_points(count: int) -> Array:
    """[count, 4] points of the unit cube: Halton's sequence, without its first point, the origin."""
    from scipy.stats.qmc import Halton  # takes a second to load

    return np.asarray(Halton(4, scramble=False).random(count + 1)[1:])


def save_push_map(pushes: "PushMap", path: str | Path) -> Path:
    """Draw a push map: with one direction the share that survived over phase and signed force, with many a rose."""
    if len(pushes.force) < 100:
        raise FootfallError(f"a push map of {len(pushes.force)} worlds is too small to draw; run at least 100")
    rose = bool(np.ptp(pushes.direction) > 0)
    figure = empty_figure(8.0, 7.0 if rose else 5.5)
    worlds = f"{len(pushes.force):,} worlds"
    title = f"{pushes.controller}: pushes of {pushes.duration:g} s, {worlds}, {pushes.seconds:.1f} s on {pushes.device}"
    _rose(figure, pushes, title) if rose else _map(figure, pushes, title)
    return save_figure(figure, path)


def _bins(count: int) -> int:
    """Bins a side: an even number, so that both halves of a stride fall alike, with about four samples each."""
    return 2 * int(np.clip(np.sqrt(count / 16.0), 4, 120))


def _share(x: Array, y: Array, stood: NDArray[np.bool_], edges: list[Array]) -> Array:
    """[bins, bins] share that survived, NaN in empty bins."""
    all_, *_ = np.histogram2d(x, y, bins=edges)
    good, *_ = np.histogram2d(x[stood], y[stood], bins=edges)
    return np.where(all_ > 0, good / np.maximum(all_, 1), np.nan)


def _map(figure: Any, pushes: "PushMap", title: str) -> None:
    ax = figure.subplots()
    largest = float(np.abs(pushes.force).max())
    n = _bins(len(pushes.force))
    edges = [np.linspace(0.0, 1.0, n + 1), np.linspace(-largest, largest, n + 1)]
    mesh = ax.pcolormesh(*edges, _share(pushes.phase, pushes.force, pushes.survived, edges).T, cmap="viridis")
    mesh.set_clim(0.0, 1.0)
    figure.colorbar(mesh, ax=ax, label="share that survived")
    ax.axhline(0.0, color="white", linewidth=0.7)
    ax.set_xlabel("phase of the stride at which the push begins (0 and 1: left foot strikes; 0.5: right)")
    ax.set_ylabel("force [N], forward positive")
    ax.set_title(title, fontsize=10, loc="left")


def _rose(figure: Any, pushes: "PushMap", title: str) -> None:
    ax = figure.add_subplot(projection="polar")
    n = _bins(len(pushes.force))
    edges = [np.linspace(0.0, 2.0 * np.pi, n + 1), np.linspace(0.0, float(pushes.force.max()), n + 1)]
    angle = np.radians(pushes.direction) % (2.0 * np.pi)
    mesh = ax.pcolormesh(*edges, _share(angle, pushes.force, pushes.survived, edges).T, cmap="viridis")
    mesh.set_clim(0.0, 1.0)
    figure.colorbar(mesh, ax=ax, label="share of phases survived", shrink=0.8)
    ax.set_title(f"{title}\n0° forward, radius in newtons", fontsize=10, loc="left")
    ax.grid(color="white", linewidth=0.4, alpha=0.6)
