"""What a browser without a graphics card paints: ``python -m tools.painting walk-3d --seconds 8 --turns 3``.

A studio and a live page of the same controller, in turns in one headless Chromium at 1280 x 720. Pictures are counted
in the viewport that both share. CPU times are those of all of Chromium's processes.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.live.page import write_live_page
from footfall.studio.studio import Studio
from tools.browser import Browser

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
READY = "document.documentElement?.dataset.ready === 'yes'"
COUNT = """(() => { const view = footfall.view, draw = view.draw.bind(view); window.pictures = 0;
view.draw = (...scene) => { window.pictures++; return draw(...scene); }; })()"""
SETTLING = 2.5
"""Seconds before pictures are counted."""


def _cpu_seconds(browser: int) -> dict[str, float]:
    """CPU seconds of a browser's processes so far, of those that paint and of all others."""
    parents, spent, found = dict[int, int](), dict[int, float](), {"painting": 0.0, "else": 0.0}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)], spent[int(folder.name)] = int(fields[1]), sum(map(int, fields[11:13])) / TICKS
        except OSError:
            continue
    for process in spent:
        above = process
        while above != browser and above in parents:
            above = parents[above]
        if above == browser:
            words = Path(f"/proc/{process}/cmdline").read_bytes() if Path(f"/proc/{process}").exists() else b""
            found["painting" if b"--type=gpu-process" in words else "else"] += spent[process]
    return found


def paint(browser: Browser, address: str, seconds: float) -> dict[str, Any]:
    """Let a page play for a while.

    Returns:
        ``pictures_per_second``; CPU milliseconds of a picture, ``painting_ms`` and ``else_ms``; ``scale``: pixels
        painted for each of the page's, by each side; ``running``: processes of the machine that wanted to run.
    """
    page = browser.open(address)
    try:
        page.wait(READY, 90, "the page")
        page.js(COUNT)
        time.sleep(SETTLING)
        process = browser._process.pid
        pictures, cpu, began = page.js("pictures"), _cpu_seconds(process), time.perf_counter()
        time.sleep(seconds)
        pictures, real, after = page.js("pictures") - pictures, time.perf_counter() - began, _cpu_seconds(process)
        milliseconds = {f"{k}_ms": round(1000 * (after[k] - cpu[k]) / max(pictures, 1)) for k in cpu}
        running = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0])
        scale = round(page.js("footfall.view.scale"), 2)
        return {"pictures_per_second": round(pictures / real, 1)} | milliseconds | {"scale": scale, "running": running}
    finally:
        browser.pages.remove(page)
        page.close()


def main() -> int:
    """Print one line of JSON for each turn of each page."""
    parser = argparse.ArgumentParser(prog="python -m tools.painting", description=__doc__)
    parser.add_argument("controller", nargs="?", default="walk-3d")
    parser.add_argument("--seconds", type=float, default=8.0, help="real seconds of each turn")
    parser.add_argument("--turns", type=int, default=3)
    asked = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder, Browser(1280, 720) as browser:
            live = write_live_page([load_controller(asked.controller)], Path(folder) / "live.html")
            for _ in range(asked.turns):
                studio = Studio(asked.controller, port=0)
                try:
                    row = paint(browser, studio.address, asked.seconds)
                finally:
                    studio.stop()
                print(json.dumps({"page": "studio"} | row), flush=True)
                print(json.dumps({"page": "live"} | paint(browser, live.as_uri(), asked.seconds)), flush=True)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
