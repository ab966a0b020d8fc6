"""A studio: a server that shows one walker to any number of browsers and lets them change everything about it."""

import math
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from footfall import __version__
from footfall.control.kind import Controller
from footfall.plugins import optional_module
from footfall.studio.core.background import Advanced, Said, TasksChanged, TerrainChanged, Turned, WorldChanged
from footfall.studio.core.frames import Moment, frame_of
from footfall.studio.core.making import load_soon
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session
from footfall.studio.core.steering import Pulling, WalkerSteering
from footfall.studio.messages import (
    Answered,
    Asked,
    Click,
    Command,
    Do,
    Drag,
    Open,
    PoseTurned,
    Press,
    SetValue,
    Stick,
    Toast,
)
from footfall.studio.panels.body import BodyPanel, TerrainPanel
from footfall.studio.panels.clips import ClipPanel, ExportPanel, PendulumPanel
from footfall.studio.panels.context import Context, Drawn, Ticked
from footfall.studio.panels.editor import EditorPanel
from footfall.studio.panels.plots import GaitCyclePanel, PlotPanel, ShowPanel, StatusPanel
from footfall.studio.panels.steering import BalancePanel, GaitPanel, PathPanel, PushPanel, SteerPanel
from footfall.studio.panels.studies import StudyPanel
from footfall.studio.scene import Viewport
from footfall.studio.server import Client, Server, Uploaded
from footfall.studio.shared import Shared
from footfall.studio.stage import Stage
from footfall.studio.widgets import Folder, Gui

SLOWEST, FASTEST = 0.05, 2.0


class Bar:
    """Time, as pages see and change it."""

    def __init__(self, session: Session, shared: Shared) -> None:
        self._session, self._shared = session, shared
        self._acts: dict[str, Callable[[Do], None]] = {
            "play": lambda asked: session.play(asked.on),
            "step": lambda _: session.step(),
            "reset": lambda _: session.reset(),
            "seek": lambda asked: session.look_at(asked.time),
            "skip": lambda asked: session.skip(asked.seconds),
            "rate": lambda asked: self._set_rate(asked.rate),
            "cancel": lambda _: session.cancel_tasks(),
        }
        shared.bar(clicks=False)
        self.show_tasks()

    def receive(self, asked: Do) -> None:
        act = self._acts.get(asked.do)
        if act is not None:
            self._session.act(lambda: act(asked))

    def _set_rate(self, rate: float) -> None:
        self._session.loop.rate = min(max(rate, SLOWEST), FASTEST)

    def show_tasks(self) -> None:
        """Show what slow work is under way; pages count its seconds themselves."""
        tasks = self._session.tasks
        self._shared.bar(tasks=[{"words": t.words, "began": t.began, "share": t.share} for t in tasks])

    def show(self, frame: Moment) -> None:
        session = self._session
        history, world = session.history, session.world
        times, states = history.runs()
        note = ""
        if world.diverged and not frame.past:
            note = "Diverged: R restarts, ← rewinds 2 s"
        elif frame.fallen and not frame.past:
            note = "Fell: R restarts, ← rewinds 2 s"
        elif frame.past:
            note = "In the past: space walks on from here, End returns"
        self._shared.bar(
            runs=[[round(t, 2), n] for t, n in zip(times.tolist(), states["number"].tolist(), strict=True)],
            time=round(frame.time, 3),
            begin=round(history.begin, 3),
            end=round(max(history.end, frame.time), 3),
            playing=session.loop.playing,
            past=frame.past,
            rate=session.loop.rate,
            fell=world.fell_at,
            note=note,
            controller=frame.name,
        )


class Commands:
    """What keys do.

    Args:
        session, steering: the core.

    Attributes:
        table: the commands as pages get them: name, label, key, ctrl and shift each.
    """

    def __init__(self, session: Session, steering: WalkerSteering) -> None:
        self._session = session
        push, turn = steering.push, steering.turn
        rows: list[tuple[str, str, Callable[[], Any]]] = [
            ("Play or pause", " ", lambda: session.play(not session.loop.playing)),
            ("One frame forward", "n", session.step),
            ("Reset", "r", session.reset),
            ("Undo", "ctrl+z", session.undo),
            ("Redo", "ctrl+shift+z", session.redo),
            ("Push forward", "l", partial(push, 1.0, 0.0)),
            ("Push backward", "j", partial(push, -1.0, 0.0)),
            ("Push up, or left", "i", partial(push, 0.0, 1.0)),
            ("Push down, or right", "k", partial(push, 0.0, -1.0)),
            ("Turn left", "u", partial(turn, math.radians(30.0))),
            ("Turn right", "o", partial(turn, math.radians(-30.0))),
            ("Faster", "pageup", partial(steering.faster, 0.1)),
            ("Slower", "pagedown", partial(steering.faster, -0.1)),
            *((f"Gait {i}", str(i), partial(steering.request_number, i - 1)) for i in range(1, 10)),
        ]
        self._acts = {_name(label): act for label, _, act in rows}
        self.table = [
            {
                "name": _name(label),
                "label": label,
                "key": keys.rpartition("+")[2],
                "ctrl": "ctrl+" in keys,
                "shift": "shift+" in keys,
            }
            for label, keys, _ in rows
        ]

    def receive(self, name: str) -> None:
        """Do what a command says; unknown ones do nothing."""
        act = self._acts.get(name)
        if act is not None:
            self._session.act(act)


