"""The page of a tracked character: it walks beside its clip, steered by keys, points on the ground and sliders."""

import contextlib
import io
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.control.tracking.layout import GAINS
from footfall.errors import FootfallError
from footfall.motion import Motion
from footfall.studio.page.serving import serving
from footfall.studio.scene.walker_view import WalkerView
from footfall.studio.tracked_world import TrackedWorld

__all__ = ["TrackedPage"]

FRAME = 1.0 / 30.0
ASIDE = 1.2
"""Metres to its left at which the clip is shown."""
EYE = np.array([-2.2, -3.2, 0.9])
"""Where a new camera is, from the pelvis."""
PUSH = 60.0
MOST = {"c0": 1.5, "c2_sag_behind": 3.0, "c6": 0.1, "lift": 0.12}
"""Upper ends of the gains' sliders; 1 for the others."""
KEYS = """**Keys**: U O turn left, right · Page up, Page down faster, slower · J L I K push back, forward, left, right ·
space pause · R reset. Click the ground to add points of a path."""


class TrackedPage:
    """A server with one tracked character.

    Args:
        world: the character. host, port: where the page is served. playing: whether it walks at once.
    """

    def __init__(self, world: TrackedWorld, *, host: str = "127.0.0.1", port: int = 8080, playing: bool = True) -> None:
        try:
            import viser
        except ImportError:
            raise FootfallError("the page needs viser: pip install 'footfall[studio]'") from None
        self.world, self.playing = world, playing
        make_server: Any = viser.ViserServer
        with serving(host), contextlib.redirect_stdout(io.StringIO()):
            self.server = make_server(host=host, port=port, label="footfall", verbose=False)
        self._asked: queue.Queue[Callable[[], None]] = queue.Queue()
        self._going = True
        scene = self.server.scene
        scene.set_up_direction("+z")
        scene.add_grid("/ground", width=60.0, height=60.0, cell_size=0.5, section_size=1.0, plane="xy")
        skeleton = Motion.from_qpos(world.graph.figure, np.array([0.0]), world.pose[None]).skeleton
        self.walker = WalkerView(scene, "/walker", skeleton)
        self.clip = WalkerView(scene, "/clip", skeleton, colour=(150, 160, 170), opacity=0.45)
        self._marks: list[Any] = []
        self._panel()
        self._keys()
        scene.on_click()(self._clicked)
        self._centre = world.pose[:3].copy()
        self.server.on_client_connect(self._look)
        self.draw()
        self._thread = threading.Thread(target=self._loop, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def stop(self) -> None:
        """End the page."""
        self._going = False
        self._thread.join(5.0)
        with contextlib.redirect_stdout(io.StringIO()):
            self.server.stop()

    def ask(self, act: Callable[[], None]) -> None:
        """Have the simulation's thread do something between two frames."""
        self._asked.put(act)

    # -- the page ------------------------------------------------------------------------------------------------------

    def _panel(self) -> None:
        gui, world = self.server.gui, self.world
        gui.add_markdown(KEYS)
        self.follow = gui.add_checkbox("The camera follows", True)
        self._told = gui.add_markdown("")
        styles = world.graph.styles()
        style = gui.add_dropdown("Style", tuple(styles), initial_value=world.steering.style)
        style.on_update(lambda event: self.ask(lambda: world.steering.direct(style=event.target.value)))
        self.force = gui.add_slider("Push, N", 10.0, 200.0, 5.0, PUSH)
        buttons = gui.add_button_group("Steer", ("Left", "Right", "Faster", "Slower"))
        buttons.on_click(lambda event: self._pressed(event.target.value))
        pushes = gui.add_button_group("Push", ("Front", "Rear", "Right side", "Left side"))
        pushes.on_click(lambda event: self._pushed(event.target.value))
        clear = gui.add_button("Clear the path")
        clear.on_click(lambda _: self.ask(world.points.clear))
        with gui.add_folder("Gains", expand_by_default=False):
            now = world.graph.steps[0].gains
            self.gains = {}
            for name in GAINS:
                most = MOST.get(name, 1.0)
                value = min(float(getattr(now, name)), most)
                slider = gui.add_slider(name, 0.0, most, most / 200.0, value)
                slider.on_update(self._changer(name))
                self.gains[name] = slider

    def _changer(self, name: str) -> Callable[[Any], None]:
        return lambda event: self.ask(lambda: self.world.set_gains(**{name: float(event.target.value)}))

    def _pressed(self, what: str) -> None:
        world = self.world
        acts: dict[str, Callable[[], None]] = {
            "Left": lambda: world.turn(30.0),
            "Right": lambda: world.turn(-30.0),
            "Faster": lambda: world.faster(0.1),
            "Slower": lambda: world.faster(-0.1),
        }
        self.ask(acts[what])

    def _pushed(self, side: str) -> None:
        force = float(self.force.value)
        ways = {"Front": (-1.0, 0.0), "Rear": (1.0, 0.0), "Right side": (0.0, 1.0), "Left side": (0.0, -1.0)}
        forward, left = ways[side]
        self.ask(lambda: self.world.push(force * forward, force * left))

    def _keys(self) -> None:
        table: list[tuple[str, str, Callable[[], None]]] = [
            ("Turn left", "U", lambda: self._pressed("Left")),
            ("Turn right", "O", lambda: self._pressed("Right")),
            ("Faster", "pageup", lambda: self._pressed("Faster")),
            ("Slower", "pagedown", lambda: self._pressed("Slower")),
            ("Push backward", "J", lambda: self._pushed("Front")),
            ("Push forward", "L", lambda: self._pushed("Rear")),
            ("Push to the left", "I", lambda: self._pushed("Right side")),
            ("Push to the right", "K", lambda: self._pushed("Left side")),
            ("Pause or go on", "space", self._pause),
            ("Reset", "R", lambda: self.ask(self.world.reset)),
        ]
        self.commands = {}
        for label, key, act in table:
            command = self.server.gui.add_command(label, hotkey=key)
            command.on_trigger(_trigger(act))
            self.commands[label] = command

    def _pause(self) -> None:
        self.playing = not self.playing

    def _look(self, client: Any) -> None:
        """Show a new client the character from behind and aside."""
        client.camera.position = self._centre + EYE
        client.camera.look_at = self._centre

    def _lead_cameras(self) -> None:
        """Move every camera as far as the character has moved, once that is enough to see."""
        moved = self.world.pose[:3] * (1.0, 1.0, 0.0) - self._centre * (1.0, 1.0, 0.0)
        if np.linalg.norm(moved) < 0.05:
            return
        self._centre = self._centre + moved
        if self.follow.value:
            for client in self.server.get_clients().values():
                client.camera.position = np.asarray(client.camera.position) + moved

    def _clicked(self, event: Any) -> None:
        origin, direction = np.array(event.ray_origin), np.array(event.ray_direction)
        if direction[2] < -1e-3:
            at = origin - direction * origin[2] / direction[2]
            self.ask(lambda: self.world.points.append((float(at[0]), float(at[1]))))

    # -- the simulation's thread ---------------------------------------------------------------------------------------

    def _loop(self) -> None:
        due = time.perf_counter()
        while self._going:
            problems = []
            while not self._asked.empty():
                problems.append(self.world.call(self._asked.get()))
            if self.playing and self.world.up:
                self.world.advance()
            self.draw(next((p for p in problems if p), ""))
            due = max(due + FRAME, time.perf_counter() - FRAME)
            time.sleep(max(0.0, due - time.perf_counter()))

    def draw(self, problem: str = "") -> None:
        """Show the present."""
        world = self.world
        places, turns = world.joints(world.pose)
        self.walker.move(places, turns)
        facing = world.steering.facing
        aside = ASIDE * np.array([-np.sin(facing), np.cos(facing), 0.0])
        places, turns = world.joints(world.clip_pose)
        self.clip.move(places + aside, turns)
        self._lead_cameras()
        if len(self._marks) != len(world.points):
            for mark in self._marks:
                mark.remove()
            self._marks = [
                self.server.scene.add_icosphere(f"/path/{k}", radius=0.06, position=(x, y, 0.06), color=(200, 80, 40))
                for k, (x, y) in enumerate(world.points)
            ]
        steering = world.steering
        state = "walks" if world.up else "has fallen: R resets"
        told = problem or (
            f"{world.time:.1f} s, {state}. Wanted: {np.degrees(steering.direction):.0f} degrees, "
            f"{steering.speed:.1f} m/s, {steering.style}; {len(world.points)} points to go."
        )
        if self._told.content != told:
            self._told.content = told


def _trigger(act: Callable[[], None]) -> Callable[[Any], None]:
    def triggered(_: Any) -> None:
        act()

    return triggered
