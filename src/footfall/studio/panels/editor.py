"""The editor: a controller's numbers, its versions and its files.

The part of the editor for numbers that are not in a state, such as the gains of a tracking controller: those that
the controller's kind names.

The part of the editor that edits a pose control graph: a state's hold time, target angles and feedback; its pose.
"""

import html
import math
from collections.abc import Callable

from footfall.control.kind import Number
from footfall.control.registry import kind_of, print_controller
from footfall.methods.simbicon.editing import add_state, move_state, remove_state, with_contact, with_hold, with_target
from footfall.studio.core.background import DocumentChanged, LibraryChanged, NumbersChanged
from footfall.studio.core.drawings import table
from footfall.studio.core.library import LARGEST_UPLOAD
from footfall.studio.panels.context import Context, small
from footfall.studio.widgets import Checkbox, Event, Folder, Page, Slider, Widget

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


class EditorPanel:
    """Edits the studio's document; every change acts on the walker at once.

    Attributes:
        states: controls of the states of a pose control graph. numbers: controls of other numbers.
    """

    def __init__(self, context: Context) -> None:
        self._session = session = context.session
        gui = context.gui
        self._undo = gui.add_button("Undo", hint="Ctrl+Z")
        context.when(self._undo, lambda _: session.undo())
        self._redo = gui.add_button("Redo", hint="Ctrl+Shift+Z")
        context.when(self._redo, lambda _: session.redo())
        self.states = StateRows(context)
        self.numbers = NumberRows(context)
        self._nothing = gui.add_note("*This controller has no states or numbers that can be edited here.*")
        self._named = session.document
        with gui.add_folder("Save, load, compare", is_open=False):
            self._name = gui.add_text("Name", session.document.name)
            self._files = gui.add_button_group("File", ("Save", "Download", "Revert"))
            self._files.on_update(self._file)
            gui.add_upload("Load a controller (.toml)", LARGEST_UPLOAD, accept=".toml").on_update(self._uploaded)
            self._compare = gui.add_checkbox(
                "Compare with the saved one", False, hint="The saved controller's walker, in grey, beside this one"
            )
            context.when(self._compare, lambda on: session.world.compare(session.document.saved if on else None))
            self._changes = gui.add_html("")
            if session.library.skipped:
                rows = "<br>".join(html.escape(line) for line in session.library.skipped)
                gui.add_html(small(f"Files of the folder that were left out:<br>{rows}", "skipped"))
        session.events.on(DocumentChanged, lambda _: self.rebuild())
        session.events.on(LibraryChanged, lambda _: self.rebuild())
        session.events.on(NumbersChanged, lambda _: self.refresh())
        self.rebuild()

    # -- making and refreshing -------------------------------------------------------------------------------------

    def rebuild(self) -> None:
        """Another controller or state: all sliders are made again."""
        session = self._session
        if self._named is not session.document:
            self._named = session.document
            self._name.value = session.document.name
        can = session.world.can
        self._compare.visible = can.compare
        self.states.show(can.edit)
        self.states.rebuild()
        self.numbers.rebuild()
        self._nothing.visible = not (can.edit or self.numbers.sliders)
        self._show_changes()

    def refresh(self) -> None:
        """The same state has other numbers."""
        self.states.refresh()
        self.numbers.refresh()
        self._show_changes()

    def _show_changes(self) -> None:
        document = self._session.document
        for button, can in ((self._undo, document.can_undo), (self._redo, document.can_redo)):
            button.disabled = not can
        kind = kind_of(document.controller)
        rows = kind.differences(document.controller, document.saved) if document.changed else []
        if not rows:
            self._changes.content = small("as saved")
            return
        self._changes.content = table(rows[:40], "changes", ("changed", "saved", "now"))

    # -- files -----------------------------------------------------------------------------------------------------

    def _file(self, event: Event) -> None:
        session, word = self._session, event.value
        if word == "Download":
            text = print_controller(session.controller)
            event.client.download(f"{session.controller.name}.toml", text.encode())
        elif word == "Revert":
            saved = session.document.saved
            session.act(lambda: session.edit(lambda _: saved))
        else:
            self._save(str(self._name.value), event.client)

    def _save(self, name: str, client: Page) -> None:
        """Save under a name; one that comes with footfall is asked about first."""
        session = self._session
        if not session.library.is_builtin(name):
            session.act(lambda: session.save(name))
            return
        text = f"{name} comes with footfall. A file of that name in your folder takes its place in this studio."
        client.ask(
            f"Save as '{name}'?",
            text,
            ("Save anyway", "Choose another name"),
            lambda button: session.act(lambda: session.save(name)) if button == 0 else None,
        )

    def _uploaded(self, event: Event) -> None:
        session, (name, content) = self._session, event.value
        session.in_background("upload", lambda: session.library.upload(name, content), session.uploaded)
