"""Chapter 5 of Laszlo's thesis: speed, turning, paths, stride rate, postures; and section 3.4's running."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from footfall.methods.limit_cycle import (
    THESIS_GROUND,
    BalancedWalk,
    GaitChange,
    PathFollowing,
    SpeedControl,
    WalkRecord,
    hip_control,
    load_perturbation,
)
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall_reproductions.foot_slip import foot_slip
from footfall_reproductions.limit_cycles.basics import human, trial_walks
from footfall_reproductions.row import Row

FORWARD, LATERAL = "pelvis-up.forward", "swing-com.lateral"
BIAS = np.round(np.arange(0.1, 0.401, 0.02), 2)
SLOW = np.array([-0.1, -0.08])
PATH = np.array([[4, 0], [7, 2], [7, 6], [4, 8], [0, 8], [-3, 6], [-3, 2], [0, 0], [4, -1], [8, 0]], dtype=float)
TURNS = np.array([4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 40.0, 48.0])


def held(graph: PoseControlGraph, seconds: float) -> PoseControlGraph:
    """The graph with other hold times in its timed states."""
    return graph.changed(states=tuple(replace(s, hold=seconds) if s.hold > 0 else s for s in graph.states))


def speed_control(metres: float) -> tuple[SpeedControl, SpeedControl]:
    """Speed control forward, about so many metres a step, and to the side (section 5.1)."""
    return SpeedControl(FORWARD, metres, 0.75, 0.1), SpeedControl(LATERAL, 0.0, 0.5, 0.05, "lateral")


def _driven(bias: NDArray[np.float64]) -> BalancedWalk:
    """Walkers under speed control about 0.4 m per step, with composite variables and states of 0.25 s (section 5.1).

    Args:
        bias: [S, W] Q_bias of every step.
    """
    control = hip_control("SP", forward=FORWARD, lateral=LATERAL)
    targets = np.stack([bias, np.full_like(bias, 0.03)], axis=2)
    graph = held(human(servo=True), 0.25)
    return BalancedWalk(graph, control, walkers=bias.shape[1], targets=targets, speed=speed_control(0.4))


@cache
def speed_walk() -> WalkRecord:
    """Walks at various Q_bias, figures 5.1 to 5.3; those above 0.2 change to theirs in steps 8 to 18."""
    first = np.minimum(BIAS, 0.2)
    share = np.clip((np.arange(50) - 8) / 10, 0.0, 1.0)[:, None]
    return _driven(first + (BIAS - first) * share).walk(50)


@cache
def slow_walk() -> WalkRecord:
    """Walks almost in place: the swing foot lands ahead of the centre of mass."""
    control = hip_control("F-L", forward="swing-com.forward", lateral=LATERAL)
    share = np.clip((np.arange(40) - 6) / 16, 0.0, 1.0)[:, None]
    forward = SLOW * share
    targets = np.stack([forward, np.full_like(forward, 0.03)], axis=2)
    speed = [SpeedControl("swing-com.forward", 0.2, 0.3, 0.05)]
    return BalancedWalk(human(), control, walkers=len(SLOW), targets=targets, speed=speed).walk(40)


@cache
def changing_walk() -> WalkRecord:
    """Acceleration and deceleration within one walk, figure 5.4."""
    return _driven(np.interp(np.arange(60), [0, 12, 18, 30, 36], [0.2, 0.2, 0.32, 0.32, 0.2])[:, None]).walk(60)


UPRIGHT = np.round(np.arange(0.3, 0.426, 0.025), 3)


@cache
def upright_walk() -> WalkRecord:
    """Walks at various Q_bias with the pelvis's variables alone and states of 0.2 s; all start at 0.3 and go over to
    theirs in steps 8 to 18."""
    control = hip_control("F-L", forward=FORWARD, lateral="pelvis-up.lateral")
    share = np.clip((np.arange(50) - 8) / 10, 0.0, 1.0)[:, None]
    forward = 0.3 + (UPRIGHT - 0.3) * share
    targets = np.stack([forward, np.zeros_like(forward)], axis=2)
    speed = [SpeedControl(FORWARD, 0.3, 0.75, 0.1)]
    return BalancedWalk(human(servo=True), control, walkers=len(UPRIGHT), targets=targets, speed=speed).walk(50)


def _speeds(record: WalkRecord, bias: NDArray[np.float64]) -> tuple[float, str, bool]:
    """R² of a straight line through the steady speeds of the walks that stay up, what they were, and whether it rises
    through four or more."""
    stood = record.footsteps == len(record.values)
    steady = np.where(stood, record.speeds[-10:].mean(axis=0), np.nan)
    words = "m/s by Q_bias: " + ", ".join(f"{q:g}: {v:.2f}" for q, v in zip(bias, steady, strict=True))
    if stood.sum() < 3:
        return float("nan"), words, False
    line = np.polyfit(bias[stood], steady[stood], 1)
    fit = 1.0 - float(np.var(steady[stood] - np.polyval(line, bias[stood])) / np.var(steady[stood]))
    return fit, f"{words}; slope {line[0]:.2f}", bool(stood.sum() >= 4 and line[0] > 0)


def speed() -> Iterator[Row]:
    """Section 5.1."""
    for name, record, bias, how in (
        ("", speed_walk(), BIAS, "composite variables, states of 0.25 s"),
        ("-pelvis", upright_walk(), UPRIGHT, "the pelvis's variables alone, states of 0.2 s"),
    ):
        fit, words, rises = _speeds(record, bias)
        yield Row(
            f"speed-linear{name}",
            f"R² of a rising straight line through the steady speeds of all walks that stay up, Q_bias {bias[0]:g} to "
            f"{bias[-1]:g}, {how}; holds above 0.9 over at least 4 values",
            "linear about the nominal speed",
            None if np.isnan(fit) else round(fit, 3),
            "",
            bool(fit > 0.9 and rises),
            f"{words}; gain 0.75 and limit 0.1, half and two thirds of table 5.2's",
        )
    steady = np.where(speed_walk().footsteps == 50, speed_walk().speeds[-10:].mean(axis=0), np.nan)
    slow = slow_walk()
    crawl = np.where(slow.footsteps == 40, np.abs(np.nanmean(slow.speeds[-8:], axis=0)), np.nan)
    slowest = float(np.nanmin(crawl)) if np.isfinite(crawl).any() else float("nan")
    yield Row(
        "speed-slowest",
        "the slowest steady walk under speed control; holds below 0.2 m/s over 40 steps",
        "almost in place",
        round(slowest, 3) if np.isfinite(slowest) else None,
        "m/s",
        bool(slowest < 0.2),
        f"swing-COM variables, no servo, Q_bias {' '.join(f'{q:g}' for q in SLOW)}; the slowest with the pelvis's "
        f"is {float(np.nanmin(np.abs(steady))):.2f} m/s",
    )
    one = changing_walk()
    gains = [float(np.nanmean(one.speeds[a:b, 0])) for a, b in ((8, 13), (28, 35), (53, 60))]
    yield Row(
        "speed-changes",
        "speeds before, while and after Q_bias is raised within one walk of 60 steps; holds if the middle one "
        "is the fastest by"
        " 0.05 m/s and no walker falls",
        "accelerates and decelerates",
        " ".join(f"{g:.2f}" for g in gains),
        "m/s",
        bool(one.footsteps[0] == 60 and gains[1] > gains[0] + 0.05 and gains[1] > gains[2] + 0.05),
        f"{one.footsteps[0]} steps",
    )


@cache
def turn_walk(servo: bool) -> WalkRecord:
    """Right turns of various scalings, figures 5.7 and 5.9."""
    vector = "pelvis-up" if servo else "up"
    control = hip_control(
        "F-L" if servo else "SP", forward=f"{vector}.forward", lateral=f"{vector}.lateral", targets=(0.3, 0.0)
    )
    gait = GaitChange(load_perturbation("turn-right"), [(10, 0.0 * TURNS), (16, TURNS)])
    return BalancedWalk(human(servo=servo), control, walkers=len(TURNS), gaits=[gait]).walk(60)


def turn_radii(record: WalkRecord) -> NDArray[np.float64]:
    """[W] radius of the circles walked over the last 30 steps; NaN for the fallen, infinite for the straight."""
    turned = np.diff(np.unwrap(np.nan_to_num(record.heading[-31:]), axis=0), axis=0).mean(axis=0)
    radius = np.abs(record.step_lengths[-30:].mean(axis=0) / np.where(turned == 0, np.nan, turned))
    return np.where(record.footsteps == len(record.values), radius, np.nan)


def turning() -> Iterator[Row]:
    """Section 5.3."""
    for servo, paper in ((False, 2.5), (True, 0.75)):
        walk = turn_walk(servo)
        radii = turn_radii(walk)
        tightest = float(np.nanmin(radii)) if np.isfinite(radii).any() else float("nan")
        pairs = ", ".join(f"{k:g}: {r:.2f}" for k, r in zip(TURNS, radii, strict=True))
        yield Row(
            f"turn-radius{'-servo' if servo else ''}",
            f"the tightest turn {'with' if servo else 'without'} the torso servo; holds at {paper:g} m or less, "
            "a tenth more allowed",
            paper,
            round(tightest, 2) if np.isfinite(tightest) else None,
            "m",
            bool(tightest <= 1.1 * paper),
            f"radius by degrees of hip yaw: {pairs}",
        )


@cache
def path_walk(servo: bool = True) -> WalkRecord:
    """A path of ten points, figure 5.11."""
    vector = "pelvis-up" if servo else "up"
    control = hip_control(
        "F-L" if servo else "SP", forward=f"{vector}.forward", lateral=f"{vector}.lateral", targets=(0.3, 0.0)
    )
    follow = PathFollowing(load_perturbation("turn-right"), load_perturbation("turn-left"), PATH, reach=1.5, limit=12.0)
    return BalancedWalk(human(servo=servo), control, path=follow).walk(180)


def path() -> Iterator[Row]:
    """Section 5.3.1."""
    walk = path_walk()
    yield Row(
        "path-of-ten-points",
        "points reached, in order, of a path of ten; holds if all are",
        10,
        int(walk.reached[0]),
        "points",
        bool(walk.reached[0] == len(PATH)),
        f"{walk.footsteps[0]} steps, with the torso servo; a point counts within 1.5 m",
    )


STRIDES = ((0, 0.0), (15, 0.0), (18, 1.0), (30, 1.0), (36, -1.0), (48, -1.0), (51, 0.0))


@cache
def stride_walk() -> WalkRecord:
    """A stride that slows down and speeds up, figures 5.13 and 5.14."""
    control = hip_control("SP", forward=FORWARD, lateral=LATERAL, targets=(0.28, 0.03))
    gait = GaitChange(load_perturbation("stride-rate"), STRIDES)
    return BalancedWalk(held(human(servo=True), 0.25), control, gaits=[gait], speed=speed_control(0.4)).walk(60)


def stride_rate() -> Iterator[Row]:
    """Section 5.4."""
    walk = stride_walk()
    rates = 1.0 / (2.0 * np.diff(walk.times[:, 0]))
    late = rates[12:]
    low, high = (float(np.nanmin(late)), float(np.nanmax(late))) if np.isfinite(late).any() else (np.nan, np.nan)
    yield Row(
        "stride-rates",
        "slowest and fastest stride in one walk; holds if they reach 0.85 and 1.2 strides per second without a fall",
        "0.8 to 1.25",
        f"{low:.2f} to {high:.2f}",
        "1/s",
        bool(walk.footsteps[0] == 60 and low <= 0.85 and high >= 1.2),
        f"{walk.footsteps[0]} of 60 steps",
    )


POSTURES = {
    "bent-knee": ((15, 0.0), (33, 1.0), (40, 1.0), (58, 0.0)),
    "bent-over": ((15, 0.0), (17, 1.0), (30, 1.0), (32, 0.0)),
    "duck": ((15, 0.0), (33, 1.0), (40, 1.0), (58, 0.0)),
}
"""When each posture comes and goes: over 18 steps or, bending over, over 2."""


@cache
def posture_walk(name: str) -> WalkRecord:
    """A walk that goes into a posture and out of it, figures 5.16, 5.18 and 5.20."""
    control = hip_control("F-L", forward=FORWARD, lateral="pelvis-up.lateral", targets=(0.3, 0.0))
    gait = GaitChange(load_perturbation(name), POSTURES[name])
    return BalancedWalk(human(servo=True), control, gaits=[gait]).walk(65)


def postures() -> Iterator[Row]:
    """Section 5.5."""
    for name, keys in POSTURES.items():
        walk = posture_walk(name)
        yield Row(
            name,
            f"steps of a walk that goes into '{name}' and out again; holds at 65",
            65,
            int(walk.footsteps[0]),
            "steps",
            bool(walk.footsteps[0] == 65),
            "scaling by step: " + ", ".join(f"{s}: {k:g}" for s, k in keys),
        )


@cache
def running_walk() -> WalkRecord:
    """The walking graph with holds of 0.1 s, section 3.4."""
    targets = np.stack([np.round(np.arange(0.1, 0.451, 0.05), 2), np.zeros(8)], axis=1)
    return BalancedWalk(held(human(), 0.1), hip_control("F-L"), walkers=8, targets=targets).walk(40)


def running() -> Iterator[Row]:
    """Section 3.4: flight phases."""
    walk = running_walk()
    best = int(np.argmax(walk.footsteps))
    trace = walk.trace(best)
    feet = [i for i, p in enumerate(trace.figure.points) if p.foot is not None]
    touching = trace.contact[: int(trace.last[0]), 0][:, feet]
    aloft = float(np.mean(~touching.any(axis=1)))
    yield Row(
        "running",
        "share of time with no foot on the ground, with holds of 0.1 s; holds above 0.05 over at least 10 steps",
        "a limited form of running",
        round(aloft, 3),
        "",
        bool(aloft > 0.05 and walk.footsteps[best] >= 10),
        f"steps of 40 by Q_d 0.1 to 0.45: {' '.join(str(n) for n in walk.footsteps)}; it runs faster and faster until "
        "it falls",
    )


def feet() -> Iterator[Row]:
    """Whether feet stay where they are, in every kind of walk."""
    turns = turn_walk(True)
    walks: dict[str, tuple[WalkRecord, int]] = {
        "walk": (trial_walks("F-L", False), 4),
        "torso servo": (trial_walks("F-L", True), 4),
        "simplest human": (trial_walks("F-L", False, True), 3),
        "speed": (changing_walk(), 0),
        "path": (path_walk(), 0),
        "tightest turn": (turns, int(np.nanargmin(turn_radii(turns)))),
        "stride rate": (stride_walk(), 0),
        **{name: (posture_walk(name), 0) for name in POSTURES},
    }
    slips = {name: foot_slip(record.trace(w, rate=500.0), THESIS_GROUND) for name, (record, w) in walks.items()}
    yield Row(
        "feet-slide",
        "the farthest that a point of a foot that carries a tenth of the weight gets from where it came down, until "
        "30 ms before it leaves the ground, worst walk; holds below 2 cm",
        None,
        round(100.0 * max(s.slide for s in slips.values()), 2),
        "cm",
        bool(max(s.slide for s in slips.values()) < 0.02),
        "cm by walk, whatever it carries, and when it leaves: "
        + ", ".join(
            f"{name} {100.0 * s.slide:.1f}, {100.0 * s.scuff:.1f}, {100.0 * s.lift:.1f}" for name, s in slips.items()
        ),
    )
    yield Row(
        "feet-sink",
        "the deepest that a point of a foot sinks, worst walk; holds below the 3.5 cm that the thesis's ground gives "
        "under the whole weight on one point",
        None,
        round(100.0 * max(s.depth for s in slips.values()), 2),
        "cm",
        bool(max(s.depth for s in slips.values()) < 0.035),
        "cm by walk: " + ", ".join(f"{name} {100.0 * s.depth:.1f}" for name, s in slips.items()),
    )
