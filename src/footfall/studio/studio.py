"""A studio: a server that shows one walker to any number of browsers and lets them change everything about it."""

import math
import secrets
import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from footfall import __version__
from footfall.control.kind import Controller
from footfall.control.slots import TORSO
from footfall.errors import FootfallError
from footfall.methods.simbicon.editing import target_name, with_target
from footfall.studio.bar import Bar
from footfall.studio.core.beside.companion import Companion
from footfall.studio.core.session.events import Advanced, Said, TasksChanged, TerrainChanged, Turned, WorldChanged
from footfall.studio.core.session.first_walk import compile_awaited, load_fallen_soon
from footfall.studio.core.session.frames import Frame, frame_of
from footfall.studio.core.session.session import Session
from footfall.studio.core.steering.pulling import Pulling
from footfall.studio.core.steering.steering import Steering
from footfall.studio.panels.context import Context, Drawn, Ticked
from footfall.studio.panels.keys import Commands
from footfall.studio.panels.layout import Layout
from footfall.studio.scene.nodes import Scene
from footfall.studio.scene.stage import Stage
from footfall.studio.server.client import Client, Uploaded
from footfall.studio.server.server import Server
from footfall.studio.widgets.gui import Gui
from footfall.studio.wire.asked import Answer, Asked, Click, Command, Do, Drag, Open, Press, SetValue, Stick
from footfall.studio.wire.shared import Shared
from footfall.studio.wire.told import Toast

TICK = 0.2
"""Seconds between updates of what is read, not watched."""


