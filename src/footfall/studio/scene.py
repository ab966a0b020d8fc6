"""Nodes of the scene and what is drawn with them: bodies, ground, marks, a path."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.motion.skeleton.body_shape import body_solids
from footfall.motion.skeleton.tree import Skeleton
from footfall.pictures.player import TorqueColours
from footfall.pictures.web_page import packed, packed_body
from footfall.studio.core.history import Tracks
from footfall.studio.messages import Drag, Item
from footfall.studio.shared import Shared, Shown
from footfall.terrain import Terrain

Colour = tuple[float, float, float]
"""Red, green and blue, 0 to 1."""


class Node(Shown):
    """A node of the scene.

    Attributes:
        dragged: called with a page's number and what it drags; None where it cannot be dragged.
    """

    dragged: Callable[[int, Drag], None] | None = None


class Viewport:
    """What the viewport of every page draws.

    Args:
        shared: what pages see.
    """

    def __init__(self, shared: Shared) -> None:
        self.shared = shared

    def item(self, name: str, kind: str, **props: Any) -> Item:
        """What a node under a name is made of; an older one of that name is removed."""
        old = self.shared.item(name)
        if old is not None:
            self.shared.remove(old)
        return self.shared.add(Item(name, kind, {"visible": True} | props, node=True), data=kind != "ground")

    def add(self, name: str, kind: str, **props: Any) -> Node:
        """A plain node under a name."""
        return Node(self.shared, self.item(name, kind, **props))

    def receive(self, page: int, drag: Drag) -> None:
        item = self.shared.item(drag.id)
        if item is not None and isinstance(item.owner, Node) and item.owner.dragged is not None:
            item.owner.dragged(page, drag)


Array = NDArray[np.float64]


class WalkerView(Node):
    """A body made of solids.

    Args:
        scene: where it stands.
        name: of its node.
        skeleton: its bones and shape.
        colour: of the whole; None for the colours of left, right and trunk.
        alpha: from 0 to 1, how solid it is.
        same_as: the name of another body of the same shape; None for none.

    Attributes:
        names: of the joints that have a shape.
        bodies: their numbers.
    """

    def __init__(
        self,
        scene: Viewport,
        name: str,
        skeleton: Skeleton,
        *,
        colour: Colour | None = None,
        alpha: float = 1.0,
        visible: bool = True,
        same_as: str | None = None,
    ) -> None:
        solids = body_solids(skeleton)
        self.bodies = sorted({solid.joint for solid in solids})
        self.names = [skeleton.names[j] for j in self.bodies]
        item = scene.item(
            name,
            "body",
            body=None if same_as else packed_body(solids, self.bodies),
            same_as=same_as,
            joints=len(self.bodies),
            names=self.names,
            colour=colour,
            alpha=alpha,
            drag=False,
            visible=visible,
        )
        super().__init__(scene.shared, item)

    @property
    def places(self) -> Array:
        """[J, 3] where the joints are that have a shape."""
        return np.asarray(self.data[:, :3], dtype=float)

    def move(self, position: Array, wxyz: Array) -> None:
        """Put every body in place: position [J, 3], wxyz [J, 4]."""
        self.put(np.concatenate([position, wxyz], axis=1)[self.bodies])

    def on_drag(self, act: Callable[[int, str, Drag], None]) -> None:
        """Call ``act`` with a page's number, a body's name and where it is dragged."""

        def dragged(page: int, drag: Drag) -> None:
            if drag.part < len(self.names):
                act(page, self.names[drag.part], drag)

        self.set(drag=True)
        self.dragged = dragged


MOST_LINES = 241
"""Along each axis of a field of heights."""


class GroundView:
    """The terrain under the walker."""

    def __init__(self, scene: Viewport) -> None:
        self._node = scene.add("ground", "ground", flat=True, x=[0.0], y=[0.0], z=[[0.0]], packed="")

    def show(self, terrain: Terrain) -> None:
        flat = str(getattr(terrain, "name", "")) == "flat" or terrain.kind == "flat"
        if flat:
            self._node.set(flat=True, x=[0.0], y=[0.0], z=[[float(terrain.height(0.0))]], packed="")
        elif terrain.kind == "profile":
            x, z = terrain.profile()
            self._node.set(flat=False, x=_list(x), y=[0.0], z=[[h] for h in _list(z)], packed="")
        else:
            origin, spacing, heights = terrain.grid()
            x, y = (
                np.linspace(origin[k], origin[k] + spacing[k] * (n - 1), min(n, MOST_LINES))
                for k, n in enumerate(heights.shape)
            )
            z = np.asarray(terrain.height(*np.meshgrid(x, y, indexing="ij")))
            self._node.set(flat=False, x=_list(x), y=_list(y), z=[], packed=packed(z))


def _list(values: np.ndarray) -> list[float]:
    return [round(float(v), 5) for v in values]


PUSH_GAP, PUSH_LENGTH, PUSH_MOST = 0.16, 0.25, 1.1
"""Metres of a push's arrow: from its head to the point it acts on, its length for a light push, and at most."""
METRES_PER_NEWTON = 1.0 / 1200.0
FOOTPRINTS, TRAIL = 24, 60
MOST_LENGTH = 2.5
"""Metres: longer arrows are drawn so long, so that an impact does not fill the view."""


