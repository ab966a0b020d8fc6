"""Export: what was simulated as BVH, glTF, CSV, NPZ, film or a page of its own."""

from typing import Any

from footfall.errors import FootfallError
from footfall.motion import Motion
from footfall.studio.core.session.exporting import FORMATS, motion_bytes, recent_motion
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

    def motion(self) -> Motion:
        """What would be exported (call it in the simulation's thread)."""
        return recent_motion(self._session, float(self.seconds.value), at_origin=bool(self.at_origin.value))

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
