"""A what-if study: a walk on its own body, the same walk once the body is changed, and the walk that adapted to it.

A change (a weak joint, a stiff one, a shorter leg, a prosthetic foot, a load on one side) makes of a figure and a
controller another figure and controller. A symmetric controller is written out for both sides, so that each may change
by itself; a search over its own numbers then looks for a steady walk with little effort. Nothing asks it to be even:
whoever limps with less effort may limp. What a change takes away is not free: neither the servos' gains, since strength
is what is lost, nor the targets of a prosthetic ankle.

All three walks are analysed as a gait laboratory does, and walk from disturbed starts that no search has seen.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Start
from footfall.control.registry import save_controller
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure, Side
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph, ServoGains, Target
from footfall.methods.simbicon.table import GraphTable
from footfall.pictures.web_page import Verdict
from footfall.simulation import Simulation
from footfall.study.gait_lab.analysis import Analysis, analyse, simulated_walk
from footfall.study.gaits.find import GoalSearch
from footfall.study.gaits.goal import Goal, Pushes, goal_trials
from footfall.study.search.evolution import Evolution
from footfall.study.search.free_numbers import FreeNumbers, changed_graph
from footfall.study.trials.bench import Judge, disturbed
from footfall.study.trials.final import FAR_SEED
from footfall.study.trials.starts import settled_start
from footfall.text_files import write_whole

__all__ = [
    "JudgedWalk",
    "Load",
    "Prosthesis",
    "Shorter",
    "StartTrial",
    "Stiff",
    "Weak",
    "WhatIf",
    "parse_change",
    "what_if",
]

PROSTHETIC_SPRING, PROSTHETIC_DAMPER = 300.0, 3.0
"""N m/rad and N m s/rad of a prosthetic foot's ankle, for a body of 75 kg: about as stiff as a person's ankle is in the
middle of stance."""
PROSTHETIC_MASS = 0.7
"""Kilograms of a prosthetic foot."""
BESIDE = 0.25
"""Metres from the body's middle to a load on one side."""


@dataclass(frozen=True)
class ChangedWalker:
    """A figure with its controller.

    Attributes:
        figure, graph: which.
        fixed: joints whose targets are not free.
    """

    figure: Figure
    graph: PoseControlGraph
    fixed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Weak:
    """A joint with a share of its strength: servo gains and torque limit."""

    joint: str
    share: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= 1.0:
            raise FootfallError(f"weak '{self.joint}:{self.share:g}': the share of strength that is left is 0 to 1")

    def __str__(self) -> str:
        return f"{self.joint.replace('_', ' ')} with {100 * self.share:g} % of its strength"

    def applied(self, walker: ChangedWalker) -> ChangedWalker:
        """The walker with it."""
        table = GraphTable(walker.graph, walker.figure)
        own = dict(walker.graph.servo.joints)
        for joint in _joints(walker.figure, self.joint):
            kp, kd, limit = (self.share * table.value(f"{joint}.{part}") for part in ("kp", "kd", "torque_limit"))
            own[joint] = ServoGains(kp, kd, limit if np.isfinite(limit) else None)
        return replace(walker, graph=_with_gains(walker.graph, own))


@dataclass(frozen=True)
class Stiff:
    """A joint that flexes by no more than some degrees from straight, as in a brace."""

    joint: str
    degrees: float

    def __post_init__(self) -> None:
        if not 0.0 < self.degrees <= 180.0:
            raise FootfallError(f"stiff '{self.joint}:{self.degrees:g}': give the degrees that it bends, above 0")

    def __str__(self) -> str:
        return f"{self.joint.replace('_', ' ')} that bends by no more than {self.degrees:g}°"

    def applied(self, walker: ChangedWalker) -> ChangedWalker:
        """The walker with it."""
        import mujoco

        figure, graph = walker.figure, walker.graph
        spec = mujoco.MjSpec.from_string(figure.xml)
        unit = np.degrees(1.0) if spec.compiler.degree else 1.0
        most = np.radians(self.degrees)
        start = graph.start
        qpos = np.array(start.qpos) if start is not None else np.zeros(0)
        for name in _joints(figure, self.joint):
            joint = figure.joint(name)
            low, high = max(joint.lower, -most), min(joint.upper, most)
            spec.joint(name).range = [unit * low, unit * high]
            spec.joint(name).limited = True
            if len(qpos):
                qpos[joint.qpos] = np.clip(qpos[joint.qpos], low, high)
        if start is not None:
            graph = graph.changed(start=Start(tuple(qpos.tolist()), start.qvel, start.state))
        return replace(walker, figure=Figure.load(spec.to_xml()), graph=graph)


