"""Limit-cycle balance (Laszlo, 1996): what is regulated, sampled how, and how well every step met its target."""

from collections.abc import Callable
from typing import Any

from footfall.methods.limit_cycle.balanceable import has_waist
from footfall.studio.core.session.events import DriveChanged, WorldChanged
from footfall.studio.core.worlds.balance import Balance
from footfall.studio.core.worlds.drive import SAMPLINGS, VECTORS, usual_target
from footfall.studio.panels.context import Context, Ticked, small
from footfall.studio.panels.step_plot import step_plot
from footfall.studio.widgets.widget import Event

__all__ = ["BalancePanel"]

OTHER = (
    "*This controller's law keeps its balance. Steps are balanced one by one for human-walk, human-12-walk and "
    "bird-run, and for servo controllers of your own for spatial figures.*"
)
TRACKED = "*This walker follows captured motion. Its gains under Edit keep its balance.*"
HOW = {
    "F-L": "forward, then lateral (F-L)",
    "L-F": "lateral, then forward (L-F)",
    "SP": "both at once, each on its own (SP)",
    "jacobian": "both at once, coupled (Jacobian)",
}
"""The samplings of the thesis in words."""
WHAT = {
    "up": "torso's uprightness (up)",
    "pelvis-up": "pelvis's uprightness (pelvis-up)",
    "swing-com": "centre of mass over the foot (swing-com)",
}
LEAN = "Q_d: the lean that each step aims at. More leans further ahead, and walks faster"
assert set(HOW) == set(SAMPLINGS)
assert set(WHAT) == set(VECTORS)


class BalancePanel:
    """The settings of limit-cycle control, and the discrete values of the steps."""

    def __init__(self, context: Context) -> None:
        self._session, self._steering = context.session, context.steering
        gui = context.gui
        self._other = gui.add_note(OTHER)
        self._folder = gui.add_folder("Limit-cycle control")
        with self._folder:
            self._on = gui.add_checkbox(
                "Balance every step", True, hint="Without it the base graph falls after a few steps"
            )
            self._servo = gui.add_checkbox(
                "Hold the torso upright", True, hint="A servo holds it against the world (Laszlo, section 3.8)"
            )
            self._sampling = gui.add_dropdown(
                "Sampling",
                tuple(HOW.values()),
                HOW[SAMPLINGS[0]],
                hint="Which hip perturbations are tried before each step, and in what order",
            )
            self._vectors = tuple(
                gui.add_dropdown(
                    f"{way} variable",
                    tuple(WHAT.values()),
                    WHAT[VECTORS[0]],
                    hint=f"Q: what is measured at the end of each step, {way.lower()}",
                )
                for way in ("Forward", "Lateral")
            )
            self._targets = (
                gui.add_slider("Forward target", -0.2, 0.5, 0.01, 0.3, hint=LEAN),
                gui.add_slider("Lateral target", -0.1, 0.1, 0.005, 0.0, hint="Q_d to the side"),
            )
        self._note = gui.add_html("")
        self._plot = gui.add_html("")
        self._on.on_update(self._setter("balanced"))
        self._servo.on_update(self._held)
        self._sampling.on_update(self._sampled)
        for part, dropdown in enumerate(self._vectors):
            dropdown.on_update(self._chooser(part))
        for slider in self._targets:
            slider.on_update(self._aimed)
        events = self._session.events
        events.on(WorldChanged, lambda _: self._rebuild())
        events.on(DriveChanged, lambda _: self._refresh())
        events.on(Ticked, lambda _: self._tick())
        self._rebuild()

    # -- what is turned and pressed --------------------------------------------------------------------------------

    def _setter(self, name: str) -> Callable[[Event], None]:
        def changed(event: Event) -> None:
            value = event.value
            self._session.act(lambda: self._steering.drive(**{name: value}))

        return changed

    def _sampled(self, event: Event) -> None:
        sampling = next(name for name, words in HOW.items() if words == event.value)
        self._session.act(lambda: self._steering.drive(sampling=sampling))

    def _held(self, event: Event) -> None:
        """The torso's own uprightness says nothing once it is held; the pelvis's takes its place, and back."""
        held = bool(event.value)

        def hold() -> None:
            balance = self._session.world.balance
            if balance is None:
                return
            swap = {"up": "pelvis-up"} if held else {"pelvis-up": "up"}
            vectors = [swap.get(v, v) for v in (balance.drive.forward, balance.drive.lateral)]
            self._steering.drive(servo=held, **self._with_vectors(balance, vectors))

        self._session.act(hold)

    def _chooser(self, part: int) -> Callable[[Event], None]:
        def changed(event: Event) -> None:
            vector = next(name for name, words in WHAT.items() if words == event.value)

            def choose() -> None:
                balance = self._session.world.balance
                if balance is not None:
                    vectors = [balance.drive.forward, balance.drive.lateral]
                    vectors[part] = vector
                    self._steering.drive(**self._with_vectors(balance, vectors))

            self._session.act(choose)

        return changed

    def _with_vectors(self, balance: Balance, vectors: list[str]) -> dict[str, Any]:
        """Other variables, each with a target at which it walks."""
        before = (balance.drive.forward, balance.drive.lateral)
        targets = tuple(
            old if was == now else usual_target(balance.figure, now, part)
            for part, (old, was, now) in enumerate(zip(balance.drive.targets, before, vectors, strict=True))
        )
        return {"forward": vectors[0], "lateral": vectors[1], "targets": targets, "speed": None}

    def _aimed(self, event: Event) -> None:
        forward, lateral = (float(s.value) for s in self._targets)
        self._session.act(lambda: self._steering.drive(targets=(forward, lateral)))

    # -- what is shown ---------------------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        """Another world."""
        balance = self._session.world.balance
        self._other.visible = balance is None
        self._other.write(TRACKED if self._session.world.can.follow else OTHER)
        for part in (self._folder, self._note, self._plot):
            part.visible = balance is not None
        if balance is not None:
            self._servo.disabled = not has_waist(balance.figure)
            self._refresh()

    def _refresh(self) -> None:
        """Show what is asked for."""
        balance = self._session.world.balance
        if balance is None:
            return
        drive = balance.drive
        self._on.value, self._servo.value, self._sampling.value = drive.balanced, drive.servo, HOW[drive.sampling]
        for dropdown, vector in zip(self._vectors, (drive.forward, drive.lateral), strict=True):
            dropdown.value = WHAT[vector]
        for slider, target in zip(self._targets, drive.aim, strict=True):
            slider.value = min(max(target, slider.min), slider.max)
        self._targets[0].disabled = drive.speed is not None

    def _tick(self) -> None:
        """Draw the values of the steps."""
        balance = self._session.world.balance
        if balance is None:
            return
        names = (f"{balance.drive.forward} forward", f"{balance.drive.lateral} lateral")
        self._plot.content = step_plot(balance.steps, names)
        text = (
            f"Each step is sampled and modelled while the one before is walked: {1e3 * balance.planned:.0f} ms for the "
            f"last one; {balance.late} of {len(balance.steps) + 1} had to wait for it."
        )
        self._note.content = small(text)
