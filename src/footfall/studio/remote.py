"""What the bar under the viewport shows and asks for (``page/page.js``)."""

import math
from collections.abc import Callable
from typing import Any

from footfall.errors import FootfallError
from footfall.studio.core.session.frames import Frame
from footfall.studio.core.session.session import Session
from footfall.studio.page.channel import Channel

__all__ = ["Remote"]

SLOWEST, FASTEST = 0.05, 2.0


class Remote:
    """Time, as the page sees and changes it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._acts: dict[str, Callable[[dict[str, Any]], None]] = {
            "play": lambda asked: session.play(bool(asked.get("on"))),
            "step": lambda _: session.step(),
            "reset": lambda _: session.reset(),
            "seek": lambda asked: session.look_at(_number(asked, "time")),
            "skip": lambda asked: session.skip(_number(asked, "seconds")),
            "rate": lambda asked: self._set_rate(_number(asked, "rate")),
            "too large": self._too_large,
            "cancel": lambda _: session.cancel_tasks(),
        }

    def receive(self, asked: dict[str, Any]) -> None:
        """Do what a page asks for."""
        act = self._acts.get(str(asked.get("do")))
        if act is not None:
            self._session.act(lambda: act(asked))

    def _set_rate(self, rate: float) -> None:
        self._session.loop.rate = min(max(rate, SLOWEST), FASTEST)

    def _too_large(self, asked: dict[str, Any]) -> None:
        size, most = _number(asked, "size") / 1e6, _number(asked, "most") / 1e6
        raise FootfallError(f"'{str(asked.get('name'))[:60]}': {size:.1f} MB are too much here (at most {most:.0f} MB)")

    def send_tasks(self, channel: Channel) -> None:
        """Send the pages what slow work is under way; they count its seconds themselves."""
        tasks = self._session.tasks
        channel.send("tasks", [{"words": t.words, "began": t.began, "share": t.share} for t in tasks])

    def send(self, channel: Channel, frame: Frame) -> None:
        """Send the pages what they show."""
        session = self._session
        history, world = session.history, session.world
        times, states = history.runs()
        numbers = [world.decode(int(code))[1] for code in states]
        channel.send("runs", [[round(float(t), 2), n] for t, n in zip(times, numbers, strict=True)])
        note = ""
        if world.diverged and not frame.past:
            note = "Diverged: R restarts, ← rewinds 2 s"
        elif frame.fallen and not frame.past:
            note = "Fell: R restarts, ← rewinds 2 s"
        elif frame.past:
            note = "In the past: space walks on from here, End returns"
        channel.send(
            "state",
            {
                "time": round(frame.time, 3),
                "begin": round(history.begin, 3),
                "end": round(max(history.end, frame.time), 3),
                "playing": session.loop.playing,
                "past": frame.past,
                "rate": session.loop.rate,
                "fell": world.fell_at,
                "note": note,
            },
        )


def _number(asked: dict[str, Any], name: str) -> float:
    value = asked.get(name)
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise FootfallError(f"{name} is {value!r}; it must be a number")
    return float(value)
