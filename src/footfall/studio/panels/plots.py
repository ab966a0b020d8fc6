"""Plots: joint angles against their targets, torques, d and v, the phase portrait, the states over time.

The gait laboratory in the studio: angles over the last cycles, live, with people's bands, and a table.

How it is going, and what is drawn.
"""

import html
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.motion.quaternion import log
from footfall.pictures.page import BAND_COLOURS, LINE_COLOURS
from footfall.studio.core.background import WorldChanged
from footfall.studio.core.clip import CycleReport, cycle_drawing, cycle_table, people_for, walked_lately
from footfall.studio.core.drawings import phase_portrait, timeline
from footfall.studio.core.frames import Moment, shown_end
from footfall.studio.core.history import SIGNALS, Samples
from footfall.studio.panels.context import Context, Ticked, small
from footfall.studio.scene import Marks
from footfall.studio.widgets import Event, Folder, Plot

Array = NDArray[np.float64]

WINDOW, EVERY_SAMPLE = 4.0, 2
"""Seconds shown, and every which sample."""
KINDS = ("Angles and targets", "Torques", "Balance: d and v", "Speed and height")


class PlotPanel:
    """Live plots of the last seconds."""

    def __init__(self, context: Context, panel: Folder) -> None:
        self._panel = panel
        self._session = session = context.session
        self._gui = gui = context.gui
        self._timeline = gui.add_html("")
        self._kind = gui.add_dropdown("Plot", KINDS, KINDS[0])
        self._kind.on_update(lambda _: session.act(self._rebuild))
        self._joint = gui.add_dropdown("Limb", ("left leg", "right leg", "rest"), "left leg")
        self._joint.on_update(lambda _: session.act(self._rebuild))
        self._holder = gui.add_folder()
        self._portrait_of = gui.add_dropdown("Phase portrait of", ("—",), "—")
        self._portrait = gui.add_html("")
        self._plot: Plot | None = None
        self._columns: list[int] = []
        session.events.on(WorldChanged, lambda _: self._rebuild())
        session.events.on(Ticked, lambda _: self._tick())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another figure or another kind of plot."""
        figure = self._session.world.figure
        names = tuple(j.name for j in figure.joints if j.kind != "free")
        if self._portrait_of.options != names:
            self._portrait_of.offer(names)
            hip = figure.legs["left"].hip if figure.legs else names[-1:]
            self._portrait_of.value = next((name for name in hip if "pitch" in name), hip[0])
        kind = str(self._kind.value)
        self._joint.visible = kind in KINDS[:2]
        self._columns = self._chosen()
        labels = self._labels(kind)
        paired = kind == KINDS[0] and self._session.world.can.target
        series: list[dict[str, Any]] = []
        for i, label in enumerate(labels):
            dashed = label.endswith("target")
            line = LINE_COLOURS[(i // 2 if paired else i) % len(LINE_COLOURS)]
            series.append({"label": label, "colour": line, "width": 1.2 if dashed else 2.0, "dash": dashed})
        if self._plot is not None:
            self._plot.remove()
        with self._holder:
            self._plot = self._gui.add_plot(f"{kind} ({self._unit(kind)})", series)

    def _unit(self, kind: str) -> str:
        if kind == KINDS[2] and not self._session.world.signals:
            return "this law reports none"
        return {KINDS[0]: "degrees", KINDS[1]: "N m", KINDS[2]: "m, m/s", KINDS[3]: "m/s, m"}[kind]

    def _chosen(self) -> list[int]:
        """Joints of the limb chosen, by their place among the figure's joints."""
        figure, limb = self._session.world.figure, str(self._joint.value)
        single = [i for i, j in enumerate(figure.joints) if j.kind == "ball" or (j.ndof == 1 and j.actuated)]
        if not figure.legs or limb == "rest":
            legs = {n for leg in figure.legs.values() for n in (*leg.hip, *leg.knee, *leg.ankle)}
            rest = [i for i in single if figure.joints[i].name not in legs]
            return (rest or single)[:6]
        leg = figure.legs["left" if limb == "left leg" else "right"]
        return [i for i in single if figure.joints[i].name in (*leg.hip, *leg.knee, *leg.ankle)][:6]

    def _labels(self, kind: str) -> list[str]:
        joints = [self._session.world.figure.joints[i] for i in self._columns]
        names = [j.name.replace("_", " ").replace("left ", "").replace("right ", "") for j in joints]
        names = [f"{n} pitch" if j.kind == "ball" else n for n, j in zip(names, joints, strict=True)]
        if kind == KINDS[0] and self._session.world.can.target:
            return [label for n in names for label in (n, f"{n} target")]
        if kind in KINDS[:2]:
            return names
        return ["d (m)", "v (m/s)"] if kind == KINDS[2] else ["speed (m/s)", "height (m)"]

    def _tick(self) -> None:
        """Draw what was simulated up to the moment that is shown, or to the fall."""
        session = self._session
        if len(session.history) < 3 or self._plot is None or not self._gui.watched(self._panel):
            return
        end = shown_end(session)
        seen = session.history.last(WINDOW, until=end, every=EVERY_SAMPLE)
        if len(seen) < 3:
            return
        kind = str(self._kind.value)
        data = [np.asarray(seen.times, dtype=float), *self._data(kind, seen)]
        if len(data) == len(self._plot.series) + 1:
            self._plot.draw(data)
        codes = [session.world.decode(int(c)) for c in seen.state]
        self._timeline.content = timeline(seen.times, codes, seen.contact, session.world.figure, WINDOW, BAND_COLOURS)
        figure = session.world.figure
        name = str(self._portrait_of.value)
        joint = next((j for j in figure.joints if j.name == name), None)
        if joint is not None:
            whole = session.history.last(WINDOW, until=end)
            angle, rate = np.degrees(joint_angle(joint, whole.qpos)), np.degrees(whole.qvel[:, _dof(joint)])
            self._portrait.content = phase_portrait(angle, rate, name.replace("_", " "))

    def _data(self, kind: str, seen: Samples) -> list[Array]:
        joints = [self._session.world.figure.joints[i] for i in self._columns]
        if kind == KINDS[0] and not self._session.world.can.target:
            return [np.degrees(joint_angle(j, seen.qpos)) for j in joints]
        if kind == KINDS[0]:
            pairs = [(joint_angle(j, seen.qpos), joint_angle(j, seen.target)) for j in joints]
            return [np.degrees(values) for pair in pairs for values in pair]
        if kind == KINDS[1]:
            return [seen.torque[:, _dof(j)] for j in joints]
        if kind == KINDS[2]:
            return [seen.signals[:, SIGNALS.index(name)] for name in ("d", "v")]
        height = 1 if self._session.world.figure.root == "planar" else 2
        return [seen.qvel[:, 0], seen.qpos[:, height]]


