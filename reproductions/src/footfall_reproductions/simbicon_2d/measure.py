"""SIMBICON in the plane, measured again (SIMBICON, sections 7.1 and, where it is about the planar biped, 7.2)."""

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.error_learning import learn_torques, torso_swing
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.sequence import parse_sequence, perform, sequence_simulation
from footfall.simulation import Outcome, Record, Simulation
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import SettledGait, push_limit, ten_push_limit
from footfall_reproductions.part import Part, measure_parts
from footfall_reproductions.row import Row
from footfall_reproductions.simbicon_2d import claims
from footfall_reproductions.simbicon_2d.claims import EXPLICIT, GROUNDS
from footfall_reproductions.simbicon_2d.request_timing import perform_by_phase, phase_timing, sequence_timing
from footfall_reproductions.tables import paper_table
from footfall_reproductions.trials import DTS, WALKS, Trials, disturbed_starts, run_trials, start_of, still_walking

Progress = Callable[[float, str], None]

_TABLES = paper_table("simbicon_2d")

GAITS: dict[str, tuple[float | None, float | None]] = {
    name: (gait.get("speed"), gait.get("step_time")) for name, gait in _TABLES["gaits"].items()
}
"""The periodic gaits of table 1, with speed and step time in the authors' applet where it walks them."""

PUSHES: dict[str, dict[str, float]] = _TABLES["pushes"]
"""Gait -> newtons of ten pushes forward and backward that it withstands (section 7.1)."""

ACYCLIC = ("stand", "one-foot-stand", "big-step", "back-and-forth", "back-flip")
"""Controllers that the paper names without their numbers."""

SEQUENCE: str = _TABLES["sequence"]["text"]
"""The example of section 7.1 in its order, with our own durations."""

IMPLICIT: dict[str, Any] = {"integrator": "implicit"}


DELAYS = 192
"""Delays of a request by the clock that are tried."""
TIMED_AT = (0.0005, 0.001)
"""Steps for which phases of requests are found: with steps of 2 ms the back-flip falls at every one."""


def parts() -> tuple[Part, ...]:
    """Rows that are measured together."""
    several = [Part(f"gait-{n}", f"60 s of {n}", (f"gait-{n}-*",), partial(_gait, n)) for n in GAITS]
    several += [
        Part(f"ten-pushes-{n}", f"ten pushes of the {n}", (f"ten-pushes-{n}-*",), partial(_ten_pushes, n))
        for n in PUSHES
    ]
    several += [
        Part(f"push-limit-{n}", f"pushes of the {n}", (f"push-limit-{n}-*",), partial(_push_limits, n)) for n in GAITS
    ]
    return (
        *several,
        Part("terrain", "terrain", ("terrain-downward",), _terrain),
        Part("torque-limits", "torque limits", ("torque-*",), _torque_limits),
        Part("sequence", "the sequence of transitions by the clock", ("sequence",), _sequence),
        Part("sequence-by-phase", "the sequence by phase", ("sequence-by-phase",), _sequence_by_phase),
        Part("learning", "feedback error learning", ("learning-*",), _learning),
        Part("longer-thighs", "longer thighs", ("femur-longer",), _longer_thighs),
        Part("run-speed", "the run's speed", ("run-speed",), _run_speed),
        *claims.parts(),
    )


def rows(progress: Progress | None = None) -> list[Row]:
    """Every number and claim of the planar biped."""
    return measure_parts(parts(), progress)


