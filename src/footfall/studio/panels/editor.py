"""The editor: every state's hold time, target angles and feedback; states; versions; files."""

import html
import math
from collections.abc import Callable
from typing import Any

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
from footfall.studio.core.events import DocumentChanged, LibraryChanged, NumbersChanged
from footfall.studio.core.library import LARGEST_UPLOAD
from footfall.studio.panels.context import Context, small

__all__ = ["EditorPanel"]

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


class EditorPanel:
    """Edits the studio's document; every change acts on the walker at once."""

    def __init__(self, context: Context) -> None:
        self._session = session = context.session
        self._gui = gui = context.gui
        names = tuple(session.library.documents)
        self._controller = gui.add_dropdown("Controller", names, initial_value=session.document.name)
        self._controller.on_update(self._chosen)
        self._undo = gui.add_button("Undo", hint="Ctrl+Z", icon="arrow-back-up")
        self._undo.on_click(lambda _: session.act(session.undo))
        self._redo = gui.add_button("Redo", hint="Ctrl+Shift+Z", icon="arrow-forward-up")
        self._redo.on_click(lambda _: session.act(session.redo))
        self._state = gui.add_dropdown("State", ("0",), initial_value="0", hint="The state whose numbers stand below")
        self._state.on_update(self._selected)
        self._states = gui.add_button_group("States", ("Add", "Remove", "▲", "▼"), hint="▲ and ▼ move the state")
        self._states.on_click(self._restructure)
        self._posing = gui.add_checkbox(
            "Pose with handles", False, hint="Draws this state's pose; drag the orange balls to turn its joints"
        )
        self._posing.on_update(self._pose)
        self._rows = gui.add_folder(None)
        self._sliders: dict[tuple[str, str], Any] = {}
        self._parts: list[Any] = []
        self._named = session.document
        with gui.add_folder("Save, load, compare", expand_by_default=False):
            self._name = gui.add_text("Name", session.document.name)
            self._files = gui.add_button_group("File", ("Save", "Download", "Revert"))
            self._files.on_click(self._file)
            self._upload = gui.add_upload_button("Load a controller (.toml)", icon="upload")
            self._upload.on_upload(self._uploaded)
            context.uploads[self._upload._impl.uuid] = LARGEST_UPLOAD
            self._compare = gui.add_checkbox(
                "Compare with the saved one", False, hint="The saved controller's walker, in grey, beside this one"
            )
            self._compare.on_update(self._compared)
            self._changes = gui.add_html("")
        session.events.on(DocumentChanged, lambda _: self.rebuild())
        session.events.on(LibraryChanged, lambda _: self.rebuild())
        session.events.on(NumbersChanged, lambda _: self.refresh())
        self.rebuild()

    # -- making and refreshing -------------------------------------------------------------------------------------

    def rebuild(self) -> None:
        """Another controller or state: all sliders anew."""
        session, gui = self._session, self._gui
        names = tuple(session.library.documents)
        if self._controller.options != names:
            self._controller.options = names
        self._controller.value = session.document.name
        if self._named is not session.document:
            self._named = session.document
            self._name.value = session.document.name
        labels = tuple(_label(session.graph, i) for i in range(len(session.graph.states)))
        if self._state.options != labels:
            self._state.options = labels
        self._state.value = labels[session.selected]
        for part in self._parts:
            part.remove()
        self._parts, self._sliders = [], {}
        state = session.graph.states[session.selected]
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
            if session.graph.law == "simbicon":
                folder = gui.add_folder("Balance feedback on the swing hip")
                self._parts.append(folder)
                planes = [role for role in PLANES if role in state.targets or role == "swing_hip"]
                with folder:
                    for role in planes:
                        for gain, unit in (("c_d", "rad/m"), ("c_v", "rad s/m")):
                            label = f"{gain} ({unit})" if len(planes) == 1 else f"{PLANES[role]} {gain}"
                            self._add(role, gain, label, -MOST_GAIN, MOST_GAIN, 0.01)
                folder = gui.add_folder("Feedback on other joints", expand_by_default=False)
                self._parts.append(folder)
                with folder:
                    for role in (r for r in state.targets if r not in PLANES):
                        for gain in ("c_d", "c_v"):
                            self._add(role, gain, f"{role.replace('_', ' ')} {gain}", -MOST_GAIN, MOST_GAIN, 0.01)
        self._show_changes()

    def _add(self, role: str, part: str, label: str, low: float, high: float, step: float) -> None:
        value = self._value(role, part)
        low, high = min(low, math.floor(value)), max(high, math.ceil(value) if math.isfinite(value) else high)
        kind = part if part in HINTS else role.partition("_")[0]
        start = min(max(value, low), high)
        slider = self._gui.add_slider(label, low, high, step, start, hint=HINTS.get(kind))
        slider.on_update(self._changer(role, part))
        self._sliders[role, part] = slider

    def _value(self, role: str, part: str) -> float:
        state = self._session.graph.states[self._session.selected]
        if part == "hold":
            return round(min(state.hold, MOST_HOLD), 3)
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
        contact = bool(self._session.graph.states[self._session.selected].contact)
        if self._contact.value != contact:
            self._contact.value = contact
        self._show_changes()

    def _show_changes(self) -> None:
        document = self._session.document
        for button, can in ((self._undo, document.can_undo), (self._redo, document.can_redo)):
            if button.disabled == can:
                button.disabled = not can
        rows = differences(document.graph, document.saved)
        if not rows:
            self._changes.content = small("as saved")
            return
        cells = "".join(
            f"<tr><td>{html.escape(what)}</td><td style='color:var(--ff-soft)'>{html.escape(old)}</td>"
            f"<td>{html.escape(new)}</td></tr>"
            for what, old, new in rows[:40]
        )
        self._changes.content = (
            "<table data-testid='changes' style='font-size:12px;width:100%;padding:2px 10px'>"
            f"<tr style='color:var(--ff-soft)'><td>changed</td><td>saved</td><td>now</td></tr>{cells}</table>"
        )

    # -- what is turned and pressed --------------------------------------------------------------------------------

    def _changer(self, role: str, part: str) -> Callable[[Any], None]:
        def changed(event: Any) -> None:
            if event.client is None:
                return
            value = float(event.target.value)
            session = self._session

            def change() -> None:
                i = session.selected
                if part == "hold":
                    session.edit(lambda g: with_hold(g, i, value), f"{i} hold")
                else:
                    number = math.radians(value) if part == "angle" else value
                    session.edit(lambda g: with_target(g, i, role, **{part: round(number, 6)}), f"{i} {role} {part}")

            session.act(change)

        return changed

    def _contact_changed(self, event: Any) -> None:
        if event.client is not None:
            value, session = bool(event.target.value), self._session
            session.act(lambda: session.edit(lambda g: with_contact(g, session.selected, value)))

    def _chosen(self, event: Any) -> None:
        if event.client is not None and event.target.value != self._session.document.name:
            self._session.open(event.target.value)

    def _selected(self, event: Any) -> None:
        if event.client is None:
            return
        index = list(event.target.options).index(event.target.value)
        self._session.act(lambda: self._session.select(index))

    def _restructure(self, event: Any) -> None:
        session, word = self._session, event.target.value

        def change() -> None:
            i = session.selected
            if word == "Add":
                session.edit(lambda g: add_state(g, i), select=i + 1)
            elif word == "Remove":
                session.edit(lambda g: remove_state(g, i))
            else:
                by = -1 if word == "▲" else 1
                session.edit(lambda g: move_state(g, i, by), select=i + by)

        session.act(change)

    def _pose(self, event: Any) -> None:
        value = bool(event.target.value)

        def pose() -> None:
            self._session.posing = value

        self._session.act(pose)

    def _compared(self, event: Any) -> None:
        if event.client is None:
            return
        session, on = self._session, bool(event.target.value)
        session.act(lambda: session.world.compare(session.document.saved if on else None))

    # -- files -----------------------------------------------------------------------------------------------------

    def _file(self, event: Any) -> None:
        session, word = self._session, event.target.value
        if word == "Download":
            text = print_controller(session.graph)
            event.client.send_file_download(f"{session.graph.name}.toml", text.encode(), save_immediately=True)
        elif word == "Revert":
            saved = session.document.saved
            session.act(lambda: session.edit(lambda _: saved))
        else:
            self._save(str(self._name.value), event.client)

    def _save(self, name: str, client: Any) -> None:
        """Save under a name; one that comes with footfall is asked about first."""
        session = self._session
        if client is None or not session.library.is_builtin(name):
            session.act(lambda: session.save(name))
            return
        modal = client.gui.add_modal(f"Save as '{name}'?")
        with modal:
            client.gui.add_markdown(
                f"**{name}** comes with footfall. A file of that name in your folder takes its place in this studio."
            )
            sure = client.gui.add_button("Save anyway", color="orange")
            back = client.gui.add_button("Choose another name")
        sure.on_click(lambda _: (modal.close(), session.act(lambda: session.save(name))))
        back.on_click(lambda _: modal.close())

    def _uploaded(self, event: Any) -> None:
        session, file = self._session, event.target.value
        session.act(lambda: session.upload(file.name, file.content))


def _label(graph: Any, index: int) -> str:
    name = graph.states[index].name
    return f"{index} · {name}" if name and name != str(index) else f"{index}"
