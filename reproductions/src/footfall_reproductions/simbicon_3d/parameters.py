"""Parameterisation of the walk in space (SIMBICON, section 7.2): displaced targets, gaits between gaits, speed, arms,
loads."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from footfall.methods.simbicon.editing import displaced_targets, interpolated_graph
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph, Target
from footfall.simulation import Record, Simulation
from footfall.study.measures.table import measure_walks
from footfall.study.measures.walks import Walks
from footfall.study.sweeps.experiment import Experiment
from footfall_reproductions.row import Row
from footfall_reproductions.simbicon_3d.gaits import OURS, rate_row, survivors

SOURCE = "SIMBICON, section 7.2, Parameterization; amounts, starts and times are ours"
RULE = "all of 4 starts (noise 1e-6 and 1e-3) at 0.5, 1 and 2 ms stay up for {:g} s, of each controller"


def parameter_rows(name: str) -> list[Row]:
    """What is layered on the walk, a row of :data:`PARAMETER_ROWS`."""
    return [PARAMETER_ROWS[name]()]


def _row(
    name: str, experiments: list[Experiment], claim: str, note: str = "", *, holds: bool = True, changed: str = ""
) -> Row:
    rates = [survivors(experiment, 4) for experiment in experiments]
    rate = sum(passed for passed, _ in rates), sum(tried for _, tried in rates)
    rule = RULE.format(experiments[0].seconds)
    return rate_row(name, rate, claim, rule, SOURCE, OURS, note, holds=holds, changed=changed)


def _measure(graph: PoseControlGraph, name: str) -> float:
    """A measure of the settled gait."""
    simulation = Simulation(graph, record=Record(rate=100.0))
    outcome = simulation.run(16.0)
    return float(measure_walks(Walks(simulation.trace(), outcome.torque_squared, 6.0), [name])[name][0])


def _stance_width() -> Row:
    walk = load_graph("walk-3d")
    graphs = [displaced_targets(walk, {"swing_hip_roll": offset}) for offset in (-0.04, 0.0, 0.04)]
    widths = [_measure(graph, "step_width") for graph in graphs]
    note = "width " + ", ".join(f"{w:.3f}" for w in widths) + " m with the swing hip's roll displaced by -0.04, 0, 0.04"
    ordered = widths[0] > widths[1] > widths[2]
    claim = "symmetric displacements of the lateral hip angles alter the stance width"
    return _row("stance-width", [Experiment(g, seconds=60.0) for g in graphs], claim, note, holds=ordered)


def _interpolation() -> Row:
    names = "gait-lab-slow-walk", "gait-lab-fast-walk"
    ends = load_graph(names[0]), load_graph(names[1])
    graphs = [interpolated_graph(*ends, share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    speeds = [_measure(graph, "speed") for graph in graphs]
    note = f"from {names[0]} to {names[1]} in quarters: " + ", ".join(f"{v:.2f}" for v in speeds) + " m/s"
    ordered = bool(np.all(np.diff(speeds) > 0))
    claim = "gaits between two gaits, by interpolating their parameters"
    changed = "the upper end was gait-lab-brisk-walk until it had been found again with more states than the lower one"
    return _row(
        "interpolation", [Experiment(g, seconds=60.0) for g in graphs], claim, note, holds=ordered, changed=changed
    )


def _arms() -> Row:
    walk = load_graph("walk-3d")

    def swinging(c_hip: float) -> PoseControlGraph:
        def changed(name: str, target: Target) -> Target:
            return replace(target, c_hip=c_hip) if name.endswith("shoulder_pitch") else target

        states = [replace(s, targets={n: changed(n, t) for n, t in s.targets.items()}) for s in walk.states]
        return walk.changed(states=tuple(states))

    claim = "the arms may hang straight down or swing"
    note = "shoulders follow the other side's hip by 0 and by 1 (the walk's own: 0.6)"
    return _row("arms", [Experiment(swinging(c), seconds=60.0) for c in (0.0, 1.0)], claim, note)


def _speed() -> Row:
    walk = load_graph("walk-3d")
    graphs = [walk.changed(balance=replace(walk.balance, speed=walk.balance.speed + d)) for d in (-0.15, 0.0, 0.3)]
    speeds = [_measure(graph, "speed") for graph in graphs]
    note = ", ".join(f"{v:.2f}" for v in speeds) + " m/s with the desired speed changed by -0.15, 0 and 0.3 m/s"
    ordered = speeds[0] < speeds[1] < speeds[2]
    claim = "the desired speed changes the walk's speed"
    return _row("speeds", [Experiment(g, seconds=60.0) for g in graphs], claim, note, holds=ordered)


def _steeper() -> Row:
    walk, slope = load_graph("walk-3d"), 10.0
    offset = 0.6 * float(np.radians(slope))
    without = survivors(Experiment(walk, seconds=30.0, terrain=f"slope:{slope:g},3"), 4)
    experiment = Experiment(displaced_targets(walk, {"swing_hip": offset}), seconds=30.0, terrain=f"slope:{slope:g},3")
    claim = "a steeper slope needs a displacement k θ_s of the hip targets"
    note = f"10 degrees up, k 0.6; without it {without[0]} of {without[1]}"
    changed = "k was chosen from 0.3 and 0.6 after looking"
    return _row("steeper", [experiment], claim, note, holds=without[0] < without[1], changed=changed)


def _backpack(kilograms: float, lean: float, name: str) -> Row:
    graph = displaced_targets(load_graph("walk-3d"), {"torso": -lean})
    experiment = Experiment(graph, seconds=60.0, set={"body.load": kilograms})
    how = f"with the torso pitched forward by {lean:g} rad" if lean else "with an unchanged torso"
    return _row(name, [experiment], f"a backpack of {kilograms:g} kg {how}")


PARAMETER_ROWS: dict[str, Callable[[], Row]] = {
    "stance-width": _stance_width,
    "interpolation": _interpolation,
    "arms": _arms,
    "speeds": _speed,
    "steeper": _steeper,
    "backpack-light": partial(_backpack, 5.0, 0.0, "backpack-light"),
    "backpack-heavy": partial(_backpack, 15.0, 0.05, "backpack-heavy"),
}
"""Row -> what measures it."""
