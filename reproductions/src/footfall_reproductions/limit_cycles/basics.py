"""Chapters 3, 4 and 6 of Laszlo's thesis: what balances, with which variables, at which cost."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from footfall.methods.limit_cycle import (
    THESIS_GROUND,
    BalancedWalk,
    LastModel,
    ModelReuse,
    ModelTable,
    Posture,
    WalkRecord,
    detect_cycle,
    hip_control,
)
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Simulation
from footfall_reproductions.row import Row

STEPS = 60
TARGETS = np.round(np.arange(0.1, 0.501, 0.05), 2)
SAMPLINGS = ("F-L", "L-F", "SP")
FINE = np.round(np.arange(0.2, 0.401, 0.02), 2)


LEAN = np.radians(5.0)
"""What the torso servo holds the torso at."""


def human(*, servo: bool = False, simple: bool = False) -> PoseControlGraph:
    """The base graph for walking of the human with 19 joints (appendix C) or of the simplest one (figure 3.7), with a
    torso servo to 5 degrees or without."""
    graph = load_graph("human-12-walk" if simple else "human-walk")
    if not servo:
        return graph
    states = tuple(
        replace(s, targets={**s.targets, "waist": replace(s.targets["waist"], angle=-LEAN)}) for s in graph.states
    )
    return graph.changed(law="torso-servo", states=states)


def _paired(sampling: str, forward: NDArray[np.float64], lateral: float = 0.0) -> NDArray[np.float64]:
    """[W, 2] targets in the order of the sampling's dimensions."""
    pairs = np.stack([forward, np.full_like(forward, lateral)], axis=1)
    return pairs[:, ::-1] if sampling == "L-F" else pairs


@cache
def trial_walks(sampling: str, servo: bool, simple: bool = False) -> WalkRecord:
    """Trials over Q_d = 0.1 … 0.5, figures 4.3 and 4.15."""
    vector = "pelvis-up" if servo else "up"
    control = hip_control(sampling, forward=f"{vector}.forward", lateral=f"{vector}.lateral")
    graph = human(servo=servo, simple=simple)
    walk = BalancedWalk(graph, control, walkers=len(TARGETS), targets=_paired(sampling, TARGETS), dt=0.0005)
    return walk.walk(STEPS)


def open_loop() -> Iterator[Row]:
    """Section 3.4, figure 3.8."""
    for name in ("human-walk", "human-12-walk"):
        simulation = Simulation(name, ground=THESIS_GROUND)
        outcome = simulation.run(10.0)
        steps = int(outcome.footsteps[0]) + 1
        yield Row(
            f"open-loop-{name}",
            f"steps that {name} takes before it falls without balance; holds if it falls within 8",
            5,
            steps,
            "steps",
            bool(outcome.fell[0] and steps <= 8),
            "the step in which it falls is counted",
        )


def trials() -> Iterator[Row]:
    """Section 4.1 and section 4.4, with the simplest human of figure 3.7, whose graph these trials took, and with all
    19 joints."""
    for simple in (True, False):
        counts = {False: 0, True: 0}
        of = "the simplest human" if simple else "the human"
        for servo in (False, True):
            for sampling in SAMPLINGS:
                walk = trial_walks(sampling, servo, simple)
                stood = walk.footsteps == STEPS
                counts[servo] += int(stood.sum())
                good = np.flatnonzero(stood)
                together = len(good) > 0 and bool(np.all(np.diff(good) == 1))
                central = bool(np.any((TARGETS[good] >= 0.2) & (TARGETS[good] <= 0.3)))
                words = ", ".join(f"{q:g}" for q in TARGETS[good]) or "none"
                yield Row(
                    f"trials{'-simple' if simple else ''}-{sampling.lower()}{'-servo' if servo else ''}",
                    f"Q_d from 0.1 to 0.5 with which {of} walks {STEPS} steps with {sampling} sampling"
                    f"{' and the torso servo' if servo else ''};"
                    " holds if they are one range that has a value within 0.2 and 0.3",
                    "a range around 0.25",
                    words,
                    "",
                    together and central,
                    "steps taken: "
                    + " ".join(str(n) for n in walk.footsteps)
                    + "; steady speeds "
                    + " ".join(f"{walk.speeds[-10:, w].mean():.2f}" for w in good)
                    + " m/s, negative backwards",
                )
        yield Row(
            f"servo-widens{'-simple' if simple else ''}",
            f"successful trials of 27 of {of} with the torso servo; holds if there are more than without it",
            "more",
            f"{counts[True]} against {counts[False]}",
            "",
            counts[True] > counts[False],
            "servo gains of 1000 N m/rad and 50 N m s/rad, half the waist's own; the thesis gives none",
        )
    walk = trial_walks("F-L", False)
    best = [w for w in range(len(TARGETS)) if walk.footsteps[w] == STEPS]
    kinds = [detect_cycle(walk.values[:, w]) for w in best]
    cycles = [k for k in kinds if k.kind == "cycle"]
    yield Row(
        "balanced-60-steps",
        f"trials (F-L, no servo) of {STEPS} steps that end on a limit cycle; holds if at least one does",
        "1 or more",
        len(cycles),
        "trials",
        len(cycles) >= 1,
        "; ".join(f"Q_d {TARGETS[w]:g}: {k.kind}, period {k.period}" for w, k in zip(best, kinds, strict=True)),
    )


