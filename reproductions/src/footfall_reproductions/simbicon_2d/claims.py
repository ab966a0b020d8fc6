"""Claims of SIMBICON about the planar biped beside its tables: starts, posture, pushes, transitions, gaits that stay.

Rules were written before the first measurement, unless the list of claims says otherwise.
"""

import itertools
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from footfall.dynamics import Ground
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Outcome, Simulation
from footfall.study.sweeps.experiment import Experiment
from footfall.study.transitions import transition_matrix
from footfall.study.trials.pushing import SettledGait, push_limit, strict_threshold
from footfall_reproductions.part import Part
from footfall_reproductions.row import Row
from footfall_reproductions.tables import paper_table
from footfall_reproductions.trials import WALKS, Trials, run_trials, still_walking

_TABLES = paper_table("simbicon_2d")
PRINTED: dict[str, float] = _TABLES["printed"]
"""c_v of state 0 as table 1 prints it, where footfall's gait has another number."""
EXPLICIT: dict[str, Any] = {"dts": (0.0001,), "integrator": "explicit"}
UNLIMITED = Ground(friction=1e9)
"""The ground of the authors' program."""
GROUNDS = (
    ("", Ground(), "at the paper's friction of 0.65"),
    ("-unlimited", UNLIMITED, "on the ground of the authors' program, whose friction has no limit"),
)
"""Two readings of the ground: end of a row's id, ground, words."""
STANDING = ("stand", "one-foot-stand")


def parts() -> tuple[Part, ...]:
    """Rows that are measured together."""
    return (
        Part("start-from-rest", "the walk from rest", ("start-from-rest",), _from_rest),
        Part("torso-pitch", "the torso tilted by 15 degrees", ("torso-pitch-*",), _torso_pitch),
        Part("push-duration", "longer, weaker pushes", ("push-duration", "push-phase"), _push_duration),
        Part("gait-speeds", "speeds of the gaits", ("speed-*", "step-time-*", "applet-speed-*"), _speeds),
        Part("standing", "standing on two feet and on one", ("acyclic-*", "one-foot-basin"), _standing),
        Part("transitions", "direct transitions", ("transition-*",), _transitions),
        Part("printed", "gaits with the printed numbers", ("printed-*",), _printed),
        Part("skating", "feet that slide", ("skating-*",), _skating),
    )


def trial_row(id: str, what: str, paper: str, trials: Trials, note: str = "") -> Row:
    """A row of the kind "it walks": it holds at :data:`WALKS` of the runs."""
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


def _from_rest() -> list[Row]:
    walk = load_graph("walk")
    assert walk.start is not None
    rest = (np.array(walk.start.qpos, float), np.zeros(len(walk.start.qvel)))
    trials = run_trials(walk, 30.0, still_walking(30, 1.0), start=rest)
    steady = trials.outcomes[1].speed[0]
    note = f"the usual start with all velocities 0; undisturbed at 1 ms it reaches {steady:.2f} m/s"
    return [trial_row("start-from-rest", "walk: runs of 30 s that begin at rest", "begins just as well", trials, note)]


def _tilted(graph: PoseControlGraph, degrees: float) -> PoseControlGraph:
    states = []
    for state in graph.states:
        torso = state.targets["torso"]
        targets = {**state.targets, "torso": replace(torso, angle=torso.angle + np.radians(degrees))}
        states.append(replace(state, targets=targets))
    return graph.changed(states=tuple(states))


