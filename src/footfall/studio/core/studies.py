"""Studies and searches of a controller, as the studio shows them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from footfall.control.registry import parse_controller, print_controller
from footfall.dynamics import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.methods.limit_cycle.perturbation import with_torso_servo
from footfall.studio.core.drawings import matplotlib_svg
from footfall.studio.core.drive import BalanceDrive


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a study found, or has found so far.

    Attributes:
        picture: HTML.
        words: a sentence.
        rows: a table of plain text, two or more columns.
        controller: the text of a controller that came out; empty for none.
        numbers: what was drawn.
    """

    picture: str = ""
    words: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    controller: str = ""
    numbers: Mapping[str, Any] = field(default_factory=dict)


class Progress(Protocol):
    """Takes the fraction done, a few words and what was found so far."""

    def __call__(self, part: float, words: str = "", sketch: Result | None = None) -> None: ...


@dataclass(frozen=True)
class Subject:
    """What is studied.

    Attributes:
        controller: its file's text.
        setting: that of the studio, as a dictionary.
        drive: how a walker is balanced step by step; None for one that is not.
    """

    controller: str
    setting: Mapping[str, Any]
    drive: Mapping[str, Any] | None = None

    def experiment(self, without: tuple[str, ...] = (), **parts: Any) -> Any:
        """The controller on the studio's terrain, from where that begins, with its friction, gravity and load.

        Args:
            without: numbers that are varied and not held.
            parts: of the experiment.
        """
        from footfall.clusters.jobs import usable_cores
        from footfall.study.sweeps.experiment import Experiment

        held = {"ground.friction": float(self.setting["friction"]), "body.load": float(self.setting["load"])}
        graph: Any = parse_controller(self.controller)
        return Experiment(
            self.controller if self.drive is None else with_torso_servo(graph, self.drive["servo"]),
            figure=self._figure(),
            terrain=str(self.setting["terrain"]),
            set={name: value for name, value in held.items() if name not in without},
            threads=max(1, usable_cores() - 1),  # the studio needs one
            **parts,
        )

    def balanced_gait(self, progress: Callable[[float], None] = lambda share: None) -> Any:
        """The walker as its steps are balanced one by one, on the studio's ground; None where they are not."""
        from footfall.study.trials.balanced import BalancedGait

        if self.drive is None:
            return None
        drive = BalanceDrive(**{**self.drive, "targets": tuple(self.drive["targets"])})
        ground = replace(Ground(**self.setting["hardness"]), friction=float(self.setting["friction"]))
        return BalancedGait(self.experiment(), drive.control, progress=progress, ground=ground)

    def unbalanced(self, study: str) -> None:
        """Refuse a walker that is balanced step by step, where a study knows nothing of that."""
        if self.drive is not None:
            raise FootfallError(
                f"{study}: this walker is balanced step by step, and only the push rose and the basin can do that; "
                "switch the balance off, or choose a SIMBICON controller"
            )

    def _figure(self) -> str:
        """The MJCF text of the controller's figure under the studio's gravity."""
        import mujoco

        spec = mujoco.MjSpec.from_string(Figure.load(parse_controller(self.controller).figure).xml)
        spec.option.gravity = [0.0, 0.0, -float(self.setting["gravity"])]
        return str(spec.to_xml())


FINE, COARSE = 0.00005, 0.0002
"""Seconds: steps of the return map, for planar figures and for larger ones."""
NEWTON = 8
CHUNK, MOST_WORLDS = 64, 4096


