"""A page that does anything at random: every control, key and drag that the protocol knows, thousands of times."""

import json
import random
from collections import Counter
from typing import Any

import numpy as np
from websockets.sync.client import connect

from tests.studio.wire.model_page import ModelPage

KEPT = ("export/", "stress/", "gait/controller", "edit/save-load-compare/file", "cycle/people")
"""What a random page leaves alone: files, studies in processes of their own, other figures that are to be compiled."""


class RandomPage:
    """Connects to a studio and does what comes to its mind.

    Args:
        port: of the studio. seed: of its mind.

    Attributes:
        page: what it shows. done: how often it did what.
    """

    def __init__(self, port: int, seed: int) -> None:
        self._socket = connect(f"ws://127.0.0.1:{port}/socket", max_size=None)
        self._random = random.Random(seed)
        self.page, self.done = ModelPage(), Counter[str]()
        self.listen()

    def close(self) -> None:
        """Go away."""
        self._socket.close()

    def listen(self, seconds: float = 10.0) -> None:
        """Take one turn, and answer it; where there is nothing new, go on."""
        try:
            message = self._socket.recv(timeout=seconds)
        except TimeoutError:
            return
        if isinstance(message, str) and self.page.text(message)["frame"]:
            message = self._socket.recv(timeout=10.0)
        if isinstance(message, bytes):
            self.page.frame(message)
        self._send(type="ack", n=self.page.seen)

    def _send(self, **message: Any) -> None:
        self._socket.send(json.dumps(message))

    def act(self) -> str:
        """Do something; what."""
        pick = self._random
        what = pick.choices(
            ("control", "command", "do", "drag", "pose", "click", "stick", "open"), (20, 6, 3, 3, 2, 1, 2, 2)
        )[0]
        did: str = getattr(self, f"_{what}")(pick)
        self.done[did] += 1
        return did

    def _control(self, pick: random.Random) -> str:
        widgets = [
            item
            for item in self.page.items.values()
            if item["kind"] in ("slider", "checkbox", "button", "buttons", "dropdown", "gallery", "text")
            and not item["props"]["name"].startswith(KEPT)
        ]
        item = pick.choice(widgets)
        props = item["props"]
        if item["kind"] in ("button", "buttons"):
            self._send(type="press", id=item["id"], value=pick.choice(props.get("options", [""])))
        else:
            self._send(type="set", id=item["id"], value=self._value(item["kind"], props, pick))
        return str(props["name"])

    def _value(self, kind: str, props: dict[str, Any], pick: random.Random) -> Any:
        if kind == "slider":
            return pick.choice((props["min"], props["max"], pick.uniform(props["min"], props["max"]), 1e9))
        if kind == "checkbox":
            return pick.random() < 0.5
        return (
            pick.choice(props["options"])
            if kind in ("dropdown", "gallery")
            else pick.choice(("", "a-name", "<b>'", "x" * 2000))
        )

    def _command(self, pick: random.Random) -> str:
        name = pick.choice([command["name"] for command in self.page.told[0]["commands"]])
        self._send(type="command", name=name)
        return f"key {name}"

    def _do(self, pick: random.Random) -> str:
        do = pick.choice(("play", "play", "play", "step", "reset", "seek", "skip", "rate", "cancel", "nonsense"))
        numbers = {name: pick.uniform(-5.0, 20.0) for name in ("time", "seconds", "rate")}
        self._send(type="do", do=do, on=pick.random() < 0.8, **numbers)
        return f"do {do}"

    def _drag(self, pick: random.Random) -> str:
        name = pick.choice(("walker", "ghost"))
        rows = self.page.data.get(self.page.items[name]["number"], np.zeros(0)).reshape(-1, 7)
        part = pick.randrange(len(rows) + 1)
        self.drag(name, part, *("start", "move", "move", "end")[: pick.randint(1, 4)])
        return f"drag {name}"

    def drag(self, name: str, part: int, *phases: str) -> None:
        """Drag a part of a node to somewhere near."""
        rows = self.page.data.get(self.page.items[name]["number"], np.zeros(0)).reshape(-1, 7)
        at = [float(x) for x in rows[part, :3]] if part < len(rows) else [0.0, 0.0, 1.0]
        for phase in phases:
            to = [x + self._random.uniform(-0.5, 0.5) for x in at]
            places = {"start": at, "to": to, "eye": [at[0], -4.0, 1.0]}
            self._send(type="drag", id=name, phase=phase, part=part, **places)

    def _pose(self, pick: random.Random) -> str:
        props = self.page.items["handles"]["props"]
        joints = pick.choice([*props["joints"], ["nonsense"]])
        of = pick.choice((props["of"], props["of"], props["of"], "nonsense"))
        angles = [pick.uniform(-4.0, 4.0) for _ in joints]
        place = {"gesture": self.done["pose"], "n": pick.randrange(3), "held": pick.random() < 0.5}
        self._send(type="pose", of=of, joints=joints, angles=angles, **place)
        return "pose"

    def _click(self, pick: random.Random) -> str:
        along = [pick.uniform(-0.5, 0.5), pick.uniform(0.0, 1.0), -0.7]
        self._send(type="click", start=[0.0, -4.0, 2.0], along=along)
        return "click"

    def _stick(self, pick: random.Random) -> str:
        x, y = pick.choice(((0.0, 0.0), (pick.uniform(-1.0, 1.0), pick.uniform(-1.0, 1.0)), (1e9, -1e9)))
        self._send(type="stick", x=x, y=y)
        return "stick"

    def _open(self, pick: random.Random) -> str:
        names = [i["props"]["name"] for i in self.page.items.values() if i["kind"] == "panel"]
        self.open(*pick.sample(names, pick.randint(0, 3)))
        return "open"

    def open(self, *panels: str) -> None:
        """Unfold these panels and fold the others."""
        self._send(type="open", panels=panels)
