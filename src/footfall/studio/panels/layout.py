"""The page: which panels stand where, the keys, and who is told what when something changes."""

import time
from typing import TYPE_CHECKING, Any

from footfall.studio.panels.balancing import BalancePanel
from footfall.studio.panels.clips import ClipPanel
from footfall.studio.panels.driving import DrivePanel
from footfall.studio.panels.editor import EditorPanel
from footfall.studio.panels.keys import add_keys
from footfall.studio.panels.path import PathPanel
from footfall.studio.panels.pendulum import PendulumPanel
from footfall.studio.panels.playing import PlayPanel
from footfall.studio.panels.plots import PlotPanel
from footfall.studio.panels.poking import PokePanel
from footfall.studio.panels.steering import SteerPanel
from footfall.studio.panels.studies import StudyPanel
from footfall.studio.panels.taking import TakePanel
from footfall.studio.scene.stage import Frame

if TYPE_CHECKING:
    from footfall.studio.studio import Studio

__all__ = ["Layout"]

BRAND = (0, 114, 178)
TICK = 0.2
"""Seconds between updates of what is read, not watched."""


VIEWS = {True: (0.7, (0.9, -4.4, 1.35), (0.1, 0.0, 0.72)), False: (0.7, (-3.4, -4.6, 2.3), (0.5, 0.1, 0.75))}
"""Field of view, place and aim of the camera, for planar figures and others."""


class Layout:
    """All panels of a studio: controls on the left, what explains the gait on the right."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        gui.configure_theme(brand_color=BRAND, show_logo=False, show_share_button=False, control_width="large")
        gui.set_panel_label("footfall studio")
        gui.main_panel.dock_left()
        gui.main_panel.set_width(340)
        self.play = PlayPanel(studio)
        tabs = gui.add_tab_group()
        with tabs.add_tab("Edit", "pencil"):
            self.editor = EditorPanel(studio)
        with tabs.add_tab("Poke", "hand-finger"):
            self.poke = PokePanel(studio)
        with tabs.add_tab("Drive", "steering-wheel"):
            self.drive = DrivePanel(studio)
            self.steer = SteerPanel(studio)
            self.path = PathPanel(studio)
        with tabs.add_tab("Take", "download"):
            self.take = TakePanel(studio)
        why = gui.add_panel()
        with why.add_tab("See why", "chart-line"):
            self.plots = PlotPanel(studio)
        with why.add_tab("Balance", "scale"):
            self.balance = BalancePanel(studio)
        with why.add_tab("Stress", "shield"):
            self.studies = StudyPanel(studio)
        with why.add_tab("3LP", "walk"):
            self.pendulum = PendulumPanel(studio)
        with why.add_tab("Clip", "movie"):
            self.clips = ClipPanel(studio)
        why.dock_right()
        why.set_width(360)
        self._keys: list[Any] = add_keys(studio)
        self._last = 0.0

    def rebuild(self) -> None:
        """Another world: everything that depends on the figure or the controllers is made anew."""
        camera = self._studio.server.initial_camera
        camera.fov, camera.position, camera.look_at = VIEWS[self._studio.world.figure.root == "planar"]
        self.editor.rebuild()
        self.drive.rebuild()
        self.steer.rebuild()
        self.balance.rebuild()
        self.path.rebuild()
        self.poke.rebuild()
        self.plots.rebuild()
        self.clips.rebuild()

    def controller_changed(self, states: bool) -> None:
        """The edited controller changed; ``states`` where it has more or fewer of them."""
        if states:
            self.editor.rebuild()
        else:
            self.editor.refresh()

    def driven(self) -> None:
        """Something else is asked of a balanced walker."""
        self.steer.refresh()
        self.balance.refresh()

    def advanced(self, seconds: float) -> None:
        """The simulation went on."""
        self.path.advance()
        self.pendulum.advance(seconds)
        self.drive.followed(self._studio.world.where()[0])

    def tick(self, frame: Frame) -> None:
        """A frame was drawn."""
        self.pendulum.draw()
        self.clips.draw(frame)
        now = time.perf_counter()
        if now - self._last < max(TICK, 4.0 * self._studio.pulse.interval) and self._studio.loop.playing:
            return
        self._last = now
        self.play.tick(frame)
        self.plots.tick(frame)
        self.drive.tick()
        self.steer.tick()
        self.path.tick()
        self.balance.tick()

    def stop(self) -> None:
        """End what runs in the background."""
        self.studies.stop()
