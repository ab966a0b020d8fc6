"""Improving SIMBICON on steps: random ones, steps up, the upward terrain. No search saw these terrains."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.dynamics import Ground
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Outcome, Simulation
from footfall.terrain import TerrainSteps, parse_terrain
from footfall_reproductions.part import Part
from footfall_reproductions.row import Row
from footfall_reproductions.trials import DTS, WALKS, Trials, run_trials

TERRAINS, STEPS, CROSSING = 100, 200, 260.0
FIRST_SEED = 5_000
"""Of the terrains; searches drew theirs from small seeds."""
TREADS = np.linspace(1.0, 1.6, 20)


def parts() -> tuple[Part, ...]:
    """Rows that are measured together."""
    return (
        Part("random-steps", "random steps", ("random-steps-linear", "random-steps-walk"), _random_rows),
        Part("random-steps-high", "higher random steps", ("random-steps-edges",), _high_rows),
        Part("steps-up", "steps up", ("steps-up-*",), _up_rows),
        Part("upward", "the upward terrain", ("upward-*",), _upward_rows),
        Part("figure-2", "10 cm steps", ("figure-2-*",), _figure_2_rows),
    )


def crossed(
    controller: str, height: float, worlds: int = TERRAINS, *, dt: float = 0.001, first: int = 0, **parameters: float
) -> NDArray[np.bool_]:
    """[worlds] whether a controller crosses random steps of a height, terrain by terrain (seeds ``first``, …)."""
    terrains = [parse_terrain(f"random-steps:{height},1.0,{STEPS}", seed=first + k) for k in range(worlds)]
    ends = np.array([t.profile()[0][-2] for t in terrains])
    simulation = Simulation(
        controller, worlds=worlds, terrain=terrains, set=parameters, dt=dt, last_states=0, efforts=False
    )
    outcome = simulation.run(CROSSING)
    return np.asarray(outcome.survived & (outcome.distance > ends - 0.5))


def climbed(controller: str, height: float, *, dt: float = 0.001, **parameters: float) -> NDArray[np.bool_]:
    """[20] whether a controller climbs five steps of a height, over 20 lengths of tread from 1 to 1.6 m."""
    terrains = [parse_terrain(f"steps:{height},{tread:.3f},5") for tread in TREADS]
    outcome = Simulation(controller, worlds=20, terrain=terrains, set=parameters, dt=dt).run(20.0)
    return np.asarray(outcome.survived & (outcome.distance > 12.0))


def _over(passed: dict[float, NDArray[np.bool_]]) -> Trials:
    return Trials(
        sum(int(p.sum()) for p in passed.values()),
        sum(p.size for p in passed.values()),
        {f"{1000 * dt:g} ms": (int(p.sum()), p.size) for dt, p in passed.items()},
    )


def _crossings(controller: str, height: float, dts: Sequence[float] = DTS) -> Trials:
    count = {dt: TERRAINS if dt == 0.001 else TERRAINS // 2 for dt in dts}
    return _over({dt: crossed(controller, height, count[dt], dt=dt, first=FIRST_SEED) for dt in dts})


def _climbs(controller: str, height: float, **parameters: float) -> Trials:
    return _over({dt: climbed(controller, height, dt=dt, **parameters) for dt in DTS})


HOW = f"terrains of {STEPS} random steps, treads 0.5 to 1.5 m; crossed: past the last step, not fallen"


def _row(id: str, what: str, paper: str | None, trials: Trials, least: float, note: str = "") -> Row:
    return Row(
        id,
        f"{what}; holds at {least:.0%} or more",
        paper,
        f"{trials.passed} of {trials.tried}",
        "",
        trials.rate >= least,
        f"{trials.words}. {note}".strip(),
        **trials.fields(least),
    )


def _random_rows() -> list[Row]:
    sighted, blind = _crossings("ground-sight-walk", 0.15), _crossings("walk", 0.15, (0.001,))
    return [
        _row(
            "random-steps-linear",
            "ground-sight-walk crosses random steps of ±15 cm",
            "walks robustly",
            sighted,
            0.95,
            HOW,
        ),
        Row(
            "random-steps-walk",
            "control: the walk, which sees nothing, crosses none of them",
            "fails",
            f"{blind.passed} of {blind.tried}",
            "",
            blind.passed == 0,
            HOW,
            passed=blind.passed,
            tried=blind.tried,
        ),
    ]


def _high_rows() -> list[Row]:
    sure, sighted = _crossings("sure-footed-walk", 0.20), _crossings("ground-sight-walk", 0.20, (0.001,))
    what = "sure-footed-walk, with feet placed off edges, crosses random steps of ±20 cm, beyond the paper's ±15 cm"
    note = f"{HOW}; ground-sight-walk crosses {sighted.passed} of {sighted.tried} of these"
    return [_row("random-steps-edges", what, None, sure, 0.80, note)]


def _up_rows() -> list[Row]:
    bent, linear = _climbs("ground-sight-walk", 0.20, sight_boost=1.5), _climbs("ground-sight-walk", 0.20)
    note = "five steps up, 20 lengths of tread from 1.0 to 1.6 m"
    what = "ground-sight-walk with f(h) = 1.5 above 0.15 m climbs steps of +20 cm"
    return [
        _row("steps-up-nonlinear", what, "+20 cm", bent, WALKS, note),
        Row(
            "steps-up-linear",
            "control: the same walk with linear feedback climbs steps of +20 cm; holds at 50 % or fewer",
            "not sufficient",
            f"{linear.passed} of {linear.tried}",
            "",
            linear.rate <= 0.5,
            f"{linear.words}. {note}; with gains found by search the linear law needs no help at this height",
            **linear.fields(0.5),
        ),
    ]


def _upward_rows() -> list[Row]:
    found = []
    for name, stands in (("ground-sight-walk", True), ("walk", False)):
        trials = run_trials(name, 20.0, terrain="upward", draws=10, ground=Ground(friction=1e9))
        least = WALKS if stands else 1 - WALKS
        found.append(
            Row(
                f"upward-{name}",
                f"the upward terrain: runs of {name} that stay up 20 s; holds at {least:.0%} or "
                + ("more" if stands else "fewer"),
                "crosses" if stands else "falls",
                f"{trials.passed} of {trials.tried}",
                "",
                trials.rate >= least if stands else trials.rate <= least,
                f"{trials.words}. Undisturbed at 1 ms: {trials.outcomes[1].distance[0]:.1f} m",
                **trials.fields(least),
            )
        )
    return found


def up_steps(
    controller: str | PoseControlGraph, height: float = 0.1, places: int = 60, *, dt: float = 0.001
) -> Outcome:
    """A single step up of a height, at ``places`` distances over two steps of the walk, after about ten steps."""
    terrains = [TerrainSteps(height, 1.0, 1, float(start)) for start in np.linspace(4.0, 5.1, places)]
    return Simulation(controller, worlds=places, terrain=terrains, dt=dt).run(15.0)


def _figure_2_rows() -> list[Row]:
    def counted(name: str, sensor: Literal["heel", "any"] | None = None) -> Trials:
        graph = load_graph(name)
        graph = graph.changed(balance=replace(graph.balance, sensor=sensor or graph.balance.sensor))
        return _over({dt: np.asarray((o := up_steps(graph, dt=dt)).survived & (o.distance > 6.0)) for dt in DTS})

    every = {name: counted(name) for name in ("generalised-walk", "walk", "high-step-walk")}
    new, feet = every["generalised-walk"], counted("generalised-walk", "any")
    sensors = (
        "; the walk passes {} where its states end at heel or toe, the high-step walk {} where they end at the heel"
    )
    words = "; ".join(f"{name} {t.passed} of {t.tried}" for name, t in every.items())
    what = "generalised-walk goes up an unexpected step of 10 cm"
    note = "a step up of 10 cm at 60 places over two steps of the walk, at 0.5, 1 and 2 ms"
    best = max(every[n].passed for n in ("walk", "high-step-walk"))
    return [
        _row("figure-2-step-up", f"{what}, states end when the heel lands", "robust", new, WALKS, note),
        _row("figure-2-step-up-foot", f"{what}, states end when heel or toe lands", "robust", feet, WALKS, note),
        Row(
            "figure-2-original-gaits",
            "of the same trials, those that the walk or the high-step walk passes, the better of them; holds if fewer "
            "than half",
            "all original controllers fail",
            f"{best} of {new.tried}",
            "",
            best < 0.5 * new.tried,
            words + sensors.format(counted("walk", "any").passed, counted("high-step-walk", "heel").passed),
            passed=best,
            tried=new.tried,
            bound=0.5,
        ),
    ]
