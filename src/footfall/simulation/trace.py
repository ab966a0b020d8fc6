"""Traces: what was sampled of a simulation, per world, and the recorder that takes samples while it runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Types
from footfall.errors import FootfallError
from footfall.escaping import markup
from footfall.figures import Figure
from footfall.motion import GroundProfile, Motion
from footfall.motion.skeleton.figure_skeleton import channel_labels
from footfall.terrain import Terrain

if TYPE_CHECKING:
    import xarray as xr

FIELDS = ("qpos", "qvel", "torque", "signals", "events")
"""events: the controller's state, the mask of points in contact, the stance side. signals: the law's own
numbers."""
FORCES = ("qacc", "moment", "grf")
"""Fields that are recorded on request, by a kernel of their own. qacc: accelerations. moment: what acts at the joints
in a step, servos and stops with their answers to the accelerations. grf: forces of the ground on the feet."""
MEANS = ("mean_moment", "mean_grf")
"""With forces of the ground footfall's own engine records the means of ``moment`` and ``grf`` over the steps from one
sample to the next, so that impulses are kept at any rate."""

MOST_RECORDED_BYTES = 4 << 30
SLOWEST = 1e-4
"""Samples per second."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Record:
    """What to record: how often, what, and of how many worlds (the first ones)."""

    rate: float = 100.0
    fields: tuple[str, ...] = FIELDS
    worlds: int = 16

    def __post_init__(self) -> None:
        if not self.rate >= SLOWEST:
            raise FootfallError(f"record rate is {self.rate}; it must be at least {SLOWEST:g} samples per second")
        if not (isinstance(self.worlds, int) and self.worlds >= 0):
            raise FootfallError(f"record worlds is {self.worlds}; it must be a whole number of at least 0")
        for name in self.fields:
            if name not in (*FIELDS, *FORCES):
                raise FootfallError(f"record: unknown field '{name}'; choose of: {', '.join((*FIELDS, *FORCES))}")

    @property
    def kept(self) -> tuple[str, ...]:
        """All that is recorded: beside forces of the ground also where they act and what else does."""
        return (*self.fields, *(("qpos", "qvel", "moment", *MEANS) if "grf" in self.fields else ()))

    @property
    def wants_forces(self) -> bool:
        """Whether it asks for anything that acts."""
        return any(name in FORCES for name in self.fields)


COLUMNS = {
    "qpos": "coordinate",
    "qvel": "velocity",
    "torque": "velocity",
    "qacc": "velocity",
    "moment": "velocity",
    "contact": "point",
    "grf": "point",
    "mean_moment": "velocity",
    "mean_grf": "point",
}
"""Field of a trace -> the dimension of its columns."""
UNITS = {"grf": "N", "mean_grf": "N"}
DESCRIPTIONS = {
    "qpos": "generalised coordinates, metres and radians (quaternions w x y z)",
    "qvel": "generalised velocities, m/s and rad/s",
    "torque": "torques of the controller, N m",
    "qacc": "generalised accelerations, m/s² and rad/s²",
    "moment": "what acts at the joints, N m",
    "contact": "whether a ground point touches",
    "grf": "force of the ground on a ground point",
    "mean_moment": "what acts at the joints, mean until the next sample, N m",
    "mean_grf": "force of the ground on a ground point, mean until the next sample",
    "state": "state of the controller",
    "stance": "stance side: 0 left, 1 right",
    "last": "samples that the world lived through",
}


