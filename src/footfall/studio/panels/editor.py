"""The editor: a controller's numbers, its versions and its files."""

import html
from typing import Any

from footfall.control.registry import kind_of, print_controller
from footfall.studio.core.session.events import DocumentChanged, LibraryChanged, NumbersChanged
from footfall.studio.core.session.library import LARGEST_UPLOAD
from footfall.studio.panels.context import Context, small
from footfall.studio.panels.number_rows import NumberRows
from footfall.studio.panels.state_rows import StateRows

__all__ = ["EditorPanel"]


class EditorPanel:
    """Edits the studio's document; every change acts on the walker at once.

    Attributes:
        states: controls of the states of a pose control graph. numbers: controls of other numbers.
    """

    def __init__(self, context: Context) -> None:
        self._session = session = context.session
        gui = context.gui
        names = session.library.names
        self._controller = gui.add_dropdown("Controller", names, initial_value=session.document.name)
        self._controller.on_update(self._chosen)
        self._undo = gui.add_button("Undo", hint="Ctrl+Z", icon="arrow-back-up")
        self._undo.on_click(lambda _: session.act(session.undo))
        self._redo = gui.add_button("Redo", hint="Ctrl+Shift+Z", icon="arrow-forward-up")
        self._redo.on_click(lambda _: session.act(session.redo))
        self.states = StateRows(context)
        self.numbers = NumberRows(context)
        self._nothing = gui.add_markdown("*This controller has no states or numbers that can be edited here.*")
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
        names = session.library.names
        if self._controller.options != names:
            self._controller.options = names
        self._controller.value = session.document.name
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
            if button.disabled == can:
                button.disabled = not can
        kind = kind_of(document.controller)
        rows = kind.differences(document.controller, document.saved) if document.changed else []
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

    def _chosen(self, event: Any) -> None:
        if event.client is not None and event.target.value != self._session.document.name:
            self._session.open(event.target.value)

    def _compared(self, event: Any) -> None:
        if event.client is None:
            return
        session, on = self._session, bool(event.target.value)
        session.act(lambda: session.world.compare(session.document.saved if on else None))

    # -- files -----------------------------------------------------------------------------------------------------

    def _file(self, event: Any) -> None:
        session, word = self._session, event.target.value
        if word == "Download":
            text = print_controller(session.controller)
            event.client.send_file_download(f"{session.controller.name}.toml", text.encode(), save_immediately=True)
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
        session.in_background("upload", lambda: session.library.upload(file.name, file.content), session.uploaded)
