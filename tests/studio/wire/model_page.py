"""A page as the protocol means it, in Python: what it would show after what it was sent."""

import json
from typing import Any

import numpy as np


class ModelPage:
    """Widgets, nodes and their data, by applying turns.

    Attributes:
        items: kind, parent and properties by id. data: by number. bar: the bar's properties. told: all else, in order.
        seen: the number of the last turn. turns: how many came.
    """

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}
        self.data: dict[int, np.ndarray] = {}
        self.bar: dict[str, Any] = {}
        self.told: list[dict[str, Any]] = []
        self.seen = self.turns = 0

    def turn(self, text: str, frame: bytes) -> None:
        """Apply one turn."""
        self.turns += 1
        if text:
            self.text(text)
        if frame:
            self.frame(frame)

    def text(self, text: str) -> dict[str, Any]:
        """Apply a text; what it says."""
        message: dict[str, Any] = json.loads(text)
        self.seen = message["n"]
        for op in message["ops"]:
            self._apply(op)
        return message

    def _apply(self, op: dict[str, Any]) -> None:
        kind = op["op"]
        if kind == "hello":
            self.items, self.data, self.bar = {}, {}, {}
            self.told.append(op)
        elif kind in ("add", "node"):
            assert op["id"] not in self.items
            assert op.get("parent") is None or op["parent"] in self.items
            self.items[op["id"]] = op
        elif kind == "set":
            self.items[op["id"]]["props"].update(op["props"])
        elif kind == "remove":
            gone = {op["id"]}
            for name, item in self.items.items():
                if item.get("parent") in gone:
                    gone.add(name)
            for name in gone:
                del self.items[name]
        elif kind == "state":
            self.bar.update({k: v for k, v in op.items() if k != "op"})
        else:
            self.told.append(op)

    def frame(self, frame: bytes) -> int:
        """Apply a frame; the number of its turn."""
        words = np.frombuffer(frame, "<u4")
        n, blocks = int(words[0]), int(words[1])
        table = words[2 : 2 + 2 * blocks].reshape(-1, 2)
        values = np.frombuffer(frame, "<f4")[2 + 2 * blocks :]
        at = 0
        for number, length in table.tolist():
            self.data[number] = values[at : at + length]
            at += length
        assert at == len(values)
        self.seen = n
        return n

    def named(self, name: str) -> dict[str, Any]:
        """The widget of a name."""
        return next(item for item in self.items.values() if item["props"].get("name") == name)
