"""The editor: every state's hold time, target angles and feedback; states; versions; files."""

import html
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from footfall.control.files import print_controller
from footfall.studio.core.editing import (
    add_state,
    differences,
    move_state,
    remove_state,
    with_contact,
    with_hold,
    with_target,
)

if TYPE_CHECKING:
    from footfall.studio.studio import Studio

__all__ = ["EditorPanel"]

MOST_HOLD, MOST_ANGLE, MOST_GAIN = 2.0, 150.0, 3.0


class EditorPanel:
    """Edits the studio's document; every change acts on the walker at once."""

    def __init__(self, studio: "Studio") -> None:
        self._studio = studio
        gui = studio.server.gui
        names = tuple(studio.library.documents)
        self._controller = gui.add_dropdown("Controller", names, initial_value=studio.document.name)
        self._controller.on_update(self._chosen)
        self._history = gui.add_button_group("Edits", ("Undo", "Redo"))
        self._history.on_click(lambda e: studio.act(studio.undo if e.target.value == "Undo" else studio.redo))
        self._state = gui.add_dropdown("State", ("0",), initial_value="0")
        self._state.on_update(self._selected)
        self._states = gui.add_button_group("States", ("Add", "Remove", "Up", "Down"))
        self._states.on_click(self._restructure)
        self._posing = gui.add_checkbox(
            "Pose it with handles", False, hint="Draws this state's pose; drag the orange balls to turn its joints"
        )
        self._posing.on_update(self._pose)
        self._rows = gui.add_folder(None)
        self._sliders: dict[tuple[str, str], Any] = {}
        self._parts: list[Any] = []
        with gui.add_folder("Save, load, compare", expand_by_default=False):
            self._name = gui.add_text("Name", studio.document.name)
            self._files = gui.add_button_group("File", ("Save", "Download", "Revert"))
            self._files.on_click(self._file)
            self._upload = gui.add_upload_button("Load a controller (.toml)", icon="upload")
            self._upload.on_upload(self._uploaded)
            self._compare = gui.add_checkbox("Walk the saved one beside it", False)
            self._compare.on_update(self._compared)
            self._changes = gui.add_html("")
        self.rebuild()

    # -- making and refreshing -------------------------------------------------------------------------------------

    def rebuild(self) -> None:
        """Another controller or state: all sliders anew."""
        studio, gui = self._studio, self._studio.server.gui
        names = tuple(studio.library.documents)
        if self._controller.options != names:
            self._controller.options = names
        self._controller.value = studio.document.name
        self._name.value = studio.document.name
        labels = tuple(_label(studio.graph, i) for i in range(len(studio.graph.states)))
        if self._state.options != labels:
            self._state.options = labels
        self._state.value = labels[studio.selected]
        for part in self._parts:
            part.remove()
        self._parts, self._sliders = [], {}
        state = studio.graph.states[studio.selected]
        with self._rows:
            self._add("hold", "hold", "Hold (s)", 0.0, MOST_HOLD, 0.01)
            self._parts.append(self._sliders["hold", "hold"])
            contact = gui.add_checkbox("Ends on foot contact", bool(state.contact))
            contact.on_update(self._contact_changed)
            self._parts.append(contact)
            self._contact = contact
            folder = gui.add_folder("Target angles (°)")
            self._parts.append(folder)
            with folder:
                for role in state.targets:
                    self._add(role, "angle", role.replace("_", " "), -MOST_ANGLE, MOST_ANGLE, 0.5)
            if studio.graph.law == "simbicon":
                folder = gui.add_folder("Balance feedback on the swing hip")
                self._parts.append(folder)
                with folder:
                    self._add("swing_hip", "c_d", "c_d (rad/m)", -MOST_GAIN, MOST_GAIN, 0.01)
                    self._add("swing_hip", "c_v", "c_v (rad s/m)", -MOST_GAIN, MOST_GAIN, 0.01)
                folder = gui.add_folder("Feedback on other joints", expand_by_default=False)
                self._parts.append(folder)
                with folder:
                    for role in (r for r in state.targets if r != "swing_hip"):
                        for gain in ("c_d", "c_v"):
                            self._add(role, gain, f"{role.replace('_', ' ')} {gain}", -MOST_GAIN, MOST_GAIN, 0.01)
        self._show_changes()

    def _add(self, role: str, part: str, label: str, low: float, high: float, step: float) -> None:
        value = self._value(role, part)
        low, high = min(low, math.floor(value)), max(high, math.ceil(value) if math.isfinite(value) else high)
        slider = self._studio.server.gui.add_slider(label, low, high, step, min(max(value, low), high))
        slider.on_update(self._changer(role, part))
        self._sliders[role, part] = slider

    def _value(self, role: str, part: str) -> float:
        state = self._studio.graph.states[self._studio.selected]
        if part == "hold":
            return min(state.hold, MOST_HOLD)
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
        contact = bool(self._studio.graph.states[self._studio.selected].contact)
        if self._contact.value != contact:
            self._contact.value = contact
        self._show_changes()

    def _show_changes(self) -> None:
        document = self._studio.document
        rows = differences(document.graph, document.saved)
        if not rows:
            self._changes.content = "<div style='padding:2px 10px;color:#8a94a0;font-size:12px'>as saved</div>"
            return
        cells = "".join(
            f"<tr><td>{html.escape(what)}</td><td style='color:#8a94a0'>{html.escape(old)}</td>"
            f"<td>{html.escape(new)}</td></tr>"
            for what, old, new in rows[:40]
        )
        self._changes.content = (
            "<table data-testid='changes' style='font-size:12px;width:100%;padding:2px 10px'><tr style='color:#8a94a0'>"
            f"<td>changed</td><td>saved</td><td>now</td></tr>{cells}</table>"
        )

    # -- what is turned and pressed --------------------------------------------------------------------------------

    def _changer(self, role: str, part: str) -> Callable[[Any], None]:
        def changed(event: Any) -> None:
            if event.client is None:
                return
            value = float(event.target.value)
            studio = self._studio

            def change() -> None:
                i = studio.selected
                if part == "hold":
                    studio.edit(lambda g: with_hold(g, i, value), f"{i} hold")
                else:
                    number = math.radians(value) if part == "angle" else value
                    studio.edit(lambda g: with_target(g, i, role, **{part: round(number, 6)}), f"{i} {role} {part}")

            studio.act(change)

        return changed

    def _contact_changed(self, event: Any) -> None:
        if event.client is not None:
            value, studio = bool(event.target.value), self._studio
            studio.act(lambda: studio.edit(lambda g: with_contact(g, studio.selected, value)))

    def _chosen(self, event: Any) -> None:
        if event.client is not None and event.target.value != self._studio.document.name:
            self._studio.open(event.target.value)

    def _selected(self, event: Any) -> None:
        if event.client is None:
            return
        options = list(event.target.options)

        def select() -> None:
            index = options.index(event.target.value)
            if index != self._studio.selected and index < len(self._studio.graph.states):
                self._studio.selected = index
                self.rebuild()

        self._studio.act(select)

    def _restructure(self, event: Any) -> None:
        studio, word = self._studio, event.target.value

        def change() -> None:
            i = studio.selected
            if word == "Add":
                studio.edit(lambda g: add_state(g, i))
                studio.selected = i + 1
            elif word == "Remove":
                studio.edit(lambda g: remove_state(g, i))
            else:
                by = -1 if word == "Up" else 1
                studio.edit(lambda g: move_state(g, i, by))
                studio.selected = i + by
            self.rebuild()

        studio.act(change)

    def _pose(self, event: Any) -> None:
        value = bool(event.target.value)

        def pose() -> None:
            self._studio.posing = value

        self._studio.act(pose)

    def _compared(self, event: Any) -> None:
        if event.client is None:
            return
        studio, on = self._studio, bool(event.target.value)
        studio.act(lambda: studio.world.compare(studio.document.saved if on else None))

    # -- files -----------------------------------------------------------------------------------------------------

    def _file(self, event: Any) -> None:
        studio, word = self._studio, event.target.value
        if word == "Download":
            text = print_controller(studio.graph)
            event.client.send_file_download(f"{studio.graph.name}.toml", text.encode(), save_immediately=True)
        elif word == "Revert":
            saved = studio.document.saved
            studio.act(lambda: studio.edit(lambda _: saved))
        else:
            name = str(self._name.value)
            studio.act(lambda: self._save(name))

    def _save(self, name: str) -> None:
        studio = self._studio
        document, path = studio.library.save(studio.document, name)
        studio.say("Saved", str(path))
        if document is not studio.document:
            studio.open(document.name)
        self._show_changes()

    def _uploaded(self, event: Any) -> None:
        studio, file = self._studio, event.target.value

        def take() -> None:
            document = studio.library.upload(file.name, file.content)
            studio.say("Loaded", document.name)
            studio.open(document.name)

        studio.act(take)


def _label(graph: Any, index: int) -> str:
    name = graph.states[index].name
    return f"{index} · {name}" if name and name != str(index) else f"{index}"
