"""Keys, also found in the page's command palette. The arrows and W A S D Q E move the camera."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.studio.studio import Studio

__all__ = ["KEYS", "add_keys"]

KEYS = (
    ("space", "play or pause"),
    ("N", "one frame on"),
    ("R", "reset"),
    ("J L", "push backward, forward"),
    ("I K", "push up, down; on a spatial figure left, right"),
    ("U O", "turn left, right"),
    ("1 … 9", "go over into a gait"),
    ("Page up, Page down", "faster, slower"),
    ("Ctrl+Z, Ctrl+Shift+Z", "undo, redo"),
)


def add_keys(studio: "Studio") -> list[Any]:
    """Register the keys of a studio."""

    def push(x: float, y: float) -> Callable[[], None]:
        return lambda: studio.layout.poke.push(x, y)

    def gait(i: int) -> Callable[[], None]:
        return lambda: studio.layout.drive.request_number(i)

    def faster(by: float) -> Callable[[], None]:
        return lambda: studio.layout.drive.faster(by)

    def turn(by: float) -> Callable[[], None]:
        return lambda: studio.layout.steer.turn(math.radians(by))

    table: list[tuple[str, Any, Any, Callable[[], Any]]] = [
        ("Play or pause", "space", None, lambda: studio.loop.play(not studio.loop.playing)),
        ("One frame on", "N", None, studio.step),
        ("Reset", "R", None, studio.reset),
        ("Undo", "Z", "cmd/ctrl", studio.undo),
        ("Redo", "Z", "cmd/ctrl+shift", studio.redo),
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
        command = studio.server.gui.add_command(label, hotkey=key, modifier=modifier)
        command.on_trigger(_trigger(studio, act))
        commands.append(command)
    return commands


def _trigger(studio: "Studio", act: Callable[[], Any]) -> Callable[[Any], None]:
    def triggered(_: Any) -> None:
        studio.act(act)

    return triggered
