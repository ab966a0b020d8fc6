"""Simulations, outcomes and traces in a few lines: what they are, and what to do next.

Outcomes and traces in notebooks: a table, and a plot of what was recorded.

Traces and outcomes as labelled data: an xarray.Dataset over time and worlds, a pandas.DataFrame over worlds.
"""

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.skeleton.figure_skeleton import channel_labels
from footfall.pictures.player import figure_html

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from footfall.simulation.outcome import Outcome
    from footfall.simulation.simulation import Simulation
    from footfall.simulation.trace import Trace


def outcome_text(outcome: "Outcome") -> str:
    """How the worlds ended, what those that stayed up did on average, which ended first."""
    count, up = len(outcome.fell), outcome.survived
    if count == 1:
        lines = [f"<Outcome of 1 world: {_ending(outcome, 0)}>", f"  {_walked(outcome, np.array([True]))}"]
    else:
        fell, diverged = int(outcome.fell.sum()), int(outcome.diverged.sum())
        lines = [f"<Outcome of {count} worlds: {int(up.sum())} stayed up, {fell} fell, {diverged} diverged>"]
        if up.any():
            lines.append(f"  of those that stayed up, on average: {_walked(outcome, up)}")
        if not up.all():
            first = int(np.nanargmin(outcome.end_time))
            lines.append(f"  first to end: world {first}, {_ending(outcome, first)}")
    lines.append("  next: outcome.summary() for numbers; arrays over worlds, as outcome.speed, outcome.end_time")
    return "\n".join(lines)


def _ending(outcome: "Outcome", world: int) -> str:
    if outcome.survived[world]:
        return f"stayed up for {outcome.time[world]:.2f} s"
    return f"{'fell' if outcome.fell[world] else 'diverged'} at {outcome.end_time[world]:.2f} s"


def _walked(outcome: "Outcome", worlds: np.ndarray) -> str:
    """Means over some worlds; what is not known is left out."""
    parts = [f"{outcome.footsteps[worlds].mean():.4g} footsteps", f"{outcome.distance[worlds].mean():.2f} m"]
    for name, unit in (("speed", "m/s"), ("step_time", "s a step"), ("power", "W")):
        values = getattr(outcome, name)[worlds]
        known = values[np.isfinite(values)]
        if len(known) and not (name == "power" and not known.any()):
            parts.append(f"{known.mean():.3g} {unit}")
    return ", ".join(parts)


def trace_text(trace: "Trace") -> str:
    """What was recorded of which worlds, and which one is plotted."""
    worlds = len(trace.last)
    seconds = float(trace.times[-1]) if len(trace.times) else 0.0
    recorded = [name for name in ("qpos", "qvel", "torque", "state", "contact", "stance") if getattr(trace, name).size]
    lines = [
        f"<Trace of {trace.figure.name}: {len(trace.times)} samples over {seconds:.2f} s of {_counted(worlds)}>",
        f"  recorded: {', '.join(recorded) or 'nothing'}"
        + (f"; signals {_some(list(trace.signals))}" * bool(trace.signals)),
    ]
    ended = int((trace.last < len(trace.times)).sum())
    if ended:
        lines.append(f"  {ended} of {_counted(worlds)} ended before")
    if worlds > 1:
        lines.append(
            f"  plots show world 0; worlds 0 to {worlds - 1} are trace.motion(0) to trace.motion({worlds - 1})"
        )
    lines.append('  next: footfall.save(trace.motion(0), "walk.mp4"), or .png, .html, .bvh, .csv')
    return "\n".join(lines)


class Summarised:
    """A simulation that prints as a few lines."""

    def __repr__(self) -> str:
        return _simulation_text(cast("Simulation", self))


def _simulation_text(simulation: "Simulation") -> str:
    """What is simulated, how far it is, and how to go on."""
    name = simulation.description()["controller"]
    terrain = str(simulation.terrains[0]) + (" and others" if len(simulation.terrains) > 1 else "")
    pushes = f"{len(simulation.pushes)} push{'es' if len(simulation.pushes) != 1 else ''}"
    lines = [
        f"<{type(simulation).__name__} of {name} on {simulation.figure.name}: {_counted(simulation.worlds)}, "
        f"{simulation.time:.2f} s so far>",
        f"  steps of {1000 * simulation.dt:g} ms, {simulation.integrator}, on {simulation.device}; "
        f"terrain {terrain}, {pushes}",
    ]
    if simulation.step_number:
        outcome = simulation.outcome()
        up, fell, diverged = (int(a.sum()) for a in (outcome.survived, outcome.fell, outcome.diverged))
        lines.append(f"  {up} up, {fell} fell, {diverged} diverged")
        lines.append("  next: simulation.outcome(), simulation.run(10.0) to go on, simulation.reset() to begin again")
    else:
        lines.append("  next: simulation.run(10.0) simulates ten seconds and returns an Outcome")
    if simulation.record is None:
        lines.append("  nothing is recorded: give record=footfall.Record() for pictures and films")
    else:
        lines.append("  simulation.trace() has what was recorded")
    return "\n".join(lines)