def joint_angle(joint: Any, qpos: Array) -> Array:
    """[S] the angle of a hinge in coordinates [S, nq]; of a ball joint the part of its turn about its y axis."""
    if joint.kind != "ball":
        return np.asarray(qpos[:, joint.qpos])
    return np.asarray(log(qpos[:, joint.qpos : joint.qpos + 4])[:, 1])


def _dof(joint: Any) -> int:
    """The velocity that goes with that angle."""
    return int(joint.dof) + (1 if joint.kind == "ball" else 0)


REDRAWN_EVERY, MEASURED = 1.5, 6.0
"""Seconds between two drawings, and that are looked at."""
COLOURS = (LINE_COLOURS[0], LINE_COLOURS[1])
NONE = "There is no whole gait cycle yet."


class GaitCyclePanel:
    """Angles over the gait cycle of the walker's last seconds."""

    def __init__(self, context: Context, panel: Folder) -> None:
        self._session = session = context.session
        self._gui = gui = context.gui
        self._panel = panel
        self.follow = gui.add_checkbox("Follow", True, hint="Draw the last seconds again and again")
        self.people = gui.add_text(
            "People", "", hint="A folder with people's tables (schwartz2008_joint_angles.csv), for bands"
        )
        self.cycle = gui.add_slider("Cycle", 0, 1, 1, 0, hint="0: all; else one, shown from its strike")
        self._note, self._table, self._curves = gui.add_html(""), gui.add_html(""), gui.add_html("")
        self.report: CycleReport | None = None
        self._last = 0.0
        self._until: float | None = None
        self.people.on_update(lambda _: session.act(self._measure))
        self.cycle.on_update(lambda _: session.act(self._choose))
        session.events.on(WorldChanged, lambda _: self._forget())
        session.events.on(Ticked, lambda _: self._tick())
        self._forget()

    def _forget(self) -> None:
        self.report = None
        self._show()

    def _tick(self) -> None:
        now = time.monotonic()
        if (
            self._gui.watched(self._panel)
            and self.follow.value
            and int(self.cycle.value) == 0
            and now - self._last >= REDRAWN_EVERY
        ):
            self._last = now
            self._measure()

    def _measure(self) -> None:
        session = self._session
        if int(self.cycle.value) == 0:
            self._until = shown_end(session)
        motion = walked_lately(session, MEASURED, self._until)
        if motion is None:
            return
        note = ""
        try:
            folder = str(self.people.value).strip()
            if folder and not Path(folder).is_dir():
                raise FootfallError(f"there is no folder '{folder}'")
            self.report = CycleReport.of(motion, people_for(folder, motion))
        except FootfallError as error:
            self.report, note = CycleReport.of(motion), str(error)
        self._show(note)

    def _choose(self) -> None:
        """Show one cycle: its curves strongly, and the walker where the cycle begins."""
        number = int(self.cycle.value)
        if self.report is not None and 1 <= number <= len(self.report.cycles):
            self._session.look_at(self.report.cycles[number - 1].start)
        self._show()

    def _show(self, note: str = "") -> None:
        report = self.report
        if report is None:
            parts = (small(note or NONE), "", "")
        else:
            self.cycle.max = max(len(report.cycles), 1)
            chosen = int(self.cycle.value) - 1
            one = chosen if 0 <= chosen < len(report.cycles) else None
            what = f"{len(report.cycles)} cycles" if one is None else f"{report.cycles[one].side} cycle"
            parts = (small(note or what, "gait-cycle"), cycle_table(report), cycle_drawing(report, COLOURS, one))
        for part, content in zip((self._note, self._table, self._curves), parts, strict=True):
            part.content = content


