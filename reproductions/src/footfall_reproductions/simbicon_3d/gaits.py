"""SIMBICON's other gaits in space (section 7.2), switching between them, and the ranges of the balance gains (7.3).

Every number of these controllers but the law is footfall's own, found by ``footfall optimize --goal NAME``: the paper
shows its gaits in a film and publishes none of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import controller_names
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.sequence import parse_sequence, perform, sequence_simulation
from footfall.simulation import Record, Simulation
from footfall.study.measures.table import measure_walks
from footfall.study.measures.walks import Walks
from footfall.study.sweeps.experiment import Experiment
from footfall_reproductions.row import Row
from footfall_reproductions.tables import paper_table

STEPS = (0.0005, 0.001, 0.002)
SPREAD = 1.0
"""Seconds over which the moments of requests are spread: a stride."""
OURS = "footfall's own numbers on human-28; the paper publishes none for this gait"


@dataclass(frozen=True)
class Shown:
    """A gait that the paper shows.

    Attributes:
        row: the row's id.
        controller: its name.
        claim: in one sentence.
        terrain: what it walks on.
        within: measures that make it this gait and no other, with their bounds.
    """

    row: str
    controller: str
    claim: str
    within: Mapping[str, Sequence[float]]
    terrain: str = "flat"


_TABLES = paper_table("simbicon_3d")
TRANSITIONS = _TABLES["transitions"]
"""Row -> what is claimed, and the sequence of controllers."""
SHOWN = tuple(Shown(**shown) for shown in _TABLES["shown"])


def survivors(experiment: Experiment, count: int, noise: tuple[float, ...] = (1e-6, 1e-3)) -> tuple[int, int]:
    """Starts that stay up, of how many: at every step size, an equal share with each size of noise."""
    values = {
        "start.noise": np.tile(np.repeat(noise, count // len(noise)), len(STEPS)),
        "replica": np.tile(1.0 + np.arange(count), len(STEPS)),
        "dt": np.repeat(STEPS, count),
    }
    up = experiment.run(values)["survived"]
    return int(np.sum(up)), len(up)


def rate_row(
    name: str,
    rate: tuple[int, int],
    claim: str,
    rule: str,
    source: str,
    departures: str,
    note: str = "",
    *,
    holds: bool = True,
    changed: str = "",
) -> Row:
    """A row that holds if all of its samples pass."""
    passed, tried = rate
    return Row(
        name,
        claim,
        None,
        f"{passed} of {tried}",
        "",
        passed == tried and holds,
        note,
        source=source,
        claim=claim,
        rule=rule,
        departures=departures,
        passed=passed,
        tried=tried,
        changed=changed,
    )


def disturb(simulation: Simulation, noise: float, seed: int) -> None:
    """Add random errors to joints and velocities, radians and radians a second, other ones in every world."""
    snapshot, rng = simulation.snapshot(), np.random.default_rng(seed)
    joints = snapshot["qpos"][:, 7:]
    joints += noise * rng.standard_normal(joints.shape)
    snapshot["qvel"] += noise * rng.standard_normal(snapshot["qvel"].shape)
    simulation.restore(snapshot)


def shown_rows(shown: Shown) -> list[Row]:
    """A gait of section 7.2."""
    if shown.controller not in controller_names():
        why = "no controller here does this yet"
        source = "SIMBICON, section 7.2"
        return [Row(shown.row, shown.claim, None, None, "", None, why, source=source, claim=shown.claim)]
    rate = survivors(Experiment(shown.controller, seconds=60.0, terrain=shown.terrain), 4)
    record = Record(rate=200.0, fields=("qpos", "events", "grf"))
    simulation = Simulation(shown.controller, terrain=shown.terrain, record=record)
    outcome = simulation.run(16.0)
    walks = Walks(simulation.trace(), outcome.torque_squared, 4.0)
    found = {n: float(v[0]) for n, v in measure_walks(walks, shown.within).items()}
    inside = all(low <= found[n] <= high for n, (low, high) in shown.within.items())
    bounds = ", ".join(f"{n.replace('_', ' ')} {low:g} to {high:g}" for n, (low, high) in shown.within.items())
    words = ", ".join(f"{n.replace('_', ' ')} {found[n]:.2f}" for n in shown.within)
    rule = f"all of 4 starts (noise 1e-6 and 1e-3) at 0.5, 1 and 2 ms stay up for 60 s; {bounds}"
    source = "SIMBICON, section 7.2; time, starts and bounds are ours"
    return [rate_row(shown.row, rate, shown.claim, rule, source, OURS, words, holds=inside)]


def transition_rows(name: str) -> list[Row]:
    """From walk to another gait and back, or from walking to standing and on again."""
    changed = "requests at 16 moments of a stride instead of one, since single ones had hung on theirs"
    claim, text = TRANSITIONS[name]["claim"], TRANSITIONS[name]["sequence"]
    wanted = [item.split()[0] for item in text.split(",")]
    source = "SIMBICON, sections 7.1 and 7.2; times and starts are ours"
    missing = [n for n in wanted if n not in controller_names()]
    if missing:
        return [Row(name, claim, None, None, "", None, f"there is no {missing[0]} yet", source=source, claim=claim)]
    passed = tried = 0
    for dt in STEPS:
        requests = parse_sequence(text)
        simulation = sequence_simulation(requests, worlds=16, dt=dt)
        disturb(simulation, 1e-3, seed=7)
        answers = perform(simulation, requests, spread=SPREAD)
        passed += int(np.sum(np.all([a.entered & a.upright for a in answers], axis=0)))
        tried += simulation.worlds
    rule = (
        f"'{text}' (seconds, and up to {SPREAD:g} more): every controller is entered and nobody falls, 16 "
        "disturbed starts with requests at other moments at 0.5, 1 and 2 ms"
    )
    return [rate_row(name, (passed, tried), claim, rule, source, OURS, changed=changed)]


def gain_rows(role: str, gain: str, low: float, high: float) -> list[Row]:
    """The stable range of a balance gain of the swing hip (section 7.3), against the paper's."""
    graph = load_graph("walk-3d")
    own = np.array([getattr(state.targets[role], gain) for state in graph.states])
    shifts = np.linspace(-2.0, 2.0, 81) if gain == "c_d" else np.linspace(-0.8, 0.8, 81)
    values = {f"{label}.{role}.{gain}": own[k] + shifts for k, label in enumerate(graph.labels)}
    record = Record(rate=200.0, worlds=len(shifts), fields=("events",))
    simulation = Simulation(graph, worlds=len(shifts), dt=0.002, set=values, record=record)
    up = simulation.run(40.0).survived
    first, last = _run_around_zero(shifts, up)
    doubled = shifts[up & _period_doubled(simulation.trace().stance)]
    doubled = doubled[(doubled >= shifts[first]) & (doubled <= shifts[last])]
    width, theirs = float(shifts[last] - shifts[first]), high - low
    note = f"the mean of its states' gains may be {own.mean() + shifts[first]:.2f} to {own.mean() + shifts[last]:.2f}"
    note += f" (as shipped {own.mean():.2f}; the paper {low:g} to {high:g})"
    if len(doubled):
        around = f"{own.mean() + doubled.min():.2f} to {own.mean() + doubled.max():.2f}"
        note += f"; left and right steps differ (period doubling) at {around}"
    plane = _plane(role)
    return [
        Row(
            _range_name(role, gain),
            f"width of the stable range of {gain}, {plane} plane",
            round(theirs, 2),
            round(width, 2),
            "",
            width >= theirs,
            note,
            source="SIMBICON, section 7.3",
            claim=f"{gain} of the swing hip in the {plane} plane has a wide stable range",
            rule="the shifts of all states' gains that walk for 40 s are a range at least as wide as the paper's",
            departures="walk-3d has a gain of its own in every state; all are shifted alike; steps of 2 ms",
        )
    ]


