"""How well a studio keeps time: ``python -m tools.studio_bench walk human-walk --seconds 30 --browser``."""

import argparse
import json
import os
import sys
import time
from contextlib import ExitStack
from typing import Any

from footfall.errors import FootfallError
from footfall.studio.studio import Studio
from tools.browser import Browser

PAUSED = 5.0
READY = "document.documentElement?.dataset.ready === 'yes'"
FRAMES, BYTES, SCALE = "footfall.wire.frames", "footfall.wire.bytes", "footfall.view.scale"
"""Frames that a page got and painted, bytes that came, and pixels that it paints for each of its own, by each side."""


def bench(controller: str, seconds: float = 30.0, *, browser: bool = False) -> dict[str, Any]:
    """Let a controller walk in a studio of its own for a while, then pause it.

    Args:
        controller: its name or file.
        seconds: how long, real time.
        browser: whether a headless Chromium watches.

    Returns:
        controller, browser, seconds; ``frames_per_second`` that were drawn and sent; ``painted_per_second``, what the
        browser made of them, ``kilobytes_per_second`` that came to it and the ``scale`` of its pictures (None without
        one); ``real_time`` (simulated over real
        seconds); ``lost_seconds`` of simulated time; ``cpu_playing`` and ``cpu_paused``, this process's CPU seconds a
        second; ``load`` of the machine before (one minute's average); ``fell``, and for a balanced walker ``steps``
        and ``steps_waited``, those whose plan was not ready in time.
    """
    load = os.getloadavg()[0]
    studio = Studio(controller, port=0, playing=False)
    drawn = 0
    draw = studio.stage.draw

    def counted(*arguments: Any) -> None:
        nonlocal drawn
        drawn += 1
        draw(*arguments)

    studio.stage.draw = counted  # type: ignore[method-assign, assignment]
    try:
        with ExitStack() as stack:
            page = None
            if browser:
                page = stack.enter_context(Browser(1280, 720)).open(studio.address)
                page.wait(READY, 60, "the page")
                time.sleep(2.0)
            studio.session.loop.play(True)
            time.sleep(1.0)
            painted, came = (page.js(FRAMES), page.js(BYTES)) if page else (0, 0)
            began, cpu, lost, drawn = time.perf_counter(), time.process_time(), studio.session.loop.lost, 0
            simulated = studio.session.world.time
            time.sleep(seconds)
            real, worked = time.perf_counter() - began, time.process_time() - cpu
            simulated, frames, lost = studio.session.world.time - simulated, drawn, studio.session.loop.lost - lost
            painted, came = (page.js(FRAMES) - painted, page.js(BYTES) - came) if page else (0, 0)
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
