"""Limit-cycle balance (paper 002): what is regulated, sampled how, and how well every step met its target."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from footfall.studio.core.driving import SAMPLINGS, VECTORS, holds_torso, usual_target
from footfall.studio.panels.step_plot import step_plot

if TYPE_CHECKING:
    from footfall.studio.core.balanced_world import BalancedWorld
    from footfall.studio.studio import Studio

__all__ = ["BalancePanel"]

OTHER = "*This controller balances itself as it goes. Steps are balanced one by one for human-walk, human-12-walk and "
OTHER += "bird-run, and for servo controllers of your own for spatial figures.*"
HOW = {
    "F-L": "forward first, then lateral",
    "L-F": "lateral first, then forward",
    "SP": "both at once, apart",
    "jacobian": "both at once, with what each does to the other",
}


class BalancePanel:
    """The settings of limit-cycle control, and the discrete values of the steps."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        self._other = gui.add_markdown(OTHER)
        self._folder = gui.add_folder("Limit-cycle control")
        with self._folder:
            self._on = gui.add_checkbox(
                "Balance every step", True, hint="Without it the base graph falls after a few steps"
            )
            self._servo = gui.add_checkbox("Hold the torso upright", True, hint="A servo against the world (§3.8)")
            self._sampling = gui.add_dropdown(
                "Sampling", SAMPLINGS, initial_value=SAMPLINGS[0], hint="; ".join(f"{k}: {v}" for k, v in HOW.items())
            )
            self._vectors = (
                gui.add_dropdown("Forward variable", VECTORS, initial_value=VECTORS[0]),
                gui.add_dropdown("Lateral variable", VECTORS, initial_value=VECTORS[0]),
            )
            self._targets = (
                gui.add_slider("Q_d forward", -0.2, 0.5, 0.01, 0.3, hint="More leans further ahead, and walks faster"),
                gui.add_slider("Q_d lateral", -0.1, 0.1, 0.005, 0.0),
            )
        self._told = gui.add_html("")
        self._plot = gui.add_html("")
        self._on.on_update(self._setter("balanced"))
        self._servo.on_update(self._held)
        self._sampling.on_update(self._setter("sampling"))
        for part, dropdown in enumerate(self._vectors):
            dropdown.on_update(self._chooser(part))
        for slider in self._targets:
            slider.on_update(self._aimed)

    # -- what is turned and pressed --------------------------------------------------------------------------------

    def _setter(self, name: str) -> Callable[[Any], None]:
        def changed(event: Any) -> None:
            if event.client is not None:
                value = event.target.value
                self._studio.act(lambda: self._studio.drive(**{name: value}))

        return changed

    def _held(self, event: Any) -> None:
        """The torso's own uprightness says nothing once it is held; the pelvis's takes its place, and back."""
        if event.client is None:
            return
        held = bool(event.target.value)

        def hold() -> None:
            world = self._studio.balanced
            if world is None:
                return
            swap = {"up": "pelvis-up"} if held else {"pelvis-up": "up"}
            vectors = [swap.get(v, v) for v in (world.drive.forward, world.drive.lateral)]
            self._studio.drive(servo=held, **self._with_vectors(world, vectors))

        self._studio.act(hold)

    def _chooser(self, part: int) -> Callable[[Any], None]:
        def changed(event: Any) -> None:
            if event.client is None:
                return
            vector = str(event.target.value)

            def choose() -> None:
                world = self._studio.balanced
                if world is not None:
                    vectors = [world.drive.forward, world.drive.lateral]
                    vectors[part] = vector
                    self._studio.drive(**self._with_vectors(world, vectors))

            self._studio.act(choose)

        return changed

    def _with_vectors(self, world: "BalancedWorld", vectors: list[str]) -> dict[str, Any]:
        """Other variables, each with a target at which it walks."""
        before = (world.drive.forward, world.drive.lateral)
        targets = tuple(
            old if was == now else usual_target(world.figure, now, part)
            for part, (old, was, now) in enumerate(zip(world.drive.targets, before, vectors, strict=True))
        )
        return {"forward": vectors[0], "lateral": vectors[1], "targets": targets, "speed": None}

    def _aimed(self, event: Any) -> None:
        if event.client is not None:
            forward, lateral = (float(s.value) for s in self._targets)
            self._studio.act(lambda: self._studio.drive(targets=(forward, lateral)))

    # -- what is shown ---------------------------------------------------------------------------------------------

    def rebuild(self) -> None:
        """Another world."""
        world = self._studio.balanced
        self._other.visible = world is None
        for part in (self._folder, self._told, self._plot):
            part.visible = world is not None
        if world is not None:
            self._servo.disabled = not holds_torso(world.figure)
            self.refresh()

    def refresh(self) -> None:
        """Show what is asked for."""
        world = self._studio.balanced
        if world is None:
            return
        drive = world.drive
        self._on.value, self._servo.value, self._sampling.value = drive.balanced, drive.servo, drive.sampling
        for dropdown, vector in zip(self._vectors, (drive.forward, drive.lateral), strict=True):
            dropdown.value = vector
        for slider, target in zip(self._targets, drive.aim, strict=True):
            slider.value = min(max(target, slider.min), slider.max)
        self._targets[0].disabled = drive.speed is not None

    def tick(self) -> None:
        """Draw what the steps came to."""
        world = self._studio.balanced
        if world is None:
            return
        names = (f"{world.drive.forward} forward", f"{world.drive.lateral} lateral")
        self._plot.content = step_plot(world.steps, names)
        text = (
            f"Each step is sampled and modelled while the one before is walked: {1e3 * world.planned:.0f} ms for the "
            f"last one; {world.late} of {len(world.steps) + 1} had to wait for it."
        )
        self._told.content = f"<div style='padding:4px 10px;color:#6b7682;font-size:12px'>{text}</div>"