def _gait(name: str) -> list[Row]:
    speed, step_time = GAITS[name]
    judge = still_walking(60, 0.0 if not speed else float(np.sign(speed)))
    found = []
    for label, options in (("explicit", EXPLICIT), ("implicit", IMPLICIT)):
        trials = run_trials(name, 60.0, judge, **options)
        first = trials.outcomes[len(trials.outcomes) // 2]
        found.append(
            Row(
                f"gait-{name}-{label}",
                f"{name}: runs that stay up for 60 s and take at least 60 steps, {label}",
                "walks",
                f"{trials.passed} of {trials.tried}",
                "",
                trials.rate >= WALKS,
                f"{trials.words}. Undisturbed: {first.speed[0]:.2f} m/s, {first.step_time[0]:.3f} s a step"
                + (f"; the applet's {speed} m/s" if speed is not None else "")
                + (f", {step_time} s" if step_time is not None else ""),
                **trials.fields(),
            )
        )
    return found


def _ten_pushes(name: str) -> list[Row]:
    found = []
    places = [("com", "centre of mass", GROUNDS[0]), *(("top", "top", ground) for ground in GROUNDS)]
    for place, where, (label, ground, words) in places:
        for angle, way in ((0.0, "forward"), (180.0, "backward")):
            claim = PUSHES[name][way]
            experiment = Experiment(name, push_place=place, set={"ground.friction": ground.friction})
            limit = ten_push_limit(experiment, angle=angle, step=10.0 if name == "skipping" else 20.0).limit
            found.append(
                Row(
                    f"ten-pushes-{name}-{way}-{place}{label}",
                    f"{name}: ten 0.1 s pushes {way}, 5 s apart, at the torso's {where}, {words}; holds if the paper's "
                    "and every smaller one is survived",
                    claim,
                    limit,
                    "N",
                    limit >= claim,
                    "the paper says 'to the torso', which is taken to mean its centre of mass"
                    if place == "com"
                    else "the applet's point of pushing, where a push also turns the torso",
                )
            )
    return found


def _push_limits(name: str) -> list[Row]:
    gait = SettledGait(Experiment(name, push_place="com"))
    found = []
    for angle, way in ((0.0, "forward"), (180.0, "backward")):
        limit = push_limit(gait, angle=angle, step=20.0) if gait.upright else None
        found.append(
            Row(
                f"push-limit-{name}-{way}",
                f"{name}: largest 0.1 s push {way} at the torso's centre of mass such that every smaller one is "
                "survived, over 20 phases and 5 perturbed starts",
                None,
                limit.limit if limit is not None else None,
                "N",
                None,
                "up 6 s later, and still stepping"
                if limit is not None
                else "a perturbed start fell before it was pushed",
            )
        )
    return found


def _terrain() -> list[Row]:
    def beyond(outcome: Outcome) -> Any:
        return outcome.survived & (outcome.qpos[:, 0] > 14.0)

    trials = run_trials("walk", 30.0, beyond, terrain="downward", draws=20)
    first = trials.outcomes[1]
    return [
        Row(
            "terrain-downward",
            "walk: runs that cross the terrain of figure 1, steps down of 20 cm and slopes of 6 degrees, beyond 14 m",
            "crosses",
            f"{trials.passed} of {trials.tried}",
            "",
            trials.rate >= WALKS,
            f"{trials.words}. The undisturbed run at 1 ms gets to {first.qpos[0, 0]:.1f} m",
            **trials.fields(),
        )
    ]


def _torque_limits() -> list[Row]:
    limits = np.arange(40.0, 201.0, 5.0)
    stood = np.ones(len(limits), dtype=bool)
    for dt in DTS:
        stood &= Simulation("walk", worlds=len(limits), dt=dt, set={"torque_limit": limits}).run(30.0).survived
    failed = np.flatnonzero(~stood)
    least = float(limits[failed[-1] + 1]) if len(failed) else float(limits[0])
    found = [
        Row(
            "torque-walk",
            "walk: least torque limit such that it and every larger one up to 200 N m walk 30 s at 0.5, 1 and 2 ms; "
            "holds if at most the paper's",
            90.0,
            least,
            "N m",
            least <= 90.0,
        )
    ]
    for name, (label, ground, words) in itertools.product(GAITS, GROUNDS):
        trials = run_trials(name, 30.0, still_walking(30), set={"torque_limit": 370.0}, ground=ground)
        found.append(
            Row(
                f"torque-370-{name}{label}",
                f"{name}: runs of 30 s with at most 370 N m at a joint, {words}"
                + ("; the paper's one exception" if name == "fast-run" else ""),
                "no" if name == "fast-run" else "yes",
                f"{trials.passed} of {trials.tried}",
                "",
                None if name == "fast-run" else trials.rate >= WALKS,
                trials.words,
                **trials.fields(),
            )
        )
    return found


def _sequence() -> list[Row]:
    what = "the sequence of section 7.1, from walk to fast run, in one simulation, requests timed by the clock"
    wanted = parse_sequence(SEQUENCE)
    try:
        clocked = sequence_timing(wanted, worlds=DELAYS)
    except FootfallError as error:
        return [Row("sequence", what, len(wanted), None, "controllers", False, str(error))]
    simulation = sequence_simulation(clocked)
    reached = sum(bool(a.entered[0]) for a in perform(simulation, clocked))
    note = f"{simulation.time:.0f} s: " + ", ".join(f"{r.controller.name} {r.seconds:g}" for r in clocked)
    rule = f"{what}; holds if every controller was entered and nothing fell"
    return [Row("sequence", rule, len(clocked), reached, "controllers", reached == len(clocked), note)]


def _sequence_by_phase() -> list[Row]:
    wanted = parse_sequence(SEQUENCE)
    figure, first = Figure.load("planar-biped"), wanted[0].controller
    qpos, qvel, noise = disturbed_starts(figure, *start_of(first, figure))
    what = (
        "runs of that sequence, requests timed by the phase of the gait, that enter every controller and do not fall; "
        f"holds at {WALKS:.0%}"
    )
    try:
        phased = phase_timing(wanted, dts=TIMED_AT)
    except FootfallError as error:
        return [Row("sequence-by-phase", what, "executes", None, "", False, str(error))]
    passed = {}
    for dt in DTS:
        simulation = sequence_simulation([r.controller for r in phased], worlds=len(noise), qpos=qpos, qvel=qvel, dt=dt)
        passed[dt] = np.asarray(perform_by_phase(simulation, phased).all(axis=0))
    trials = Trials.counted(passed, noise)
    note = f"{trials.words}. Strikes since the last request, and seconds: " + ", ".join(
        f"{r.controller.name} {r.footsteps} + {r.seconds:g}" for r in phased
    )
    counted = f"{trials.passed} of {trials.tried}"
    fields = trials.fields()
    return [Row("sequence-by-phase", what, "executes", counted, "", trials.rate >= WALKS, note, **fields)]


def _learning() -> list[Row]:
    free, held = learn_torques("walk"), learn_torques("walk", limit=60.0)
    soft = {"torso.kp": 200.0, "torso.kd": 20.0}
    plain, low = torso_swing("walk", set=soft), torso_swing(free.controller, set=soft)
    return [
        Row(
            "learning-before",
            "walk: peak-to-peak pitch of the torso before learning; holds if 3 to 6",
            5.0,
            round(free.before, 2),
            "degrees",
            3.0 <= free.before <= 6.0,
        ),
        Row(
            "learning-after",
            "walk: after 60 s of learning, feedback gains unchanged; holds if at most the paper's",
            0.5,
            round(float(free.swing[-1]), 2),
            "degrees",
            float(free.swing[-1]) <= 0.5,
            f"feed-forward torque up to 300 N m; with the 60 N m of the paper in space {held.swing[-1]:.2f} degrees",
        ),
        Row(
            "learning-low-gain",
            "walk: swing of the torso under the learned torques and two thirds of the torso's gains; holds if less "
            "than under full gains without them",
            "smoother with the same or lower gains",
            round(low, 2),
            "degrees",
            bool(low < free.before),
            f"{plain:.2f} degrees with these gains alone; below 165 N m/rad gravity topples the torso",
        ),
    ]


def _longer_thighs() -> list[Row]:
    figure = Figure.load("planar-biped")
    body = figure.body_parameters(["thigh*1.1"])
    plain = Simulation("walk").run(30.0)
    start = load_graph("walk").start
    assert start is not None

    def same_style(outcome: Outcome) -> Any:
        steps = np.abs(outcome.step_time / plain.step_time[0] - 1.0) < 0.1
        return outcome.survived & steps & (np.abs(outcome.speed / plain.speed[0] - 1.0) < 0.25)

    lifted = (_lifted(figure, body), np.array(start.qvel, float))
    trials = run_trials("walk", 30.0, same_style, body=body, start=lifted)
    longer = trials.outcomes[1]
    return [
        Row(
            "femur-longer",
            "walk, thighs 10 % longer: runs of 30 s in the same style, the step time within 10 % and the speed within "
            "25 % of the usual walk's",
            "same style, stable",
            f"{trials.passed} of {trials.tried}",
            "",
            trials.rate >= WALKS,
            f"{trials.words}. Undisturbed: {longer.speed[0]:.2f} m/s, {longer.step_time[0]:.3f} s; "
            f"{plain.speed[0]:.2f} m/s and {plain.step_time[0]:.3f} s a step with the usual thighs",
            **trials.fields(),
        )
    ]


def _run_speed() -> list[Row]:
    wanted = np.linspace(-1.0, 2.0, 7)
    simulation = Simulation("run", worlds=len(wanted), set={"speed": wanted})
    simulation.run(15.0)
    before = simulation.qpos[:, 0]
    outcome = simulation.run(10.0)
    speed = (simulation.qpos[:, 0] - before) / 10.0
    return [
        Row(
            "run-speed",
            "run: its speed follows a desired speed from -1 to 2 m/s; holds if every one runs 25 s and the speeds rise",
            "likely feasible, not investigated",
            f"{speed[0]:.2f} to {speed[-1]:.2f} m/s",
            "",
            bool(outcome.survived.all() and np.all(np.diff(speed) > 0)),
            ", ".join(f"{w:g} asked: {s:.2f}" for w, s in zip(wanted, speed, strict=True)),
        )
    ]


def _lifted(figure: Figure, body: Any) -> np.ndarray:
    """The walk's start, raised by how much taller the body is."""
    start = load_graph("walk").start
    assert start is not None
    qpos = np.array(start.qpos)
    qpos[1] += float(np.ravel(figure.standing_qpos(body))[1] - np.ravel(figure.standing_qpos())[1])
    return qpos


def figures(out_dir: Path) -> list[Path]:
    """Strips of all gaits as in figure 6, the walk over figure 1's terrain, and figure 7."""
    from footfall.methods.simbicon.error_learning import draw_torso_learning
    from footfall.pictures import save

    written = []
    for name in (*GAITS, *ACYCLIC):
        simulation = Simulation(name, record=Record(rate=200))
        simulation.run(3.0)
        written.append(save(simulation.trace().motion(0), out_dir / f"{name}.png"))
    simulation = Simulation("walk", terrain="downward", record=Record(rate=100))
    simulation.run(14.0)
    written.append(save(simulation.trace().motion(0), out_dir / "downward.png"))
    written.append(draw_torso_learning("walk", learn_torques("walk"), out_dir / "learning.png"))
    return written