@dataclass(frozen=True)
class Shorter:
    """A leg that is shorter by some metres, in its shank."""

    side: Side
    metres: float

    def __str__(self) -> str:
        return f"{self.side} leg {100 * self.metres:g} cm shorter"

    def applied(self, walker: ChangedWalker) -> ChangedWalker:
        """The walker with it."""
        figure = walker.figure
        leg = figure.legs[self.side]
        shank, foot = leg.links[-2], leg.foot
        params = figure.body_parameters()
        length = float(np.linalg.norm(params.position[0, params.names.index(foot)]))
        if not 0.0 < self.metres < 0.5 * length:
            raise FootfallError(
                f"shorter '{self.side}:{self.metres:g}': give metres above 0 and below half the shank's {length:.2f} m"
            )
        return replace(walker, figure=figure.with_body_parameters(params.scaled(shank, 1.0 - self.metres / length)))


@dataclass(frozen=True)
class Prosthesis:
    """A prosthetic foot: an ankle that is a spring, and a light foot."""

    side: Side

    def __str__(self) -> str:
        return f"prosthetic {self.side} foot"

    def applied(self, walker: ChangedWalker) -> ChangedWalker:
        """The walker with it."""
        figure, ankle = walker.figure, walker.figure.legs[self.side].ankle
        params = figure.body_parameters()
        mass = float(params.mass.sum())
        spring, damper = (value * mass / 75.0 for value in (PROSTHETIC_SPRING, PROSTHETIC_DAMPER))
        foot = figure.legs[self.side].foot
        light = min(PROSTHETIC_MASS * mass / 75.0, float(params.mass[0, params.names.index(foot)]))
        own = dict(walker.graph.servo.joints) | {joint: ServoGains(spring, damper, None) for joint in ankle}
        states = [
            replace(state, targets={**state.targets, **{joint: Target(0.0) for joint in ankle}})
            for state in walker.graph.states
        ]
        graph = _with_gains(walker.graph, own).changed(states=tuple(states))
        return ChangedWalker(figure.with_body_parameters(params.with_mass(foot, light)), graph, walker.fixed | {*ankle})


@dataclass(frozen=True)
class Load:
    """Kilograms that are carried on one side, fixed to the pelvis beside the hip."""

    side: Side
    kilograms: float

    def __post_init__(self) -> None:
        if not self.kilograms > 0.0:
            raise FootfallError(f"load '{self.side}:{self.kilograms:g}': give kilograms above 0")

    def __str__(self) -> str:
        return f"{self.kilograms:g} kg on the {self.side} side"

    def applied(self, walker: ChangedWalker) -> ChangedWalker:
        """The walker with it."""
        params = walker.figure.body_parameters()
        root = params.names[0]
        place = params.com[0, 0] + np.array([0.0, BESIDE if self.side == "left" else -BESIDE, 0.0])
        return replace(walker, figure=walker.figure.with_body_parameters(params.with_load(root, self.kilograms, place)))


Change = Weak | Stiff | Shorter | Prosthesis | Load


def _side(option: str, text: str) -> Literal["left", "right"]:
    if text == "left":
        return "left"
    if text == "right":
        return "right"
    raise FootfallError(f"{option} '{text}': write left or right")