class Studio:
    """A session and the page that shows it.

    Args:
        controller: the controller that walks first, its name, its file or itself; None for the default one.
        host, port: where the page is served.
        folder: where controllers are saved, and looked for; None for nowhere.
        figure: on which that controller walks, by name or file; None for its own.
        playing: whether it walks at once.
        shadows: whether bodies cast shadows; browsers without a graphics card are faster without.

    Attributes:
        session, steering, companion: the core, which knows nothing of the page. server: serves it.
        shared: what all pages see. gui, scene: make its widgets and its nodes. stage: what is drawn.
        layout: the panels.
    """

    def __init__(
        self,
        controller: str | Path | Controller | None = None,
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        folder: Path | None = None,
        figure: str | None = None,
        playing: bool = True,
        shadows: bool = True,
    ) -> None:
        try:
            import websockets  # noqa: F401
        except ImportError:
            raise FootfallError("the studio needs websockets: pip install 'footfall[studio]'") from None
        self.session = session = Session(controller, folder, figure)
        self.companion = Companion(session)
        self.steering = Steering(session, self.companion)
        self._pulling = Pulling(session)
        self._published: dict[str, bytes] = {}
        self.shared = Shared(secrets.token_hex(8), __version__)
        self.gui, self.scene = Gui(self.shared), Scene(self.shared)
        self.stage = Stage(self.scene, shadows=shadows)
        self._bar = Bar(session, self.shared)
        self._commands = Commands(session, self.steering)
        self.shared.commands = self._commands.table
        self._ticked, self._warned = 0.0, not session.library.skipped
        self._turns: dict[str, float] = {}
        self._passed = 0.0
        self.layout = Layout(
            Context(
                session, self.steering, self.companion, self.gui, self.scene, self.stage, self.shared.bar, self._publish
            )
        )
        events = session.events
        events.on(Said, self._notify)
        events.on(Advanced, lambda event: self._count(event.seconds))
        events.on(TasksChanged, lambda _: self._bar.show_tasks())
        events.on(WorldChanged, lambda event: self._show_world(event.figure))
        events.on(TerrainChanged, lambda _: self._show_ground())
        events.on(Turned, lambda _: self._draw())
        events.on(Ticked, lambda event: self._bar.show(event.frame))
        self._show_world(True)
        self.server = Server(self.shared, host, port, self._receive, self._left, self._published)
        self.server.start()
        session.loop.start()
        session.loop.submit(lambda: None)
        session.loop.play(playing)
        compile_awaited(session)
        load_fallen_soon(session)

    def stop(self) -> None:
        """End the studio."""
        self.layout.stop()
        self.session.loop.stop()
        self.server.stop()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self.server.host}:{self.server.port}"

    def _publish(self, name: str, content: bytes) -> str:
        path = f"/live/{quote(name)}"
        self._published[path] = content
        return path

    # -- pages -----------------------------------------------------------------------------------------------------

    def _receive(self, client: Client, asked: Asked | Uploaded) -> None:
        """Do what a page asks for."""
        match asked:
            case SetValue() | Press():
                self.gui.receive(client, asked)
            case Uploaded():
                self.gui.upload(client, asked.id, asked.name, asked.content)
            case Do():
                self._bar.receive(asked)
            case Command():
                self._commands.receive(asked.name)
            case Drag():
                self.scene.receive(client.number, asked)
            case Click():
                self.layout.path.clicked(asked)
            case Stick():
                self.session.act_newest("stick", lambda: self.steering.stick(asked.x, asked.y))
            case Answer():
                client.answer(asked)
            case Open():
                self.session.act(lambda: None)
            case _:
                raise AssertionError(asked)

    def _left(self, client: Client) -> None:
        """A page went away: it lets go of what it pulled."""
        self._let_go(client.number)

    def _notify(self, said: Said) -> None:
        self.shared.tell(Toast(said.title, said.text, *(("bad", 8.0) if said.bad else ("good", 4.0))))

    def _warn(self) -> None:
        """Show the first page that comes which files of the folder were left out; the editor lists them for all."""
        if self._warned or not self.shared.pages:
            return
        skipped, self._warned = self.session.library.skipped, True
        title = "A controller was skipped" if len(skipped) == 1 else f"{len(skipped)} controllers were skipped"
        self.shared.tell(Toast(title, "; ".join(skipped[:5]), "warn", 12.0))

    # -- the scene -------------------------------------------------------------------------------------------------

    def _show_world(self, figure: bool) -> None:
        with self.shared.atomic():
            if figure:
                self.stage.show_figure(self.session.world.figure, self._dragged, self._turned)
            self._show_ground()

    def _show_ground(self) -> None:
        self.stage.ground.show(self.session.world.simulation.terrains[0])

    def frame(self) -> Frame:
        """What is to be drawn."""
        return frame_of(self.session, self.stage.kinematics)

    def _draw(self) -> None:
        now, session = time.perf_counter(), self.session
        playing, simulation = session.loop.playing, session.world.simulation
        frame = self._with_push(self.frame())
        with self.shared.atomic():
            self.stage.draw(frame, simulation.terrains[0], simulation.grounds[0], session.tracks)
            session.events.emit(Drawn(frame))
        if playing and now - self._ticked < TICK:
            return
        self._ticked = now
        self._warn()
        session.events.emit(Ticked(frame))

    def _with_push(self, frame: Frame) -> Frame:
        """A push that began and ended since the last frame was drawn, on a slow machine, is drawn all the same."""
        passed, self._passed = self._passed, 0.0
        if frame.past or frame.push.any() or not passed or not len(self.session.history):
            return frame
        pushes = self.session.history.last(passed).push
        pushed = np.flatnonzero(pushes.any(axis=1))
        return replace(frame, push=pushes[pushed[-1]]) if len(pushed) else frame

    def _count(self, seconds: float) -> None:
        self._passed += seconds

    # -- what is dragged -------------------------------------------------------------------------------------------

    def _turned(self, joint: str, angle: float, gesture: int) -> None:
        """A handle of the pose being edited was dragged. Turns that come faster than edits are made are added up."""
        if self._turns:
            self._turns[joint] = self._turns.get(joint, 0.0) + angle
            return
        self._turns[joint] = angle
        self.session.act(lambda: self._turn_targets(gesture))

    def _turn_targets(self, gesture: int) -> None:
        session, turns = self.session, self._turns
        self._turns = {}
        figure, selected = session.world.figure, session.selected
        if not session.states:
            return
        state, angles = session.states[selected], dict[str, float]()
        for joint, angle in turns.items():
            torso = joint in self.stage.kinematics.torso_joints
            role = TORSO if torso else target_name(state, figure, joint)
            default = float(figure.default_qpos[figure.joint(joint).qpos])
            old = state.targets[role].angle if role in state.targets else default
            angles[role] = round(float(np.clip(old + angle, -np.pi, np.pi)), 3)

        def turned(graph: Any) -> Any:
            for role, angle in angles.items():
                graph = with_target(graph, selected, role, angle=angle)
            return graph

        session.edit(turned, f"gesture {gesture}", within=math.inf)

    def _dragged(self, page: int, body: str, drag: Drag) -> None:
        """The walker is dragged by one of its bodies."""
        if drag.phase == "end":
            self._let_go(page)
            return
        act = self._pulling.grab if drag.phase == "start" else self._pulling.move
        self.session.act(lambda: act(page, body, np.array(drag.start), np.array(drag.to)))

    def _let_go(self, page: int) -> None:
        self.session.act(lambda: self._pulling.let_go(page))