@dataclass(frozen=True, eq=False)
class Trace:
    """Samples over time of the recorded worlds; fields that were not recorded are empty.

    Attributes:
        times: [S] seconds.
        qpos, qvel, torque: [S, W, nq or nv].
        signals: the law's own numbers by name, each [S, W] (SIMBICON: d, v, torso_torque, …).
        state: [S, W] the controller's state.
        contact: [S, W, P] whether each of the figure's ground points touches.
        stance: [S, W].
        qacc, moment: [S, W, nv] accelerations, and what acts at the joints; not a number in a ragdoll.
        grf: [S, W, P, 3] newtons of the ground on each of the figure's ground points. Where the ground acts elsewhere
            (MuJoCo's contacts, a sampled ground), points carry what gives the same force and moment on each foot.
        mean_moment, mean_grf: the means of ``moment`` and ``grf`` from each sample to the next (footfall's own engine).
        last: [W] the number of samples that each world lived through.
    """

    figure: Figure
    terrain: tuple[Terrain, ...]
    times: Array
    qpos: Array
    qvel: Array
    torque: Array
    signals: Mapping[str, Array]
    state: NDArray[np.int32]
    contact: NDArray[np.bool_]
    stance: NDArray[np.int32]
    last: NDArray[np.int64]
    source: dict[str, Any] = field(default_factory=dict)
    qacc: Array = field(default_factory=lambda: np.zeros((0, 0, 0)))
    moment: Array = field(default_factory=lambda: np.zeros((0, 0, 0)))
    grf: Array = field(default_factory=lambda: np.zeros((0, 0, 0, 3)))
    mean_moment: Array = field(default_factory=lambda: np.zeros((0, 0, 0)))
    mean_grf: Array = field(default_factory=lambda: np.zeros((0, 0, 0, 3)))

    def motion(self, world: int = 0) -> Motion:
        """One world as a motion, up to where it diverged if it did."""
        if world >= self.qpos.shape[1]:
            raise FootfallError(f"world {world} was not recorded; the trace holds {self.qpos.shape[1]} worlds")
        n = int(self.last[world])
        if n < 1:
            raise FootfallError(f"world {world} has no samples")
        channels: dict[str, Any] = {}
        recorded = {name: getattr(self, name) for name in ("qvel", "torque", "state", "contact", *FORCES, *MEANS)}
        for name, values in (recorded | dict(self.signals)).items():
            if values.size:
                channels[name] = values[:n, world]
        terrain = self.terrain[world if len(self.terrain) > 1 else 0]
        return Motion.from_qpos(
            self.figure,
            self.times[:n],
            self.qpos[:n, world],
            channels=channels,
            ground=GroundProfile.of(terrain),
            source=self.source,
        )

    def to_xarray(self) -> "xr.Dataset":
        """A Dataset over time and world, its columns named by joint and by ground point."""
        import xarray as xr

        labels = channel_labels(self.figure)
        names = {"coordinate": labels["qpos"], "velocity": labels["qvel"]}
        names["point"] = tuple(p.name for p in self.figure.points if p.ground)
        data: dict[str, Any] = {}
        used: set[str] = set()
        for name, dimension in COLUMNS.items():
            values = getattr(self, name)
            if values.size:
                used.add(dimension)
                axes = ("time", "world", dimension, "axis")[: values.ndim]
                data[name] = (axes, values, _about(name))
        for name, values in ({"state": self.state, "stance": self.stance} | dict(self.signals)).items():
            if values.size:
                data[name] = (("time", "world"), values, _about(name))
        data["last"] = ("world", self.last, _about("last"))
        coordinates: dict[str, Any] = {
            "time": ("time", self.times, {"units": "s"}),
            "world": np.arange(len(self.last)),
            **{dimension: list(names[dimension]) for dimension in sorted(used)},
        }
        if "grf" in data:
            coordinates["axis"] = ["x", "y", "z"]
        return xr.Dataset(data, coordinates, {"figure": self.figure.name, **_plain(self.source)})

    @property
    def _seconds(self) -> float:
        return float(self.times[-1]) if len(self.times) else 0.0

    def __repr__(self) -> str:
        """What was recorded of which worlds, and which one is plotted."""
        worlds, names = len(self.last), ("qpos", "qvel", "torque", "state", "contact", "stance")
        recorded, signals = [name for name in names if getattr(self, name).size], list(self.signals)
        some = ", ".join(signals[:3]) + (f" and {len(signals) - 3} more" if len(signals) > 3 else "")
        lines = [
            f"<Trace of {self.figure.name}: {len(self.times)} samples over {self._seconds:.2f} s of {counted(worlds)}>",
            f"  recorded: {', '.join(recorded) or 'nothing'}" + (f"; signals {some}" if signals else ""),
        ]
        ended = int((self.last < len(self.times)).sum())
        if ended:
            lines.append(f"  {ended} of {counted(worlds)} ended before")
        if worlds > 1:
            last = worlds - 1
            lines.append(f"  plots show world 0; worlds 0 to {last} are trace.motion(0) to trace.motion({last})")
        lines.append('  next: footfall.save(trace.motion(0), "walk.mp4"), or .png, .html, .bvh, .csv')
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: what was recorded, and the joint angles of the first world."""
        from footfall.pictures.player import figure_html
        from footfall.pictures.plots import plot_angles

        worlds = self.qpos.shape[1] if self.qpos.ndim > 1 else 0
        recorded = [name for name in ("qpos", "qvel", "torque", "state", "contact") if getattr(self, name).size]
        facts = [
            ["figure", self.figure.name],
            ["samples", f"{len(self.times)} over {self._seconds:.2f} s"],
            ["worlds", str(worlds)],
            ["fields", ", ".join([*recorded, *self.signals])],
        ]
        try:
            picture = figure_html(plot_angles(self.motion(0)))
            facts += [["plotted", f"world 0 of {worlds}; trace.motion(1) is the next"]] if worlds > 1 else []
        except FootfallError:
            picture = ""
        return table_html([], facts) + picture


def table_html(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """An HTML table, with a row of headings where there are any."""

    def text(value: object) -> str:
        return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

    def line(cells: Sequence[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{markup(text(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + (line(head, "th") if head else "") + "".join(line(row, "td") for row in rows) + "</table>"


def counted(worlds: int) -> str:
    """As in "2 worlds"."""
    return f"{worlds} world{'s' if worlds != 1 else ''}"


def _about(name: str) -> dict[str, str]:
    about = {"long_name": DESCRIPTIONS[name]} if name in DESCRIPTIONS else {}
    return about | ({"units": UNITS[name]} if name in UNITS else {})


def _plain(source: Mapping[str, Any]) -> dict[str, Any]:
    """What of a description a NetCDF file can hold as attributes."""
    return {
        name: int(value) if isinstance(value, bool) else value
        for name, value in source.items()
        if isinstance(value, str | int | float)
    }


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
        begun: number of the sample whose mean the present run begins or goes on with.
        blocks: the samples of the runs so far, by field.
    """

    def __init__(self, record: Record | None, dt: float, worlds: int, device: Any) -> None:
        self.record, self.dt, self.device = record, dt, device
        self.worlds = min(record.worlds, worlds) if record else 0
        self.stride = max(1, round(1.0 / (record.rate * dt))) if record else 0
        self.first = self.begun = 0
        self.blocks: list[dict[str, NDArray[Any]]] = []
        self._unfinished: dict[str, NDArray[Any]] = {}

    def begin(self, types: Types, step_number: int, steps: int) -> None:
        """Make room for the samples of the next steps: arrays [samples, W] of fields to be recorded, empty ones for the
        rest."""
        self.first = self._sample(step_number)
        samples = self._sample(step_number + steps) - self.first
        record, compiled = self.record, types.compiled
        numbers = compiled.nq + 2 * compiled.nv + len(types.signals)
        if record and record.wants_forces:
            numbers += 3 * compiled.nv + 6 * len(compiled.points)
        size = samples * self.worlds * numbers * 8
        if size > MOST_RECORDED_BYTES:
            raise FootfallError(
                f"record: {samples} samples of {self.worlds} worlds take {size / 2**30:.1f} GiB; "
                "record less often or fewer worlds"
            )
        signals = wp.types.vector(length=max(1, len(types.signals)), dtype=types.real)
        dtypes = {"qpos": compiled.Qpos, "qvel": compiled.Qvel, "torque": compiled.Qvel, "signals": signals}
        dtypes |= {"qacc": compiled.Qvel, "moment": compiled.Qvel, "grf": compiled.Points}
        wanted = record.kept if record else ()
        shape = {name: (samples, self.worlds) if name in wanted else (0, 0) for name in (*FIELDS, *FORCES)}
        self.begun = step_number // self.stride if self.stride else 0
        means = (self._sample(step_number + steps) - self.begun, self.worlds) if MEANS[0] in wanted else (0, 0)
        dtypes |= {"mean_moment": compiled.Qvel, "mean_grf": compiled.Points}
        shape |= dict.fromkeys(MEANS, means)
        self._arrays = {name: wp.zeros(shape[name], dtype=t, device=self.device) for name, t in dtypes.items()}
        for name in (*FORCES, *MEANS):
            self._arrays[name].fill_(math.nan)
        if self.begun < self.first:
            for name, mean in self._unfinished.items():
                self._arrays[name][:1].assign(mean)
        self._arrays["events"] = wp.zeros((*shape["events"], 3), dtype=wp.int32, device=self.device)

    def named(self) -> dict[str, Any]:
        """The first values of a kernel's ``Trace``: stride, number of the first sample, and an array each field."""
        return {"stride": self.stride, "first": self.first, "begun": self.begun, **self._arrays}

    def end(self, step_number: int) -> None:
        """Keep what was sampled up to a step."""
        if self.record is not None:
            lived = self._sample(step_number) - self.first
            block = {name: self._arrays[name].numpy()[:lived] for name in (*FIELDS, *FORCES)}
            before = self.first - self.begun
            for name in MEANS:
                means = self._arrays[name].numpy()[: lived + before]
                block[name] = means[before:]
                if len(means):
                    self._unfinished[name] = means[-1:].copy()
                    last = next((b[name] for b in reversed(self.blocks) if len(b[name])), means[:0])
                    last[len(last) - before :] = means[:before][: len(last)]
            self.blocks.append(block)

    def trace(
        self, figure: Figure, terrain: Sequence[Terrain], types: Types, steps: NDArray[Any], source: dict[str, Any]
    ) -> Trace:
        """What was recorded.

        Args:
            figure: the figure.
            terrain: one, or one per world.
            types: the law's types.
            steps: [N] that each world lived through.
            source: what was simulated.
        """
        points, ground = [p.name for p in types.compiled.points], [p.name for p in figure.points if p.ground]
        joined = {
            name: np.concatenate([b[name] for b in self.blocks]) if self.blocks else np.zeros((0, 0, 0))
            for name in (*FIELDS, *FORCES, *MEANS)
        }
        samples = max(len(values) for values in joined.values())
        events: NDArray[np.int32] = np.zeros((0, 0, 3), dtype=np.int32)
        if joined["events"].size:
            events = joined["events"].astype(np.int32)
        felt = [ground.index(name) for name in points if name in ground]
        kept = [k for k, name in enumerate(points) if name in ground]

        def on_points(forces: NDArray[Any]) -> Array:
            found = np.zeros((*forces.shape[:2], len(ground), 3))
            if forces.size:
                found[:, :, felt] = forces.reshape(*forces.shape[:2], len(points), 3)[:, :, kept]
            return found

        masks = [1 << points.index(name) if name in points else 0 for name in ground]
        signals = joined["signals"].astype(float)
        lived = np.asarray(self._sample(steps[: self.worlds].astype(np.int64)), dtype=np.int64)
        return Trace(
            figure=figure,
            terrain=tuple(terrain),
            times=np.arange(samples, dtype=float) * (self.stride * self.dt),
            **{
                name: joined[name].astype(float) for name in ("qpos", "qvel", "torque", "qacc", "moment", "mean_moment")
            },
            signals={name: signals[..., k] for k, name in enumerate(types.signals)} if signals.size else {},
            state=events[..., 0],
            contact=(events[..., 1, None] & np.array(masks, dtype=np.int32)) != 0,
            stance=events[..., 2],
            last=np.minimum(lived, samples),
            source=source,
            grf=on_points(joined["grf"]),
            mean_grf=on_points(joined["mean_grf"]),
        )

    def _sample(self, step: Any) -> Any:
        """Number of the first sample at or after a step."""
        return -(-step // self.stride) if self.stride else 0


def describe_divergence(figure: Figure, qvel: Array, qacc: Array, dt: float) -> str:
    """Which coordinate was fastest when the numbers ran away.

    Args:
        figure: whose coordinates they are.
        qvel: [nv] the last good velocities.
        qacc: [nv] the accelerations that would have come next.
        dt: step, seconds.
    """
    speeds = velocity_names(figure)
    with np.errstate(invalid="ignore", over="ignore"):
        after = qvel + qacc * dt
    if np.isfinite(after).all():
        k = int(np.argmax(np.abs(after)))
        name, unit = speeds[k]
        return f"{name} went from {qvel[k]:.3g} to {after[k]:.3g} {unit} in one step"
    k = int(np.argmax(np.abs(qvel)))
    name, unit = speeds[k]
    return f"accelerations were no numbers any more; the fastest before was {name} at {qvel[k]:.3g} {unit}"


def velocity_names(figure: Figure) -> list[tuple[str, str]]:
    """[nv] name and unit of every velocity."""
    names = []
    for joint in figure.joints:
        if joint.kind == "free":
            names += [(f"{joint.name} {axis}", "m/s") for axis in "xyz"]
        if joint.ndof == 1:
            names.append((joint.name, "m/s" if joint.kind == "slide" else "rad/s"))
        else:
            names += [(f"{joint.name} about {axis}", "rad/s") for axis in "xyz"]
    return names
