"""What the bar under the viewport shows and asks for: time, and slow work."""

from collections.abc import Callable

from footfall.studio.core.session.frames import Frame
from footfall.studio.core.session.session import Session
from footfall.studio.wire.asked import Do
from footfall.studio.wire.shared import Shared

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
        """Do what a page asks for."""
        act = self._acts.get(asked.do)
        if act is not None:
            self._session.act(lambda: act(asked))

    def _set_rate(self, rate: float) -> None:
        self._session.loop.rate = min(max(rate, SLOWEST), FASTEST)

    def show_tasks(self) -> None:
        """Show what slow work is under way; pages count its seconds themselves."""
        tasks = self._session.tasks
        self._shared.bar(tasks=[{"words": t.words, "began": t.began, "share": t.share} for t in tasks])

    def show(self, frame: Frame) -> None:
        """Show the time of a frame."""
        session = self._session
        history, world = session.history, session.world
        times, states = history.runs()
        numbers = [world.decode(int(code))[1] for code in states]
        note = ""
        if world.diverged and not frame.past:
            note = "Diverged: R restarts, ← rewinds 2 s"
        elif frame.fallen and not frame.past:
            note = "Fell: R restarts, ← rewinds 2 s"
        elif frame.past:
            note = "In the past: space walks on from here, End returns"
        self._shared.bar(
            runs=[[round(float(t), 2), n] for t, n in zip(times, numbers, strict=True)],
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