def stability_study(subject: Subject, progress: Progress, *, settle: float = 12.0) -> Result:
    """The fixed point of the gait's return map and its Floquet multipliers, after ``settle`` seconds of walking."""
    from footfall.study.stability import ReturnMap, plot_multipliers

    subject.unbalanced("stability")
    experiment = subject.experiment(settle=settle)
    dt = FINE if experiment.load_figure().root == "planar" else COARSE
    progress(0.02, "letting it walk until it has settled")
    gait = ReturnMap(experiment, dt)
    share = 0.85 / (NEWTON + 1)
    progress(0.1, f"looking for the fixed point, {gait.size} numbers")
    point = gait.fixed_point(
        iterations=NEWTON, progress=lambda k: progress(0.1 + (k + 1) * share, f"step {k + 1} of Newton's method")
    )
    progress(0.95, "letting a disturbance fade")
    decay, fitted = gait.decay(point)
    largest = float(np.abs(point.multipliers[0]))
    word = "stable: small disturbances fade" if point.stable else "NOT stable: small disturbances grow"
    rows = (
        (f"one {point.per}", f"{point.period:.3f} s"),
        ("largest multiplier, by differences", f"{largest:.3f}"),
        ("the same, by simulated decay", f"{abs(fitted):.3f}"),
        ("misses its fixed point by", f"{point.residual:.1e} rad"),
        ("time step of the map", f"{1e3 * dt:g} ms"),
    )
    return Result(
        picture=matplotlib_svg(plot_multipliers(point, decay, fitted), "multipliers"),
        words=f"{word}; a {point.per} multiplies them by {largest:.2f}",
        rows=rows,
        numbers={"largest": largest, "by_decay": abs(fitted), "stable": point.stable},
    )


def sweep_study(
    subject: Subject,
    progress: Progress,
    *,
    over: str = "",
    across: str = "",
    show: str = "survived",
    seconds: float = 20.0,
) -> Result:
    """A controller over a grid of one or two numbers, as ``footfall sweep`` has them.

    Args:
        subject: the walker.
        progress: called as it goes on.
        over, across: NAME=LOW:HIGH:COUNT; the second may be empty.
        show: the outcome to draw.
        seconds: of each world.
    """
    from footfall.study.sweeps.experiment import OUTCOMES
    from footfall.study.sweeps.factors import Design, parse_factor
    from footfall.study.sweeps.sweep import Sweep, plot_sweep

    subject.unbalanced("sweep")
    factors = [parse_factor(text) for text in (over.strip(), across.strip()) if text]
    if not factors:
        raise FootfallError("sweep: say what varies, as in ground.friction=0.1:1.0:10")
    design = Design.of(factors, 1, 0)
    if design.worlds > MOST_WORLDS:
        raise FootfallError(f"sweep: {design.worlds} worlds are too many here (at most {MOST_WORLDS}); "
                            "footfall sweep computes as many as you like")  # fmt: skip
    pushed = any(factor.name.startswith("push.") for factor in factors)
    lasts = {} if pushed else {"seconds": seconds}
    experiment = subject.experiment(tuple(factor.name for factor in factors), **lasts)
    study = Sweep(experiment, design, CHUNK)
    data = study.run(progress=lambda done, of: progress(max(done / of, 0.01), f"{done} of {of} worlds"))
    for name, axis in data.coords.items():
        if axis.attrs.get("units") == "rad":  # pages have degrees
            data = data.assign_coords({name: np.degrees(axis).assign_attrs(axis.attrs | {"units": "°"})})
    up, (unit, what) = int(data.survived.sum()), OUTCOMES[show]
    values = np.asarray(data[show], dtype=float)
    known = values[np.isfinite(values)]
    rows = [("worlds that stayed up", f"{up} of {design.worlds}")]
    if show not in ("survived", "fell", "diverged") and len(known):
        rows.append((show, f"{known.min():.3g} to {known.max():.3g} {unit}".rstrip()))
    return Result(
        picture=matplotlib_svg(plot_sweep(data, show), "sweep"),
        words=what,
        rows=tuple(rows),
        numbers={"survived": up, "worlds": design.worlds},
    )


PHASES = 4
SECONDS_AFTER = 4.0
PLANAR = {0.0: "forward", 90.0: "up", 180.0: "back", 270.0: "down"}
SPATIAL = {0.0: "forward", 90.0: "left", 180.0: "back", 270.0: "right"}


