"""Export: what was simulated as BVH, glTF, CSV, NPZ, film or a page of its own."""

import html
import threading
from collections.abc import Callable
from functools import partial

from footfall.control.registry import kind_of
from footfall.motion import Motion
from footfall.studio.core.session.background import Task
from footfall.studio.core.session.events import WorldChanged
from footfall.studio.core.session.exporting import FORMATS, live_link, live_page_bytes, motion_bytes, recent_motion
from footfall.studio.panels.context import Context, small
from footfall.studio.widgets.widget import Event

LINK = "A page that this studio serves, with what is set under Terrain and Body in its address"


class ExportPanel:
    """Downloads of the last seconds."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        gui = context.gui
        gui.add_note("The last seconds that were simulated, up to the moment that is shown:")
        self.seconds = gui.add_slider("Seconds", 1.0, 60.0, 1.0, 10.0)
        self.at_origin = gui.add_checkbox(
            "Begin at the origin", True, hint="Else it stays where it was walked, maybe far away"
        )
        for name, (_, text) in FORMATS.items():
            button = gui.add_button(f"Download {name}", hint=text)
            button.on_update(self._exporter(name))
        self._live = gui.add_button(
            "Download live page", hint="A page that simulates this controller as it is edited now"
        )
        self._live.on_update(self._export_page)
        self._linked = gui.add_button("Make a link to a live page", hint=LINK)
        self._linked.on_update(self._link)
        self._link_shown = gui.add_html("")
        self._publish = context.publish
        self._show_live()
        self._session.events.on(WorldChanged, lambda _: self._show_live())

    def motion(self) -> Motion:
        """What would be exported (call it in the simulation's thread)."""
        return recent_motion(self._session, float(self.seconds.value), at_origin=bool(self.at_origin.value))

    def _show_live(self) -> None:
        controller = self._session.controller
        self._live.visible = self._linked.visible = kind_of(controller).abilities(controller).live
        self._link_shown.content = ""

    def _export_page(self, event: Event) -> None:
        controller, setting = self._session.controller, self._session.setting
        page = partial(live_page_bytes, controller, setting)
        words = f"Writing {controller.name}.html; a figure that is new to pages is compiled first"
        self._write(event, f"{controller.name}.html", words, lambda _: page(fixed=True))

    def _link(self, event: Event) -> None:
        controller, setting = self._session.controller, self._session.setting
        name = f"{controller.name}.html"

        def published(_: Task) -> None:
            address = self._publish(name, live_page_bytes(controller, setting, fixed=False))
            link = html.escape(f"{address}#{live_link(controller.name, setting)}", quote=True)
            words = "as it is now, for as long as this studio runs; copy the link's address to share it"
            shown = f"<a href='{link}' target='_blank' style='color:var(--ff-accent)'>{name}</a>: {words}"
            self._link_shown.content = small(shown, "link")

        self._write(event, name, f"Making a live page of {controller.name}", published)

    def _exporter(self, name: str) -> Callable[[Event], None]:
        suffix = FORMATS[name][0]

        def export(event: Event) -> None:
            session, filename = self._session, f"{self._session.controller.name}{suffix}"

            def content(task: Task) -> bytes:
                motion = session.loop.call(self.motion)
                return motion_bytes(motion, suffix, lambda done, of: session.go_on(task, done / of))

            self._write(event, filename, f"Writing {filename}", content)

        return export

    def _write(self, event: Event, filename: str, words: str, content: Callable[[Task], bytes | None]) -> None:
        """Make a file in a thread of its own, and let the page that asked for it save it."""
        session, task = self._session, self._session.begin_task(words)

        def write() -> None:
            try:
                made = content(task)
                if made is not None and not task.cancelled:
                    event.client.download(filename, made)
            except Exception as error:
                if not task.cancelled:
                    session.fail(error)
            finally:
                session.end_task(task)

        threading.Thread(target=write, name="footfall-export", daemon=True).start()
