"""How robust it is: the push rose and the basin of attraction, computed in the background while it walks on."""

import html
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from footfall.control.registry import print_controller
from footfall.studio.core.session.events import WorldChanged
from footfall.studio.panels.context import Context
from footfall.studio.panels.drawings import basin_map, rose
from footfall.studio.widgets.controls import Html, Progress
from footfall.studio.widgets.widget import Event

__all__ = ["StudyPanel"]

PLANAR = ((0.0, "forward"), (90.0, "up"), (180.0, "back"), (270.0, "down"))
DRIVEN = ("servo", "sampling", "forward", "lateral", "targets")
"""What a study needs to know of how a walker is balanced."""
FOLLOWED = "of tracked motion; footfall imitate reports how hard a clip may be pushed"
UNKNOWN = "of this controller: studies need a pose control graph, whose states and gains have names"
SPATIAL = ((0.0, "forward"), (90.0, "left"), (180.0, "back"), (270.0, "right"))


class StudyPanel:
    """Studies of the controller as it is now."""

    def __init__(self, context: Context) -> None:
        self._session = context.session
        gui = context.gui
        self._jobs: dict[str, subprocess.Popen[str]] = {}
        self._bars: dict[str, Progress] = {}
        self._pictures: dict[str, Html] = {}
        self._note = gui.add_note("")
        for kind, title, text in (
            (
                "rose",
                "Push rose",
                "The hardest 0.1 s push from each direction that it survives, at four phases of its stride.",
            ),
            ("basin", "Basin of attraction", "Starts, changed in pitch and forward speed, that it still walks from."),
        ):
            text = f"{text} With what is set under *Terrain* and *Body*, from the terrain's beginning."
            with gui.add_folder(title):
                gui.add_note(text)
                buttons = gui.add_button_group("", ("Compute", "Stop"))
                buttons.on_update(self._presser(kind))
                self._bars[kind] = gui.add_progress()
                self._pictures[kind] = gui.add_html("")
        self._session.events.on(WorldChanged, lambda _: self._rebuild())
        self._rebuild()

    def _rebuild(self) -> None:
        """Another world: say where there are no studies of it."""
        can = self._session.world.can
        self._note.visible = not can.study
        self._note.write(f"*No study {FOLLOWED if can.follow else UNKNOWN}.*")

    def _presser(self, kind: str) -> Callable[[Event], None]:
        def pressed(event: Event) -> None:
            if event.value == "Compute":
                self.start(kind)
            else:
                self._end(kind)

        return pressed

    def start(self, kind: str, **options: int) -> None:
        """Compute a study of the present controller; ``options`` are those of its function in
        :mod:`footfall.studio.core.studies.worker`, for a coarser one."""
        self._end(kind)
        session = self._session
        setting = session.setting
        if not session.world.can.study:
            session.say("No study", FOLLOWED if session.world.can.follow else UNKNOWN, bad=True)
            return
        asked: dict[str, Any] = {"study": kind, "controller": print_controller(session.controller)}
        asked |= {"setting": asdict(setting), "options": options}
        balance = session.world.balance
        if balance is not None and balance.drive.balanced:
            asked["drive"] = {name: getattr(balance.drive, name) for name in DRIVEN}
        title = (
            f"<b>{html.escape(session.controller.name)}</b> (terrain {html.escape(setting.terrain)}, "
            f"μ {setting.friction:g}, {setting.gravity:g} m/s², load {setting.load:g} kg)"
        )
        job = subprocess.Popen(
            [sys.executable, "-m", "footfall.studio.core.studies.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert job.stdin is not None
        job.stdin.write(json.dumps(asked) + "\n")
        job.stdin.close()
        self._jobs[kind] = job
        self._bars[kind].visible, self._bars[kind].value = True, 0.01
        threading.Thread(target=self._read, args=(kind, title, job), name=f"footfall-{kind}", daemon=True).start()

    def _read(self, kind: str, title: str, job: "subprocess.Popen[str]") -> None:
        assert job.stdout is not None
        result: dict[str, Any] | None = None
        error = ""
        for line in job.stdout:
            report = json.loads(line)
            if "progress" in report and self._jobs.get(kind) is job:
                self._bars[kind].value = float(report["progress"])
                if "sketch" in report:
                    self._pictures[kind].content = _drawn(kind, f"{title}, so far", report["sketch"])
            result, error = report.get("result", result), report.get("error", error)
        job.wait()
        if self._jobs.get(kind) is not job:
            return
        self._bars[kind].visible = False
        if result is not None:
            self._pictures[kind].content = _drawn(kind, title, result)
        else:
            ending = f"without a result (status {job.returncode})"
            self._session.say("The study ended", error or ending, bad=True)

    def running(self, kind: str) -> bool:
        """Whether a study is being computed."""
        job = self._jobs.get(kind)
        return job is not None and job.poll() is None

    def picture(self, kind: str) -> str:
        """What was drawn of a study last; empty before."""
        return str(self._pictures[kind].content)

    def _end(self, kind: str) -> None:
        job = self._jobs.pop(kind, None)
        if job is not None and job.poll() is None:
            job.terminate()
            self._bars[kind].visible = False

    def stop(self) -> None:
        """End all studies."""
        for kind in list(self._jobs):
            self._end(kind)


def _drawn(kind: str, title: str, result: dict[str, Any]) -> str:
    def note(text: str) -> str:
        return f"<div class='ff-small'>{title}: {text}</div>"

    if kind == "rose":
        limits = np.array(result["limits"])
        more = f"; where it says {result['most']:.0f} N nothing harder was tried" if any(result["open"]) else ""
        more += f"; {result['worlds']} pushes"
        text = f"{limits.min():.0f} to {limits.max():.0f} N, in steps of {result['resolution']:.0f} N{more}"
        return rose(np.array(result["angles"]), limits, PLANAR if result["planar"] else SPATIAL) + note(text)
    grid = np.array(result["survived"], dtype=bool)
    picture = basin_map(
        np.array(result["x"]),
        np.array(result["y"]),
        grid,
        "pitch of the start, changed by (rad)",
        "speed, changed by (m/s)",
    )
    return picture + note(f"{100 * result['part']:.0f} % of {grid.size} starts walk for {result['how']} (green)")