CHANGES: Mapping[str, tuple[str, Callable[[str, float], Change]]] = {
    "weak": ("left_ankle:0.5", Weak),
    "stiff": ("left_knee:10", Stiff),
    "shorter": ("left:0.03", lambda side, metres: Shorter(_side("shorter", side), metres)),
    "load": ("left:10", lambda side, kilograms: Load(_side("load", side), kilograms)),
    "prosthesis": ("left", lambda side, _: Prosthesis(_side("prosthesis", side))),
}
"""Option -> an example, and the change that a name and a number make."""


def parse_change(option: str, text: str) -> Change:
    """A change from words: ``weak`` ``left_ankle:0.5``, ``stiff`` ``left_knee:10`` (degrees), ``shorter`` ``left:0.03``
    (metres), ``load`` ``left:10`` (kilograms), ``prosthesis`` ``left``."""
    example, make = CHANGES[option]
    name, colon, number = text.partition(":")
    try:
        if bool(colon) != (":" in example):
            raise ValueError
        value = float(number) if colon else 0.0
    except ValueError:
        raise FootfallError(f"{option} '{text}': write it as in {option} {example}") from None
    return make(name, value)


def _joints(figure: Figure, name: str) -> tuple[str, ...]:
    """The joints that a name means: one joint, or all of a hip, a knee or an ankle, as in left_ankle."""
    names = [joint.name for joint in figure.joints]
    places: dict[str, tuple[str, ...]] = {}
    for side, leg in figure.legs.items():
        places |= {f"{side}_hip": leg.hip, f"{side}_knee": leg.knee, f"{side}_ankle": leg.ankle}
    if name in places:
        return places[name]
    if name in names:
        return (name,)
    raise unknown_name(f"joint of figure '{figure.name}'", name, [*places, *names])


def _with_gains(graph: PoseControlGraph, joints: Mapping[str, ServoGains]) -> PoseControlGraph:
    return graph.changed(servo=replace(graph.servo, joints=dict(joints)))


def two_sided(graph: PoseControlGraph, figure: Figure) -> PoseControlGraph:
    """The same controller with states of its own for left and right stance, and targets by the joints' own names."""
    if not graph.symmetric:
        return graph
    written = GraphTable(graph, figure).states
    labels = [f"{graph.labels[k % len(graph.states)]}-{w.state.stance}" for k, w in enumerate(written)]
    states = [
        replace(
            w.state,
            targets=w.targets,
            next=w.state.next if w.state.next == "end" else labels[w.after],
            exchange=False,
            disturbed=labels[w.disturbed] if w.disturbed >= 0 else "",
            name=labels[k],
        )
        for k, w in enumerate(written)
    ]
    return graph.changed(symmetric=False, states=tuple(states))


Array = NDArray[np.float64]
Progress = Callable[[float, str], None]

ANGLE_STEP, SPEED_STEP = 0.08, 0.1
"""First steps of target angles, radians, and of the desired speed, m/s."""
LIMIT_STEP, LIMITS = 0.08, (0.1, 1.5)
"""First step and range of the limits of v beyond which a walk takes quick steps, m/s."""
FEEDBACK_STEPS = {"c_d": 0.1, "c_v": 0.05}
LEAN = 0.3
"""Radians to which the torso's targets are bound."""
PACE = 0.05
"""By how much the speed may miss, as a share."""
SLACK, WIDTHS = 0.15, (0.03, 0.2)
"""By how much the time of a step may differ, as a share, and where the step width may be, metres."""
STANDING = 1000.0
"""A cost below this is that of a candidate that stayed up."""


