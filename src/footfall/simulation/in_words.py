"""Simulations, outcomes and traces in a few lines: what they are, and what to do next."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

if TYPE_CHECKING:
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
