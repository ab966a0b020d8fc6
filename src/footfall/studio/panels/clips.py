"""Motion clips: upload one, watch it beside the walker, compare the gaits.

3LP (Faraji and Ijspeert 2018, figure 10): every parameter of closed-form walking, beside the simulated biped.

Ranges are those of the authors' program; what the model itself refuses is reported.

Export: what was simulated as BVH, glTF, CSV, NPZ, film or a page of its own.
"""

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import kind_of
from footfall.errors import FootfallError
from footfall.escaping import markup
from footfall.figures.inertia import GRAVITY
from footfall.methods.pendulum import LEAST_HIP_TORQUE
from footfall.motion import Motion, path_length
from footfall.motion.skeleton.tree import Skeleton
from footfall.studio.core.background import Restarted, WorldChanged
from footfall.studio.core.clip import (
    LARGEST_CLIP,
    Clip,
    CycleReport,
    SkeletonFile,
    profiles_drawing,
    read_clip,
    report_table,
    walked_lately,
)
from footfall.studio.core.frames import (
    FORMATS,
    Moment,
    live_link,
    live_page_bytes,
    motion_bytes,
    recent_motion,
    shown_end,
)
from footfall.studio.core.geometry import place_beside
from footfall.studio.core.pendulum_walker import ASIDE
from footfall.studio.panels.context import Context, Drawn, Ticked, small
from footfall.studio.scene import Node, WalkerView, rgb
from footfall.studio.widgets import Event, Slider

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
        clip: what was uploaded; None before.
        shown: that, or the same on the walker's figure.
    """

    def __init__(self, context: Context) -> None:
        self._session = session = context.session
        self._scene, gui = context.scene, context.gui
        self.clip: Clip | None = None
        self.shown: Clip | None = None
        self._skeleton: SkeletonFile | None = None
        self._view: Node | None = None
        self._since, self._at, self._last = 0.0, 0.0, -EVERY
        gui.add_note("A walk of yours (BVH, ASF then AMC, C3D, GLB, NPZ, CSV) beside the walker.")
        gui.add_upload("Load a motion clip", LARGEST_CLIP, accept=ENDINGS).on_update(self._uploaded)
        self._note = gui.add_html("")
        self._controls = gui.add_folder("Play", visible=False)
        with self._controls:
            self.visible = gui.add_checkbox("Show", True)
            self.onto = gui.add_checkbox("On the walker's figure", False, hint="Retargeted: legs scaled, feet held")
            self.beside = gui.add_checkbox("Keep beside the walker", True, hint="Otherwise it travels at its own speed")
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
        words = f"Reading {name[:60]}"
        self._session.in_background("clip", lambda: read_clip(name, content, self._skeleton), self.enter, words=words)

    def enter(self, read: Clip | SkeletonFile) -> None:
        """Play a clip that was read, or keep the skeleton of the next one."""
        if isinstance(read, SkeletonFile):
            self._skeleton = read
            self._session.say("Skeleton read", f"{read.name}: now upload its .amc")
        else:
            self._enter(read)
            self._session.say("Loaded", read.name)

    def _enter(self, clip: Clip) -> None:
        self.clip = clip
        self._at, self._since = 0.0, self._session.world.time
        self.onto.value = False
        self.start.value, self.start.max = 0.0, round(clip.seconds, 2)
        self._controls.visible = True
        motion = clip.motion
        what = f"{clip.markers.shape[1]} markers" if clip.markers is not None else f"{len(motion.skeleton)} joints"
        self._note.content = small(
            f"<b>{markup(clip.name)}</b>: {clip.seconds:.2f} s, {len(motion)} frames, {what}, "
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

    def _draw(self, frame: Moment) -> None:
        clip, view = self.shown, self._view
        if clip is None or view is None:
            return
        on = bool(self.visible.value)
        view.visible = on
        if not on:
            return
        now = self.time(frame.time)
        position, wxyz = clip.pose(now)
        world, aside = self._session.world, (float(self.ahead.value), float(self.left.value))
        root, at = (world.figure.root, frame.qpos) if self.beside.value else ("fixed", clip.travelled(now))
        shift = place_beside(root, at, aside, world.simulation.terrains[0])
        if isinstance(view, WalkerView):
            view.move(position + shift, wxyz)
        else:
            view.put(position + shift)

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


Row = tuple[str, str, float, float, float, float]
"""A slider: parameter of the walk, label, least, most, step and start."""
SPEED: Row = ("speed", "Walking speed (m/s)", -2.0, 2.0, 0.05, 1.0)
RHYTHM: tuple[Row, ...] = (
    ("frequency", "Steps a second", 1.0, 3.0, 0.05, 1.7),
    ("double_support", "Double support", 0.0, 0.4, 0.01, 0.15),
)
PRESSURE: tuple[Row, ...] = (
    ("cop_start", "Pressure from (m)", 0.0, 0.35, 0.005, 0.0),
    ("cop_end", "Pressure to (m)", 0.0, 0.35, 0.005, 0.25),
)
WIDTH: Row = ("step_width", "Step width (m)", -0.05, 0.5, 0.01, 0.06)
WIDTHS = ("half the pelvis", "least hip torque", "as set below")
STYLE: tuple[Row, ...] = (
    ("slope", "Slope (°)", -20.0, 20.0, 0.5, 0.0),
    ("tilt", "Torso tilt (°)", -30.0, 60.0, 1.0, 2.0),
    ("drag", "Drag (% of weight)", -20.0, 20.0, 0.5, 0.0),
    ("clearance", "Foot clearance (of leg)", 0.0, 0.2, 0.01, 0.04),
    ("stretch", "Knee stretch", 0.0, 1.0, 0.05, 0.6),
    ("fixed_height", "Fixed pelvis mixture", 0.0, 1.0, 0.05, 0.0),
    ("flap", "Foot flap (°)", 0.0, 50.0, 1.0, 26.0),
    ("pelvis_turn", "Pelvis turn (°)", -20.0, 20.0, 1.0, 8.0),
    ("pelvis_drop", "Pelvis drop (°)", -10.0, 10.0, 0.5, 3.0),
)
DEGREES = ("slope", "tilt", "flap", "pelvis_turn", "pelvis_drop")
WAYS = {"back": (-1, 0), "forward": (1, 0), "left": (0, 1), "right": (0, -1)}


class PendulumPanel:
    """A walker in closed form, drawn to the left of the simulated one.

    Attributes:
        companion: the walker and what was asked of it.
    """

    def __init__(self, context: Context) -> None:
        self._context, self._session, self._gui, self._scene = context, context.session, context.gui, context.scene
        self.companion, self._pendulum = context.companion, context.companion.pendulum
        gui = context.gui
        self._view: WalkerView | None = None
        self._viewed: Skeleton | None = None
        self._on = gui.add_checkbox("Walk beside the biped", False)
        context.bind(self._on, self.companion.switch)
        self._note = gui.add_html("")
        self.sliders: dict[str, Slider] = {}
        with gui.add_folder("Walk"):
            self._add(SPEED)
            self._human = gui.add_checkbox(
                "Rhythm as people choose", True, hint="Frequency and double support follow speed"
            )
            self._human.on_update(self._freed(RHYTHM))
            for row in RHYTHM:
                self._add(row, disabled=True)
        with gui.add_folder("Feet"):
            self._width = gui.add_dropdown("Step width", WIDTHS, WIDTHS[0])
            self._width.on_update(self._width_chosen)
            self._add(WIDTH, disabled=True)
            self._follows = gui.add_checkbox(
                "Pressure follows speed", True, hint="Where the centre of pressure is in single support, from the heel"
            )
            self._follows.on_update(self._freed(PRESSURE))
            for row in PRESSURE:
                self._add(row, disabled=True)
        with gui.add_folder("Ground, force and style"):
            for row in STYLE:
                self._add(row)
        with gui.add_folder("Body"):
            self._height = gui.add_slider("Height (m)", 0.8, 2.4, 0.05, 1.7)
            self._mass = gui.add_slider("Mass (kg)", 20.0, 150.0, 1.0, 70.0)
            for slider in (self._height, self._mass):
                context.bind(slider, self._resize, "3LP size")
        with gui.add_folder("Push and turn"):
            self._force = gui.add_slider("Force (N)", 0.0, 300.0, 5.0, 60.0)
            self._begin = gui.add_slider("From (% of step)", 0.0, 95.0, 5.0, 0.0)
            self._end = gui.add_slider("Until (% of step)", 5.0, 100.0, 5.0, 60.0)
            self._push = gui.add_button_group("Push", tuple(WAYS))
            context.bind(self._push, self._push_within_a_step)
            self._turn = gui.add_slider("Turn (° a step)", -25.0, 25.0, 1.0, 0.0, hint="To the left, with each step")
            context.bind(self._turn, lambda degrees: self._pendulum.turn_by(math.radians(degrees)))
        context.session.events.on(Drawn, lambda event: self._draw(event.frame))

    def _add(self, row: Row, *, disabled: bool = False) -> None:
        name, label, low, high, step, start = row
        slider = self._gui.add_slider(label, low, high, step, start)
        slider.disabled = disabled
        names = [row[0] for row in PRESSURE] if name in ("cop_start", "cop_end") else [name]
        self._context.bind(slider, lambda _: self._pendulum.ask(**{n: self._value(n) for n in names}), f"3LP {name}")
        self.sliders[name] = slider

    # -- changes ---------------------------------------------------------------------------------------------------

    def _value(self, name: str) -> float:
        """What a slider says, in the walk's units."""
        value = float(self.sliders[name].value)
        if name == "drag":
            return value / 100.0 * GRAVITY * float(self._mass.value)
        return math.radians(value) if name in DEGREES else value

    def _freed(self, rows: tuple[Row, ...]) -> Callable[[Event], None]:
        """A box that ties these sliders to what people do."""

        def ticked(event: Event) -> None:
            tied = bool(event.value)
            for name, *_ in rows:
                self.sliders[name].disabled = tied
            self._session.act(lambda: self._pendulum.ask(**{n: None if tied else self._value(n) for n, *_ in rows}))

        return ticked

    def _width_chosen(self, event: Event) -> None:
        word = event.value
        self.sliders["step_width"].disabled = word != WIDTHS[2]
        choices = {WIDTHS[0]: None, WIDTHS[1]: LEAST_HIP_TORQUE}
        self._session.act(
            lambda: self._pendulum.ask(step_width=choices[word] if word in choices else self._value("step_width"))
        )

    def _resize(self, _: Any) -> None:
        self._pendulum.resize(float(self._height.value), float(self._mass.value), self._value("drag"))

    def _push_within_a_step(self, way: str) -> None:
        x, y = WAYS[way]
        force, begin, end = (float(s.value) for s in (self._force, self._begin, self._end))
        if self.companion.walker is not None:
            self.companion.walker.push_within_a_step(force * x, force * y, begin / 100.0, end / 100.0)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def _beside(self, frame: Moment, root: Array) -> Array:
        """[3] from where it is to where it is drawn: beside the biped, where it has no path of its own to walk."""
        if self._context.steering.points:
            return ASIDE
        world = self._session.world
        place = place_beside(world.figure.root, frame.qpos, ASIDE[:2], world.simulation.terrains[0])
        return np.asarray(place - [*root[:2], 0.0])

    def _draw(self, frame: Moment) -> None:
        walker = self.companion.walker
        skeleton = None if walker is None else walker.skeleton
        if skeleton is not self._viewed:
            if self._view is not None:
                self._view.remove()
            self._viewed = skeleton
            self._view = None if skeleton is None else WalkerView(self._scene, "pendulum", skeleton)
        html = ""
        if walker is not None and self._view is not None:
            position, wxyz = walker.pose()
            self._view.move(position + self._beside(frame, position[0]), wxyz)
            gait = walker.walkers.gait
            state = "stepped farther than its leg allows: it fell" if walker.fell else "walks"
            html = small(
                f"step {float(gait.step_length[0]):.2f} m long, {float(gait.step_width[0]):.2f} m wide, "
                f"{1 / float(np.asarray(gait.stride.duration).reshape(-1)[0]):.2f} a second; {state}",
                "3lp",
            )
        self._note.content = html