def _torso_pitch() -> list[Row]:
    found = []
    kinds: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("", "", {}),
        ("-explicit", ", explicit steps of 0.1 ms", EXPLICIT),
    )
    for (degrees, way), (label, steps, options) in itertools.product(((-15.0, "forward"), (15.0, "backward")), kinds):
        trials = run_trials(_tilted(load_graph("walk"), degrees), 30.0, still_walking(30, 1.0), **options)
        first = trials.outcomes[len(trials.outcomes) // 2]
        up = sum(int(outcome.survived.sum()) for outcome in trials.outcomes)
        note = f"{up} stay up; undisturbed {first.speed[0]:.2f} m/s"
        what = f"walk with the torso's target 15 degrees {way}{steps}: runs of 30 s that go forward"
        found.append(trial_row(f"torso-pitch-{way}{label}", what, "easily accommodated", trials, note))
    return found


def _push_duration() -> list[Row]:
    gait = SettledGait(Experiment("walk", push_place="com"))
    limits = {s: push_limit(gait, duration=s, step=10.0, phases=10) for s in (0.1, 0.2, 0.4)}
    momentum = [s * limit.limit for s, limit in limits.items()]
    sizes = np.arange(100.0, 2001.0, 50.0)
    phases, replicas = 10, gait.replicas
    force, phase, replica = (
        a.ravel() for a in np.meshgrid(sizes, np.arange(phases), np.arange(replicas), indexing="ij")
    )
    stood, _ = gait.push(force, phase / phases, replica)
    passed = stood.reshape(len(sizes), phases, replicas)
    by_phase = [strict_threshold(sizes, passed[:, k]) for k in range(phases)]
    return [
        Row(
            "push-duration",
            "walk: momentum F Δt of the largest push forward over 0.1, 0.2 and 0.4 s; holds if it rises",
            "larger with longer Δt",
            ", ".join(f"{m:.0f}" for m in momentum),
            "N s",
            bool(np.all(np.diff(momentum) > 0)),
            "; ".join(f"{s:g} s: {limit.limit:g} N" for s, limit in limits.items()) + ", over 10 phases and 5 starts",
        ),
        Row(
            "push-phase",
            "walk: largest 0.1 s push forward at its best phase over that at its worst; holds above 1.1",
            "some phases withstand larger pushes",
            round(max(by_phase) / max(min(by_phase), 1.0), 2),
            "",
            max(by_phase) > 1.1 * min(by_phase),
            "N by tenth of a stride, in steps of 50 N: " + " ".join(f"{n:g}" for n in by_phase),
        ),
    ]


def _speeds() -> list[Row]:
    found = []
    for name, gait in _TABLES["gaits"].items():
        graph = load_graph(name)
        speed, step = _settled(graph, Ground())
        what = f"{name}: speed from 30 to 60 s"
        found += [
            Row(f"speed-{name}", what, None, speed, "m/s", None, source="ours"),
            Row(f"step-time-{name}", f"{name}: time from a footstep to the next", None, step, "s", None, source="ours"),
        ]
        paper = gait.get("speed")
        if not paper:
            continue
        as_there = graph.changed(balance=replace(graph.balance, sensor=gait.get("sensor", graph.balance.sensor)))
        speed, step = _settled(as_there, UNLIMITED)
        rule = f"{what} on the ground of the authors' program; holds within 10 % of that in the program"
        holds = speed is not None and abs(speed - paper) <= 0.1 * abs(paper)
        note = f"{step} s a step, {gait['step_time']} s in the program"
        found.append(Row(f"applet-speed-{name}", rule, paper, speed, "m/s", holds, note))
    return found


def _settled(graph: PoseControlGraph, ground: Ground) -> tuple[float | None, float | None]:
    """Speed from 30 to 60 s, m/s, and seconds a step; None for a gait that fell."""
    simulation = Simulation(graph, ground=ground)
    simulation.run(30.0)
    before = simulation.qpos[0, 0]
    outcome = simulation.run(30.0)
    if not outcome.survived[0]:
        return None, None
    return round(float(simulation.qpos[0, 0] - before) / 30.0, 3), round(float(outcome.step_time[0]), 3)


@cache
def _stood(name: str) -> Trials:
    def judge(outcome: Outcome) -> np.ndarray:
        return np.asarray(outcome.survived & (np.abs(outcome.distance) < 0.5))

    return run_trials(name, 30.0, judge)


def _standing() -> list[Row]:
    found = [
        trial_row(f"acyclic-{name}", f"{name}: runs of 30 s that stay up, within 0.5 m", "stays", _stood(name))
        for name in STANDING
    ]
    basin = {}
    for name in STANDING:
        shoves = np.linspace(-0.5, 0.5, 41)
        start = load_graph(name).start
        assert start is not None
        qvel = np.tile(np.array(start.qvel, float), (len(shoves), 1))
        qvel[:, 0] += shoves
        outcome = Simulation(name, worlds=len(shoves), qvel=qvel).run(20.0)
        basin[name] = float(outcome.survived.mean())
    found.append(
        Row(
            "one-foot-basin",
            "share of starts, moved at -0.5 to 0.5 m/s, from which one-foot-stand stays up 20 s; holds if it is less "
            "than for stand",
            "very limited basin",
            round(basin["one-foot-stand"], 3),
            "",
            basin["one-foot-stand"] < basin["stand"],
            f"stand: {basin['stand']:.3f}",
        )
    )
    return found


def _transitions() -> list[Row]:
    names = ("walk", "in-place-walk", "fast-walk", "run", "backwards-walk", "scissor-hop")
    matrix = transition_matrix(names, phases=12)
    share = {(a, b): float(matrix.share[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)}
    plain = [share[a, b] for a in names[:4] for b in names[:4] if a != b]
    many = sum(s >= 0.5 for s in plain)
    direct, detour = share["walk", "backwards-walk"], share["in-place-walk", "backwards-walk"]
    hop = share["in-place-walk", "scissor-hop"]
    return [
        Row(
            "transition-direct",
            "pairs of walk, in-place walk, fast walk and run whose switch succeeds at half of 12 phases or more; "
            "holds if most do",
            "possible between many",
            f"{many} of {len(plain)}",
            "",
            many > len(plain) / 2,
            ", ".join(f"{a} to {b} {share[a, b]:.2f}" for a in names[:4] for b in names[:4] if a != b),
        ),
        Row(
            "transition-detour",
            "share of phases at which the backwards walk is entered from the in-place walk; holds if more than from "
            "the walk",
            "backwards walk needs the in-place walk first",
            round(detour, 2),
            "",
            detour > direct,
            f"directly from the walk: {direct:.2f}",
        ),
        Row(
            "transition-scissor-hop",
            "share of phases of the in-place walk at which the scissor hop is entered; holds if some but not all",
            "a particular phase is needed",
            round(hop, 2),
            "",
            0.0 < hop < 1.0,
            f"from the walk: {share['walk', 'scissor-hop']:.2f}",
        ),
    ]


def _skating() -> list[Row]:
    from footfall.simulation import Record
    from footfall_reproductions.foot_slip import foot_slip

    found = []
    for name in ("walk", "scissor-hop"):
        simulation = Simulation(name, record=Record(rate=500.0))
        simulation.run(10.0)
        slip = foot_slip(simulation.trace(), Ground())
        found.append(
            Row(
                f"skating-{name}",
                f"{name}: the farthest that a loaded point of a foot gets from where it came down, in 10 s; holds "
                "below 5 cm",
                None,
                round(100.0 * slip.slide, 1),
                "cm",
                bool(slip.slide < 0.05),
            )
        )
    return found


def _printed() -> list[Row]:
    found = []
    for (name, gain), (label, ground, words) in itertools.product(PRINTED.items(), GROUNDS):
        trials = run_trials(name, 60.0, still_walking(60), set={"0.swing_hip.c_v": gain}, ground=ground)
        ends = np.concatenate([o.end_time for o in trials.outcomes])
        note = "" if not np.isfinite(ends).any() else f"The median fall is after {np.nanmedian(ends):.1f} s"
        what = f"{name} with the printed c_v of {gain:g} in state 0, {words}: runs that stay up for 60 s"
        found.append(trial_row(f"printed-{name}{label}", what, "walks", trials, note))
    return found
