"""Which kind of world a controller walks in."""

from collections.abc import Sequence
from typing import Any

from footfall.control.kind import Controller
from footfall.dynamics import Ground
from footfall.figures import Figure
from footfall.methods.limit_cycle import THESIS_GROUND
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.step_choice import SteeredController
from footfall.studio.core.worlds.balanced_world import BalancedWorld
from footfall.studio.core.worlds.drive import can_be_balanced
from footfall.studio.core.worlds.graph_world import GraphWorld
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.steered_world import SteeredWorld
from footfall.studio.core.worlds.tracked_world import TrackedWorld
from footfall.studio.core.worlds.world import World

__all__ = ["make_world"]


def make_world(graphs: Sequence[Controller], figure: Figure, setting: Setting, drive: Any = None) -> World:
    """A world for controllers, each kind on its own ground: balanced where limit-cycle control can do it, tracked or
    steered where captured motion is followed.

    Args:
        graphs: the controllers; the first one starts. figure: what they drive. setting: what it stands on.
        drive: what is asked of a balanced or a steered walker; by default what walks best.
    """
    first = graphs[0]
    if isinstance(first, TrackingController):
        own = setting.on_ground(first.ground)
        if isinstance(first, SteeredController):
            return SteeredWorld(first, figure, own, drive)
        return TrackedWorld(first, figure, own)
    assert isinstance(first, PoseControlGraph)
    if can_be_balanced(first, figure):
        return BalancedWorld(first, figure, setting.on_ground(THESIS_GROUND), drive)
    usual = [g for g in graphs if isinstance(g, PoseControlGraph)]
    return GraphWorld(usual, figure, setting.on_ground(Ground()))