def adapting_goal(walker: ChangedWalker, speed: float, step_time: float) -> Goal:
    """What is free of a walker's two-sided controller, and what is wanted: to walk at ``speed``, m/s, with steps of
    about ``step_time`` seconds."""
    figure, graph = walker.figure, walker.graph
    numbers: dict[str, float] = {"speed": SPEED_STEP}
    if graph.recovery is not None:
        numbers |= dict.fromkeys(("slower", "faster", "sideways"), LIMIT_STEP)
    limits: dict[str, tuple[float, float]] = dict.fromkeys(("slower", "faster", "sideways"), LIMITS)
    for label, state in zip(graph.labels, graph.states, strict=True):
        swing = figure.legs["right" if state.stance == "left" else "left"]
        joints = {j for leg in figure.legs.values() for j in (*leg.knee, *leg.ankle)} | {*swing.hip}
        for name, target in state.targets.items():
            torso = name in ("torso", "torso_roll")
            if not torso and (name not in joints or name in walker.fixed or name.endswith(("_yaw", "ankle_roll"))):
                continue
            numbers[f"{label}.{name}.angle"] = ANGLE_STEP
            if torso:
                limits[f"{label}.{name}.angle"] = (-LEAN, LEAN)
            elif not target.world:
                joint = figure.joint(name)
                limits[f"{label}.{name}.angle"] = (joint.lower, joint.upper)
            if name in swing.hip:
                numbers |= {f"{label}.{name}.{part}": step for part, step in FEEDBACK_STEPS.items()}
    return Goal(
        name=graph.name,
        base=graph.name,
        numbers=numbers,
        limits=limits,
        want={
            "speed": (speed * (1.0 - PACE), speed * (1.0 + PACE), 300.0),
            "step_time": ((1.0 - SLACK) * step_time, (1.0 + SLACK) * step_time, 1000.0),
            "step_width": (*WIDTHS, 600.0),
            "flight": (0.0, 0.01, 300.0),
        },
        less={"torque": 4e-4, "joint_acceleration": 0.08, "drift": 60.0, "turn": 200.0},
        pushes=Pushes(scale=0.15, step=0.02, highest=0.4, phases=1, weight=60.0),
    )


@dataclass(frozen=True)
class JudgedWalk:
    """What a search found for a changed walker.

    Attributes:
        controller: the best that was found, with a start in its own cycle.
        cost: of it in the final judgement.
        own_cost: of the unadapted controller in the same one.
        generations: of the search.
    """

    controller: PoseControlGraph
    cost: float
    own_cost: float
    generations: int


def adapted_walk(
    walker: ChangedWalker,
    speed: float,
    step_time: float,
    *,
    seconds: float,
    population: int,
    seed: int,
    device: str,
    progress: Progress | None,
) -> JudgedWalk:
    """The controller that a search finds for a changed walker, judged at the end beside the walker's own.

    Args:
        walker: with a controller for both sides (``two_sided``).
        speed: to walk at, m/s.
        step_time: about which its steps should take, seconds.
        seconds, population, seed, device, progress: as :func:`what_if` takes them.
    """
    goal = adapting_goal(walker, speed, step_time)
    free = FreeNumbers(goal, walker.graph, walker.figure)
    plan = goal_trials(goal, walker.graph, walker.figure, device=device, seed=seed)
    evolution = Evolution(0.5, population=population, seed=seed)
    search = GoalSearch(
        goal, free, Judge(plan, population), evolution, goal.pushes.scale, shrinks=False, own_first=True
    )

    def report(spent: float) -> None:
        if progress is not None:
            words = f"generation {len(search.history)}, cost {evolution.least:.0f}"
            progress(min(spent / seconds, 1.0), words)

    if search.run(seconds, report):
        raise KeyboardInterrupt
    finalists = np.array([evolution.mean, evolution.best, np.zeros(len(free))])
    costs, _ = search.judged_again(finalists)
    winner = int(np.argmin(costs[:-1]))
    if min(costs) >= STANDING:
        raise FootfallError(
            f"no walk was found in {seconds:g} s of searching ({len(search.history)} generations): every candidate "
            "fell; give it longer (--seconds), or a smaller change"
        )
    found = changed_graph(walker.graph, free.at(finalists[winner]))
    start = settled_start(found, walker.figure) or found.start
    return JudgedWalk(found.changed(start=start), costs[winner], costs[-1], len(search.history))


STARTS, TRIAL_SECONDS, TRIAL_DT = 20, 20.0, 0.001
NOISE = (0.01, 0.05)
"""Of joint angles, radians, and of velocities, of the disturbed starts."""
TOO_SLOW = 0.2
"""Share of the wanted speed by which an adapted walk may miss it without a word."""


