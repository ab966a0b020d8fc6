"""The part of the editor that edits a pose control graph: a state's hold time, target angles and feedback; its pose."""

import math
from collections.abc import Callable

from footfall.methods.simbicon.editing import add_state, move_state, remove_state, with_contact, with_hold, with_target
from footfall.studio.panels.context import Context
from footfall.studio.widgets.controls import Checkbox, Slider
from footfall.studio.widgets.widget import Event, Widget

MOST_HOLD, MOST_ANGLE, MOST_GAIN = 2.0, 150.0, 3.0
PLANES = {"swing_hip": "forward", "swing_hip_roll": "sideways"}
"""The swing hip's roles, and the plane that each balances in."""
HINTS = {
    "c_d": "Radians by which the target turns for each metre that the hip is ahead of the stance foot"
    " (of a hip that rolls: to its left)",
    "c_v": "Radians by which the target turns for each metre a second that the hip moves forward"
    " (of a hip that rolls: to the left)",
    "hold": "Seconds after which the state ends, unless it ends on foot contact",
    "swing": "The leg in the air",
    "stance": "The leg on the ground",
    "torso": "Against the vertical",
}


class StateRows:
    """Controls of one state at a time.

    Attributes:
        posing: the check box that draws the state's pose with handles.
    """

    def __init__(self, context: Context) -> None:
        self._context, self._session = context, context.session
        self._gui = gui = context.gui
        self._state = gui.add_dropdown("State", ("0",), "0", hint="The state whose numbers stand below")
        self._state.on_update(self._selected)
        self._states = gui.add_button_group("States", ("Add", "Remove", "▲", "▼"), hint="▲ and ▼ move the state")
        context.when(self._states, self._restructure)
        self.posing = gui.add_checkbox(
            "Pose with handles", False, hint="Draws this state's pose; drag the orange balls to turn its joints"
        )
        context.when(self.posing, self._pose)
        self._rows = gui.add_folder()
        self._sliders: dict[tuple[str, str], Slider] = {}
        self._parts: list[Widget] = []
        self._contact: Checkbox | None = None

    def show(self, visible: bool) -> None:
        """Show the controls or hide them."""
        for part in (self._state, self._states, self.posing, self._rows):
            part.visible = visible

    def clear(self) -> None:
        """Remove the controls of the state."""
        for part in self._parts:
            part.remove()
        self._parts, self._sliders, self._contact = [], {}, None

    def rebuild(self) -> None:
        """Another controller or state: all sliders are made again; none where it has no states."""
        session, gui = self._session, self._gui
        self.clear()
        if not session.states:
            return
        labels = tuple(_label(state.name, i) for i, state in enumerate(session.states))
        self._state.offer(labels)
        self._state.value = labels[session.selected]
        state = session.states[session.selected]
        with self._rows:
            self._add("hold", "hold", "Hold (s)", 0.0, MOST_HOLD, 0.01)
            self._parts.append(self._sliders["hold", "hold"])
            contact = gui.add_checkbox("Ends on foot contact", bool(state.contact))
            self._context.when(contact, self._change_contact)
            self._parts.append(contact)
            self._contact = contact
            folder = gui.add_folder("Target angles (°)")
            self._parts.append(folder)
            with folder:
                for role in state.targets:
                    self._add(role, "angle", role.replace("_", " "), -MOST_ANGLE, MOST_ANGLE, 0.5)
            if session.world.can.feedback:
                folder = gui.add_folder("Balance feedback on the swing hip")
                self._parts.append(folder)
                planes = [role for role in PLANES if role in state.targets or role == "swing_hip"]
                with folder:
                    for role in planes:
                        for gain, unit in (("c_d", "rad/m"), ("c_v", "rad s/m")):
                            label = f"{gain} ({unit})" if len(planes) == 1 else f"{PLANES[role]} {gain}"
                            self._add(role, gain, label, -MOST_GAIN, MOST_GAIN, 0.01)
                folder = gui.add_folder("Feedback on other joints", is_open=False)
                self._parts.append(folder)
                with folder:
                    for role in (r for r in state.targets if r not in PLANES):
                        for gain in ("c_d", "c_v"):
                            self._add(role, gain, f"{role.replace('_', ' ')} {gain}", -MOST_GAIN, MOST_GAIN, 0.01)

    def _add(self, role: str, part: str, label: str, low: float, high: float, step: float) -> None:
        value = self._value(role, part)
        low, high = min(low, math.floor(value)), max(high, math.ceil(value) if math.isfinite(value) else high)
        kind = part if part in HINTS else role.partition("_")[0]
        start = min(max(value, low), high)
        slider = self._gui.add_slider(label, low, high, step, start, hint=HINTS.get(kind, ""))
        slider.on_update(self._changer(role, part))
        self._sliders[role, part] = slider

    def _value(self, role: str, part: str) -> float:
        state = self._session.states[self._session.selected]
        if part == "hold":
            return float(round(min(state.hold, MOST_HOLD), 3))
        target = state.targets.get(role)
        if target is None:
            return 0.0
        return round(math.degrees(target.angle), 1) if part == "angle" else round(float(getattr(target, part)), 3)

    def refresh(self) -> None:
        """The same state has other numbers."""
        for (role, part), slider in self._sliders.items():
            value = min(max(self._value(role, part), slider.min), slider.max)
            if abs(slider.value - value) > 1e-9:
                slider.value = value
        if self._contact is not None:
            contact = bool(self._session.states[self._session.selected].contact)
            self._contact.value = contact

    # -- what is turned and pressed --------------------------------------------------------------------------------

    def _changer(self, role: str, part: str) -> Callable[[Event], None]:
        def changed(event: Event) -> None:
            value = float(event.value)
            session = self._session
            i, document = session.selected, session.document

            def change() -> None:
                if session.document is not document or i >= len(session.states):
                    return  # that state was removed meanwhile
                if part == "hold":
                    session.edit(lambda g: with_hold(g, i, value), f"{i} hold")
                else:
                    number = math.radians(value) if part == "angle" else value
                    session.edit(lambda g: with_target(g, i, role, **{part: round(number, 6)}), f"{i} {role} {part}")

            session.act_newest(f"{i} {role} {part}", change)

        return changed

    def _change_contact(self, on: bool) -> None:
        if self._session.states:
            self._session.edit(lambda g: with_contact(g, self._session.selected, on))

    def _selected(self, event: Event) -> None:
        index = list(self._state.options).index(event.value)
        self._session.act(lambda: self._session.select(index))

    def _restructure(self, word: str) -> None:
        session, i = self._session, self._session.selected
        if i >= len(session.states):
            return  # a controller without states took over meanwhile
        if word == "Add":
            session.edit(lambda g: add_state(g, i), select=i + 1)
        elif word == "Remove":
            session.edit(lambda g: remove_state(g, i))
        else:
            by = -1 if word == "▲" else 1
            session.edit(lambda g: move_state(g, i, by), select=i + by)

    def _pose(self, on: bool) -> None:
        self._session.posing = on and self._session.world.can.edit


def _label(name: str, index: int) -> str:
    return f"{index} · {name}" if name and name != str(index) else f"{index}"