LINK = "A page that this studio serves, with what is set under Terrain and Body in its address"


class ExportPanel:
    """Downloads of the last seconds."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        gui = context.gui
        gui.add_note("The last seconds that were simulated, up to the moment that is shown:")
        self.seconds = gui.add_slider("Seconds", 1.0, 60.0, 1.0, 10.0)
        self.at_origin = gui.add_checkbox(
            "Begin at the origin", True, hint="Otherwise it stays where it walked, which may be far away"
        )
        for name, (_, text) in FORMATS.items():
            button = gui.add_button(f"Download {name}", hint=text)
            button.on_update(self._exporter(name))
        self._live = gui.add_button(
            "Download live page", hint="A page that simulates this controller as it is edited now"
        )
        self._live.on_update(self._export_page)
        self._linked = gui.add_button("Make a link to a live page", hint=LINK)
        self._linked.on_update(self._link)
        self._link_shown = gui.add_html("")
        self._publish = context.publish
        self._show_live()
        self._session.events.on(WorldChanged, lambda _: self._show_live())

    def motion(self) -> Motion:
        """What would be exported (call it in the simulation's thread)."""
        return recent_motion(self._session, float(self.seconds.value), at_origin=bool(self.at_origin.value))

    def _show_live(self) -> None:
        controller = self._session.controller
        self._live.visible = self._linked.visible = kind_of(controller).abilities(controller).live
        self._link_shown.content = ""

    def _export_page(self, event: Event) -> None:
        controller, setting = self._session.controller, self._session.setting
        page = partial(live_page_bytes, controller, setting)
        name = f"{controller.name}.live.html"
        words = f"Writing {name}; a figure that is new to pages is compiled first"
        self._write(event, name, words, partial(page, fixed=True))

    def _link(self, event: Event) -> None:
        controller, setting = self._session.controller, self._session.setting
        name = f"{controller.name}.live.html"

        def published() -> None:
            address = self._publish(name, live_page_bytes(controller, setting, fixed=False))
            link = markup(f"{address}#{live_link(controller.name, setting)}")
            words = "as it is now, for as long as this studio runs; copy the link's address to share it"
            shown = f"<a href='{link}' target='_blank'>{markup(name)}</a>: {words}"
            self._link_shown.content = small(shown, "link")

        self._write(event, name, f"Making a live page of {controller.name}", published)

    def _exporter(self, name: str) -> Callable[[Event], None]:
        suffix = FORMATS[name][0]

        def export(event: Event) -> None:
            session, filename = self._session, f"{self._session.controller.name}{suffix}"

            def content() -> bytes:
                motion = session.loop.call(self.motion)
                return motion_bytes(motion, suffix, lambda done, of: session.go_on(done / of))

            self._write(event, filename, f"Writing {filename}", content)

        return export

    def _write(self, event: Event, filename: str, words: str, content: Callable[[], bytes | None]) -> None:
        """Make a file in a thread of its own, and let the page that asked for it save it."""

        def enter(made: bytes | None) -> None:
            if made is not None:
                event.client.download(filename, made)

        self._session.in_background("export", content, enter, words=words)