def _counted(worlds: int) -> str:
    return f"{worlds} world{'s' if worlds != 1 else ''}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


MOST_ROWS = 10


def outcome_html(outcome: "Outcome") -> str:
    """A row for each world, the first ten at most, under a line about all of them."""
    count = len(outcome.fell)
    up, fell, diverged = (int(a.sum()) for a in (outcome.survived, outcome.fell, outcome.diverged))
    head = f"<p>{count} world{'s' if count > 1 else ''}: {up} stayed up, {fell} fell, {diverged} diverged</p>"
    rows = [outcome.summary(world) for world in range(min(count, MOST_ROWS))]
    more = f"<p>… and {count - MOST_ROWS} more worlds</p>" if count > MOST_ROWS else ""
    return head + _table([_heading(key) for key in rows[0]], [list(row.values()) for row in rows]) + more


def _heading(key: str) -> str:
    """As in "step time [s]" for "step_time_s"."""
    name, _, unit = key.rpartition("_")
    units = {"m": "m", "mps": "m/s", "s": "s"}
    return f"{name} [{units[unit]}]".replace("_", " ") if name and unit in units else key.replace("_", " ")


def trace_html(trace: "Trace") -> str:
    """What was recorded, and the joint angles of the first world."""
    from footfall.pictures.plots import plot_angles

    worlds = trace.qpos.shape[1] if trace.qpos.ndim > 1 else 0
    seconds = float(trace.times[-1]) if len(trace.times) else 0.0
    fields = [name for name in ("qpos", "qvel", "torque", "state", "contact") if getattr(trace, name).size]
    facts = [
        ["figure", trace.figure.name],
        ["samples", f"{len(trace.times)} over {seconds:.2f} s"],
        ["worlds", str(worlds)],
        ["fields", ", ".join([*fields, *trace.signals])],
    ]
    try:
        picture = figure_html(plot_angles(trace.motion(0)))
        facts += [["plotted", f"world 0 of {worlds}; trace.motion(1) is the next"]] if worlds > 1 else []
    except FootfallError:
        picture = ""
    return _table([], facts) + picture


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    def line(cells: Sequence[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(_text(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + (line(head, "th") if head else "") + "".join(line(row, "td") for row in rows) + "</table>"


def _text(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


COLUMNS = {
    "qpos": "coordinate",
    "qvel": "velocity",
    "torque": "velocity",
    "qacc": "velocity",
    "moment": "velocity",
    "contact": "point",
    "grf": "point",
}
"""Field of a trace -> the dimension of its columns."""
UNITS = {"grf": "N"}
DESCRIPTIONS = {
    "qpos": "generalised coordinates, metres and radians (quaternions w x y z)",
    "qvel": "generalised velocities, m/s and rad/s",
    "torque": "torques of the controller, N m",
    "qacc": "generalised accelerations, m/s² and rad/s²",
    "moment": "what acts at the joints, N m",
    "contact": "whether a ground point touches",
    "grf": "force of the ground on a ground point",
    "state": "state of the controller",
    "stance": "stance side: 0 left, 1 right",
    "last": "samples that the world lived through",
}


def trace_dataset(trace: "Trace") -> "xr.Dataset":
    """A trace as a Dataset over time and world; columns are named by joint and by ground point."""
    import xarray as xr

    labels = channel_labels(trace.figure)
    names = {"coordinate": labels["qpos"], "velocity": labels["qvel"]}
    names["point"] = tuple(p.name for p in trace.figure.points if p.ground)
    data: dict[str, Any] = {}
    used: set[str] = set()
    for name, dimension in COLUMNS.items():
        values = getattr(trace, name)
        if values.size:
            used.add(dimension)
            axes = ("time", "world", dimension, "axis")[: values.ndim]
            data[name] = (axes, values, _about(name))
    for name, values in ({"state": trace.state, "stance": trace.stance} | dict(trace.signals)).items():
        if values.size:
            data[name] = (("time", "world"), values, _about(name))
    data["last"] = ("world", trace.last, _about("last"))
    coordinates: dict[str, Any] = {
        "time": ("time", trace.times, {"units": "s"}),
        "world": np.arange(len(trace.last)),
        **{dimension: list(names[dimension]) for dimension in sorted(used)},
    }
    if "grf" in data:
        coordinates["axis"] = ["x", "y", "z"]
    return xr.Dataset(data, coordinates, {"figure": trace.figure.name, **_plain(trace.source)})


def outcome_frame(outcome: "Outcome") -> "pd.DataFrame":
    """An outcome as a table with a row for each world; states are left out."""
    import pandas as pd

    columns: dict[str, Any] = {"survived": outcome.survived}
    for field in fields(outcome):
        values = getattr(outcome, field.name)
        if np.ndim(values) == 1:
            columns[field.name] = values
    return pd.DataFrame(columns, index=pd.RangeIndex(len(outcome.fell), name="world"))


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