@dataclass(frozen=True)
class StartTrial:
    """How many of n disturbed starts stayed up for 20 s, and the mean seconds until those that fell did."""

    up: int
    tried: int
    fell_after: float

    def __str__(self) -> str:
        fell = "" if self.up == self.tried else f"; the others fall after {self.fell_after:.1f} s on average"
        return f"{self.up} of {self.tried} disturbed starts stay up for 20 s{fell}"


@dataclass(frozen=True, eq=False)
class WhatIf:
    """The outcome of a study.

    Attributes:
        name: of the controller.
        changes: what was changed.
        controller, figure: the adapted controller and the changed body.
        before, unadapted, after: analyses; None where it falls too soon for a whole gait cycle.
        trials: "before", "unadapted" and "after" -> trial.
        generations: of the search.
        pace: m/s that the search wanted.
        refused: why nothing that was found is better than the unadapted walk; then ``controller`` and
            ``after`` are those of the unadapted walk. Empty where it adapted.
    """

    name: str
    changes: tuple[str, ...]
    controller: PoseControlGraph
    figure: Figure
    before: Analysis
    unadapted: Analysis | None
    after: Analysis
    trials: dict[str, StartTrial]
    generations: int
    pace: float
    refused: str = ""

    @property
    def verdict(self) -> str:
        """What is wrong with the adapted walk, in a sentence; empty where it walks as fast as it should."""
        if self.refused:
            return (
                f"nothing better than the unadapted walk was found in {self.generations} generations ({self.refused}), "
                "so the unadapted walk is the result; search longer (--seconds)"
            )
        if abs(self.after.speed - self.pace) <= TOO_SLOW * self.pace:
            return ""
        return (
            f"the adapted walk goes at {self.after.speed:.2f} m/s, where {self.pace:.2f} m/s were wanted: the search "
            f"of {self.generations} generations was too short, or this body cannot; search longer (--seconds)"
        )

    @property
    def told(self) -> Verdict:
        """What its page says first."""
        last, columns = self.trials["before" if self.refused else "after"], ("before", "unadapted", "after")
        last = self.trials["unadapted"] if self.refused and "unadapted" in self.trials else last
        tried = "; ".join(f"{key}: {self.trials[key]}" for key in columns if key in self.trials)
        came = self.verdict or f"adapted in {self.generations} generations: {self.after.speed:.2f} m/s"
        asked = f"{self.name} with {', '.join(self.changes)}, at {self.pace:.2f} m/s"
        return Verdict(asked, came, tried, last.up == last.tried)

    @property
    def analyses(self) -> list[Analysis]:
        """Those that there are, in order."""
        after = None if self.refused else self.after
        return [a for a in (self.before, self.unadapted, after) if a is not None]

    def save_controller(self, path: str | Path) -> tuple[Path, Path]:
        """Write the adapted controller (.toml) and its body beside it (.xml); both paths."""
        path = Path(path)
        body = path.with_suffix(".xml")
        write_whole(body, self.figure.xml.encode())
        save_controller(self.controller.changed(figure=str(body.resolve()), name=path.stem), path)
        return path, body