def _plane(role: str) -> str:
    return "coronal" if role.endswith("roll") else "sagittal"


def _range_name(role: str, gain: str) -> str:
    return f"range-{gain.replace('_', '')}-{_plane(role)}"


GAIN_RANGES = {
    _range_name(role, gain): (role, gain, *limits)
    for role, own in _TABLES["gain_ranges"].items()
    for gain, limits in own.items()
}
"""Row -> the target's role, its gain, and the paper's range."""


def _run_around_zero(shifts: NDArray[np.float64], up: NDArray[np.bool_]) -> tuple[int, int]:
    """First and last of the values around zero between which every one passes."""
    middle = int(np.argmin(np.abs(shifts)))
    first = last = middle
    while first > 0 and up[first - 1]:
        first -= 1
    while last < len(up) - 1 and up[last + 1]:
        last += 1
    return first, last


def _period_doubled(stance: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """[W] whether left and right steps settle to different durations."""
    found = np.zeros(stance.shape[1], dtype=bool)
    for w in range(stance.shape[1]):
        exchanges = np.flatnonzero(np.diff(stance[len(stance) // 2 :, w]))
        steps = np.array([b - a for a, b in pairwise(exchanges)], dtype=float)
        if len(steps) >= 10:
            even, odd = steps[0 : len(steps) // 2 * 2 : 2], steps[1 : len(steps) // 2 * 2 : 2]
            found[w] = abs(even.mean() - odd.mean()) > 0.03 * steps.mean() > max(even.std(), odd.std())
    return found
