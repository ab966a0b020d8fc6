"""A studio: a server that shows one walker to any number of browsers and lets them change everything about it."""

import contextlib
import io
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from footfall.control.kind import Controller
from footfall.control.slots import TORSO
from footfall.errors import FootfallError
from footfall.methods.simbicon.editing import target_name, with_target
from footfall.studio.core.beside.clip import LARGEST_CLIP
from footfall.studio.core.beside.companion import Companion
from footfall.studio.core.geometry.heading import facing
from footfall.studio.core.session.events import Said, TasksChanged, TerrainChanged, Turned, WorldChanged
from footfall.studio.core.session.first_walk import compile_awaited
from footfall.studio.core.session.frames import Frame, frame_of
from footfall.studio.core.session.library import LARGEST_UPLOAD
from footfall.studio.core.session.session import Session
from footfall.studio.core.steering.pulling import Pulling
from footfall.studio.core.steering.steering import Steering
from footfall.studio.page.channel import Channel
from footfall.studio.page.icons import open_icons
from footfall.studio.page.pacing import Pacing
from footfall.studio.page.serving import serving
from footfall.studio.page.uploads import limit_uploads
from footfall.studio.panels.context import Context, Drawn, Ticked
from footfall.studio.panels.keys import add_keys
from footfall.studio.panels.layout import TABS, Layout
from footfall.studio.remote import Remote
from footfall.studio.scene.stage import Stage
from footfall.studio.scene.views import FIELD_OF_VIEW, camera_of, first_view

__all__ = ["Studio"]

TICK = 0.2
"""Seconds between updates of what is read, not watched."""


class Studio:
    """A session and the page that shows it.

    Args:
        controller: the controller that walks first, its name, its file or itself; None for the default one.
        host, port: where the page is served.
        folder: where controllers are saved, and looked for; None for nowhere.
        playing: whether it walks at once.
        shadows: whether bodies cast shadows; browsers without a graphics card are faster without.

    Attributes:
        session, steering, companion: the core, which knows nothing of the page. server: viser's.
        stage: what is drawn. layout: the panels.
    """

    def __init__(
        self,
        controller: str | Path | Controller | None = None,
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
        self.session = Session(controller, folder)
        self.companion = Companion(self.session)
        self.steering = Steering(self.session, self.companion)
        self._pulling = Pulling(self.session)
        self._remote = Remote(self.session)
        channel = Channel(self._remote.receive)
        make_server: Any = viser.ViserServer
        with serving(host, channel), contextlib.redirect_stdout(io.StringIO()):
            self.server = make_server(host=host, port=port, label="footfall", verbose=False)
        self.server.request_share_url = lambda verbose=True: None
        self._warned = not self.session.library.skipped
        self.server.on_client_connect(lambda client: None if self._warned else self._warn(client))
        self.server.on_client_disconnect(lambda client: self._let_go(client.client_id))
        self.pacing = Pacing(self.server, lambda: self.session.loop.playing)
        self.stage = Stage(self.server.scene, shadows=shadows)
        self._drawn = self._ticked = 0.0
        self._turns: dict[str, float] = {}
        uploads: dict[str, int] = {}
        context = Context(
            self.session, self.steering, self.companion, self.server.gui, self.server.scene, self.stage, uploads
        )
        with open_icons():
            self.layout = Layout(context)
        limit_uploads(self.server, uploads, self.session.fail)
        channel.send("page", {"tabs": TABS, "uploads": {"controller": LARGEST_UPLOAD, "clip": LARGEST_CLIP}})
        self._commands = add_keys(self.server.gui, self.session, self.steering, self.view)
        events = self.session.events
        events.on(Said, self._notify)
        events.on(TasksChanged, lambda _: self._remote.send_tasks(channel))
        events.on(WorldChanged, lambda event: self._show_world(event.figure))
        events.on(TerrainChanged, lambda _: self._show_ground())
        events.on(Turned, lambda _: self._draw())
        events.on(Ticked, lambda event: self._remote.send(channel, event.frame))
        self._show_world(True)
        loop = self.session.loop
        loop.start()
        loop.submit(lambda: None)
        loop.play(playing)
        compile_awaited(self.session)

    def stop(self) -> None:
        """End the studio."""
        self.pacing.stop()
        self.layout.stop()
        self.session.loop.stop()
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def _notify(self, said: Said) -> None:
        colour, seconds = ("red", 8.0) if said.bad else ("teal", 4.0)
        for client in self.server.get_clients().values():
            client.add_notification(said.title, said.text, color=colour, auto_close_seconds=seconds)

    def _warn(self, client: Any) -> None:
        """Show the first browser that comes which files of the folder were left out; the editor lists them for all."""
        skipped, self._warned = self.session.library.skipped, True
        title = "A controller was skipped" if len(skipped) == 1 else f"{len(skipped)} controllers were skipped"
        client.add_notification(title, "; ".join(skipped[:5]), color="orange", auto_close_seconds=12.0)

    # -- the scene -------------------------------------------------------------------------------------------------

    def _show_world(self, figure: bool) -> None:
        if figure:
            self.stage.show_figure(self.session.world.figure, self._dragged, self._turned)
            self._frame_camera()
        self._show_ground()

    def _show_ground(self) -> None:
        self.stage.ground.show(self.session.world.simulation.terrains[0])

    def _camera(self, view: str) -> tuple[Any, Any]:
        figure = self.session.world.figure
        placed = self.stage.kinematics.place(np.asarray(figure.default_qpos, dtype=float))
        tall = float(placed.position[:, 2].max() - placed.points[:, 2].min()) + 0.3 if len(placed.points) else 1.75
        heading = facing(self.session.world.state["qpos"][0]) if figure.root == "free" else 0.0
        return camera_of(view, heading, tall)

    def _frame_camera(self) -> None:
        """Show the whole figure to everyone who watches, and to those who come."""
        view = first_view(self.session.world.figure)
        camera = self.server.initial_camera
        camera.fov = FIELD_OF_VIEW
        camera.position, camera.look_at = self._camera(view)
        for client in self.server.get_clients().values():
            self.view(client, view)

    def view(self, client: Any, name: str) -> None:
        """Show one browser the walker from one of the views (:data:`footfall.studio.scene.views.VIEWS`)."""
        position, aim = self._camera(name)
        with client.atomic():
            client.camera.up_direction = (0.0, 0.0, 1.0)
            client.camera.position, client.camera.look_at = position, aim

    def frame(self) -> Frame:
        """What is to be drawn."""
        return frame_of(self.session, self.stage.kinematics)

    def _draw(self) -> None:
        now, session = time.perf_counter(), self.session
        playing = session.loop.playing
        if playing and now - self._drawn < self.pacing.quickest:
            return
        self._drawn = now
        frame = self.frame()
        simulation = session.world.simulation
        with self.server.atomic():
            self.stage.draw(frame, simulation.terrains[0], simulation.grounds[0], session.tracks)
        self.server.flush()
        session.events.emit(Drawn(frame))
        if playing and now - self._ticked < max(TICK, 4.0 * self.pacing.quickest):
            return
        self._ticked = now
        session.events.emit(Ticked(frame))

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

    def _dragged(self, body: str, event: Any) -> None:
        """The walker is dragged by one of its bodies."""
        grabbed, end = np.array(event.start_position), np.array(event.end_position)
        if event.phase == "end":
            self._let_go(event.client_id)
            return
        act = self._pulling.grab if event.phase == "start" else self._pulling.move
        self.session.act(lambda: act(event.client_id, body, grabbed, end))

    def _let_go(self, client: int) -> None:
        self.session.act(lambda: self._pulling.let_go(client))