def what_if(
    controller: str | Path | PoseControlGraph,
    changes: Sequence[Change] = (),
    *,
    speed: float | None = None,
    seconds: float = 120.0,
    watch: float = 12.0,
    norms: str | Path | None = None,
    population: int = 16,
    seed: int = 1,
    device: str = "cpu",
    progress: Progress | None = None,
) -> WhatIf:
    """Change a walker's body, let its walk adapt, and analyse it before and after.

    Args:
        controller: a SIMBICON walk in space: its name, its file, or itself.
        changes: what is changed of the body, in order.
        speed: to walk at afterwards, m/s; by default as fast as before.
        seconds: of searching.
        population, seed: of the search.
        watch: seconds of walking that are analysed.
        norms: a folder with people's tables; None for no comparison.
        device: "cpu" or "cuda", of the search.
        progress: called with the share of the search done and a few words.
    """
    graph = controller if isinstance(controller, PoseControlGraph) else load_graph(str(controller))
    figure = Figure.load(graph.figure)
    if figure.root != "free" or not figure.legs:
        raise FootfallError(f"what-if: '{graph.name}' is not a 3D walk on two legs; choose one such as walk-3d")
    if not changes and speed is None:
        raise FootfallError(
            "what-if: nothing is changed; give a change (--weak left_ankle:0.5) or a speed (--speed 0.8)"
        )
    if speed is not None and not 0.05 <= speed <= 4.0:
        raise FootfallError(f"what-if: speed is {speed:g}; give 0.05 to 4 m/s")
    walker = ChangedWalker(figure, two_sided(graph, figure))
    for change in changes:
        walker = change.applied(walker)
    words = tuple(str(change) for change in changes) + ((f"at {speed:g} m/s",) if speed is not None else ())
    before = analyse(simulated_walk(graph, watch, figure=figure), norms=norms, name=f"{graph.name}, before")
    trials = {"before": _trial(graph, figure, seed), "unadapted": _trial(walker.graph, walker.figure, seed)}
    unadapted = _analysed(walker.graph, walker.figure, watch, norms, f"{', '.join(words)}: not adapted")
    pace = before.speed if speed is None else speed
    adapted = adapted_walk(
        walker,
        pace,
        before.parameters["step_time"]["both"].mean * float(np.sqrt(before.speed / pace)),
        seconds=seconds,
        population=population,
        seed=seed,
        device=device,
        progress=progress,
    )
    about = f"'{graph.name}' adapted to: {', '.join(words)}. Found by `footfall what-if`."
    found = adapted.controller.changed(name=f"{graph.name}-adapted", about=about)
    after = _analysed(found, walker.figure, watch, norms, f"{', '.join(words)}: adapted")
    trials["after"] = _trial(found, walker.figure, seed)
    refused = _worse(adapted, after, trials)
    if refused and unadapted is not None:
        about = f"'{graph.name}' with {', '.join(words)}, not adapted: `footfall what-if` found nothing better."
        found, after = walker.graph.changed(name=f"{graph.name}-unadapted", about=about), unadapted
        trials["after"] = trials["unadapted"]
    if after is None:
        raise FootfallError(
            f"what-if: the walk that was found falls before a whole gait cycle; search for longer than {seconds:g} s"
        )
    refused = refused if after is unadapted else ""
    return WhatIf(
        graph.name, words, found, walker.figure, before, unadapted, after, trials, adapted.generations, pace, refused
    )


def _worse(adapted: JudgedWalk, after: Analysis | None, trials: Mapping[str, StartTrial]) -> str:
    """Why the walk that was found is not better than the unadapted one; empty where it is: it stays up from
    no fewer of the disturbed starts, and it costs less in the final judgement of both."""
    if after is None:
        return "the best one found falls before a whole gait cycle"
    if trials["after"].up < trials["unadapted"].up:
        return (
            f"the best one found stays up from {trials['after'].up} of {trials['after'].tried} disturbed starts, the"
            f" unadapted one from {trials['unadapted'].up}"
        )
    if adapted.cost >= adapted.own_cost:
        return f"the best one found costs {adapted.cost:.0f}, the unadapted one {adapted.own_cost:.0f}"
    return ""


def _analysed(
    graph: PoseControlGraph, figure: Figure, seconds: float, norms: str | Path | None, name: str
) -> Analysis | None:
    try:
        return analyse(simulated_walk(graph, seconds, figure=figure), norms=norms, name=name)
    except FootfallError:
        return None


def _trial(graph: PoseControlGraph, figure: Figure, seed: int) -> StartTrial:
    simulation = Simulation(graph, figure=figure, worlds=STARTS, dt=TRIAL_DT)
    rng = np.random.default_rng(seed + FAR_SEED)
    simulation.restore(disturbed(simulation.snapshot(), figure, rng, NOISE))
    outcome = simulation.run(TRIAL_SECONDS)
    fallen = outcome.end_time[~outcome.survived]
    return StartTrial(int(outcome.survived.sum()), STARTS, float(fallen.mean()) if len(fallen) else float("nan"))
