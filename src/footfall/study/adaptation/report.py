"""The report of an adaptation: pictures, a film, tables and a page that shows them all; and the best walker while a
search runs.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from footfall.escaping import markup
from footfall.figures.inertia import GRAVITY
from footfall.motion import Motion
from footfall.pictures.page import LETTERS, LINE_COLOURS, TEXT, dress, empty_figure, save_figure
from footfall.pictures.plots import plot_rose
from footfall.pictures.web_page import Verdict, plot_section, plot_svg, report_page, table_section
from footfall.simulation import Record
from footfall.simulation.trace import table_html
from footfall.study.adaptation.adapting import Adapted
from footfall.study.adaptation.search import STAGES
from footfall.study.measures.strides import cost_of_transport
from footfall.study.search.cma_search import plot_generations
from footfall.study.trials.bench import Judged
from footfall.study.trials.final import DIRECTIONS, level_walk
from footfall.text_files import make_folder, plain_json, write_whole

EVERY = 20.0
"""Seconds between pictures of the best walker, at least."""
SECONDS = 10.0
"""Of the walk that is drawn."""
ROUND = {45.0 * k: way for k, way in enumerate(DIRECTIONS)}


@dataclass
class Watcher:
    """Draws the best walker of a search as it gets better: ``best-so-far.png`` in a folder."""

    folder: Path
    _drawn: float = field(default=-EVERY)
    _best: tuple[int, float] = (-1, np.inf)

    def __call__(self, row: Mapping[str, Any], judged: Judged | None) -> None:
        """Take in a generation."""
        if judged is None:
            return
        stage = STAGES.index(row["stage"])
        better = stage > self._best[0] or row["stage"] == "sturdy" or row["cost"] < self._best[1]
        if not better or time.monotonic() - self._drawn < EVERY:
            return
        motion = judged.motion(int(row["best"]))
        if len(motion) > 2:
            save_views(motion, self.folder / "best-so-far.png")
        self._best, self._drawn = (stage, row["cost"]), time.monotonic()


def write_report(adapted: Adapted, folder: Path, *, film: bool = True) -> list[Path]:
    """Write a folder's report: index.html with its pictures, report.json with its numbers."""
    from footfall.pictures.files import save

    make_folder(folder)
    motion, torque, velocity = _walk(adapted)
    loads = joint_loads(adapted, torque, velocity)
    plots = {"torques": plot_loads(loads)}
    if adapted.history:
        plots["history"] = plot_history(adapted.history)
    if any(row["stage"] == "sturdy" for row in adapted.history):
        plots["front"] = plot_front(adapted)
    if adapted.rose is not None:
        rose, ways = adapted.rose, [45.0 * DIRECTIONS.index(way) for way in adapted.rose.limits]
        title = f"newtons for {rose.duration:.2f} s, survived at all of {rose.phases} phases"
        plots["pushes"] = plot_rose(ways, tuple(rose.limits.values()), ROUND, title=title)
    written = [save_views(motion, folder / "walk.png")]
    written += [save_figure(plot, folder / f"{name}.png") for name, plot in plots.items()]
    if film:
        written.append(Path(save(motion, folder / "walk.gif", camera="three-quarter")))
    cost = walk_cost(adapted, motion, torque, velocity)
    numbers = adapted.as_dict() | {"joints": loads, "history": adapted.history, "cost_of_transport": cost}
    write_whole(folder / "report.json", json.dumps(plain_json(numbers), indent=1).encode())
    page = folder / "index.html"
    write_whole(page, _page(adapted, loads, plots, film, cost).encode())
    (folder / "best-so-far.png").unlink(missing_ok=True)
    return [page, *written, folder / "report.json"]


def _walk(adapted: Adapted) -> tuple[Motion, Any, Any]:
    """The controller's walk, its torques and velocities [T, nv]."""
    record = Record(rate=100.0, worlds=1, fields=("qpos", "qvel", "torque", "events"))
    simulation = level_walk(adapted.controller, adapted.fitted.figure, record=record)
    simulation.run(SECONDS)
    trace = simulation.trace()
    last = int(trace.last[0])
    return trace.motion(0), trace.torque[:last, 0], trace.qvel[:last, 0]


def joint_loads(adapted: Adapted, torque: Any, velocity: Any) -> list[dict[str, Any]]:
    """What each motor does in a walk: torques against its limit, and powers.

    Args:
        adapted: the result.
        torque, velocity: [T, nv] newton metres and rad/s.
    """
    from footfall.methods.simbicon.table import GraphTable

    figure = adapted.fitted.figure
    table = GraphTable(adapted.controller, figure)
    rows = []
    for joint in figure.joints:
        if not joint.actuated:
            continue
        limit = min(table.value(f"{joint.name}.torque_limit"), 1e9)
        own, power = np.abs(torque[:, joint.dof]), np.abs(torque[:, joint.dof] * velocity[:, joint.dof])
        rows.append(
            {
                "joint": joint.name,
                "limit_nm": None if limit >= 1e8 else limit,
                "from_file": bool(np.isfinite(joint.torque_limit)),
                "peak_nm": float(own.max(initial=0.0)),
                "rms_nm": float(np.sqrt(np.mean(own**2))) if len(own) else 0.0,
                "at_limit": float(np.mean(own >= 0.995 * limit)) if len(own) else 0.0,
                "peak_w": float(power.max(initial=0.0)),
                "mean_w": float(power.mean()) if len(power) else 0.0,
            }
        )
    return rows


