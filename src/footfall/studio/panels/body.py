"""The body: which figure, how large, what it carries, and how heavy things are; and what it walks on."""

import math
from typing import Any

from footfall.figures import Figure
from footfall.figures.scaling import SizeFactors, figure_facts
from footfall.pictures.figure_tables import FigureTables
from footfall.studio.core.background import LibraryChanged, WorldChanged
from footfall.studio.core.drawings import table
from footfall.studio.core.library import BODY_SUFFIXES, LARGEST_BODY
from footfall.studio.core.session import walk_on
from footfall.studio.core.setting import Setting
from footfall.studio.panels.context import Context
from footfall.studio.widgets import Event

SMALLEST, LARGEST = 0.3, 3.0
"""Times a body's own height, and the third powers of these its mass."""
HINT = "Files of the studio's folder are offered too: MJCF (.xml), .urdf and .bones"


class BodyPanel:
    """The figure that walks, and others that it may walk on.

    Attributes:
        figure: the body that is looked at.
    """

    def __init__(self, context: Context) -> None:
        self._session = session = context.session
        gui = context.gui
        self.figure: Figure = session.world.figure
        self._facts: dict[str, float] = {}
        self._choice = gui.add_dropdown("Body", session.bodies.names, session.bodies.names[0], hint=HINT)
        self._choice.on_update(lambda event: self._look(event.value))
        self._height = gui.add_slider("Height (m)", 0.1, 10.0, 0.01, 1.7)
        self._tied = gui.add_checkbox("Mass follows height", True, hint="The same density: with its third power")
        self._mass = gui.add_slider("Mass (kg)", 0.1, 1000.0, 0.1, 70.0)
        for control in (self._height, self._tied, self._mass):
            control.on_update(lambda _: self._show())
        self._table = gui.add_html()
        walk = gui.add_button(
            "Walk on this body",
            hint="The SIMBICON controller that walks now is scaled to it; a body of another size is kept in the folder",
        )
        walk.on_update(self._walk)
        with gui.add_folder("Joints", is_open=False):
            self._joints = gui.add_html()
        gui.add_upload("Load a body (.xml, .urdf, .bones)", LARGEST_BODY, accept=",".join(BODY_SUFFIXES)).on_update(
            self._uploaded
        )
        with gui.add_folder("Load and gravity"):
            load = gui.add_slider("Load (kg)", 0.0, 60.0, 1.0, 0.0, hint="On the torso, at its centre of mass")
            gravity = gui.add_slider("Gravity (m/s²)", 0.5, 20.0, 0.1, Setting().gravity)
        context.bind(load, lambda kilograms: session.change_setting(load=kilograms), "load")
        context.bind(gravity, lambda number: session.change_setting(gravity=number), "gravity")
        session.events.on(WorldChanged, lambda event: self._follow() if event.figure else None)
        session.events.on(LibraryChanged, lambda _: self._offer())
        self._follow()

    # -- which one -------------------------------------------------------------------------------------------------

    def _offer(self) -> None:
        self._choice.offer(*self._session.bodies.choice())

    def _follow(self) -> None:
        own = self._session.bodies.name_of(self._session.controller.figure)
        self._offer()
        if own in self._choice.options:
            self._choice.value = own
        self._take(self._session.world.figure)

    def _look(self, name: str) -> None:
        """Look at another body; where its file is no good, the one before stays."""
        session = self._session

        def make() -> Figure:
            try:
                return session.bodies.load(name)
            except Exception:
                session.act(self._follow)
                raise

        session.in_background("figure", make, self._take, words=f"Reading {name}")

    def _uploaded(self, event: Event) -> None:
        session, (name, content) = self._session, event.value

        def enter(kept: str) -> None:
            session.events.emit(LibraryChanged())
            self._choice.value = kept
            self._look(kept)

        session.in_background("upload", lambda: session.bodies.upload(name, content), enter)

    # -- how large -------------------------------------------------------------------------------------------------

    def _take(self, figure: Figure) -> None:
        self.figure, self._facts = figure, figure_facts(figure)
        height, mass = self._facts["height_m"], self._facts["mass_kg"]
        for slider, own, power in ((self._height, height, 1), (self._mass, mass, 3)):
            slider.min, slider.max = _rounded(own * SMALLEST**power), _rounded(own * LARGEST**power)
            slider.value = round(own, 2)
        self._tied.value = True
        head, *rows = ((row[0], row[-4], row[-3]) for row in FigureTables(figure).joint_rows())
        self._joints.content = table(rows, "joints", head)
        self._show()

    def _sizes(self) -> tuple[float | None, float | None]:
        """Height and mass that are asked for; None for the body's own."""
        height, mass = (
            None if abs(slider.value - round(self._facts[name], 2)) < 5e-3 else float(slider.value)
            for slider, name in ((self._height, "height_m"), (self._mass, "mass_kg"))
        )
        return height, None if self._tied.value else mass

    def _show(self) -> None:
        facts, tied = self._facts, bool(self._tied.value)
        height, mass = self._sizes()
        length = 1.0 if height is None else height / facts["height_m"]
        factors = SizeFactors(length, length**3 if mass is None else mass / facts["mass_kg"])
        self._mass.disabled = tied
        if tied:
            self._mass.value = round(factors.mass * facts["mass_kg"], 2)
        scaled = {"height_m": factors.length, "mass_kg": factors.mass, "strongest_joint_Nm": factors.torque}
        labels = {
            "height_m": ("height", "m"),
            "mass_kg": ("mass", "kg"),
            "centre_of_mass_height": ("centre of mass", "of its height"),
            "joints": ("driven joints", ""),
            "strongest_joint_Nm": ("strongest joint", "N m"),
        }
        changed = height is not None or mass is not None
        rows = []
        for name, (label, unit) in labels.items():
            now = f"{facts[name] * scaled.get(name, 1.0):.4g}"
            rows.append((label, *((f"{facts[name]:.4g}",) if changed else ()), now, unit))
        head = ("", self.figure.name, "asked for", "") if changed else ("", self.figure.name, "")
        self._table.content = table(rows, "figure", head)

    def _walk(self, _: Event) -> None:
        session, name = self._session, str(self._choice.value)
        height, mass = self._sizes()
        if name == session.bodies.name_of(session.controller.figure) and height is None and mass is None:
            session.say("It walks on this body already", "choose another one, or another size")
            return
        session.act(lambda: walk_on(session, name, height, mass))