def rgb(red: int, green: int, blue: int) -> Colour:
    """A colour of numbers to 255."""
    return round(red / 255, 3), round(green / 255, 3), round(blue / 255, 3)


LEFT, RIGHT = rgb(0, 114, 178), rgb(213, 94, 0)
FORCE, PUSH, COM, TRAIL_COLOUR = rgb(0, 158, 115), rgb(204, 121, 167), rgb(230, 159, 0), rgb(184, 194, 204)


class Marks:
    """Marks of the walker; each kind may be hidden."""

    KINDS = ("contact forces", "centre of mass", "footprints", "trail")

    def __init__(self, scene: Viewport) -> None:
        self.shown = dict.fromkeys(self.KINDS, True)
        self._com = scene.add("com", "balls", radius=0.03, colour=COM, alpha=1.0)
        self._under = scene.add("under", "balls", radius=0.016, colour=COM, alpha=1.0)
        self._forces = scene.add("forces", "arrows", colour=FORCE, radius=0.009)
        self._push = scene.add("push", "arrows", colour=PUSH, radius=0.018)
        self._prints = scene.add("prints", "lines", colours=[], radius=0.013, alpha=1.0)
        self._trail = scene.add("trail", "lines", colour=TRAIL_COLOUR, radius=0.004, alpha=1.0)
        self._drawn: tuple[Any, ...] = ()

    def centre(self, com: Array, ground: float) -> None:
        """The centre of mass [3] and the ground below it."""
        self._com.visible = self._under.visible = self.shown["centre of mass"]
        self._com.put(com[None])
        self._under.put([[com[0], com[1], ground + 0.003]])

    def forces(self, points: Array, forces: Array) -> None:
        """Ground forces [P, 3], newtons, at points [P, 3]."""
        act = np.linalg.norm(forces, axis=1) > 1.0 if self.shown["contact forces"] else np.zeros(len(forces), bool)
        self._forces.put(np.concatenate([points[act], points[act] + _arrow(forces[act])], axis=1))

    def push(self, at: Array, force: Array) -> None:
        """The push [3] that acts on a point [3] inside the body: an arrow from outside, its head before the skin."""
        size = float(np.linalg.norm(force))
        if size <= 1.0:
            self._push.put(np.zeros((0, 6)))
            return
        along = np.asarray(force) / size
        head = at - PUSH_GAP * along
        tail = head - min(PUSH_LENGTH + size / 600.0, PUSH_MOST) * along
        self._push.put(np.concatenate([tail, head])[None])

    def tracks(self, tracks: Tracks, until: float) -> None:
        """Footprints and trail up to a time."""
        prints = tracks.last(FOOTPRINTS, until) if self.shown["footprints"] else []
        trail = tracks.trail(TRAIL, until) if self.shown["trail"] else np.zeros((0, 3))
        drawn = (len(prints), prints[-1] if prints else None, len(trail), tuple(trail[-1]) if len(trail) else None)
        if drawn == self._drawn:
            return
        self._drawn = drawn
        lines = np.array([(*p.heel, *p.toe) for p in prints]).reshape(-1, 6) + [0.0, 0.0, 0.006] * 2
        self._prints.set(colours=[list(RIGHT if p.right else LEFT) for p in prints])
        self._prints.put(lines)
        self._trail.put(np.concatenate([trail[:-1], trail[1:]], axis=1))


