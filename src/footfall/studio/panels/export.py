"""Export: what was simulated as BVH, glTF, CSV, NPZ, film or a page of its own."""

from typing import Any

from footfall.control.registry import kind_of
from footfall.errors import FootfallError
from footfall.motion import Motion
from footfall.studio.core.session.events import WorldChanged
from footfall.studio.core.session.exporting import FORMATS, live_page_bytes, motion_bytes, recent_motion
from footfall.studio.panels.context import Context

__all__ = ["ExportPanel"]


class ExportPanel:
    """Downloads of the last seconds."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        gui = context.gui
        gui.add_markdown("The last seconds that were simulated, up to the moment that is shown:")
        self.seconds = gui.add_slider("Seconds", 1.0, 60.0, 1.0, 10.0)
        self.at_origin = gui.add_checkbox(
            "Begin at the origin", True, hint="Else it stays where it was walked, maybe far away"
        )
        for name, (_, text) in FORMATS.items():
            button = gui.add_button(f"Download {name}", hint=text, icon="download")
            button.on_click(self._exporter(name))
        self._live = gui.add_button(
            "Download live page", hint="A page that simulates this controller as it is edited now", icon="download"
        )
        self._live.on_click(self._export_page)
        self._show_live()
        self._session.events.on(WorldChanged, lambda _: self._show_live())

    def motion(self) -> Motion:
        """What would be exported (call it in the simulation's thread)."""
        return recent_motion(self._session, float(self.seconds.value), at_origin=bool(self.at_origin.value))

    def _show_live(self) -> None:
        controller = self._session.controller
        self._live.visible = kind_of(controller).abilities(controller).live

    def _export_page(self, event: Any) -> None:
        session, client, controller = self._session, event.client, self._session.controller
        task = session.begin_task(f"Writing {controller.name}.html; a figure that is new to pages is compiled first")
        try:
            content = live_page_bytes(controller)
            if not task.cancelled:
                client.send_file_download(f"{controller.name}.html", content, save_immediately=True)
        except FootfallError as error:
            session.fail(error)
        finally:
            session.end_task(task)

    def _exporter(self, name: str) -> Any:
        suffix = FORMATS[name][0]

        def export(event: Any) -> None:
            session, client = self._session, event.client
            task = session.begin_task(f"Writing {session.controller.name}{suffix}")
            try:
                motion = session.loop.call(self.motion)
                content = motion_bytes(motion, suffix, lambda done, of: session.go_on(task, done / of))
                client.send_file_download(f"{session.controller.name}{suffix}", content, save_immediately=True)
            except FootfallError as error:
                session.fail(error)
            finally:
                session.end_task(task)

        return export
