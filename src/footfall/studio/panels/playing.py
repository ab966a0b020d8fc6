"""How it is going, and what is drawn."""

import html

from footfall.studio.core.session.events import WorldChanged
from footfall.studio.core.session.frames import Frame
from footfall.studio.panels.context import Context, Ticked
from footfall.studio.scene.marks import Marks
from footfall.studio.widgets.widget import Event


class ShowPanel:
    """What is drawn beside the walker."""

    def __init__(self, context: Context) -> None:
        self._context = context
        gui = context.gui
        self._ghost = gui.add_checkbox(
            "Ghost of the target pose", True, hint="The pose that the controller asks for at this moment"
        )
        self._clip = gui.add_checkbox(
            "Its clip beside it", True, hint="The captured motion that it follows, before any correction for balance"
        )
        self._torques = gui.add_checkbox("Torques", False, hint="The harder a joint works, the redder what it carries")
        self._marks = {kind: gui.add_checkbox(kind.capitalize(), True) for kind in Marks.KINDS}
        for box in (self._ghost, self._clip, self._torques, *self._marks.values()):
            box.on_update(self._shown)
        context.session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another world."""
        can = self._context.session.world.can
        self._clip.visible, self._ghost.visible = can.follow, can.target

    def _shown(self, _: Event) -> None:
        session, stage = self._context.session, self._context.stage

        def show() -> None:
            session.ghosting, stage.with_clip = self._ghost.value, self._clip.value
            stage.with_torques = self._torques.value
            stage.marks.shown = {kind: box.value for kind, box in self._marks.items()}

        session.act(show)


class StatusPanel:
    """The controller that drives, and how it is going."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._status = context.gui.add_html()
        context.session.events.on(Ticked, lambda event: self._tick(event.frame))

    def _tick(self, frame: Frame) -> None:
        """Show how it is going at the moment that is shown."""
        loop = self._context.session.loop
        status, colour = status_of(self._context, frame)
        late = f"{loop.lost:.1f} s of simulated time lost to a slow machine" if loop.lost > 0.5 else ""
        rows = [
            ("time", f"{frame.time:.2f} s"),
            ("speed", "—" if frame.speed is None else f"{frame.speed:.2f} m/s"),
            ("steps", f"{frame.steps}"),
            ("state", "—" if frame.fallen else f"{frame.number}"),
            ("stance", "—" if frame.fallen else "right" if frame.right else "left"),
            ("real time", f"{100 * loop.speed:.0f} %" if loop.playing else "—"),
        ]
        cells = "".join(
            f"<div><div class='ff-faint'>{k}</div><div style='font-size:13px' data-testid='{k}'>{v}</div></div>"
            for k, v in rows
        )
        content = (
            f"<div style='padding:6px 10px 2px'><div style='display:flex;justify-content:space-between;"
            f"align-items:baseline'><b style='font-size:16px'>{html.escape(frame.name)}</b>"
            f"<span data-testid='status' style='color:var({colour});font-weight:600'>{status}</span></div>"
            f"<div style='display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 6px;margin-top:4px;"
            f"white-space:nowrap'>{cells}</div>"
            f"<div style='color:var(--ff-bad);font-size:11px'>{late}</div></div>"
        )
        self._status.content = content


def status_of(context: Context, frame: Frame) -> tuple[str, str]:
    """What the walker does at the moment that is shown, and the colour to say it in."""
    session = context.session
    world = session.world
    if frame.past:
        return "in the past", "--ff-soft"
    if world.diverged:
        return f"diverged at {world.time:.2f} s", "--ff-bad"
    if frame.fallen:
        return f"fell at {world.fell_at:.2f} s", "--ff-bad"
    return ("walking", "--ff-good") if session.loop.playing else ("paused", "--ff-soft")
