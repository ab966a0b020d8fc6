"""Keys, also found in the page's list of commands. Views, time and the camera have keys of the page's own."""

import math
from collections.abc import Callable
from typing import Any

from footfall.studio.core.session.session import Session
from footfall.studio.core.steering.steering import Steering


class Commands:
    """What keys do.

    Args:
        session, steering: the core.

    Attributes:
        table: the commands as pages get them: name, label, key, ctrl and shift each.
    """

    def __init__(self, session: Session, steering: Steering) -> None:
        self._session = session

        def push(x: float, y: float) -> Callable[[], None]:
            return lambda: steering.push(x, y)

        def gait(i: int) -> Callable[[], None]:
            return lambda: steering.request_number(i)

        def turn(by: float) -> Callable[[], None]:
            return lambda: steering.turn(math.radians(by))

        rows: list[tuple[str, str, bool, bool, Callable[[], Any]]] = [
            ("Play or pause", " ", False, False, lambda: session.play(not session.loop.playing)),
            ("One frame forward", "n", False, False, session.step),
            ("Reset", "r", False, False, session.reset),
            ("Undo", "z", True, False, session.undo),
            ("Redo", "z", True, True, session.redo),
            ("Push forward", "l", False, False, push(1.0, 0.0)),
            ("Push backward", "j", False, False, push(-1.0, 0.0)),
            ("Push up, or left", "i", False, False, push(0.0, 1.0)),
            ("Push down, or right", "k", False, False, push(0.0, -1.0)),
            ("Turn left", "u", False, False, turn(30.0)),
            ("Turn right", "o", False, False, turn(-30.0)),
            ("Faster", "pageup", False, False, lambda: steering.faster(0.1)),
            ("Slower", "pagedown", False, False, lambda: steering.faster(-0.1)),
            *((f"Gait {i}", str(i), False, False, gait(i - 1)) for i in range(1, 10)),
        ]
        self._acts = {_name(label): act for label, *_, act in rows}
        self.table = [
            {"name": _name(label), "label": label, "key": key, "ctrl": ctrl, "shift": shift}
            for label, key, ctrl, shift, _ in rows
        ]

    def receive(self, name: str) -> None:
        """Do what a command says; unknown ones do nothing."""
        act = self._acts.get(name)
        if act is not None:
            self._session.act(act)


def _name(label: str) -> str:
    return label.lower().replace(",", "").replace(" ", "-")
