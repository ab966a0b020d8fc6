"""Play, pause, step, slow motion, reset, looking back; what is shown; how it is going."""

import html
from typing import TYPE_CHECKING, Any

from footfall.studio.scene.marks import Marks
from footfall.studio.scene.stage import Frame

if TYPE_CHECKING:
    from footfall.studio.studio import Studio

__all__ = ["PlayPanel"]

LOOK_BACK = 60.0


class PlayPanel:
    """The head of the controls."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        self._status = gui.add_html("")
        self._buttons = gui.add_button_group("Time", ("Play", "Pause", "Step", "Reset"))
        self._buttons.on_click(self._pressed)
        self._rate = gui.add_slider(
            "Speed ×", 0.05, 2.0, 0.05, 1.0, hint="Simulated seconds a second: slow motion to double speed"
        )
        self._rate.on_update(self._rate_changed)
        with gui.add_folder("Look back and show", expand_by_default=False):
            self._back = gui.add_slider(
                "Back (s)", 0.0, LOOK_BACK, 0.01, 0.0, hint="Look back through what was simulated"
            )
            self._back.on_update(self._looked)
            self._go_on = gui.add_button("Go on from here", icon="player-play")
            self._go_on.on_click(lambda _: studio.act(studio.go_on_from_here))
            self._follow = gui.add_checkbox("Follow the walker", True)
            self._follow.on_update(self._shown)
            self._ghost = gui.add_checkbox("Ghost of the target pose", True)
            self._ghost.on_update(self._shown)
            self._marks = {kind: gui.add_checkbox(kind.capitalize(), True) for kind in Marks.KINDS}
            for box in self._marks.values():
                box.on_update(self._shown)

    def _pressed(self, event: Any) -> None:
        studio = self._studio
        pressed = event.target.value
        if pressed in ("Play", "Pause"):
            studio.act(lambda: studio.loop.play(pressed == "Play"))
        elif pressed == "Step":
            studio.act(studio.step)
        else:
            studio.act(studio.reset)

    def _rate_changed(self, event: Any) -> None:
        self._studio.loop.rate = float(event.target.value)

    def _looked(self, event: Any) -> None:
        if event.client is not None:
            seconds = float(event.target.value)
            self._studio.act(lambda: self._studio.look_back(seconds))

    def _shown(self, event: Any) -> None:
        studio = self._studio

        def show() -> None:
            studio.stage.follow, studio.ghosting = self._follow.value, self._ghost.value
            studio.stage.marks.shown = {kind: box.value for kind, box in self._marks.items()}
            studio.stage.marks.refresh()

        studio.act(show)

    def tick(self, frame: Frame) -> None:
        """Say how it is going."""
        studio, world = self._studio, self._studio.world
        if studio.loop.playing and self._back.value:
            self._back.value = 0.0
        outcome = world.simulation.outcome()
        name, number, right = world.where()
        if world.diverged:
            fate, colour = f"diverged at {world.time:.2f} s", "#D55E00"
        elif world.fell_at is not None:
            fate, colour = f"fell at {world.fell_at:.2f} s", "#D55E00"
        elif not studio.loop.playing:
            fate, colour = ("looking back" if studio.looking is not None else "paused"), "#8a94a0"
        else:
            fate, colour = "walking", "#009E73"
        steps = int(outcome.footsteps[0])
        late = f"{studio.loop.lost:.1f} s of simulated time lost to a slow machine" if studio.loop.lost > 0.5 else ""
        pace = studio.loop.speed
        rows = [
            ("time", f"{frame.time:.2f} s"),
            ("speed", f"{world.speed if steps > 1 else float(frame.qvel[0]):.2f} m/s"),
            ("steps", f"{steps}"),
            ("state", f"{number}"),
            ("stance", "right" if right else "left"),
            ("real time", f"{100 * pace:.0f} %" if studio.loop.playing else "—"),
        ]
        cells = "".join(
            f"<div><div style='color:#8a94a0;font-size:11px'>{k}</div><div style='font-size:13px'>{v}</div></div>"
            for k, v in rows
        )
        self._status.content = (
            f"<div style='padding:6px 10px 2px'><div style='display:flex;justify-content:space-between;"
            f"align-items:baseline'><b style='font-size:16px'>{html.escape(name)}</b>"
            f"<span data-testid='fate' style='color:{colour};font-weight:600'>{fate}</span></div>"
            f"<div style='display:flex;justify-content:space-between;gap:6px;margin-top:4px;white-space:nowrap'>"
            f"{cells}</div><div style='color:#D55E00;font-size:11px'>{late}</div></div>"
        )
