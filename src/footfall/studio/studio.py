"""A studio: a server that shows one walker to any number of browsers and lets them change everything about it."""

import contextlib
import html
import io
import logging
import math
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.graph import PoseControlGraph
from footfall.control.target_pose import target_qpos
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.studio.core.balanced_world import BalancedWorld, make_world
from footfall.studio.core.documents import Document
from footfall.studio.core.driving import Drive
from footfall.studio.core.history import History
from footfall.studio.core.library import Library
from footfall.studio.core.live_world import LiveWorld
from footfall.studio.core.loop import Loop
from footfall.studio.core.setting import Setting
from footfall.studio.core.targets import role_of
from footfall.studio.origin import guarding
from footfall.studio.panels.layout import Layout
from footfall.studio.pulse import Pulse
from footfall.studio.scene.stage import Frame, Stage

__all__ = ["Studio"]

Array = NDArray[np.float64]

SPRING = 600.0
"""Newtons a metre between a dragged body and the pointer. The force is held below ``MOST_PULL``."""
MOST_PULL = 900.0


class Studio:
    """A walker, its controllers, and the page that shows them.

    Args:
        controller: the controller that walks first, its name or its file.
        host, port: where the page is served.
        folder: where controllers are saved, and looked for; None for nowhere.
        playing: whether it walks at once.
        shadows: whether bodies cast shadows; browsers without a graphics card are faster without.

    Attributes:
        library: the controllers. document: the one being edited. world: what walks. history: what it did.
        selected: the number of the state being edited. posing: whether that state's pose is drawn with handles.
        looking: a moment of the past that is shown instead of the present; None for the present.
    """

    def __init__(
        self,
        controller: str | Path = "walk",
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        folder: Path | None = None,
        playing: bool = True,
        shadows: bool = True,
    ) -> None:
        try:
            import viser
        except ImportError:
            raise FootfallError("the studio needs viser: pip install 'footfall[studio]'") from None
        self.library = Library(folder)
        self.document = self._first(controller)
        self.setting = Setting()
        self.history = History()
        self.selected, self.posing, self.ghosting = 0, False, True
        self.looking: float | None = None
        self._pulled: tuple[str, Array, Array] | None = None
        self._puller: int | None = None
        self.message = ""
        self.world = self._make_world()
        make_server: Any = viser.ViserServer
        with guarding(host), contextlib.redirect_stdout(io.StringIO()):
            self.server = make_server(host=host, port=port, label="footfall", verbose=False)
        self.server.request_share_url = lambda verbose=True: None
        self.server.on_client_disconnect(lambda client: self._let_go(client.client_id))
        self.stage = Stage(self.server.scene, shadows=shadows)
        self.loop = Loop(self._advance, self._draw, self._failed)
        self.pulse = Pulse(self.server, lambda: self.loop.playing)
        self._drawn = 0.0
        self.layout = Layout(self)
        self._show_world()
        self.loop.start()
        self.loop.submit(lambda: None)
        self.loop.play(playing)

    def _first(self, controller: str | Path) -> Document:
        if str(controller) in self.library.documents:
            return self.library.document(str(controller))
        path = Path(controller)
        if path.suffix != ".toml":
            return self.library.document(str(controller))
        if not path.is_file():
            raise FootfallError(f"controller file {path} does not exist")
        return self.library.upload(path.name, path.read_bytes())

    def stop(self) -> None:
        """End the studio."""
        self.pulse.stop()
        self.layout.stop()
        self.loop.stop()
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    # -- what is said ----------------------------------------------------------------------------------------------

    def say(self, title: str, text: str = "", *, bad: bool = False) -> None:
        """Tell every browser something."""
        self.message = f"{title}: {text}" if text else title
        for client in self.server.get_clients().values():
            client.add_notification(
                title, html.escape(text), color="red" if bad else "teal", auto_close_seconds=8.0 if bad else 4.0
            )

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, FootfallError):
            logging.getLogger("footfall.studio").error("%s", error, exc_info=error)
        self.say("That did not work", str(error), bad=True)

    def act(self, job: Callable[[], Any]) -> Any:
        """Do something in the simulation's thread, in order; errors are told to every browser."""
        return self.loop.submit(job)

    # -- the world -------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> PoseControlGraph:
        """The controller being edited."""
        return self.document.graph

    def _make_world(self, drive: Drive | None = None) -> LiveWorld:
        graph = self.document.graph
        world = make_world(self.library.together(graph.name), Figure.load(graph.figure), self.setting, drive)
        self.setting = world.setting
        return world

    @property
    def balanced(self) -> BalancedWorld | None:
        """The world, where limit-cycle control balances it."""
        return self.world if isinstance(self.world, BalancedWorld) else None

    def _show_world(self) -> None:
        self.stage.show_figure(self.world.figure, self._dragged, self._turned)
        self.stage.ground.show(self.world.simulation.terrains[0])
        self.layout.rebuild()

    def open(self, name: str) -> None:
        """Walk under another controller, from its start. A figure that is new here is compiled while the old one walks
        on."""
        document = self.library.document(name)

        def make() -> None:
            try:
                setting = self.setting.changed(place=(0.0, 0.0))
                fresh = make_world(self.library.together(name), Figure.load(document.graph.figure), setting)
            except Exception as error:
                self._failed(error)
                return
            self.act(lambda: self._enter(document, fresh))

        threading.Thread(target=make, name="footfall-open", daemon=True).start()

    def _enter(self, document: Document, world: LiveWorld) -> None:
        same = world.figure.name == self.world.figure.name
        self.document, self.world, self.selected, self.looking = document, world, 0, None
        self.setting = world.setting
        self._pulled = None
        self.history.clear()
        self.stage.marks.clear()
        if same:
            self.stage.ground.show(self.world.simulation.terrains[0])
            self.layout.rebuild()
        else:
            self._show_world()

    def change_setting(self, **parts: Any) -> None:
        """Change terrain, friction, gravity or load while it walks."""
        if "terrain" in parts:
            x = float(self.world.state["qpos"][0][0])
            parts["place"] = (x, float(self.world.simulation.terrains[0].height(x)))
        setting = self.setting.changed(**parts)
        self.world.change_setting(setting)
        self.setting = setting
        if "terrain" in parts:
            self.stage.ground.show(self.world.simulation.terrains[0])

    def drive(self, **parts: Any) -> None:
        """Ask something else of a walker that limit-cycle control balances (see :class:`Drive`)."""
        world = self.balanced
        if world is None:
            raise FootfallError(f"controller '{self.graph.name}' is not balanced step by step; choose human-walk")
        if parts.get("servo", world.drive.servo) == world.drive.servo:
            world.change_drive(world.drive.changed(**parts))
            self.layout.driven()
            return
        drive, setting, graph = world.drive.changed(**parts), self.setting, self.graph

        def prepare() -> None:
            try:
                BalancedWorld(graph, world.figure, setting, drive)
            except Exception as error:
                self._failed(error)
                return
            self.act(lambda: self._enter_drive(world, parts))

        threading.Thread(target=prepare, name="footfall-drive", daemon=True).start()

    def _enter_drive(self, world: BalancedWorld, parts: dict[str, Any]) -> None:
        if world is self.world:
            world.change_drive(world.drive.changed(**parts))
            self.layout.driven()

    # -- editing ---------------------------------------------------------------------------------------------------

    def edit(self, change: Callable[[PoseControlGraph], PoseControlGraph], what: str = "") -> None:
        """Change the controller; it acts at once."""
        self._put(change(self.graph), what)

    def _put(self, graph: PoseControlGraph, what: str, **options: float) -> None:
        before = self.document.graph
        if graph == before:
            return
        self.world.edit(graph)
        self.document.edit(graph, what, **options)
        self.selected = min(self.selected, len(graph.states) - 1)
        self.layout.controller_changed(len(graph.states) != len(before.states))

    def undo(self) -> None:
        """Take the last edit back."""
        self._travel(self.document.undo)

    def redo(self) -> None:
        """Do an edit again that was taken back."""
        self._travel(self.document.redo)

    def _travel(self, go: Callable[[], bool]) -> None:
        before = self.graph
        if go():
            self.world.edit(self.graph)
            self.selected = min(self.selected, len(self.graph.states) - 1)
            self.layout.controller_changed(len(self.graph.states) != len(before.states))

    def _turned(self, joint: str, angle: float, gesture: int) -> None:
        def turn() -> None:
            from footfall.studio.core.editing import with_target

            graph, figure = self.graph, self.world.figure
            role = role_of(graph, figure, self.selected, joint)
            targets = graph.states[self.selected].targets
            at = figure.joint(joint).qpos
            old = targets[role].angle if role in targets else float(figure.default_qpos[at])
            new = float(np.clip(old + angle, -np.pi, np.pi))
            graph = with_target(graph, self.selected, role, angle=round(new, 3))
            self._put(graph, f"gesture {gesture}", within=math.inf)

        self.act(turn)

    # -- forces ----------------------------------------------------------------------------------------------------

    def _dragged(self, body: str, event: Any) -> None:
        grabbed, end = np.array(event.start_position), np.array(event.end_position)
        if event.phase == "end":
            self._let_go(event.client_id)
            return

        def pull() -> None:
            if event.phase == "start":
                self._puller = event.client_id
            if self._puller == event.client_id:
                self._pulled = (body, grabbed, end)

        self.act(pull)

    def _let_go(self, client: int) -> None:
        """A browser lets go of what it pulls, or has gone."""

        def let_go() -> None:
            if self._puller == client:
                self._puller = None
                if self._pulled is not None:
                    self.world.pull(self._pulled[0], None)
                    self._pulled = None

        self.act(let_go)

    def _spring(self) -> None:
        if self._pulled is None:
            return
        body, grabbed, end = self._pulled
        force = SPRING * (end - grabbed)
        size = float(np.linalg.norm(force))
        self.world.pull(body, force * min(1.0, MOST_PULL / max(size, 1e-9)))

    # -- time ------------------------------------------------------------------------------------------------------

    def _advance(self, seconds: float) -> None:
        if self.world.diverged:
            self.loop.playing = False
            self.say("The simulation diverged", f"at {self.world.time:.3f} s; look back, or reset", bad=True)
            return
        self.looking = None
        self._spring()
        fell = self.world.fell_at
        self.history.append(self.world.advance(seconds))
        if not self.world.diverged:
            self.history.remember(self.world.time, self.world.state)
        if fell is None and self.world.fell_at is not None:
            self.message = f"fell at {self.world.fell_at:.2f} s"
        self.layout.advanced(seconds)

    def step(self, seconds: float = 1 / 60) -> None:
        """Pause, and go on by one frame."""
        self.loop.playing = False
        self._advance(seconds)

    def reset(self) -> None:
        """Back to the start of the controller being edited."""
        moved = self.setting.place != (0.0, 0.0)
        self.setting = self.setting.changed(place=(0.0, 0.0))
        self.world = self._make_world(self.balanced.drive if self.balanced is not None else None)
        if moved:
            self.stage.ground.show(self.world.simulation.terrains[0])
        self.looking, self._pulled = None, None
        self.history.clear()
        self.stage.marks.clear()
        self.loop.lost = 0.0

    def look_back(self, seconds: float) -> None:
        """Pause, and show the past; 0 shows the present."""
        self.loop.playing = False
        self.looking = None if seconds <= 0 else max(self.history.begin, self.history.end - seconds)

    def go_on_from_here(self) -> None:
        """Forget what came after the moment that is shown, and walk on from there."""
        if self.looking is not None:
            found = self.history.rewind(self.looking)
            if found is None:
                raise FootfallError("nothing to go on from was kept that far back; reset instead")
            self.world.restore(found[1])
            self.looking = None
        self.loop.play(True)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def frame(self) -> Frame:
        """What is to be drawn."""
        world = self.world
        past = self.looking is not None and len(self.history) > 0
        if past:
            assert self.looking is not None
            seen = self.history.last(0.0, until=self.looking)
            qpos, qvel, push = seen.qpos[-1], seen.qvel[-1], seen.push[-1]
            name, number, right = world.decode(int(seen.state[-1]))
            at, balance = float(seen.times[-1]), seen.balance()
        else:
            qpos, qvel = (np.asarray(world.state[k][0], dtype=float) for k in ("qpos", "qvel"))
            name, number, right = world.where()
            at, push = world.time, world.force()
            balance = self.history.last(0.0).balance() if len(self.history) else {}
        ghost, handles = None, None
        if self.posing:
            ghost = self._posed(qpos)
            handles = {n for n, _, _ in self.stage.kinematics.ends} - self._free_joints()
        elif self.ghosting and world.fell_at is None:
            state = world.state_in(name, number, right=right)
            ghost = target_qpos(world.table, state, qpos, balance)
            ghost = ghost if past else world.asked(state, ghost)
        return Frame(
            time=at,
            qpos=qpos,
            qvel=qvel,
            push=push,
            right=right,
            anchors=None if past else world.anchors(),
            ghost=ghost,
            handles=handles,
            saved=None if past else world.beside(),
        )

    def _posed(self, qpos: Array) -> Array:
        """[nq] the pose of the state being edited, standing on the ground where the walker is."""
        figure = self.world.figure
        base = np.array(figure.default_qpos, dtype=float)
        along = 1 if figure.root == "planar" else 2
        if figure.root != "fixed":
            base[:along] = qpos[:along]
        pose = target_qpos(self.world.table, self._selected_state(), base)
        if figure.root != "fixed":
            pose[along] -= self.stage.clearance(pose, self.world.simulation.terrains[0])
        return pose

    def _selected_state(self) -> int:
        """The law's state that is being edited, as written."""
        return self.world.state_in(self.graph.name, self.selected, right=False)

    def _free_joints(self) -> set[str]:
        """Joints that have no target of their own: the stance hip under SIMBICON."""
        table = self.world.table
        state = table.states[self._selected_state()].state
        if not table.balanced or state.flight:
            return set()
        return {slot.name for slot in table.slots if (slot.place, slot.side) == ("hip", state.stance)}

    def _draw(self) -> None:
        now = time.perf_counter()
        if self.loop.playing and now - self._drawn < self.pulse.interval:
            return
        self._drawn = now
        frame = self.frame()
        simulation = self.world.simulation
        with self.server.atomic():
            self.stage.draw(frame, simulation.terrains[0], simulation.grounds[0])
        self.layout.tick(frame)
