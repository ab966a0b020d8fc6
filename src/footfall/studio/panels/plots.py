"""What is read: how it is going, plots of the last seconds, and the gait laboratory over the last cycles."""

import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.escaping import markup
from footfall.motion.quaternion import log
from footfall.pictures.page import BAND_COLOURS, LINE_COLOURS
from footfall.studio.core.background import WorldChanged
from footfall.studio.core.clip import CycleReport, cycle_drawing, cycle_table, people_for, walked_lately
from footfall.studio.core.drawings import timeline
from footfall.studio.core.frames import Moment, shown_end
from footfall.studio.core.history import SIGNALS, Samples
from footfall.studio.panels.context import Context, Ticked, small
from footfall.studio.scene import Marks
from footfall.studio.widgets import Folder, Plot

Array = NDArray[np.float64]

WINDOW, EVERY_SAMPLE = 4.0, 2
"""Seconds shown, and every which sample."""
ANGLES, TORQUES, BALANCE, SPEED = "Angles and targets", "Torques", "Balance: d and v", "Speed and height"
UNITS = {ANGLES: "degrees", TORQUES: "N m", BALANCE: "m, m/s", SPEED: "m/s, m"}


class PlotPanel:
    """Live plots of the last seconds."""

    def __init__(self, context: Context, panel: Folder) -> None:
        self._panel = panel
        self._session = session = context.session
        self._gui = gui = context.gui
        self._timeline = gui.add_html("")
        self._kind = context.bind(gui.add_dropdown("Plot", tuple(UNITS), ANGLES), lambda _: self._rebuild())
        limbs = ("left leg", "right leg", "rest")
        self._joint = context.bind(gui.add_dropdown("Limb", limbs, limbs[0]), lambda _: self._rebuild())
        self._holder = gui.add_folder()
        self._portrait_of = gui.add_dropdown("Phase portrait of", ("—",), "—")
        self._portrait = gui.add_plot("Angle (°), its rate (°/s)", [{"label": "rate", "colour": "--left"}], phase=True)
        self._plot: Plot | None = None
        self._columns: list[int] = []
        session.events.on(WorldChanged, lambda _: self._rebuild())
        session.events.on(Ticked, lambda _: self._tick())
        self._rebuild()

    def _rebuild(self) -> None:
        world = self._session.world
        figure, kind = world.figure, str(self._kind.value)
        names = tuple(j.name for j in figure.joints if j.kind != "free")
        if self._portrait_of.options != names:
            self._portrait_of.offer(names)
            hip = figure.legs["left"].hip if figure.legs else names[-1:]
            self._portrait_of.value = next((name for name in hip if "pitch" in name), hip[0])
        self._joint.visible = kind in (ANGLES, TORQUES)
        self._columns = self._chosen()
        paired = kind == ANGLES and world.can.target
        series: list[dict[str, Any]] = []
        for i, (label, _) in enumerate(self._lines(Samples.blank(figure))):
            dashed = label.endswith("target")
            line = LINE_COLOURS[(i // 2 if paired else i) % len(LINE_COLOURS)]
            series.append({"label": label, "colour": line, "width": 1.2 if dashed else 2.0, "dash": dashed})
        if self._plot is not None:
            self._plot.remove()
        unit = "this law reports none" if kind == BALANCE and not world.signals else UNITS[kind]
        with self._holder:
            self._plot = self._gui.add_plot(f"{kind} ({unit})", series)

    def _chosen(self) -> list[int]:
        """Joints of the limb chosen, by their index among the figure's joints."""
        figure, limb = self._session.world.figure, str(self._joint.value)
        single = [i for i, j in enumerate(figure.joints) if j.kind == "ball" or (j.ndof == 1 and j.actuated)]
        if not figure.legs or limb == "rest":
            legs = {n for leg in figure.legs.values() for n in (*leg.hip, *leg.knee, *leg.ankle)}
            rest = [i for i in single if figure.joints[i].name not in legs]
            return (rest or single)[:6]
        leg = figure.legs["left" if limb == "left leg" else "right"]
        return [i for i in single if figure.joints[i].name in (*leg.hip, *leg.knee, *leg.ankle)][:6]

    def _lines(self, seen: Samples) -> list[tuple[str, Array]]:
        """Label and values [S] of every line."""
        world, kind = self._session.world, str(self._kind.value)
        if kind == BALANCE:
            units = {"d": "m", "v": "m/s"}
            return [(f"{name} ({unit})", seen.signals[:, SIGNALS.index(name)]) for name, unit in units.items()]
        if kind == SPEED:
            height = 1 if world.figure.root == "planar" else 2
            return [("speed (m/s)", seen.qvel[:, 0]), ("height (m)", seen.qpos[:, height])]
        lines = []
        for joint in (world.figure.joints[i] for i in self._columns):
            name = joint.name.replace("_", " ").replace("left ", "").replace("right ", "")
            name = f"{name} pitch" if joint.kind == "ball" else name
            if kind == TORQUES:
                lines.append((name, seen.torque[:, _dof(joint)]))
                continue
            lines.append((name, np.degrees(joint_angle(joint, seen.qpos))))
            if world.can.target:
                lines.append((f"{name} target", np.degrees(joint_angle(joint, seen.target))))
        return lines

    def _tick(self) -> None:
        """Draw what was simulated up to the moment that is shown, or to the fall."""
        session = self._session
        if len(session.history) < 3 or self._plot is None or not self._gui.watched(self._panel):
            return
        end = shown_end(session)
        seen = session.history.last(WINDOW, until=end, every=EVERY_SAMPLE)
        if len(seen) < 3:
            return
        lines = self._lines(seen)
        if len(lines) == len(self._plot.series):
            self._plot.draw([np.asarray(seen.times, dtype=float), *(values for _, values in lines)])
        states, figure = seen.state.tolist(), session.world.figure
        label = session.world.state_label
        self._timeline.content = timeline(seen.times, states, seen.contact, figure, WINDOW, BAND_COLOURS, label)
        name = str(self._portrait_of.value)
        joint = next((j for j in figure.joints if j.name == name), None)
        if joint is not None:
            whole = session.history.last(WINDOW, until=end)
            angle, rate = np.degrees(joint_angle(joint, whole.qpos)), np.degrees(whole.qvel[:, _dof(joint)])
            self._portrait.set(title=f"Phase portrait: {name.replace('_', ' ')}, the last {WINDOW:g} s")
            self._portrait.draw([angle, rate])


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
            n = len(report.cycles)
            what = f"{n} cycle{'s' if n != 1 else ''}" if one is None else f"{report.cycles[one].side} cycle"
            parts = (small(note or what, "gait-cycle"), cycle_table(report), cycle_drawing(report, COLOURS, one))
        for part, content in zip((self._note, self._table, self._curves), parts, strict=True):
            part.content = content


FORCES = (
    "Of the ground, 1200 N to the metre. They lean by at most atan μ: 33° where μ is 0.65, 63° under walkers that"
    " follow captured motion, which walk on ground of μ = 2"
)


class ShowPanel:
    """What is drawn beside the walker."""

    def __init__(self, context: Context) -> None:
        session, stage, gui = context.session, context.stage, context.gui

        def show(_: Any) -> None:
            session.ghosting, stage.with_clip = self._ghost.value, clip.value
            stage.with_torques = torques.value
            stage.marks.shown = {kind: box.value for kind, box in marks.items()}

        hint = "The pose that the controller asks for at this moment"
        self._ghost = context.bind(
            gui.add_checkbox("Ghost of the target pose", session.ghosting, hint=hint),
            show,
            visible=lambda: session.world.can.target,
        )
        hint = "The captured motion that it follows, before any correction for balance"
        clip = context.bind(
            gui.add_checkbox("Its clip beside it", True, hint=hint), show, visible=lambda: session.world.can.follow
        )
        hint = "The harder a joint works, the redder what it carries"
        torques = context.bind(gui.add_checkbox("Torques", False, hint=hint), show)
        hints = {"contact forces": FORCES}
        boxes = {kind: gui.add_checkbox(kind.capitalize(), True, hint=hints.get(kind, "")) for kind in Marks.KINDS}
        marks = {kind: context.bind(box, show) for kind, box in boxes.items()}


COMPILES = ("Compiling", "Preparing")
"""How what is said of a compilation begins."""


class StatusPanel:
    """The controller that drives, and how it is going."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._status = context.gui.add_html()
        context.session.events.on(Ticked, lambda event: self._tick(event.frame))

    def _tick(self, frame: Moment) -> None:
        loop, world = self._context.session.loop, self._context.session.world
        status, colour = status_of(self._context, frame)
        late = f"{loop.lost:.1f} s of simulated time lost to a slow machine" if loop.lost > 0.5 else ""
        state = "—" if frame.fallen else world.state_label(frame.name, frame.number)
        rows = [
            ("time", f"{frame.time:.{2 if frame.time < 100 else 1}f} s", 4),
            ("speed", "—" if frame.speed is None else f"{frame.speed:.2f} m/s", 4.2),
            ("steps", f"{frame.steps}", 2.4),
            ("state", state, 4.5),
            ("stance", "—" if frame.fallen else "right" if frame.right else "left", 2.9),
            ("real time", f"{100 * loop.speed:.0f} %" if loop.playing and not world.standing else "—", 4.2),
        ]
        cells = "".join(
            f"<div style='width:{w}em;overflow:hidden;text-overflow:ellipsis'><div class='ff-faint'>{k}</div>"
            f"<div style='font-size:13px;font-variant-numeric:tabular-nums' data-testid='{k}'>{markup(v)}</div></div>"
            for k, v, w in rows
        )
        content = (
            f"<div style='padding:6px 0 2px'><div style='display:flex;justify-content:space-between;"
            f"align-items:baseline'><b style='font-size:16px'>{markup(frame.name)}</b>"
            f"<span data-testid='status' style='color:var({colour});font-weight:600'>{status}</span></div>"
            f"<div style='display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 4px;margin-top:4px;"
            f"white-space:nowrap'>{cells}</div>"
            f"<div style='color:var(--bad);font-size:11px'>{late}</div></div>"
        )
        self._status.content = content


def status_of(context: Context, frame: Moment) -> tuple[str, str]:
    """What the walker does at the moment that is shown, and the colour to say it in."""
    session = context.session
    world = session.world
    if frame.past:
        return "in the past", "--soft"
    if world.standing or any(task.words.startswith(COMPILES) for task in session.tasks):
        return "compiling", "--soft"
    if world.diverged:
        return f"diverged at {world.time:.2f} s", "--bad"
    if frame.fallen:
        return f"fell at {world.fell_at:.2f} s", "--bad"
    return ("walking", "--good") if session.loop.playing else ("paused", "--soft")
