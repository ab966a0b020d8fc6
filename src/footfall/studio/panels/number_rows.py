"""The part of the editor for numbers that are not in a state, such as the gains of a tracking controller: those that
the controller's kind names."""

from collections.abc import Callable

from footfall.control.kind import Number
from footfall.control.registry import kind_of
from footfall.studio.panels.context import Context
from footfall.studio.widgets.controls import Folder, Slider
from footfall.studio.widgets.widget import Event

STEPS = 500
"""Of a slider."""
ELSEWHERE = ("speed",)
"""Numbers that another panel shows."""


class NumberRows:
    """Sliders for the numbers of a controller.

    Attributes:
        sliders: by the number's name.
    """

    def __init__(self, context: Context) -> None:
        self._session = context.session
        self._gui = context.gui
        self._rows = context.gui.add_folder()
        self.sliders: dict[str, Slider] = {}
        self._folders: dict[str, Folder] = {}
        self._shown: tuple[tuple[str, str], ...] = ()

    def _numbers(self) -> list[Number]:
        controller = self._session.controller
        return [n for n in kind_of(controller).numbers(controller) if n.name not in ELSEWHERE]

    def rebuild(self) -> None:
        """Another controller: sliders for its numbers, where they are not there yet."""
        numbers = self._numbers()
        shown = tuple((n.group, n.name) for n in numbers)
        if shown != self._shown:
            for folder in self._folders.values():
                folder.remove()
            self._folders, self.sliders, self._shown = {}, {}, shown
            for number in numbers:
                self._add(number)
        self._rows.visible = bool(numbers)
        self.refresh()

    def _add(self, number: Number) -> None:
        if number.group not in self._folders:
            with self._rows:
                self._folders[number.group] = self._gui.add_folder(number.group)
        step = (number.most - number.least) / STEPS
        with self._folders[number.group]:
            slider = self._gui.add_slider(
                number.label or number.name, number.least, number.most, step, number.least, hint=number.about
            )
        slider.on_update(self._changer(number.name))
        self.sliders[number.name] = slider

    def refresh(self) -> None:
        """Its numbers changed."""
        for number in self._numbers():
            slider = self.sliders.get(number.name)
            if slider is None:
                continue
            if number.value > slider.max:
                slider.max = number.value
            if abs(slider.value - number.value) > 1e-9:
                slider.value = max(number.value, slider.min)

    def _changer(self, name: str) -> Callable[[Event], None]:
        def changed(event: Event) -> None:
            session, value = self._session, round(float(event.value), 5)
            session.act_newest(name, lambda: session.edit(lambda c: kind_of(c).with_number(c, name, value), name))

        return changed
