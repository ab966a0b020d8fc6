"""Plots: joint angles against their targets, torques, d and v, the phase portrait, the states over time."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.motion.quaternion import log
from footfall.pictures.palette import BAND_COLOURS, LINE_COLOURS
from footfall.studio.core.history.samples import SIGNALS, Samples
from footfall.studio.core.session.events import WorldChanged
from footfall.studio.core.session.frames import shown_end
from footfall.studio.panels.context import Context, Ticked
from footfall.studio.panels.drawings import phase_portrait, timeline
from footfall.studio.widgets.controls import Folder, Plot

Array = NDArray[np.float64]

WINDOW, EVERY = 4.0, 2
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
        seen = session.history.last(WINDOW, until=end, every=EVERY)
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
