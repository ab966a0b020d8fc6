"""Balanced walks of Laszlo's thesis as k of n: from disturbed starts, at several steps."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.limit_cycle import (
    BalanceControl,
    BalancedWalk,
    GaitChange,
    PathFollowing,
    WalkRecord,
    hip_control,
    load_perturbation,
)
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall_reproductions.limit_cycles.basics import STEPS, bird_walk, human
from footfall_reproductions.limit_cycles.variations import FORWARD, LATERAL, PATH, POSTURES, STRIDES, held
from footfall_reproductions.row import Row
from footfall_reproductions.trials import DTS, WALKS, Trials, disturbed_starts, start_of

DRAWS = 3
"""Disturbed starts of each size: a balanced walk costs five times its simulation."""


def balanced_trials(
    controller: str | PoseControlGraph,
    control: BalanceControl,
    steps: int,
    judge: Callable[[WalkRecord], NDArray[np.bool_]] | None = None,
    *,
    draws: int = DRAWS,
    dts: Sequence[float] = DTS,
    **options: Any,
) -> Trials:
    """Walk a number of steps from every start at every step size; by default a walk passes if it does not fall.

    Args:
        controller: the base graph.
        control: regulation variables, perturbations, sampling and targets.
        steps: how many.
        judge: record -> [W] whether each walk passes.
        draws: disturbed starts of each size.
        dts: step sizes.
        options: of :class:`BalancedWalk`, the same for all walkers.
    """
    graph = load_graph(controller)
    figure = Figure.load(graph.figure)
    qpos, qvel, noise = disturbed_starts(figure, *start_of(graph, figure), draws)
    passed = {}
    for dt in dts:
        walk = BalancedWalk(graph, control, walkers=len(noise), qpos=qpos, qvel=qvel, dt=dt, **options).walk(steps)
        passed[dt] = judge(walk) if judge is not None else np.asarray(walk.footsteps == steps)
    return Trials.counted(passed, noise)


def pelvis(sampling: str, target: float) -> BalanceControl:
    """Balance by the pelvis's up vector, as with the torso servo."""
    return hip_control(sampling, forward=FORWARD, lateral="pelvis-up.lateral", targets=(target, 0.0))


def _row(id: str, what: str, paper: str | None, trials: Trials, note: str = "") -> Row:
    return Row(
        id,
        f"{what}; holds at {WALKS:.0%} of the runs",
        paper,
        f"{trials.passed} of {trials.tried}",
        "",
        trials.rate >= WALKS,
        f"{trials.words}. {note}".strip(),
        **trials.fields(),
    )


def targets() -> Iterator[Row]:
    """Section 4.1: the values of Q_d that the documentation uses, each from every start."""
    for value in (0.25, 0.28, 0.3):
        trials = balanced_trials(human(), hip_control("F-L", targets=(value, 0.0)), STEPS)
        yield _row(f"walks-{value:g}", f"human-walk at Q_d {value:g} (F-L): runs of {STEPS} steps", "walks", trials)
    for value in (0.25, 0.3):
        trials = balanced_trials(human(servo=True), pelvis("F-L", value), STEPS)
        what = f"human-walk with the torso servo at Q_d {value:g} (F-L): runs of {STEPS} steps"
        yield _row(f"walks-servo-{value:g}", what, "walks", trials)


def runge_kutta() -> Iterator[Row]:
    """Appendix C: 0.25 ms, fourth-order Runge-Kutta, at figure 4.5's Q_d."""
    control = hip_control("F-L", targets=(0.3, 0.0))
    trials = balanced_trials(human(), control, STEPS, draws=2, dts=(0.00025,), integrator="rk4")
    what = f"runs of {STEPS} steps at Q_d 0.3 (F-L) with the thesis's step of 0.25 ms and Runge-Kutta"
    yield _row("thesis-integrator", what, "walks", trials, "All other rows take linearly implicit steps")


def bird_runs() -> Iterator[Row]:
    """Section 4.5: the middle one of the Q_d that walk, from starts that its choice did not see."""
    walk = bird_walk()
    good = np.flatnonzero(walk.footsteps == STEPS)
    what = f"robo-bird: runs of {STEPS} steps"
    if not len(good):
        yield Row("robo-bird-runs", what, "runs", None, "", None, "no Q_d runs from the undisturbed start")
        return
    target = float(walk.targets[0, good[len(good) // 2], 0])
    trials = balanced_trials("bird-run", hip_control("F-L", targets=(target, 0.0)), STEPS, draws=2)
    yield _row("robo-bird-runs", f"{what} at Q_d {target:g}", "runs", trials)


def paths() -> Iterator[Row]:
    """Section 5.3.1, figure 5.11: (a) without and (b) with the torso servo."""
    follow = PathFollowing(load_perturbation("turn-right"), load_perturbation("turn-left"), PATH, reach=1.5, limit=12.0)
    for servo in (False, True):
        vector = "pelvis-up" if servo else "up"
        control = hip_control(
            "F-L" if servo else "SP", forward=f"{vector}.forward", lateral=f"{vector}.lateral", targets=(0.3, 0.0)
        )
        reached: list[int] = []

        def all_points(record: WalkRecord, reached: list[int] = reached) -> NDArray[np.bool_]:
            reached += [int(n) for n in record.reached]
            return np.asarray(record.reached == len(PATH))

        trials = balanced_trials(human(servo=servo), control, 180, all_points, draws=2, path=follow)
        name = "with" if servo else "without"
        yield _row(
            f"path-{name}-servo",
            f"runs that reach all ten points of a path in order, {name} the torso servo",
            "follows",
            trials,
            f"points reached: {' '.join(map(str, sorted(reached)))}; a point counts within 1.5 m",
        )


def changes() -> Iterator[Row]:
    """Sections 5.4 and 5.5: stride rate and postures, from every start."""
    from footfall_reproductions.limit_cycles.variations import speed_control

    control = hip_control("SP", forward=FORWARD, lateral=LATERAL, targets=(0.28, 0.03))
    gait = GaitChange(load_perturbation("stride-rate"), STRIDES)
    graph = held(human(servo=True), 0.25)
    trials = balanced_trials(graph, control, 60, gaits=[gait], speed=speed_control(0.4))
    yield _row("stride-rate-runs", "runs of 60 steps whose stride slows down and speeds up", "walks", trials)
    for name, keys in POSTURES.items():
        gaits = [GaitChange(load_perturbation(name), keys)]
        trials = balanced_trials(human(servo=True), pelvis("F-L", 0.3), 65, gaits=gaits)
        yield _row(f"{name}-runs", f"runs of 65 steps that go into '{name}' and out again", "walks", trials)
