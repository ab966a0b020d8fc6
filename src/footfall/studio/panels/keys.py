"""Keys, also found in the page's command palette. The page itself adds the arrows, Home and End (see ``page.js``)."""

import math
from collections.abc import Callable
from typing import Any

from footfall.studio.core.session.session import Session
from footfall.studio.core.steering.steering import Steering

__all__ = ["KEYS", "add_keys"]

KEYS = (
    ("space", "play or pause; from the past, walk on from there"),
    ("←, →", "back, forward by 2 s; with Shift by 0.1 s"),
    ("Home, End", "to the oldest moment, to the present"),
    ("N", "one frame forward"),
    ("R", "reset"),
    ("J L", "push backward, forward"),
    ("I K", "push up, down; on a spatial figure left, right"),
    ("U O", "turn left, right"),
    ("1 … 9", "switch to a gait"),
    ("Page up, Page down", "faster, slower"),
    ("Z X C V", "view from the side, three-quarter, from the front, from the top"),
    ("Ctrl+Z, Ctrl+Shift+Z", "undo, redo"),
    ("W A S D Q E, up, down", "move the camera"),
)


def add_keys(gui: Any, session: Session, steering: Steering, view: Callable[[Any, str], None]) -> list[Any]:
    """Register the keys of a studio.

    Args:
        gui: viser's. session, steering: the core.
        view: called with a client and the name of a view.
    """

    def push(x: float, y: float) -> Callable[[], None]:
        return lambda: steering.push(x, y)

    def gait(i: int) -> Callable[[], None]:
        return lambda: steering.request_number(i)

    def faster(by: float) -> Callable[[], None]:
        return lambda: steering.faster(by)

    def turn(by: float) -> Callable[[], None]:
        return lambda: steering.turn(math.radians(by))

    table: list[tuple[str, Any, Any, Callable[[], Any]]] = [
        ("Play or pause", "space", None, lambda: session.play(not session.loop.playing)),
        ("One frame forward", "N", None, session.step),
        ("Reset", "R", None, session.reset),
        ("Undo", "Z", "cmd/ctrl", session.undo),
        ("Redo", "Z", "cmd/ctrl+shift", session.redo),
        ("Push forward", "L", None, push(1.0, 0.0)),
        ("Push backward", "J", None, push(-1.0, 0.0)),
        ("Push up, or left", "I", None, push(0.0, 1.0)),
        ("Push down, or right", "K", None, push(0.0, -1.0)),
        ("Turn left", "U", None, turn(30.0)),
        ("Turn right", "O", None, turn(-30.0)),
        ("Faster", "pageup", None, faster(0.1)),
        ("Slower", "pagedown", None, faster(-0.1)),
        *((f"Gait {i}", str(i), None, gait(i - 1)) for i in range(1, 10)),
    ]
    commands = []
    for label, key, modifier, act in table:
        command = gui.add_command(label, hotkey=key, modifier=modifier)
        command.on_trigger(_trigger(session, act))
        commands.append(command)
    for name, key in (("side", "Z"), ("three-quarter", "X"), ("front", "C"), ("top", "V")):
        command = gui.add_command(f"View: {name}", hotkey=key)
        command.on_trigger(_viewer(view, name))
        commands.append(command)
    return commands


def _trigger(session: Session, act: Callable[[], Any]) -> Callable[[Any], None]:
    def triggered(_: Any) -> None:
        session.act(act)

    return triggered


def _viewer(view: Callable[[Any, str], None], name: str) -> Callable[[Any], None]:
    def triggered(event: Any) -> None:
        view(event.client, name)

    return triggered