def rose_study(subject: Subject, progress: Progress, *, directions: int = 16, sizes: int | None = None) -> Result:
    """The hardest push from each direction that a controller survives, at four phases of its stride.

    Every size tried up to the limit passes too: each fourth one, and near the limit all. All pushes last 0.1 s; a
    planar figure is pushed in its plane. A walker that is balanced step by step is pushed early and late in a step of
    either leg, at every size in turn.

    Args:
        subject: what is pushed.
        progress: called as it goes on.
        directions: how many.
        sizes: how many forces are tried, by default 40 up to 1200 N; of a balanced walker 10 up to 600 N.
    """
    from footfall.pictures.plots import plot_rose
    from footfall.study.trials.pushing import GrowingRose, SettledGait, grow_rose

    most, usual, stride, early = (1200.0, 40, 4, 0.0) if subject.drive is None else (600.0, 10, 1, 0.5)
    sizes = usual if sizes is None else sizes
    if directions < 1 or sizes < 1:
        raise FootfallError(f"rose: {directions} directions of {sizes} sizes; give at least one of each")
    experiment = subject.experiment(settle=5.0, recovery=SECONDS_AFTER)
    planar = experiment.load_figure().root == "planar"
    gait = subject.balanced_gait(lambda share: progress(0.05 * share)) or SettledGait(experiment, 1, noise=0.0)
    if not gait.upright:
        raise FootfallError("the controller falls before it could be pushed: there is no rose to draw")
    progress(0.05)
    angles = 360.0 * np.arange(directions) / directions
    forces = most * (1 + np.arange(sizes)) / sizes
    phases = (np.arange(PHASES) + early) / PHASES
    worlds = 0

    def trial(way: Any, size: Any) -> Any:
        nonlocal worlds
        worlds += len(way) * PHASES
        turned = {"elevation" if planar else "angle": np.repeat(angles[way], PHASES)}
        survived, _ = gait.push(np.repeat(forces[size], PHASES), np.tile(phases, len(way)), **turned)
        return survived.reshape(-1, PHASES).all(axis=1)

    def drawn(found: GrowingRose) -> Result:
        limits, step = np.concatenate([[0.0], forces])[found.passed], float(forces[0])
        more = f"; where it says {most:.0f} N nothing harder was tried" if found.open.any() else ""
        plot = plot_rose(angles, limits, *((PLANAR, "E") if planar else (SPATIAL, "N")))
        return Result(
            picture=matplotlib_svg(plot, "rose"),
            words=f"{limits.min():.0f} to {limits.max():.0f} N, in steps of {step:.0f} N{more}; {worlds} pushes",
            numbers={"angles": angles.tolist(), "limits": limits.tolist(), "resolution": step, "worlds": worlds},
        )

    def report(part: float, found: GrowingRose) -> None:
        progress(0.05 + 0.95 * part, "", drawn(found))

    return drawn(grow_rose(trial, directions, sizes, report, stride))


def basin_study(subject: Subject, progress: Progress, *, count: int | None = None) -> Result:
    """Which changed starts a controller still walks from: the pitch of the torso (of a balanced walker: the pelvis) and
    the forward speed, each on a grid of ``count`` numbers, by default 21, of a balanced walker 11."""
    import xarray

    from footfall.study.sweeps.sweep import plot_sweep
    from footfall.study.trials.balanced import STARTED

    gait, experiment = subject.balanced_gait(), subject.experiment(seconds=6.0)
    figure = experiment.load_figure()
    if gait is None and figure.root != "planar":
        raise FootfallError("the basin is drawn for planar figures: pitch and forward speed of the start")
    reach, usual, how_long = (0.6, 21, "6 s") if gait is None else (0.3, 11, f"{STARTED} steps")
    count = usual if count is None else count
    x, y = np.linspace(-reach, reach, count), np.linspace(-2.5 * reach, 2.5 * reach, count)
    survived = np.zeros((count, count), dtype=bool)
    for i, pitch in enumerate(np.broadcast_to(x[:, None], (count, count))):
        if gait is None:
            survived[i] = experiment.run({"start.pitch": pitch, "start.x.rate": y})["survived"]
        else:
            survived[i] = gait.start(pitch, y)
        progress((i + 1) / count)
    axes = {"speed": (y, "speed of the start, changed by", "m/s"), "pitch": (np.degrees(x), "pitch, changed by", "°")}
    coords = {name: (name, at, {"factor": words, "units": unit}) for name, (at, words, unit) in axes.items()}
    picture = plot_sweep(xarray.Dataset({"survived": (tuple(axes), survived.T)}, coords))
    picture.axes[0].plot([0.0], [0.0], "o", color="white", markerfacecolor="none")
    return Result(
        picture=matplotlib_svg(picture, "basin"),
        words=f"{100.0 * float(survived.mean()):.0f} % of {survived.size} starts walk for {how_long} (green)",
        numbers={"x": x.tolist(), "y": y.tolist(), "survived": survived.tolist()},
    )