def _rounded(value: float) -> float:
    """A slider's end: two leading digits."""
    digits = 1 - math.floor(math.log10(value))
    return float(round(value, digits))


RISE, ANGLE = ("Rise (m)", 0.01, 0.3, 0.01), ("Slope (°)", 0.5, 20.0, 0.5)
"""A terrain's slider: label, least, most and step."""
TERRAINS: dict[str, tuple[str, tuple[str, float, float, float], float]] = {
    "flat": ("flat", RISE, 0.0),
    "slope up": ("slope:{:g}", ANGLE, 6.0),
    "slope down": ("slope:-{:g}", ANGLE, 6.0),
    "steps up": ("steps:{:g},1.2,20", RISE, 0.05),
    "steps down": ("steps:-{:g},1.2,20", RISE, 0.05),
    "stairs": ("stairs:{:g},0.6,8", RISE, 0.15),
    "random steps": ("random-steps:{:g},0.8", RISE, 0.05),
    "SIMBICON's downward": ("downward", RISE, 0.0),
    "SIMBICON's upward": ("upward", RISE, 0.0),
}
"""In the words of ``footfall run --terrain``, with the slider for its number and where that begins; terrains of heights
of their own have none."""


class TerrainPanel:
    """What it walks on: terrain and friction."""

    def __init__(self, context: Context) -> None:
        session, gui = context.session, context.gui

        def chosen(name: str) -> None:
            _, (label, least, most, step), start = TERRAINS[name]
            number.set(label=label, min=least, max=most, step=step, value=max(start, least), visible=start > 0)
            lay()

        def lay(_: Any = None) -> None:
            session.change_setting(terrain=TERRAINS[self.terrain.value][0].format(float(number.value)))

        hint = "It begins ahead of the walker, along its heading"
        self.terrain = context.bind(
            gui.add_dropdown("Terrain", tuple(TERRAINS), "flat", hint=hint), chosen, "terrain's kind"
        )
        number = gui.add_slider(*RISE, 0.01, hint="Of each step, or of the slope")
        number.visible = False
        context.bind(number, lay, "terrain")
        friction = gui.add_slider("Friction μ", 0.0, 2.0, 0.05, 0.65)
        context.bind(friction, lambda mu: session.change_setting(friction=mu), "friction")
        session.events.on(WorldChanged, lambda _: friction.set(value=float(session.setting.friction)))
