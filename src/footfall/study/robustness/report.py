"""Robustness: one battery of tests for every controller, so that controllers can be compared on the same body.

    push_forward, push_backward (and push_left, push_right in 3D)
        newtons of a push to the torso, of 0.1 s unless asked otherwise: the strict limit over 20 phases of the stride
        and 5 perturbed starts
    ten_forward, ten_backward
        the same by SIMBICON, section 7.1: ten pushes, 5 s apart, from one start
    step_up, step_down, slope_up, slope_down, rough
        metres per step (ten steps, 1.2 m apart), degrees, metres of random steps (three grounds)
    torque_limit, friction      the least that it walks with
    sensor_delay, actuator_delay    the largest that it walks with, seconds (torques in steps of 0.1 ms: late servos are
                                explicit)
    thigh_longer, thigh_shorter, heavier, load
        factors and kilograms on the torso

Every margin but the ten pushes is strict: going out from the nominal value, everything up to it passed, from every
perturbed start. A terrain is passed by crossing it; a gait that does not travel has no such margin.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from footfall.clusters.chunk_folder import ChunkFolder, Results, run_kept
from footfall.clusters.jobs import run_jobs
from footfall.control.registry import law_of
from footfall.errors import MOST_CANDIDATES, FootfallError, check_whole
from footfall.figures import Figure
from footfall.pictures.page import LETTERS, LINE_COLOURS, TEXT, dress, empty_figure, save_figure
from footfall.push import Push
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import PushLimit, SettledGait, push_limit, strict_threshold, ten_push_limit
from footfall.text_files import write_whole

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]
Progress = Callable[[float, str], None]

LIMIT = "torque_limit"
"""The parameter that says how weak the motors are, of laws that have it."""
REACH = 14.0
"""Metres to cross on a terrain: its ten steps and two metres."""


@dataclass(frozen=True)
class Margin:
    """How far one condition may go.

    Attributes:
        name, unit, what: as listed above.
        value: the strict limit; None where the test does not apply, with the reason in ``note``.
        open: whether nothing failed as far as was tried.
        least: whether it is the least value that passes, not the largest.
    """

    name: str
    unit: str
    what: str
    value: float | None
    open: bool = False
    note: str = ""
    least: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The margin as JSON has it, without its name."""
        return {k: v for k, v in vars(self).items() if k != "name"}

    def text(self) -> str:
        """The value for a table."""
        if self.value is None:
            return "—"
        return f"{('≤ ' if self.least else '≥ ') if self.open else ''}{self.value:.4g}"


@dataclass(frozen=True)
class RobustnessReport:
    """The margins of one controller, with the push limits behind them."""

    controller: str
    figure: str
    push_body: str
    push_place: str
    margins: tuple[Margin, ...]
    pushes: dict[str, PushLimit]

    def margin(self, name: str) -> Margin:
        """One margin by name."""
        for m in self.margins:
            if m.name == name:
                return m
        raise FootfallError(f"report of '{self.controller}' has no '{name}'; it has: {', '.join(self.names)}")

    @property
    def names(self) -> list[str]:
        """Names of the margins."""
        return [m.name for m in self.margins]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        margins = {m.name: m.as_dict() for m in self.margins}
        pushed = {"push_body": self.push_body, "push_place": self.push_place}
        return {"controller": self.controller, "figure": self.figure, **pushed, "margins": margins}

    def to_pandas(self) -> "pd.DataFrame":
        """A table with a row for each margin, by name."""
        import pandas as pd

        return pd.DataFrame([vars(m) for m in self.margins]).set_index("name")


@dataclass(frozen=True)
class _Walk:
    """A test by walking: a ladder of values of one name, from nominal outward."""

    name: str
    unit: str
    what: str
    factor: str
    ladder: tuple[float, ...]
    terrain: str | None = None
    sign: float = 1.0
    grounds: int = 1
    dt: float | None = None


def _ladder(low: float, high: float, count: int) -> tuple[float, ...]:
    return tuple(float(v) for v in np.linspace(low, high, count))


