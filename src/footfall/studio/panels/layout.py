"""The page: which panels stand where."""

from typing import Any

from footfall.studio.panels.balancing import BalancePanel
from footfall.studio.panels.clips import ClipPanel
from footfall.studio.panels.context import Context
from footfall.studio.panels.editor import EditorPanel
from footfall.studio.panels.export import ExportPanel
from footfall.studio.panels.gait_cycle import GaitCyclePanel
from footfall.studio.panels.gaits import GaitPanel
from footfall.studio.panels.path import PathPanel
from footfall.studio.panels.pendulum import PendulumPanel
from footfall.studio.panels.playing import PlayPanel
from footfall.studio.panels.plots import PlotPanel
from footfall.studio.panels.pushing import PushPanel
from footfall.studio.panels.steering import SteerPanel
from footfall.studio.panels.studies import StudyPanel

__all__ = ["TABS", "Layout"]

BRAND = (0, 114, 178)
LEFT_WIDTH, RIGHT_WIDTH = 312, 312
"""Pixels: at 1280 the viewport keeps more than half."""
TABS = ("Edit", "Push", "Drive", "Export", "Plots", "Balance", "Stress", "3LP", "Clip", "Gait")


class Layout:
    """All panels of a studio: controls on the left, what explains the gait on the right."""

    def __init__(self, context: Context) -> None:
        gui: Any = context.gui
        gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND)
        gui.set_panel_label("footfall studio")
        gui.main_panel.dock_left()
        gui.main_panel.set_width(LEFT_WIDTH)
        self.play = PlayPanel(context)
        tabs = gui.add_tab_group()
        with tabs.add_tab(TABS[0], "pencil"):
            self.editor = EditorPanel(context)
        with tabs.add_tab(TABS[1], "hand-finger"):
            self.push = PushPanel(context)
        with tabs.add_tab(TABS[2], "steering-wheel"):
            self.gaits = GaitPanel(context)
            self.steer = SteerPanel(context)
            self.path = PathPanel(context)
        with tabs.add_tab(TABS[3], "download"):
            self.export = ExportPanel(context)
        right = gui.add_panel()
        with right.add_tab(TABS[4], "chart-line"):
            self.plots = PlotPanel(context)
        with right.add_tab(TABS[5], "scale"):
            self.balance = BalancePanel(context)
        with right.add_tab(TABS[6], "shield"):
            self.studies = StudyPanel(context)
        with right.add_tab(TABS[7], "walk"):
            self.pendulum = PendulumPanel(context)
        with right.add_tab(TABS[8], "movie"):
            self.clips = ClipPanel(context)
        with right.add_tab(TABS[9], "activity"):
            self.cycles = GaitCyclePanel(context)
        right.dock_right()
        right.set_width(RIGHT_WIDTH)

    def stop(self) -> None:
        """End what runs in the background."""
        self.studies.stop()