class ShowPanel:
    """What is drawn beside the walker."""

    def __init__(self, context: Context) -> None:
        self._context = context
        gui = context.gui
        self._ghost = gui.add_checkbox(
            "Ghost of the target pose", True, hint="The pose that the controller asks for at this moment"
        )
        self._clip = gui.add_checkbox(
            "Its clip beside it", True, hint="The captured motion that it follows, before any correction for balance"
        )
        self._torques = gui.add_checkbox("Torques", False, hint="The harder a joint works, the redder what it carries")
        self._marks = {kind: gui.add_checkbox(kind.capitalize(), True) for kind in Marks.KINDS}
        for box in (self._ghost, self._clip, self._torques, *self._marks.values()):
            box.on_update(self._shown)
        context.session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another world."""
        can = self._context.session.world.can
        self._clip.visible, self._ghost.visible = can.follow, can.target

    def _shown(self, _: Event) -> None:
        session, stage = self._context.session, self._context.stage

        def show() -> None:
            session.ghosting, stage.with_clip = self._ghost.value, self._clip.value
            stage.with_torques = self._torques.value
            stage.marks.shown = {kind: box.value for kind, box in self._marks.items()}

        session.act(show)


class StatusPanel:
    """The controller that drives, and how it is going."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._status = context.gui.add_html()
        context.session.events.on(Ticked, lambda event: self._tick(event.frame))

    def _tick(self, frame: Moment) -> None:
        """Show how it is going at the moment that is shown."""
        loop = self._context.session.loop
        status, colour = status_of(self._context, frame)
        late = f"{loop.lost:.1f} s of simulated time lost to a slow machine" if loop.lost > 0.5 else ""
        rows = [
            ("time", f"{frame.time:.2f} s"),
            ("speed", "—" if frame.speed is None else f"{frame.speed:.2f} m/s"),
            ("steps", f"{frame.steps}"),
            ("state", "—" if frame.fallen else f"{frame.number}"),
            ("stance", "—" if frame.fallen else "right" if frame.right else "left"),
            ("real time", f"{100 * loop.speed:.0f} %" if loop.playing else "—"),
        ]
        cells = "".join(
            f"<div><div class='ff-faint'>{k}</div><div style='font-size:13px' data-testid='{k}'>{v}</div></div>"
            for k, v in rows
        )
        content = (
            f"<div style='padding:6px 10px 2px'><div style='display:flex;justify-content:space-between;"
            f"align-items:baseline'><b style='font-size:16px'>{html.escape(frame.name)}</b>"
            f"<span data-testid='status' style='color:var({colour});font-weight:600'>{status}</span></div>"
            f"<div style='display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 6px;margin-top:4px;"
            f"white-space:nowrap'>{cells}</div>"
            f"<div style='color:var(--ff-bad);font-size:11px'>{late}</div></div>"
        )
        self._status.content = content


def status_of(context: Context, frame: Moment) -> tuple[str, str]:
    """What the walker does at the moment that is shown, and the colour to say it in."""
    session = context.session
    world = session.world
    if frame.past:
        return "in the past", "--ff-soft"
    if world.diverged:
        return f"diverged at {world.time:.2f} s", "--ff-bad"
    if frame.fallen:
        return f"fell at {world.fell_at:.2f} s", "--ff-bad"
    return ("walking", "--ff-good") if session.loop.playing else ("paused", "--ff-soft")