BATTERY: tuple[_Walk, ...] = (
    _Walk("step_up", "m", "ten steps up, each", "terrain.rise", _ladder(0.01, 0.30, 30), "steps:0"),
    _Walk("step_down", "m", "ten steps down, each", "terrain.rise", _ladder(0.01, 0.40, 40), "steps:0", -1.0),
    _Walk("slope_up", "°", "slope up", "terrain.degrees", _ladder(0.5, 20.0, 40), "slope:0,2,200"),
    _Walk("slope_down", "°", "slope down", "terrain.degrees", _ladder(0.5, 20.0, 40), "slope:0,2,200", -1.0),
    _Walk("rough", "m", "random steps", "terrain.rise", _ladder(0.01, 0.20, 20), "random-steps:0", 1.0, 3),
    _Walk("torque_limit", "N m", "least torque limit", LIMIT, _ladder(400.0, 20.0, 39)),
    _Walk("friction", "", "least friction", "ground.friction", _ladder(0.65, 0.05, 25)),
    _Walk("sensor_delay", "s", "delay of the senses", "sensor_delay", _ladder(0.002, 0.120, 60)),
    _Walk("actuator_delay", "s", "delay of the torques", "actuator_delay", _ladder(0.0001, 0.004, 40), dt=0.0001),
    _Walk("thigh_longer", "×", "thighs longer", "body.thigh", _ladder(1.02, 1.60, 30)),
    _Walk("thigh_shorter", "×", "thighs shorter", "body.thigh", _ladder(0.98, 0.40, 30)),
    _Walk("heavier", "×", "every body heavier", "body.mass", _ladder(1.05, 3.0, 40)),
    _Walk("load", "kg", "load on the torso", "body.load", _ladder(2.0, 100.0, 50)),
)
"""The tests by walking; pushes are tests of their own."""


def robustness_reports(
    experiments: Sequence[Experiment],
    *,
    only: Sequence[str] = (),
    replicas: int = 5,
    phases: int = 20,
    noise: float = 0.02,
    step: float = 10.0,
    duration: float = 0.1,
    progress: Progress | None = None,
    executor: Executor | None = None,
    keep: Path | None = None,
) -> list[RobustnessReport]:
    """Put controllers through the battery.

    Args:
        experiments: the controllers, their figures and where they run; their push places are those of all pushes.
        only: names of margins; by default all.
        replicas: perturbed starts.
        phases: of the stride.
        noise: of the starts, radians.
        step: newtons between push sizes.
        duration: of pushes, seconds.
        progress: called with the fraction done and what was done last.
        executor: measures the margins, each a job; None measures them here, one after the other.
        keep: a folder for finished margins, from which the same battery continues after a stop; it is removed when all
            are finished.
    """
    check_whole("replicas", replicas, 1, MOST_CANDIDATES)
    check_whole("phases", phases, 1, MOST_CANDIDATES // replicas)
    chosen = [_chosen(experiment, only) for experiment in experiments]
    trials = [
        _Trial(experiment, name, replicas, phases, noise, step, duration)
        for experiment, names in zip(experiments, chosen, strict=True)
        for name in names
    ]
    done = 0

    def report(places: Sequence[int]) -> None:
        nonlocal done
        done += len(places)
        if progress is not None and places:
            last = trials[places[-1]]
            progress(done / len(trials), f"{last.experiment.name}: {last.name}")

    found: dict[int, Results] = {}
    if keep is None:
        for place, results in run_jobs(_Trial.run, trials, executor):
            found[place] = results
            report([place])
    else:
        folder = ChunkFolder(keep, _key(trials), "battery")
        for places in run_kept(_Trial.run, trials, executor, folder):
            report(places)
        found = dict(enumerate(folder.all(len(trials))))
        folder.delete()
    in_order = iter([found[place] for place in range(len(trials))])
    return [_report(e, dict(zip(names, in_order, strict=False))) for e, names in zip(experiments, chosen, strict=True)]


def _directions(figure: Figure) -> dict[str, float]:
    """Headings of pushes in degrees, by name."""
    across = {} if figure.root == "planar" else {"left": 90.0, "right": 270.0}
    return {"forward": 0.0, "backward": 180.0} | across


def _chosen(experiment: Experiment, only: Sequence[str]) -> list[str]:
    directions = _directions(experiment.load_figure())
    known = [*(f"push_{d}" for d in directions), *(f"ten_{d}" for d in directions), *(t.name for t in BATTERY)]
    for name in only:
        if name not in known:
            raise FootfallError(f"unknown margin '{name}'; choose of: {', '.join(known)}")
    return [n for n in known if not only or n in only]


@dataclass(frozen=True)
class _Trial:
    """One margin of one controller: a job of its own."""

    experiment: Experiment
    name: str
    replicas: int
    phases: int
    noise: float
    step: float
    duration: float

    def run(self) -> Results:
        """The margin as JSON, and the sizes of pushes tried with what passed, as arrays."""
        experiment = self.experiment
        test = next((t for t in BATTERY if t.name == self.name), None)
        if test is not None:
            return _as_arrays(_walked(experiment, test, self.replicas, self.noise))
        kind, _, direction = self.name.partition("_")
        angle = _directions(experiment.load_figure())[direction]
        if kind == "ten":
            limit = ten_push_limit(experiment, angle=angle, step=self.step, duration=self.duration)
            what = f"ten pushes {direction}"
        else:
            gait = SettledGait(experiment, self.replicas, self.noise)
            if not gait.upright:
                note = "it falls before it is pushed"
                return _as_arrays(Margin(self.name, "N", f"push {direction}", None, note=note))
            limit = push_limit(gait, angle=angle, phases=self.phases, step=self.step, duration=self.duration)
            what = f"push {direction}, strict over {self.phases} phases and {self.replicas} starts"
        return _as_arrays(Margin(self.name, "N", what, limit.limit, limit.open), limit)


def _as_arrays(margin: Margin, limit: PushLimit | None = None) -> Results:
    text = np.frombuffer(json.dumps(vars(margin)).encode(), np.uint8)
    return {"margin": text} | ({} if limit is None else {"sizes": limit.sizes, "passed": limit.passed})


def _key(trials: Sequence[_Trial]) -> str:
    parts = [asdict(trial) for trial in trials]
    for part in parts:
        part["experiment"].pop("threads")
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:32]


