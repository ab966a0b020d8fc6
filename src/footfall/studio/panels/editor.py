"""The editor: a controller's numbers, its versions and its files."""

import html

from footfall.control.registry import kind_of, print_controller
from footfall.studio.core.markup import table
from footfall.studio.core.session.events import DocumentChanged, LibraryChanged, NumbersChanged
from footfall.studio.core.session.library import LARGEST_UPLOAD
from footfall.studio.panels.context import Context, small
from footfall.studio.panels.number_rows import NumberRows
from footfall.studio.panels.state_rows import StateRows
from footfall.studio.widgets.widget import Event, Page


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