def torso_pitch() -> Iterator[Row]:
    """Section 4.4, figure 4.16: the range of the torso's pitch in the steady half of a walk."""
    for servo, paper, low, high in ((False, 12.0, 6.0, 20.0), (True, 3.0, 0.0, 5.0)):
        walk = trial_walks("F-L", servo)
        good = [w for w in range(len(TARGETS)) if walk.footsteps[w] == STEPS]
        if not good:
            yield Row(
                f"torso-pitch{'-servo' if servo else ''}",
                "range of torso pitch",
                paper,
                None,
                "degrees",
                None,
                "no walk",
            )
            continue
        w = min(good, key=lambda w: abs(TARGETS[w] - 0.3))
        trace = walk.trace(w)
        half = len(trace.times) // 2
        posture = Posture(trace.figure, trace.qpos[half:, 0], trace.stance[half:, 0].astype(np.int64))
        up = posture.up(trace.figure.torso)
        lean = np.degrees(np.arctan2(np.einsum("tk,tk->t", up, posture.forward), up[:, 2]))
        span = float(np.ptp(lean))
        yield Row(
            f"torso-pitch{'-servo' if servo else ''}",
            f"range of the torso's pitch over the last half of a walk{', with the servo' if servo else ''}; "
            f"holds within {low:g} and {high:g}",
            paper,
            round(span, 2),
            "degrees",
            low <= span <= high,
            f"Q_d {TARGETS[w]:g}, F-L sampling",
        )


@cache
def swing_walk(sampling: str) -> WalkRecord:
    """Swing-COM trials with the lateral target away from the centre of mass, section 4.2."""
    targets = np.round(np.arange(-0.1, 0.101, 0.05), 2)
    control = hip_control(sampling, forward="swing-com.forward", lateral="swing-com.lateral")
    walk = BalancedWalk(human(), control, walkers=len(targets), targets=_paired(sampling, targets, 0.03))
    return walk.walk(STEPS)