def _name(label: str) -> str:
    return label.lower().replace(",", "").replace(" ", "-")


class Panels:
    """All panels of a studio."""

    def __init__(self, context: Context) -> None:
        def panel(name: str, label: str, place: str = "more") -> Folder:
            return context.gui.add_panel(name, label, place)

        with panel("head", "Status", "head"):
            self.status = StatusPanel(context)
        with panel("show", "Show", "show"):
            self.show = ShowPanel(context)
        with panel("push", "Push", "verb"):
            self.push = PushPanel(context)
        with panel("gait", "Switch gait", "verb") as gait:
            self.gaits = GaitPanel(context, gait)
        with panel("edit", "Edit", "verb"):
            self.editor = EditorPanel(context)
        with panel("steer", "Steer"):
            self.steer, self.path = SteerPanel(context), PathPanel(context)
        with panel("terrain", "Terrain"):
            self.terrain = TerrainPanel(context)
        with panel("body", "Body"):
            self.body = BodyPanel(context)
        with panel("balance", "Balance"):
            self.balance = BalancePanel(context)
        with panel("stress", "Stress"):
            self.studies = StudyPanel(context)
        with panel("motion", "Motion"):
            self.clips = ClipPanel(context)
        with panel("3lp", "3LP"):
            self.pendulum = PendulumPanel(context)
        with panel("plots", "Plots") as plots:
            self.plots = PlotPanel(context, plots)
        with panel("cycle", "Gait cycle") as cycle:
            self.cycles = GaitCyclePanel(context, cycle)
        with panel("export", "Export"):
            self.export = ExportPanel(context)


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
        stand: whether the page is there at once, with a walker that stands until it is compiled.

    Attributes:
        session, steering, companion: the core, which knows nothing of the page.
        server: serves it.
        shared: what all pages see.
        gui, scene: make its widgets and its nodes.
        stage: what is drawn.
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
        stand: bool = False,
    ) -> None:
        optional_module("websockets", "the studio needs websockets: pip install 'footfall[studio]'")
        self.session = session = Session(controller, folder, figure, stand=stand)
        self.companion = Companion(session)
        self.steering = WalkerSteering(session, self.companion)
        self._pulling = Pulling(session)
        self._published: dict[str, bytes] = {}
        self.shared = Shared(secrets.token_hex(8), __version__)
        self.gui, self.scene = Gui(self.shared), Viewport(self.shared)
        self.stage = Stage(self.scene, shadows=shadows)
        self._bar = Bar(session, self.shared)
        self._commands = Commands(session, self.steering)
        self.shared.commands = self._commands.table
        self._ticked, self._warned = 0.0, not session.library.skipped
        self._passed = 0.0
        self.layout = Panels(
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
        session.loop.wanted = self.shared.wanted
        session.loop.start()
        session.loop.submit(lambda: None)
        session.loop.play(playing)
        load_soon(session)

    def stop(self) -> None:
        """End the studio."""
        self.layout.studies.stop()
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
            case PoseTurned():
                self.session.hands.turn(client.number, asked)
            case Click():
                self.layout.path.clicked(asked)
            case Stick():
                self.session.act_newest("stick", lambda: self.steering.stick(asked.x, asked.y))
            case Answered():
                client.answer(asked)
            case Open():
                self.session.act(lambda: None)
            case _:
                raise AssertionError(asked)

    def _left(self, client: Client) -> None:
        """A page went away: it lets go of what it held."""
        self._let_go(client.number)
        self.session.act(lambda: self.session.hands.leave(client.number))

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
                self.stage.show_figure(self.session.world.figure, self._dragged)
            self._show_ground()

    def _show_ground(self) -> None:
        self.stage.ground.show(self.session.world.simulation.terrains[0])

    def frame(self) -> Moment:
        return frame_of(self.session, self.stage.kinematics)

    def _draw(self) -> None:
        now, session = time.perf_counter(), self.session
        playing, simulation = session.loop.playing, session.world.simulation
        frame = self._with_push(self.frame())
        with self.shared.atomic():
            self.stage.draw(frame, simulation.terrains[0], simulation.grounds[0], session.tracks, session.hands.of)
            session.events.emit(Drawn(frame))
        if playing and now - self._ticked < TICK:
            return
        self._ticked = now
        self._warn()
        session.events.emit(Ticked(frame))

    def _with_push(self, frame: Moment) -> Moment:
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

    def _dragged(self, page: int, body: str, drag: Drag) -> None:
        """The walker is dragged by one of its bodies."""
        if drag.phase == "end":
            self._let_go(page)
            return
        act = self._pulling.grab if drag.phase == "start" else self._pulling.move
        self.session.act(lambda: act(page, body, np.array(drag.start), np.array(drag.to)))

    def _let_go(self, page: int) -> None:
        self.session.act(lambda: self._pulling.let_go(page))
