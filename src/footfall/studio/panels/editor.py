"""The editor: a controller's states and numbers, its versions and its files."""

import math
from collections.abc import Callable
from typing import Any

from footfall.control.kind import Number, described_numbers
from footfall.control.registry import controller_names, kind_of, print_controller
from footfall.control.slots import TORSOS
from footfall.escaping import markup
from footfall.methods.simbicon.editing import add_state, move_state, remove_state, with_contact, with_hold, with_target
from footfall.studio.core.background import DocumentChanged, LibraryChanged, NumbersChanged
from footfall.studio.core.drawings import table
from footfall.studio.core.library import LARGEST_UPLOAD
from footfall.studio.core.posing import joint_limits
from footfall.studio.panels.context import Context, small
from footfall.studio.server import Client
from footfall.studio.widgets import Event, Folder, Slider, Widget

STEPS = 500
"""Of a slider."""
ELSEWHERE = ("speed",)
"""Numbers that another panel shows."""
MOST_HOLD, LONGEST_HOLD, MOST_GAIN, NEAR_ANGLE = 2.0, 60.0, 3.0, 20.0
PLANES = {"swing_hip": "forward", "swing_hip_roll": "sideways"}
"""The swing hip's roles, and the plane that each balances in."""


class StateRows:
    """Controls of one state of a pose control graph at a time: hold time, target angles and feedback; its pose.

    Attributes:
        posing: the check box that draws the state's pose with handles.
    """

    def __init__(self, context: Context) -> None:
        self._context, self._session = context, context.session
        self._gui = gui = context.gui

        def edited() -> bool:
            return self._session.world.can.edit

        self._state = context.bind(
            gui.add_dropdown("State", ("0",), "0", hint="The state whose numbers stand below"),
            self._choose,
            visible=edited,
        )
        context.bind(
            gui.add_button_group("States", ("Add", "Remove", "▲", "▼"), hint="▲ and ▼ move the state"),
            self._restructure,
            visible=edited,
        )
        hint = "Draws this state's pose; drag the orange balls to turn its joints"
        self.posing = context.bind(gui.add_checkbox("Pose with handles", False, hint=hint), self._pose, visible=edited)
        self._rows = context.bind(gui.add_folder(), visible=edited)
        self._parts: list[Widget] = []

    def _choose(self, label: str) -> None:
        """Edit a state, if no other page has taken it away meanwhile."""
        if label in self._state.options:
            self._session.select(self._state.options.index(label))

    def rebuild(self) -> None:
        """Another controller or state: all sliders are made again; none where it has no states."""
        session, gui = self._session, self._gui
        for part in self._parts:
            part.remove()
        self._parts = []
        if not session.states:
            return
        labels = tuple(session.world.state_label(session.controller.name, i) for i in range(len(session.states)))
        self._state.offer(labels)
        self._state.value = labels[session.selected]
        state, i = session.states[session.selected], session.selected
        with self._rows:
            hold = self._add("hold", "hold", "Hold (s)", (0.0, MOST_HOLD, 0.01))
            contact = self._context.bind(
                gui.add_checkbox("Ends on foot contact", bool(state.contact)),
                lambda on: self._edit(i, lambda graph: with_contact(graph, i, on)),
                value=lambda: bool(self._session.states[i].contact) if i < len(self._session.states) else None,
            )
            self._parts = [hold, contact, angles := gui.add_folder("Target angles (°)")]
            with angles:
                for role in state.targets:
                    least, most = (math.degrees(x) for x in self._limits(role, state.stance))
                    self._add(role, "angle", role.replace("_", " "), (least, most, 0.5), NEAR_ANGLE)
            if session.world.can.feedback:
                planes = [role for role in PLANES if role in state.targets or role == "swing_hip"]
                hips = gui.add_folder("Balance feedback on the swing hip")
                others = gui.add_folder("Feedback on other joints", is_open=False)
                self._parts += [hips, others]
                with hips:
                    for role in planes:
                        for gain, unit in (("c_d", "rad/m"), ("c_v", "rad s/m")):
                            label = f"{gain} ({unit})" if len(planes) == 1 else f"{PLANES[role]} {gain}"
                            self._add(role, gain, label, (-MOST_GAIN, MOST_GAIN, 0.01))
                with others:
                    for role in (r for r in state.targets if r not in PLANES):
                        for gain in ("c_d", "c_v"):
                            self._add(role, gain, f"{role.replace('_', ' ')} {gain}", (-MOST_GAIN, MOST_GAIN, 0.01))

    def _limits(self, role: str, stance: Any) -> tuple[float, float]:
        """Radians between which a target's joint turns."""
        figure = self._session.world.figure
        return (-math.pi, math.pi) if role in TORSOS else joint_limits(figure, figure.joint_for(role, stance))

    def _add(
        self, role: str, part: str, label: str, span: tuple[float, float, float], near: float | None = None
    ) -> Slider:
        """A slider of the state that is selected now; ``span`` is least, most and step."""
        i = self._session.selected
        value, (low, high, step) = self._value(i, role, part) or 0.0, span
        low, high = min(low, value), max(high, value)

        def shown() -> float | None:
            now = self._value(i, role, part)
            return None if now is None else min(max(now, low), high)

        def change(value: float) -> None:
            number = math.radians(value) if part == "angle" else float(value)
            if part == "hold":
                self._edit(i, lambda graph: with_hold(graph, i, number), f"{i} hold")
            else:
                parts = {part: round(number, 6)}
                self._edit(i, lambda graph: with_target(graph, i, role, **parts), f"{i} {role} {part}")

        slider = self._gui.add_slider(label, low, high, step, value, near=near, hint=described_numbers()[part]["about"])
        return self._context.bind(slider, change, f"{i} {role} {part}", value=shown)

    def _edit(self, i: int, change: Callable[[Any], Any], what: str = "") -> None:
        """Edit a state, unless another one is edited or it was removed meanwhile."""
        if i == self._session.selected < len(self._session.states):
            self._session.edit(change, what)

    def _value(self, i: int, role: str, part: str) -> float | None:
        """A number of a state; None where that is gone."""
        if i >= len(self._session.states):
            return None
        state = self._session.states[i]
        if part == "hold":
            return float(round(min(state.hold, LONGEST_HOLD), 3))
        target = state.targets.get(role)
        if target is None:
            return 0.0
        return round(math.degrees(target.angle), 2) if part == "angle" else round(float(getattr(target, part)), 3)

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


