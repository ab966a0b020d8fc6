"""Which world a controller walks in: the one for what it can do."""

from collections.abc import Callable, Sequence
from typing import Any

from footfall.control.kind import Abilities, Controller
from footfall.control.registry import kind_of
from footfall.dynamics import Ground
from footfall.figures import Figure
from footfall.methods.limit_cycle import THESIS_GROUND
from footfall.methods.limit_cycle.balanceable import can_be_balanced
from footfall.studio.core.worlds.balanced_world import BalancedWorld
from footfall.studio.core.worlds.graph_world import GraphWorld
from footfall.studio.core.worlds.played_world import PlayedWorld
from footfall.studio.core.worlds.setting import Setting
from footfall.studio.core.worlds.steered_world import SteeredWorld
from footfall.studio.core.worlds.tracked_world import TrackedWorld
from footfall.studio.core.worlds.world import World

Fits = Callable[[Abilities, Any, Figure], bool]
Make = Callable[[Sequence[Any], Figure, Setting, Any], World]


def _steered(controllers: Sequence[Any], figure: Figure, setting: Setting, drive: Any) -> World:
    return SteeredWorld(controllers[0], figure, _own_ground(controllers, setting), drive)


def _played(controllers: Sequence[Any], figure: Figure, setting: Setting, drive: Any) -> World:
    return PlayedWorld(controllers[0], figure, _own_ground(controllers, setting), drive)


def _tracked(controllers: Sequence[Any], figure: Figure, setting: Setting, drive: Any) -> World:
    return TrackedWorld(controllers[0], figure, _own_ground(controllers, setting))


def _balanced(controllers: Sequence[Any], figure: Figure, setting: Setting, drive: Any) -> World:
    return BalancedWorld(controllers[0], figure, setting.on_ground(THESIS_GROUND), drive)


def _edited(controllers: Sequence[Any], figure: Figure, setting: Setting, drive: Any) -> World:
    return GraphWorld(controllers, figure, _own_ground(controllers, setting))


def _any(controllers: Sequence[Any], figure: Figure, setting: Setting, drive: Any) -> World:
    return World(controllers[:1], figure, _own_ground(controllers, setting))


def _own_ground(controllers: Sequence[Any], setting: Setting) -> Setting:
    return setting.on_ground(controllers[0].ground or Ground())


MAKERS: tuple[tuple[Fits, Make], ...] = (
    (lambda can, controller, figure: can.played, _played),
    (lambda can, controller, figure: can.follow and can.turn, _steered),
    (lambda can, controller, figure: can.follow, _tracked),
    (lambda can, controller, figure: can.balance and can_be_balanced(controller, figure), _balanced),
    (lambda can, controller, figure: can.edit, _edited),
    (lambda can, controller, figure: True, _any),
)
"""What a controller can do, and the world that it then gets: the first that fits."""


def make_world(controllers: Sequence[Controller], figure: Figure, setting: Setting, drive: Any = None) -> World:
    """A world for controllers, each on the ground that it was made for.

    Args:
        controllers: the first one starts. figure: what they drive. setting: what it stands on.
        drive: what is asked of a balanced or a steered walker; by default what walks best.
    """
    first = controllers[0]
    can = kind_of(first).abilities(first)
    return next(make for fits, make in MAKERS if fits(can, first, figure))(controllers, figure, setting, drive)