def _report(experiment: Experiment, found: Mapping[str, Results]) -> RobustnessReport:
    margins = {name: Margin(**json.loads(results["margin"].tobytes())) for name, results in found.items()}
    pushes = {
        name: PushLimit(margins[name].value or 0.0, margins[name].open, results["sizes"], results["passed"])
        for name, results in found.items()
        if "sizes" in results
    }
    figure = experiment.load_figure()
    place, index = experiment.push_place, Push(0.0, 0.0, 0.0, experiment.push_body).place_on(figure)[0]
    where = place if isinstance(place, str) else ",".join(f"{x:g}" for x in place)
    body = figure.bodies[index].name
    return RobustnessReport(experiment.name, figure.name, body, where, tuple(margins.values()), pushes)


def _travels(experiment: Experiment) -> bool:
    """Whether the gait comes far enough, on level ground, to cross a terrain."""
    results = replace(experiment, seconds=40.0).run()
    return bool(results["survived"][0] and results["distance"][0] > REACH)


def _walked(experiment: Experiment, test: _Walk, replicas: int, noise: float) -> Margin:
    if test.terrain is not None and not _travels(experiment):
        return Margin(test.name, test.unit, test.what, None, note="it does not travel 14 m in 40 s on level ground")
    if test.factor == LIMIT and LIMIT not in law_of(experiment.parsed, experiment.load_figure()).parameter_names:
        return Margin(test.name, test.unit, test.what, None, note=f"its law has no number '{LIMIT}'")
    number = 1.0 + np.arange(replicas * test.grounds)
    size, replica = np.meshgrid(np.array(test.ladder), number, indexing="ij")
    values = {test.factor: test.sign * size.reshape(-1), "replica": replica.reshape(-1)}
    if test.grounds > 1:
        values["terrain.seed"] = (replica.reshape(-1) - 1.0) // replicas
    seconds = 20.0 if test.terrain is None else 40.0
    own = {"start.noise": noise, **experiment.set}
    one = replace(
        experiment,
        terrain=test.terrain or experiment.terrain,
        seconds=seconds,
        set=own,
        dt=min(experiment.dt, test.dt or experiment.dt),
    )
    passed: list[NDArray[np.bool_]] = []
    for first in range(0, len(size), 8):
        at = slice(first * len(number), (first + 8) * len(number))
        results = one.run({n: v[at] for n, v in values.items()})
        good = results["survived"]
        if test.terrain is not None:
            good = good & (results["distance"] > REACH)
        passed.append(good.reshape(-1, len(number)))
        if not good.all():
            break
    stood = np.concatenate(passed)
    rank = strict_threshold(np.arange(1.0, len(stood) + 1.0), stood)
    least = test.ladder[-1] < test.ladder[0]
    if rank == 0:
        note = f"fails at {test.ladder[0]:g} already"
        return Margin(test.name, test.unit, test.what, None, note=note, least=least)
    value, is_open = round(test.ladder[int(rank) - 1], 6), bool(rank == len(test.ladder))
    return Margin(test.name, test.unit, test.what, value, is_open, least=least)