def walk_cost(adapted: Adapted, motion: Motion, torque: Any, velocity: Any) -> float:
    """Mechanical cost of transport of a walk: positive work of the motors over weight and distance; not a number where
    it stays in place.

    Args:
        adapted: the result.
        motion: the walk.
        torque, velocity: [T, nv] newton metres and rad/s.
    """
    figure = adapted.fitted.figure
    dofs = [joint.dof for joint in figure.joints if joint.actuated]
    work = float(np.clip(torque[:, dofs] * velocity[:, dofs], 0.0, None).sum()) / motion.fps
    way = float(np.linalg.norm((motion.root_position[-1] - motion.root_position[0])[:2])) if len(motion) else 0.0
    return cost_of_transport(work / float(figure.model.body_mass.sum()), way, figure.gravity)


SHOWN = {
    "torques": "Peak and mean torque and power of every joint; the red line is its limit",
    "history": "Cost, time up, pace and pushes of the best candidate over the generations",
    "front": "What pushes cost: the best candidate of each generation that was pushed, newtons forward times the share "
    "of pushes survived over mechanical cost of transport (mean absolute power of the motors / weight x speed); the "
    "line is what no other candidate is better in. --effort above 1 searches further left, --sturdy further up",
    "pushes": "The largest push that it survives in each direction",
}
"""What plots show."""


def _verdict(answer: Mapping[str, Any], figure: str) -> Verdict:
    up, tried = (sum(r[word] for t in answer["trials"] for r in t["rows"]) for word in ("up", "tried"))
    stays = f"{up} of {tried} disturbed starts stay up for 60 s" if tried else "not tried from disturbed starts"
    return Verdict(
        f"{answer['controller']} on {figure}, at {answer['wanted_speed_mps']:.2f} m/s",
        f"{answer['speed_mps']:.2f} m/s, {answer['step_time_s']:.2f} s a footstep, after {answer['generations']} "
        f"generations of search in {answer['search_seconds']:.0f} s (last stage: {answer['stage']})",
        stays,
        up == tried if tried else None,
    )


def _page(
    adapted: Adapted, loads: list[dict[str, Any]], plots: Mapping[str, Any], film: bool, cost: float = np.nan
) -> str:
    answer = adapted.as_dict()
    scaled = answer["scaled"]
    facts = [
        f"hips {answer['length_ratio']:.3f} times as high, {answer['mass_ratio']:.3f} times the mass",
        *answer["notes"],
        f"scaled alone: {scaled['footsteps']} footsteps, up for {scaled['seconds_up']:.1f} s",
        *(
            [f"mechanical cost of transport: {cost:.2f} (positive work of the motors / weight x distance)"]
            * (cost == cost)
        ),
    ]
    starts = [
        [t["engine"], f"{1000 * r['dt']:g} ms", f"{r['noise']:g}", f"{r['up']} of {r['tried']}"]
        for t in answer["trials"]
        for r in t["rows"]
    ]
    stages = _stages(adapted.history)
    motors = [
        [
            row["joint"],
            "none" if row["limit_nm"] is None else f"{row['limit_nm']:.4g}{'' if row['from_file'] else ' (scaled)'}",
            f"{row['peak_nm']:.3g}",
            f"{row['rms_nm']:.3g}",
            f"{100 * row['at_limit']:.1f} %",
            f"{row['peak_w']:.3g}",
            f"{row['mean_w']:.3g}",
        ]
        for row in loads
    ]
    seen = [("Two strides, from the side and from the front", '<img src="walk.png" alt="poses of the walk">')]
    if film:
        seen.append(("The walk", '<img src="walk.gif" alt="a film of the walk">'))
    drawn = [(SHOWN[name], plot_svg(plot, SHOWN[name])) for name, plot in plots.items()]
    stage_head = ["stage", "generations", "seconds up", "speed [m/s]", "push [N]", "cost"]
    motor_head = ["joint", "limit [N m]", "peak", "rms", "at the limit", "peak [W]", "mean [W]"]
    body = (
        f'<ul class="card notes">{"".join(f"<li>{markup(fact)}</li>" for fact in facts)}</ul>'
        + plot_section("The walk", seen)
        + table_section("Disturbed starts that stay up for 60 s", table_html(["engine", "step", "noise", "up"], starts))
        + (table_section("What was tried", table_html(stage_head, stages)) if stages else "")
        + plot_section("Plots", drawn)
        + table_section("Motors", table_html(motor_head, motors))
    )
    return report_page(answer["controller"], _verdict(answer, adapted.fitted.figure.name), body)