def other_variables() -> Iterator[Row]:
    """Section 4.2 and section 4.3, table 4.1."""
    best = {sampling: swing_walk(sampling).footsteps for sampling in SAMPLINGS}
    top = max(best, key=lambda s: int(np.max(best[s])))
    yield Row(
        "swing-com",
        f"steps with swing-COM variables and lateral target ±0.03, best of three samplings; holds at {STEPS}",
        STEPS,
        int(np.max(best[top])),
        "steps",
        bool(np.max(best[top]) == STEPS),
        "; ".join(f"{s}: {' '.join(str(n) for n in best[s])} for Q_d -0.1 to 0.1" for s in SAMPLINGS),
    )
    good = {sampling: int((counts == STEPS).sum()) for sampling, counts in best.items()}
    yield Row(
        "swing-com-samplings",
        "successful swing-COM trials of 5 with SP, F-L and L-F sampling; holds if SP has most",
        "SP best",
        ", ".join(f"{s} {good[s]}" for s in ("SP", "F-L", "L-F")),
        "",
        good["SP"] > max(good["F-L"], good["L-F"]),
    )
    targets = np.round(np.arange(0.1, 0.301, 0.05), 2)
    control = hip_control("F-L", forward="stance-com.forward", lateral="stance-com.lateral")
    walk = BalancedWalk(human(), control, walkers=len(targets), targets=_paired("F-L", targets)).walk(12)
    yield Row(
        "stance-com-falls",
        "most steps that any trial with stance-COM variables takes; holds if none takes more than 6",
        "most fall in the second controlled step",
        int(walk.footsteps.max()),
        "steps",
        bool(walk.footsteps.max() <= 6),
    )
    printed = (0.072, 0.154, 0.208, 0.254, 0.335)
    for w, q in enumerate(targets):
        k, got = walk.scalings[0, w], walk.values[0, w]
        yield Row(
            f"table-4.1-{q:g}",
            f"forward Q reached in the first step for Q_d {q:g} by stance-COM variables; holds within 0.035 of "
            "Q_d, the largest"
            " error in the thesis's table",
            printed[w],
            round(float(got[0]), 3),
            "",
            bool(abs(got[0] - q) <= 0.035),
            f"K {k[0]:.1f} and {k[1]:.1f} degrees, lateral Q {got[1]:.3f}; hips are positive forward and left here",
        )