GOALS: Mapping[str, tuple[str, float]] = {
    "less torque": ("torque", 1.0),
    "less power": ("power", 1.0),
    "a lower cost of transport": ("transport", 1.0),
    "a smoother motion": ("smoothness", 1.0),
    "a steadier torso": ("torso_sway", 1.0),
    "harder pushes forward": ("push_forward", -1.0),
    "harder pushes backward": ("push_backward", -1.0),
    "more speed": ("speed", -1.0),
}
"""What a controller may be searched for: the measure, and whether it is to be small (1) or large (-1)."""


def optimize_study(
    subject: Subject,
    progress: Progress,
    *,
    goal: str = "less torque",
    keep: str = "",
    generations: int = 20,
    population: int = 16,
    name: str = "",
) -> Result:
    """Search the controller's angles, gains and times for a goal; speed and kind of gait stay.

    Args:
        subject: what it begins with, and on what.
        progress: called as it goes on.
        goal: one of :data:`GOALS`.
        keep: a bound, such as ``push_forward>=430``; empty for none.
        generations: of the search.
        population: candidates in each.
        name: of the new controller.
    """
    from footfall.study.search.cma_search import broken_bounds, change_rows, judged, plot_search, prepared_search
    from footfall.study.search.objective import Objective, ObjectiveTerm, parse_bound

    subject.unbalanced("optimise")
    objective = Objective((ObjectiveTerm(*GOALS[goal]),), (parse_bound(keep),) if keep.strip() else ())
    experiment = subject.experiment(recovery=4.0)
    progress(0.01, "measuring the controller as it is")
    search, base, kept = prepared_search(
        experiment, objective, any_speed=goal == "more speed", generations=generations, population=population
    )
    found = search.run(
        progress=lambda done, of, cost: progress(0.95 * done / of, f"generation {done} of {of}, cost {cost:.3f}"),
        base=base,
    )
    progress(0.96, "trying it from disturbed starts")
    found, (up, tried) = judged(found, search, experiment, experiment.name, name or f"{experiment.name}-optimised")
    broken = broken_bounds(search.objective, found.measures)
    words = "keeps every bound" if not broken else f"does NOT keep {'; '.join(broken)}"
    return Result(
        picture=matplotlib_svg(plot_search(found), "search"),
        words=f"{words}; up for 20 s from {up} of {tried} disturbed starts",
        rows=tuple(change_rows(found)),
        controller=print_controller(found.controller),
        numbers={"measures": found.measures, "base": found.base, "holds": found.holds, "kept": len(kept)},
    )