class NumberRows:
    """Sliders for numbers that are not in a state, such as the gains of a tracking controller: those that the
    controller's kind names.

    Attributes:
        sliders: by the number's name.
    """

    def __init__(self, context: Context) -> None:
        self._context, self._session, self._gui = context, context.session, context.gui
        self._rows = context.gui.add_folder()
        self.sliders: dict[str, Slider] = {}
        self._folders: dict[str, Folder] = {}
        self._known: tuple[Any, dict[str, Number]] = (None, {})

    def _numbers(self) -> dict[str, Number]:
        controller = self._session.controller
        if self._known[0] is not controller:
            numbers = kind_of(controller).numbers(controller)
            self._known = (controller, {n.name: n for n in numbers if n.name not in ELSEWHERE})
        return self._known[1]

    def rebuild(self) -> None:
        """Another controller: sliders for its numbers, where they are not there yet."""
        numbers = self._numbers()
        if list(numbers) != list(self.sliders):
            for folder in self._folders.values():
                folder.remove()
            self._folders, self.sliders = {}, {}
            for number in numbers.values():
                self._add(number)
        self._rows.visible = bool(numbers)

    def _add(self, number: Number) -> None:
        name, session = number.name, self._session
        if number.group not in self._folders:
            with self._rows:
                self._folders[number.group] = self._gui.add_folder(number.group)

        def now() -> float | None:
            known = self._numbers().get(name)
            return None if known is None else max(known.value, number.least)

        def change(value: float) -> None:
            session.edit(lambda c: kind_of(c).with_number(c, name, round(float(value), 5)), name)

        step = (number.most - number.least) / STEPS
        with self._folders[number.group]:
            slider = self._gui.add_slider(
                number.label or name, number.least, number.most, step, number.least, hint=number.about
            )
        self.sliders[name] = self._context.bind(
            slider, change, name, max=lambda: max(number.most, now() or number.least), value=now
        )


class EditorPanel:
    """Edits the studio's document; every change acts on the walker at once.

    Attributes:
        states: controls of the states of a pose control graph.
        numbers: controls of other numbers.
    """

    def __init__(self, context: Context) -> None:
        self._session = session = context.session
        gui = context.gui
        context.bind(
            gui.add_button("Undo", hint="Ctrl+Z"),
            lambda _: session.undo(),
            disabled=lambda: not session.document.can_undo,
        )
        context.bind(
            gui.add_button("Redo", hint="Ctrl+Shift+Z"),
            lambda _: session.redo(),
            disabled=lambda: not session.document.can_redo,
        )
        self.states = StateRows(context)
        self.numbers = NumberRows(context)
        self._nothing = gui.add_note("*This controller has no states or numbers that can be edited here.*")
        self._named = session.document
        with gui.add_folder("Save, load, compare", is_open=False):
            self._name = gui.add_text("Name", session.document.name)
            self._files = gui.add_button_group("File", ("Save", "Download", "Revert"))
            self._files.on_update(self._file)
            gui.add_upload("Load a controller (.toml)", LARGEST_UPLOAD, accept=".toml").on_update(self._uploaded)
            hint = "The saved controller's walker, in grey, beside this one"
            self._compare = context.bind(
                gui.add_checkbox("Compare with the saved one", False, hint=hint),
                lambda on: session.world.compare(session.document.saved if on else None),
                visible=lambda: session.world.can.compare,
            )
            self._changes = gui.add_html("")
            if session.library.skipped:
                rows = "<br>".join(markup(line) for line in session.library.skipped)
                gui.add_html(small(f"Files of the folder that were left out:<br>{rows}", "skipped"))
        session.events.on(DocumentChanged, lambda _: self.rebuild())
        session.events.on(LibraryChanged, lambda _: self.rebuild())
        session.events.on(NumbersChanged, lambda _: self._show_changes())
        self.rebuild()

    # -- making and refreshing -------------------------------------------------------------------------------------

    def rebuild(self) -> None:
        """Another controller or state: all sliders are made again."""
        session = self._session
        if self._named is not session.document:
            self._named = session.document
            self._name.value = session.document.name
        self.states.rebuild()
        self.numbers.rebuild()
        self._nothing.visible = not (session.world.can.edit or self.numbers.sliders)
        self._show_changes()

    def _show_changes(self) -> None:
        document = self._session.document
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

    def _save(self, name: str, client: Client) -> None:
        """Save under a name; one that comes with footfall is asked about first."""
        session = self._session
        if name not in controller_names(""):
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