def save_robustness_picture(reports: Sequence[RobustnessReport], path: str | Path) -> Path:
    """Draw reports side by side and save the picture, or with their numbers as a page (.html)."""
    figure = plot_robustness(reports)
    if Path(path).suffix != ".html":
        return save_figure(figure, path)
    from footfall.pictures.web_page import Verdict, plot_section, plot_svg, report_page, table_section
    from footfall.simulation.trace import table_html

    names, first = ", ".join(report.controller for report in reports), reports[0]
    margins = {name: [report.margin(name) for report in reports] for name in first.names}
    rows = [[name.replace("_", " "), m[0].unit, *(one.text() for one in m), m[0].what] for name, m in margins.items()]
    none = [f"{r.controller}: {sum(r.margin(n).value is None for n in r.names)} of {len(r.names)}" for r in reports]
    walks = all(report.margin(name).value is not None for report in reports for name in report.names)
    verdict = Verdict(
        f"how hard {names} may be pushed and changed, on {first.figure} ({len(first.names)} margins)",
        "; ".join(f"{name.replace('_', ' ')} {m[0].text()} {m[0].unit}".strip() for name, m in [*margins.items()][:3]),
        "up to the limit of every margin" if walks else f"not everywhere: margins that fail at once, {', '.join(none)}",
        walks,
    )
    words = f"Every margin of {names}; above them the largest push survived at each phase of the stride"
    head = ["margin", "unit", *(report.controller for report in reports), "what"]
    body = table_section("Margins", table_html(head, rows)) + plot_section("Plots", [(words, plot_svg(figure, words))])
    write_whole(Path(path), report_page(f"Robustness of {names}", verdict, body).encode())
    return Path(path)


def plot_robustness(reports: Sequence[RobustnessReport]) -> Any:
    """Bars of every margin, a colour for each controller, and above them the largest push survived at each phase."""
    if not reports:
        raise FootfallError("picture: there is no report")
    pushed = [n for n in ("push_forward", "push_backward", "push_left", "push_right") if n in reports[0].pushes]
    names = reports[0].names
    columns = 3
    rows = -(-len(names) // columns)
    top = 1.9 * (len(pushed) > 0)
    figure = empty_figure(TEXT, 0.3 + top + (0.5 + 0.16 * len(reports)) * rows)
    below: Any = figure
    if pushed:
        halves: Any = figure.subfigures(2, 1, height_ratios=[top, float(figure.get_size_inches()[1]) - top])
        below = halves[1]
        _phases(halves[0], reports, pushed)
    panels = below.subplots(rows, columns, squeeze=False)
    for panel, name in zip(panels.flat, names):
        _bars(panel, reports, name)
    for panel in list(panels.flat)[len(names) :]:
        panel.set_visible(False)
    return figure


def _phases(figure: Any, reports: Sequence[RobustnessReport], pushed: Sequence[str]) -> None:
    panels = figure.subplots(1, len(pushed), squeeze=False, sharey=True)[0]
    largest = 0.0
    for panel, name in zip(panels, pushed):
        for k, report in enumerate(reports):
            limit = report.pushes.get(name)
            if limit is None:
                continue
            whole = np.asarray(limit.passed.all(axis=2))
            sizes = np.abs(limit.sizes)
            phases = np.arange(whole.shape[1]) / whole.shape[1]
            best = [
                float(sizes[np.argmin(c) - 1]) if not c.all() and c[0] else float(sizes[-1]) * c[0] for c in whole.T
            ]
            largest = max([largest, *best])
            panel.step(np.r_[phases, 1.0], [*best, best[0]], where="post", color=_colour(k), label=report.controller)
        panel.set_title(name.replace("_", " "), loc="left")
        panel.set_xlabel("phase of the stride")
        panel.set_xlim(0.0, 1.0)
    panels[0].set_ylabel("largest push survived [N]")
    panels[0].set_ylim(0.0, 1.08 * max(largest, 1.0))
    panels[0].legend()
    dress(*panels)


def _bars(panel: Any, reports: Sequence[RobustnessReport], name: str) -> None:
    margins = [r.margin(name) for r in reports]
    values = [0.0 if m.value is None else m.value for m in margins]
    places = np.arange(len(reports))[::-1]
    panel.barh(places, values, color=[_colour(k) for k in range(len(reports))], height=0.7)
    for place, margin, value in zip(places, margins, values):
        panel.text(value, place, f" {margin.text()}", va="center", fontsize=LETTERS - 1)
    unit = f" [{margins[0].unit}]" if margins[0].unit else ""
    least = "least " if margins[0].least else ""
    panel.set_title(f"{least}{margins[0].name.replace('_', ' ')}{unit}", fontsize=LETTERS, loc="left")
    panel.set_yticks(places, [r.controller for r in reports], fontsize=LETTERS - 1)
    panel.set_xticks([])
    panel.set_xlim(0, 1.5 * max([*values, 1e-9]))
    for edge in ("top", "right", "bottom"):
        panel.spines[edge].set_visible(False)


def _colour(k: int) -> str:
    return LINE_COLOURS[k % len(LINE_COLOURS)]