def _arrow(force: Array) -> Array:
    """[..., 3] metres that an arrow for newtons is long."""
    size = np.linalg.norm(force, axis=-1, keepdims=True)
    return np.asarray(METRES_PER_NEWTON * force * np.minimum(1.0, MOST_LENGTH / METRES_PER_NEWTON / (size + 1e-9)))


AHEAD, NEXT, REACHED = rgb(0, 114, 178), rgb(213, 94, 0), rgb(176, 186, 198)
POLE, RADIUS, THIN = 0.42, 0.05, 0.012
RING = 48


class PathView:
    """The points of a path."""

    def __init__(self, scene: Viewport) -> None:
        self._line = scene.add("path-line", "lines", colours=[], radius=THIN, alpha=1.0)
        self._poles = scene.add("path-points", "lines", colours=[], radius=RADIUS, alpha=1.0)
        self._ring = scene.add("path-ring", "lines", colour=NEXT, radius=0.5 * THIN, alpha=1.0)
        self._labels = scene.add("path-labels", "labels", texts=[], colour="--ink")
        self._shown: tuple[Any, ...] = ()

    def show(self, points: Sequence[tuple[float, float]], reached: int, terrain: Terrain, reach: float = 0.0) -> None:
        """Draw points [P, 2], the first ``reached`` of which lie behind the walker, and round the next one how near is
        near enough, ``reach`` metres."""
        wanted = (tuple(points), reached, id(terrain))
        if wanted == self._shown:
            return
        self._shown = wanted
        places = np.array([(x, y, float(terrain.height(x, y))) for x, y in points]).reshape(-1, 3)
        colours = [list(REACHED if i < reached else NEXT if i == reached else AHEAD) for i in range(len(places))]
        up = np.array([0.0, 0.0, 1.0])
        self._line.set(colours=colours[1:])
        self._line.put(np.concatenate([places[:-1] + THIN * up, places[1:] + THIN * up], axis=1))
        self._poles.set(colours=colours)
        self._poles.put(np.concatenate([places, places + 0.3 * POLE * up], axis=1))
        self._labels.set(texts=[str(i + 1) for i in range(len(places))])
        self._labels.put(places + POLE * up)
        self._ring.put(_ring(places[reached], reach, terrain) if reached < len(places) and reach > 0 else [])


def _ring(place: Array, radius: float, terrain: Terrain) -> Array:
    """Every second piece of a circle on the ground, [N, 6]."""
    angle = np.linspace(0.0, 2.0 * np.pi, RING + 1)
    x, y = place[0] + radius * np.cos(angle), place[1] + radius * np.sin(angle)
    ring = np.stack([x, y, terrain.height(x, y) + 0.008], axis=1)
    return np.concatenate([ring[:-1:2], ring[1::2]], axis=1)


class Torques(Node):
    """How hard each body of a walker is worked.

    Args:
        scene: where it stands.
        figure: the walker's.
        bodies: numbers of the bodies that are drawn, in their order.

    Attributes:
        shown: whether the colours are drawn.
    """

    def __init__(self, scene: Viewport, figure: Figure, bodies: list[int], *, shown: bool = False) -> None:
        self._bodies, self.shown, self._colours = bodies, shown, TorqueColours(figure)
        super().__init__(scene.shared, scene.item("torques", "heat", visible=shown))

    def show(self, torque: Array | None) -> None:
        """Colour the walker by torques [nv]; None where there are none."""
        self.visible = self.shown and torque is not None
        if self.shown and torque is not None:
            self.put(self._colours.heat(torque)[self._bodies])
