"""Limit-cycle balance (Laszlo, 1996): what is regulated, sampled how, and how well every step met its target."""

from functools import partial
from typing import Any

from footfall.methods.limit_cycle.perturbation import has_waist
from footfall.studio.core.background import DriveChanged, WorldChanged
from footfall.studio.core.balanced_world import BalancedWorld
from footfall.studio.core.drawings import step_plot
from footfall.studio.core.drive import SAMPLINGS, VECTORS, usual_target
from footfall.studio.panels.context import Context, Ticked, small

OTHER = (
    "*This controller's law keeps its balance. Steps are balanced one by one for human-walk, human-12-walk and "
    "bird-run, and for servo controllers of your own for spatial figures.*"
)
TRACKED = "*This walker follows captured motion. Its gains under Edit keep its balance.*"
HOW = {
    "F-L": "forward first (F-L)",
    "L-F": "lateral first (L-F)",
    "SP": "each on its own (SP)",
    "jacobian": "coupled (Jacobian)",
}
"""The samplings of the thesis in words."""
WHAT = {
    "up": "torso's lean (up)",
    "pelvis-up": "pelvis's lean (pelvis-up)",
    "swing-com": "foot to COM (swing-com)",
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
                hint="Which hip perturbations are tried before each step, one after the other or both at once",
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
        context.when(self._on, lambda on: self._steering.drive(balanced=on))
        context.when(self._servo, self._hold)
        context.when(self._sampling, self._sample)
        for part, dropdown in enumerate(self._vectors):
            context.when(dropdown, partial(self._choose, part))
        for slider in self._targets:
            context.when(slider, self._aim)
        events = self._session.events
        events.on(WorldChanged, lambda _: self._rebuild())
        events.on(DriveChanged, lambda _: self._refresh())
        events.on(Ticked, lambda _: self._tick())
        self._rebuild()

    # -- what is turned and pressed --------------------------------------------------------------------------------

    def _sample(self, words: str) -> None:
        self._steering.drive(sampling=next(name for name, how in HOW.items() if how == words))

    def _hold(self, held: bool) -> None:
        """The torso's own uprightness says nothing once it is held; the pelvis's takes its place, and back."""
        balance = self._session.world.balance
        if balance is not None:
            swap = {"up": "pelvis-up"} if held else {"pelvis-up": "up"}
            vectors = [swap.get(v, v) for v in (balance.drive.forward, balance.drive.lateral)]
            self._steering.drive(servo=held, **self._with_vectors(balance, vectors))

    def _choose(self, part: int, words: str) -> None:
        balance = self._session.world.balance
        if balance is not None:
            vectors = [balance.drive.forward, balance.drive.lateral]
            vectors[part] = next(name for name, what in WHAT.items() if what == words)
            self._steering.drive(**self._with_vectors(balance, vectors))

    def _with_vectors(self, balance: BalancedWorld, vectors: list[str]) -> dict[str, Any]:
        """Other variables, each with a target at which it walks."""
        before = (balance.drive.forward, balance.drive.lateral)
        targets = tuple(
            old if was == now else usual_target(balance.figure, now, part)
            for part, (old, was, now) in enumerate(zip(balance.drive.targets, before, vectors, strict=True))
        )
        return {"forward": vectors[0], "lateral": vectors[1], "targets": targets, "speed": None}

    def _aim(self, _: Any) -> None:
        forward, lateral = (float(s.value) for s in self._targets)
        self._steering.drive(targets=(forward, lateral))

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
