"""The page: which panels there are. Three verbs come first, the rest unfolds."""

from footfall.studio.panels.balancing import BalancePanel
from footfall.studio.panels.body import BodyPanel
from footfall.studio.panels.clips import ClipPanel
from footfall.studio.panels.context import Context
from footfall.studio.panels.editor import EditorPanel
from footfall.studio.panels.export import ExportPanel
from footfall.studio.panels.gait_cycle import GaitCyclePanel
from footfall.studio.panels.gaits import GaitPanel
from footfall.studio.panels.path import PathPanel
from footfall.studio.panels.pendulum import PendulumPanel
from footfall.studio.panels.playing import ShowPanel, StatusPanel
from footfall.studio.panels.plots import PlotPanel
from footfall.studio.panels.pushing import PushPanel
from footfall.studio.panels.steering import SteerPanel
from footfall.studio.panels.studies import StudyPanel
from footfall.studio.panels.terrain import TerrainPanel


class Layout:
    """All panels of a studio."""

    def __init__(self, context: Context) -> None:
        gui = context.gui
        with gui.add_panel("head", "Status", "head"):
            self.status = StatusPanel(context)
        with gui.add_panel("show", "Show", "show"):
            self.show = ShowPanel(context)
        with gui.add_panel("push", "Push", "verb"):
            self.push = PushPanel(context)
        with gui.add_panel("gait", "Switch gait", "verb") as gait:
            self.gaits = GaitPanel(context, gait)
        with gui.add_panel("edit", "Edit", "verb"):
            self.editor = EditorPanel(context)
        with gui.add_panel("steer", "Steer", "more"):
            self.steer = SteerPanel(context)
            self.path = PathPanel(context)
        with gui.add_panel("terrain", "Terrain", "more"):
            self.terrain = TerrainPanel(context)
        with gui.add_panel("body", "Body", "more"):
            self.body = BodyPanel(context)
        with gui.add_panel("balance", "Balance", "more"):
            self.balance = BalancePanel(context)
        with gui.add_panel("stress", "Stress", "more"):
            self.studies = StudyPanel(context)
        with gui.add_panel("motion", "Motion", "more"):
            self.clips = ClipPanel(context)
        with gui.add_panel("3lp", "3LP", "more"):
            self.pendulum = PendulumPanel(context)
        with gui.add_panel("plots", "Plots", "more") as plots:
            self.plots = PlotPanel(context, plots)
        with gui.add_panel("cycle", "Gait cycle", "more") as cycle:
            self.cycles = GaitCyclePanel(context, cycle)
        with gui.add_panel("export", "Export", "more"):
            self.export = ExportPanel(context)

    def stop(self) -> None:
        """End what runs in the background."""
        self.studies.stop()