def _stages(history: list[dict[str, Any]]) -> list[list[str]]:
    """A row for each stage: what its last generation reached."""
    rows = []
    for stage in dict.fromkeys(row["stage"] for row in history):
        own = [row for row in history if row["stage"] == stage]
        last = own[-1]
        rows.append(
            [
                stage,
                str(len(own)),
                f"{last['up']:.1f}",
                f"{last['speed']:.2f}",
                f"{last['push']:.0f}",
                f"{own[0]['cost']:.0f} to {last['cost']:.0f}",
            ]
        )
    return rows


POSES, HEIGHT = 10, 260
"""Of a picture of a walk."""
STRETCH = 0.85
"""Between poses, in units of a fall from hip height: about four poses a step."""


def save_views(motion: Motion, path: Path) -> Path:
    """Poses over about two strides, from the side and from the front, at the end of a motion."""
    from footfall.pictures.painter import save_painted
    from footfall.pictures.scene import nearest_frames

    tall = float(np.median(motion.root_position[:, 2]))
    span = min(motion.seconds, POSES * STRETCH * 0.5 * float(np.sqrt(max(tall, 1e-3) / GRAVITY)))
    times = motion.times[-1] - span + np.linspace(0.0, span, POSES)
    return save_painted([motion], nearest_frames(motion, times), path, height=HEIGHT)


def plot_loads(loads: Sequence[Mapping[str, Any]]) -> Any:
    """Peak and mean torques of every joint against its limit, and its powers."""
    figure = empty_figure(TEXT, 0.6 + 0.17 * len(loads))
    left, right = figure.subplots(1, 2, sharey=True)
    places = np.arange(len(loads))[::-1]
    for name, colour, label in (("peak_nm", LINE_COLOURS[0], "peak"), ("rms_nm", LINE_COLOURS[1], "rms")):
        left.barh(places, [row[name] for row in loads], height=0.7, color=colour, label=label)
    for place, row in zip(places, loads, strict=True):
        if row["limit_nm"] is not None:
            left.plot([row["limit_nm"]] * 2, [place - 0.45, place + 0.45], color="#B3261E", linewidth=1.4)
    for name, colour, label in (("peak_w", LINE_COLOURS[0], "peak"), ("mean_w", LINE_COLOURS[1], "mean")):
        right.barh(places, [row[name] for row in loads], height=0.7, color=colour, label=label)
    left.set_yticks(places, [row["joint"] for row in loads])
    left.set_xlabel("torque [N m], the limit in red")
    right.set_xlabel("power [W]")
    left.legend()
    right.legend()
    dress(left, right)
    return figure


def front_of(points: Any) -> Any:
    """[F] those of points [N, 2] (cost, push) that no other is better in, by cost: none is as cheap and sturdier."""
    cheap = np.lexsort((-points[:, 1], points[:, 0]))
    best = np.maximum.accumulate(points[cheap, 1])
    return cheap[np.diff(best, prepend=-np.inf) > 0.0]


def plot_front(adapted: Adapted) -> Any:
    """Pushes that candidates of the search survived over their cost of transport, the front, and the one chosen."""
    pushed = [row for row in adapted.history if row["stage"] == "sturdy" and row.get("transport", -1.0) > 0.0]
    points = [(row["transport"], row["push"] * row["survived"]) for row in pushed]
    numbers = adapted.numbers
    chosen = (numbers.get("transport", np.nan), numbers.get("push", 0.0) * numbers.get("pushes", 0.0))
    marked = [chosen] if np.isfinite(chosen[0]) and numbers["push"] else []
    every = np.array([*points, *marked]).reshape(-1, 2)
    figure = empty_figure(0.7 * TEXT, 0.45 * TEXT)
    panel = figure.subplots()
    panel.plot(*every.T, "o", color="#9AA4AE", markersize=3.0, label="best of a generation")
    panel.plot(*every[front_of(every)].T, "-o", color=LINE_COLOURS[0], markersize=4.0, label="front")
    for point in marked:
        panel.plot(*point, "*", color="#B3261E", markersize=11.0, label="chosen")
    panel.set_xlabel("mechanical cost of transport")
    panel.set_ylabel("push survived [N]")
    panel.legend()
    dress(panel)
    return figure


def plot_history(history: Sequence[Mapping[str, Any]]) -> Any:
    """Cost, time up, pace and pushes of the best candidate, generation by generation."""
    columns = {"cost": "cost", "up": "up [s]", "speed": "pace [m/s]", "push": "push [N]"}
    figure = plot_generations(history, columns, width=TEXT)
    panels = figure.axes
    stages = np.array([STAGES.index(row["stage"]) for row in history])
    for k in np.flatnonzero(np.diff(stages)) + 1:
        for panel in panels:
            panel.axvline(k + 1, color="#9AA4AE", linewidth=0.8)
    panels[0].set_yscale("log")
    for stage in np.unique(stages):
        first = int(np.argmax(stages == stage))
        panels[0].text(first + 1, panels[0].get_ylim()[1], f" {STAGES[stage]}", va="top", fontsize=LETTERS - 1)
    return figure