@cache
def step_responses(perturbation: int, steps: int = 4) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Figures 3.16 and 3.17: scalings [K] and the six variables [steps, K, 6] at the end of steps 1 to 4 of the
    open-loop walk."""
    from footfall.methods.limit_cycle import BalanceControl, ControlDimension, load_perturbation, regulation_variable

    names = [f"{v}.{c}" for v in ("up", "swing-com", "stance-com") for c in ("forward", "lateral")]
    moved = load_perturbation(("hip-pitch", "hip-roll")[perturbation])
    scalings = np.linspace(-15.0, 15.0, 13) if perturbation == 0 else np.linspace(-6.0, 6.0, 13)
    control = BalanceControl(tuple(ControlDimension(regulation_variable(n), moved, 1.0) for n in names), "jacobian")
    nominal = BalancedWalk("human-walk", control)
    walk = BalancedWalk("human-walk", control, walkers=len(scalings))
    values = []
    for number in range(steps):
        start = nominal.main.snapshot()
        walk.main.restore(start, np.zeros(len(scalings), dtype=int))
        values.append(walk.finish(walk.main, walk.table.row + scalings[:, None] * walk.deltas[0], number)[0])
        nominal.finish(nominal.main, nominal.table.row[None], number)
    return scalings, np.array(values)


def responses() -> Iterator[Row]:
    """Section 3.6."""
    for j, (name, own) in enumerate((("hip pitch", "forward"), ("hip roll", "lateral"))):
        scalings, values = step_responses(j)
        linear, slopes = [], []
        for v, _vector in enumerate(("up", "swing-com", "stance-com")):
            line = values[0, :, 2 * v + j]
            fit = np.polyfit(scalings, line, 1)
            linear.append(1.0 - float(np.var(line - np.polyval(fit, scalings))) / max(float(np.var(line)), 1e-12))
            slopes.append(fit[0])
        opposed = slopes[2] * slopes[0] < 0 and slopes[1] * slopes[0] > 0
        yield Row(
            f"response-{name.replace(' ', '-')}",
            f"least R² of a straight line through the {own} variables (up, swing-COM, stance-COM) over {name} "
            "in the first step;"
            " holds above 0.9, with the stance-COM's slope opposite to the other two",
            "near-linear, stance-COM opposed",
            round(float(min(linear)), 4),
            "",
            bool(min(linear) > 0.9 and opposed),
            "slopes a degree: " + ", ".join(f"{s:.4f}" for s in slopes),
        )


@cache
def bird_walk() -> WalkRecord:
    """Robo-bird running, section 4.5."""
    targets = np.round(np.arange(0.0, 0.161, 0.04), 2)
    return BalancedWalk("bird-run", hip_control("F-L"), walkers=len(targets), targets=_paired("F-L", targets)).walk(
        STEPS
    )


def bird() -> Iterator[Row]:
    """Section 4.5."""
    walk = bird_walk()
    yield Row(
        "robo-bird",
        f"steps that the robo-bird runs with up-vector variables, best Q_d; holds at {STEPS}",
        STEPS,
        int(walk.footsteps.max()),
        "steps",
        bool(walk.footsteps.max() == STEPS),
        f"Q_d 0 to 0.16: {' '.join(str(n) for n in walk.footsteps)} steps at "
        + " ".join(f"{np.mean(walk.speeds[max(0, n - 20) : n, w]):.2f}" for w, n in enumerate(walk.footsteps))
        + " m/s; its mass is footfall's choice, the thesis gives none",
    )


def replay() -> Iterator[Row]:
    """Section 2.4: the aperiodic graph alone generates the same motion."""
    walk = BalancedWalk(human(), hip_control("F-L", targets=(0.3, 0.0)))
    record = walk.walk(20)
    again = record.replay(0)
    gap = float(np.abs(again.qpos[0] - walk.main.qpos[0]).max())
    yield Row(
        "aperiodic-replay",
        "largest difference in any coordinate between a walk of 20 steps and the replay of its aperiodic graph; "
        "holds at 0",
        0,
        gap,
        "m, rad",
        gap == 0.0,
        f"{len(record.aperiodic(0).states)} states",
    )


BETWEEN = np.round(np.arange(0.21, 0.4, 0.02), 2)
"""Targets of the walks that fill a table of models: none of those it is judged on."""


def reuse() -> Iterator[Row]:
    """Section 6.1.1, over targets in and around the successful range, with all four samplings."""

    def walked(sampling: str, models: ModelReuse | None, targets: NDArray[np.float64]) -> WalkRecord:
        control = hip_control(sampling, forward="pelvis-up.forward", lateral="pelvis-up.lateral")
        paired = _paired(sampling, targets)
        walk = BalancedWalk(human(servo=True), control, walkers=len(targets), targets=paired, reuse=models)
        return walk.walk(STEPS)

    found: dict[str, list[WalkRecord]] = {"none": [], "last": [], "table": []}
    for sampling in (*SAMPLINGS, "jacobian"):
        table = ModelTable()
        walked(sampling, table, BETWEEN)
        for name, models in (("none", None), ("last", LastModel()), ("table", table)):
            found[name].append(walked(sampling, models, FINE))
    stood = {name: [r.footsteps == STEPS for r in records] for name, records in found.items()}
    steady = {name: float(np.mean(_samples_of(found[name], stood[name]))) for name in found}
    every = {
        name: sum(r.samples.sum() for r in records) / max(1, sum(r.footsteps.sum() for r in records))
        for name, records in found.items()
    }
    walks = len(FINE) * len(found["none"])
    for name, words in (
        ("last", "each walker's last model"),
        ("table", "a table of models over states, filled by walks to other targets"),
    ):
        counts = {n: [int(s.sum()) for s in stood[n]] for n in ("none", name)}
        yield Row(
            f"reuse-{name}",
            f"times fewer sample simulations a step in walks of {STEPS} steps with {words}; holds at 3 or more with as "
            "many walks that stay up",
            None,
            round(steady["none"] / steady[name], 2),
            "",
            bool(steady["none"] / steady[name] >= 3.0 and sum(counts[name]) >= sum(counts["none"])),
            f"torso servo, Q_d 0.2 to 0.4, samplings {', '.join((*SAMPLINGS, 'jacobian'))}: "
            f"{' + '.join(map(str, counts[name]))} of {walks} walks stay up, {' + '.join(map(str, counts['none']))} "
            f"with a new model each step; {steady[name]:.2f} against {steady['none']:.2f} samples per step; those that "
            f"fall early reuse little: with their steps {every['none'] / every[name]:.2f} times fewer",
        )


def _samples_of(records: list[WalkRecord], chosen: list[NDArray[np.bool_]]) -> NDArray[np.float64]:
    """Sample simulations a step of the chosen walks of all records."""
    return np.concatenate([r.samples[:, c].mean(axis=0) for r, c in zip(records, chosen, strict=True)])
