"""How well a studio keeps time: ``python -m tools.studio_bench walk human-walk --seconds 30 --browser``."""

import argparse
import json
import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.live.page import write_live_page
from footfall.studio.studio import Studio
from tools.browser import Browser

PAUSED = 5.0
READY = "document.documentElement?.dataset.ready === 'yes'"
SIZE = 1440, 900
BYTES, SCALE, PAINTED = "footfall.wire.bytes", "footfall.view.scale", "footfall.painted"
"""Bytes that came, pixels that a page paints for each of its own, by each side, and pictures since :data:`COUNT`."""
COUNT = """(() => { const view = footfall.view, paint = view.paint.bind(view); footfall.painted = 0;
view.paint = (...scene) => { paint(...scene); footfall.painted++; }; })()"""


def bench(controller: str, seconds: float = 30.0, *, browser: bool = False) -> dict[str, Any]:
    """Let a controller walk in a studio of its own for a while, then pause it.

    Args:
        controller: its name or file.
        seconds: how long, real time.
        browser: whether a headless Chromium watches.

    Returns:
        controller, browser, seconds; ``frames_per_second`` that were drawn and sent; ``painted_per_second``, what the
        browser made of them, ``live_painted_per_second`` of a live page of the same controller in the same browser
        before, ``first_picture``, seconds from the studio's making to its first picture, ``kilobytes_per_second`` that
        came and the ``scale`` of its pictures (None without a browser); ``real_time`` (simulated over real
        seconds); ``lost_seconds`` of simulated time; ``cpu_playing`` and ``cpu_paused``, this process's CPU seconds a
        second; ``load`` of the machine before (one minute's average); ``fell``, and for a balanced walker ``steps``
        and ``steps_waited``, those whose plan was not ready in time.
    """
    load, made = os.getloadavg()[0], time.perf_counter()
    studio = Studio(controller, port=0, playing=False, stand=True)
    drawn = 0
    draw = studio.stage.draw

    def counted(*arguments: Any) -> None:
        nonlocal drawn
        drawn += 1
        draw(*arguments)

    studio.stage.draw = counted  # type: ignore[method-assign, assignment]
    try:
        with ExitStack() as stack:
            page = live = first = None
            if browser:
                made = time.perf_counter() - made
                window = stack.enter_context(Browser(*SIZE))
                opened = time.perf_counter()
                page = window.open(studio.address)
                page.wait(READY, 60, "the page")
                first = made + time.perf_counter() - opened
                page.js(COUNT)
                live = _live_rate(window, controller, seconds)
            while studio.session.world.standing:
                time.sleep(0.1)
            studio.session.loop.play(True)
            time.sleep(1.0)
            painted, came = (page.js(PAINTED), page.js(BYTES)) if page else (0, 0)
            began, cpu, lost, drawn = time.perf_counter(), time.process_time(), studio.session.loop.lost, 0
            simulated = studio.session.world.time
            time.sleep(seconds)
            real, worked = time.perf_counter() - began, time.process_time() - cpu
            simulated, frames, lost = studio.session.world.time - simulated, drawn, studio.session.loop.lost - lost
            painted, came = (page.js(PAINTED) - painted, page.js(BYTES) - came) if page else (0, 0)
            scale = page.js(SCALE) if page else None
            studio.session.loop.play(False)
            time.sleep(1.0)
            cpu = time.process_time()
            time.sleep(PAUSED)
            idle = (time.process_time() - cpu) / PAUSED
        answer: dict[str, Any] = {
            "controller": controller,
            "browser": browser,
            "seconds": round(real, 2),
            "frames_per_second": round(frames / real, 1),
            "painted_per_second": round(painted / real, 1) if browser else None,
            "live_painted_per_second": None if live is None else round(live, 1),
            "first_picture": None if first is None else round(first, 2),
            "kilobytes_per_second": round(came / real / 1e3, 1) if browser else None,
            "scale": None if scale is None else round(scale, 2),
            "real_time": round(simulated / real, 3),
            "lost_seconds": round(lost, 3),
            "cpu_playing": round(worked / real, 3),
            "cpu_paused": round(idle, 4),
            "load": round(load, 2),
            "fell": studio.session.world.fell_at is not None,
        }
        if (balance := studio.session.world.balance) is not None:
            answer |= {"steps": len(balance.steps), "steps_waited": balance.late}
        return answer
    finally:
        studio.stop()


def _live_rate(browser: Browser, controller: str, seconds: float) -> float:
    """Pictures a second of a live page."""
    with TemporaryDirectory() as folder:
        page = browser.open(write_live_page([load_controller(controller)], Path(folder) / "live.html").as_uri())
        page.wait(READY, 60, "the live page")
        page.js(COUNT)
        time.sleep(1.0)
        began, painted = time.perf_counter(), page.js(PAINTED)
        time.sleep(seconds)
        painted = page.js(PAINTED) - painted
        page.close()
        return float(painted / (time.perf_counter() - began))


def main() -> int:
    """Print one line of JSON for each controller that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tools.studio_bench", description=__doc__)
    parser.add_argument("controllers", nargs="*", default=["walk", "human-walk"])
    parser.add_argument("--seconds", type=float, default=30.0, help="real seconds for each")
    parser.add_argument("--browser", action="store_true", help="let a headless Chromium watch")
    asked = parser.parse_args()
    try:
        if not 0 < asked.seconds <= 3600:
            raise FootfallError(f"--seconds {asked.seconds:g}: it must lie between 0 and 3600")
        for controller in asked.controllers:
            print(json.dumps(bench(controller, asked.seconds, browser=asked.browser)), flush=True)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
