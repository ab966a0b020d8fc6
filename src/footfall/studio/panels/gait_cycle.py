"""The gait laboratory in the studio: angles over the last cycles, live, with people's bands, and a table."""

import time
from pathlib import Path

from footfall.errors import FootfallError
from footfall.pictures.palette import LINE_COLOURS
from footfall.studio.core.beside.gait_cycle import CycleReport, cycle_drawing, cycle_table, people_for, walked_lately
from footfall.studio.core.session.events import WorldChanged
from footfall.studio.core.session.frames import shown_end
from footfall.studio.panels.context import Context, Ticked, small
from footfall.studio.widgets.controls import Folder

EVERY, MEASURED = 1.5, 6.0
"""Seconds between two drawings, and that are looked at."""
COLOURS = (LINE_COLOURS[0], LINE_COLOURS[1])
NONE = "There is no whole gait cycle yet."


class GaitCyclePanel:
    """Angles over the gait cycle of the walker's last seconds."""

    def __init__(self, context: Context, panel: Folder) -> None:
        self._session = session = context.session
        self._gui = gui = context.gui
        self._panel = panel
        self.follow = gui.add_checkbox("Follow", True, hint="Draw the last seconds again and again")
        self.people = gui.add_text(
            "People", "", hint="A folder with people's tables (schwartz2008_joint_angles.csv), for bands"
        )
        self.cycle = gui.add_slider("Cycle", 0, 1, 1, 0, hint="0: all; else one, shown from its strike")
        self._note, self._table, self._curves = gui.add_html(""), gui.add_html(""), gui.add_html("")
        self.report: CycleReport | None = None
        self._last = 0.0
        self._until: float | None = None
        self.people.on_update(lambda _: session.act(self._measure))
        self.cycle.on_update(lambda _: session.act(self._choose))
        session.events.on(WorldChanged, lambda _: self._forget())
        session.events.on(Ticked, lambda _: self._tick())
        self._forget()

    def _forget(self) -> None:
        self.report = None
        self._show()

    def _tick(self) -> None:
        now = time.monotonic()
        if (
            self._gui.watched(self._panel)
            and self.follow.value
            and int(self.cycle.value) == 0
            and now - self._last >= EVERY
        ):
            self._last = now
            self._measure()

    def _measure(self) -> None:
        session = self._session
        if int(self.cycle.value) == 0:
            self._until = shown_end(session)
        motion = walked_lately(session, MEASURED, self._until)
        if motion is None:
            return
        note = ""
        try:
            folder = str(self.people.value).strip()
            if folder and not Path(folder).is_dir():
                raise FootfallError(f"there is no folder '{folder}'")
            self.report = CycleReport.of(motion, people_for(folder, motion))
        except FootfallError as error:
            self.report, note = CycleReport.of(motion), str(error)
        self._show(note)

    def _choose(self) -> None:
        """Show one cycle: its curves strongly, and the walker where the cycle begins."""
        number = int(self.cycle.value)
        if self.report is not None and 1 <= number <= len(self.report.cycles):
            self._session.look_at(self.report.cycles[number - 1].start)
        self._show()

    def _show(self, note: str = "") -> None:
        report = self.report
        if report is None:
            parts = (small(note or NONE), "", "")
        else:
            self.cycle.max = max(len(report.cycles), 1)
            chosen = int(self.cycle.value) - 1
            one = chosen if 0 <= chosen < len(report.cycles) else None
            what = f"{len(report.cycles)} cycles" if one is None else f"{report.cycles[one].side} cycle"
            parts = (small(note or what, "gait-cycle"), cycle_table(report), cycle_drawing(report, COLOURS, one))
        for part, content in zip((self._note, self._table, self._curves), parts, strict=True):
            part.content = content