def adapt_study(
    subject: Subject, progress: Progress, *, figure: str = "", seconds: float = 120.0, generations: int | None = None
) -> Result:
    """Carry the controller to another body: scaled, then searched until it walks there.

    Args:
        subject: the controller; the studio's setting does not count here.
        progress: called as it goes on.
        figure: a built-in figure, or the file of a body.
        seconds: of searching.
        generations: at most.
    """
    from footfall.study.adaptation.adapting import adapt
    from footfall.study.search.cma_search import plot_generations

    graph: Any = parse_controller(subject.controller)

    def watch(row: Mapping[str, Any], _: Any) -> None:
        share = row["seconds"] / seconds if generations is None else row["generation"] / generations
        pushed = f", pushes of {row['push']:.0f} N" if row["push"] else ""
        words = f"{row['stage']}: {row['up']:.1f} s up, {row['speed']:.2f} m/s{pushed}"
        progress(0.05 + 0.7 * min(share, 1.0), words)

    progress(0.02, "scaling the controller, and compiling for the body where that is new")
    found = adapt(
        graph,
        figure,
        seconds=seconds if generations is None else None,
        generations=generations,
        watch=watch,
        progress=lambda share, what: progress((0.87 if what.startswith("push") else 0.75) + 0.12 * share, what),
    )
    answer = found.as_dict()
    rows = [
        ("hips higher by", f"{answer['length_ratio']:.2f} times"),
        ("heavier by", f"{answer['mass_ratio']:.2f} times"),
        ("scaled alone", f"up for {answer['scaled']['seconds_up']:.1f} of {answer['scaled']['of_seconds']:g} s"),
        ("generations", str(answer["generations"])),
        ("speed", f"{answer['speed_mps']:.2f} m/s of {answer['wanted_speed_mps']:.2f} asked for"),
    ]
    rows += [(f"pushes {way}", f"{limit:.0f} N") for way, limit in (answer["push_limits_n"] or {}).items()]
    judged = [f"{one['up']} of {one['tried']} disturbed starts stay up for 60 s" for one in answer["trials"]]
    columns = {"cost": "cost", "up": "up [s]", "speed": "pace [m/s]", "push": "push [N]"}
    return Result(
        picture=matplotlib_svg(plot_generations(found.history, columns), "generations") if found.history else "",
        words="; ".join([*(judged or ["ended early, so it was not judged"]), *answer["notes"]]),
        rows=tuple(rows),
        controller=print_controller(found.controller),
        numbers={"trials": answer["trials"], "scaled": answer["scaled"]},
    )


def find_gait_study(
    subject: Subject,
    progress: Progress,
    *,
    goal: str = "walk-3d",
    data: str = "",
    own: bool = False,
    seconds: float = 120.0,
    population: int = 64,
) -> Result:
    """Search for a gait in space that meets a goal: natural first, then as sturdy as it can be.

    Args:
        subject: begins the search where ``own`` is set, else the goal's own controller does.
        progress: called as it goes on.
        goal: one of footfall's.
        data: a folder with people's tables, for goals that compare with them.
        seconds: of searching.
        population: candidates.
    """
    from footfall.study.gaits.find import find_gait
    from footfall.study.gaits.goal import load_goal
    from footfall.study.measures.table import MEASURES
    from footfall.study.search.cma_search import plot_generations

    base: Any = parse_controller(subject.controller) if own else None

    def told(spent: float, row: Mapping[str, float]) -> None:
        words = f"cost {row['cost']:.0f}, {row['speed']:.2f} m/s, {100 * row['pushes_survived']:.0f} % of pushes"
        progress(0.02 + 0.95 * min(spent / seconds, 1.0), words)

    progress(0.01, "compiling for the search where that is new")
    found = find_gait(
        load_goal(goal), seconds=seconds, population=population, norms=data or None, base=base, progress=told
    )
    measures = found.measures
    rows = [
        (MEASURES[name].title, f"{measures[name]:.3g}" if math.isfinite(measures[name]) else "—", MEASURES[name].unit)
        for name in ("speed", "step_time", "step_width", "double_support_share")
        if name in measures
    ]
    survived = f"{100.0 * measures['pushes_survived']:.3g}"
    rows.append((f"pushes of {found.scale:.2f} times the paper's", survived, "% survived"))
    early = "; ended early" if found.interrupted else ""
    columns = {"cost": "cost", "speed": "speed [m/s]", "scale": "pushes"}
    return Result(
        picture=matplotlib_svg(plot_generations(found.history, columns), "generations"),
        words=f"the best of {len(found.history)} generations of {population}{early}",
        rows=tuple(rows),
        controller=print_controller(found.controller),
        numbers={"measures": dict(measures), "generations": len(found.history)},
    )


STUDIES: dict[str, Callable[..., Result]] = {
    "rose": rose_study,
    "basin": basin_study,
    "stability": stability_study,
    "sweep": sweep_study,
    "optimise": optimize_study,
    "adapt": adapt_study,
    "find-gait": find_gait_study,
}


def study(name: str, subject: Subject, progress: Progress, **options: Any) -> Result:
    """A study by its name; ``options`` are its function's."""
    if name not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    return STUDIES[name](subject, progress, **options)
