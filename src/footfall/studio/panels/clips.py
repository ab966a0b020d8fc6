"""Motion clips: upload one, watch it beside the walker, compare the gaits."""

import html
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.motion import path_length
from footfall.studio.core.beside.clip import LARGEST_CLIP, Clip, SkeletonFile, read_clip
from footfall.studio.core.beside.gait_cycle import CycleReport, walked_lately
from footfall.studio.core.beside.gait_report import profiles_drawing, report_table
from footfall.studio.core.session.events import Restarted, WorldChanged
from footfall.studio.core.session.frames import Frame, shown_end
from footfall.studio.panels.context import Context, Drawn, Ticked, small
from footfall.studio.scene.marks import rgb
from footfall.studio.scene.nodes import Node
from footfall.studio.scene.walker_view import WalkerView
from footfall.studio.widgets.widget import Event

Array = NDArray[np.float64]

COLOUR = rgb(126, 84, 176)
ENDINGS = ".bvh,.asf,.amc,.c3d,.glb,.npz,.csv"
COLOURS = ("#7e54b0", "#0072B2")
MEASURED, EVERY = 8.0, 2.0
"""Seconds of the walker's past that are measured, and how often, in real seconds."""
MARKER = 0.02


class ClipPanel:
    """A clip in the scene, in step with the studio's time.

    Attributes:
        clip: what was uploaded; None before. shown: that, or the same on the walker's figure.
    """

    def __init__(self, context: Context) -> None:
        self._session = session = context.session
        self._scene, gui = context.scene, context.gui
        self.clip: Clip | None = None
        self.shown: Clip | None = None
        self._skeleton: SkeletonFile | None = None
        self._view: WalkerView | Node | None = None
        self._since, self._at, self._last = 0.0, 0.0, -EVERY
        gui.add_note("A walk of yours (BVH, ASF then AMC, C3D, GLB, NPZ, CSV) beside the walker.")
        gui.add_upload("Load a motion clip", LARGEST_CLIP, accept=ENDINGS).on_update(self._uploaded)
        self._note = gui.add_html("")
        self._controls = gui.add_folder("Play", visible=False)
        with self._controls:
            self.visible = gui.add_checkbox("Show", True)
            self.onto = gui.add_checkbox("On the walker's figure", False, hint="Retargeted: legs scaled, feet held")
            self.beside = gui.add_checkbox("Keep beside the walker", True, hint="Else it travels at its own speed")
            self.speed = gui.add_slider("Clip speed", 0.0, 3.0, 0.05, 1.0)
            self.start = gui.add_slider("Shift in time (s)", 0.0, 10.0, 0.01, 0.0)
            self.ahead = gui.add_slider("Ahead (m)", -3.0, 3.0, 0.1, -0.8)
            self.left = gui.add_slider("To the left (m)", -3.0, 3.0, 0.1, 1.0)
            remove = gui.add_button("Remove the clip")
        self._table, self._profiles = gui.add_html(""), gui.add_html("")
        self.onto.on_update(self._put_on)
        self.speed.on_update(lambda _: session.act(self._respeed))
        remove.on_update(lambda _: session.act(self.remove))
        for control in (self.visible, self.beside, self.start, self.ahead, self.left):
            control.on_update(lambda _: session.act(lambda: None))
        self._rate = 1.0
        session.events.on(WorldChanged, lambda _: self._rebuild())
        session.events.on(Restarted, lambda _: self._restart())
        session.events.on(Drawn, lambda event: self._draw(event.frame))
        session.events.on(Ticked, lambda _: self._compare())

    def _restart(self) -> None:
        self._at, self._since = 0.0, 0.0

    # -- files -----------------------------------------------------------------------------------------------------

    def _uploaded(self, event: Event) -> None:
        name, content = event.value
        session = self._session
        words = f"Reading {name[:60]}"
        session.in_background("clip", lambda: self._read(name, content), lambda enter: enter(), words=words)

    def take(self, name: str, content: bytes) -> None:
        """Read an uploaded file and play it."""
        self._session.loop.call(self._read(name, content))

    def _read(self, name: str, content: bytes) -> Callable[[], None]:
        """Read an uploaded file; what is to be done with it, in the simulation's thread."""
        read = read_clip(name, content, self._skeleton)

        def enter() -> None:
            if isinstance(read, SkeletonFile):
                self._skeleton = read
                self._session.say("Skeleton read", f"{read.name}: now upload its .amc")
            else:
                self._enter(read)
                self._session.say("Loaded", read.name)

        return enter

    def _enter(self, clip: Clip) -> None:
        self.clip = clip
        self._at, self._since = 0.0, self._session.world.time
        self.onto.value = False
        self.start.value, self.start.max = 0.0, round(clip.seconds, 2)
        self._controls.visible = True
        motion = clip.motion
        what = f"{clip.markers.shape[1]} markers" if clip.markers is not None else f"{len(motion.skeleton)} joints"
        self._note.content = small(
            f"<b>{html.escape(clip.name)}</b>: {clip.seconds:.2f} s, {len(motion)} frames, {what}, "
            f"{path_length(motion) / motion.seconds:.2f} m/s",
            "clip",
        )
        self._show(clip)

    def _show(self, clip: Clip) -> None:
        if self._view is not None:
            self._view.remove()
        scene = self._scene
        if clip.markers is not None:
            self._view = scene.add("clip-markers", "balls", colour=COLOUR, radius=MARKER, alpha=1.0)
        else:
            self._view = WalkerView(scene, "clip", clip.motion.skeleton, colour=COLOUR)
        self.shown, self._last = clip, -EVERY

    def remove(self) -> None:
        """Remove the clip from the scene."""
        if self._view is not None:
            self._view.remove()
        self.clip, self.shown, self._view = None, None, None
        self._controls.visible = False
        self._note.content = self._table.content = self._profiles.content = ""

    def _put_on(self, event: Event) -> None:
        clip, figure, on = self.clip, self._session.world.figure, bool(event.value)
        if clip is None:
            return

        def make() -> Clip:
            try:
                return clip.onto(figure) if on else clip
            except FootfallError:
                self.onto.value = False
                raise

        def enter(shown: Clip) -> None:
            if self.clip is clip and self.onto.value == on:
                self._show(shown)

        words = f"Putting {clip.name} on {figure.name}" if on else ""
        self._session.in_background("clip", make, enter, words=words)

    def _rebuild(self) -> None:
        """Another figure walks: a clip on the old one's body goes back to its own."""
        clip, shown = self.clip, self.shown
        if clip is None or shown is None or shown is clip or shown.motion.figure == self._session.world.figure.name:
            return
        self.onto.value = False
        self._show(clip)

    # -- time ------------------------------------------------------------------------------------------------------

    def time(self, now: float) -> float:
        """The clip's own time at a studio's time."""
        return self._at + self._rate * (now - self._since) + float(self.start.value)

    def _respeed(self) -> None:
        now = self._session.world.time
        self._at, self._since = self._at + self._rate * (now - self._since), now
        self._rate = float(self.speed.value)

    def _draw(self, frame: Frame) -> None:
        """Draw it (in the simulation's thread) at the time of a frame."""
        clip, view = self.shown, self._view
        if clip is None or view is None:
            return
        on = bool(self.visible.value)
        view.visible = on
        if not on:
            return
        now = self.time(frame.time)
        position, wxyz = clip.pose(now)
        shift = self._place(frame, clip.travelled(now))
        if isinstance(view, Node):
            view.put(position + shift)
        else:
            view.move(position + shift, wxyz)

    def _place(self, frame: Frame, travelled: Array) -> Array:
        session = self._session
        aside = np.array([float(self.ahead.value), float(self.left.value)])
        planar = session.world.figure.root == "planar"
        walker = np.array([frame.qpos[0], 0.0 if planar else frame.qpos[1]])
        x, y = (walker if self.beside.value else travelled) + aside
        return np.array([x, y, float(session.world.simulation.terrains[0].height(x, y))])

    def _compare(self) -> None:
        now = time.monotonic()
        if now - self._last < EVERY or self.clip is None or self.shown is None or not self.visible.value:
            return
        self._last = now
        walker, names = self.walker_report(), (self.clip.name, self._session.world.where()[0])
        table = report_table(self.shown.report, walker, COLOURS, names)
        drawing = profiles_drawing(self.shown.report, walker, COLOURS)
        self._table.content, self._profiles.content = table, drawing

    def walker_report(self) -> CycleReport | None:
        """The gait of the walker over its last seconds; None before it walked."""
        motion = walked_lately(self._session, MEASURED, shown_end(self._session))
        return None if motion is None else CycleReport.of(motion)
