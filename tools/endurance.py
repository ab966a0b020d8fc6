"""How a studio holds out: ``python -m tools.endurance walk-3d --minutes 13 --clients 2``.

Clients read every message as a page would, without drawing, each in a process of its own
(:mod:`tools.watcher`); with ``--browser`` a page of a headless Chromium is one more. One JSON object a minute tells
this process's memory and the page's, the frames that were drawn, those that each client was sent, and the simulated
time that was lost; the last line sums up.
"""

import argparse
import json
import os
import resource
import sys
import time
from contextlib import ExitStack
from typing import Any

from footfall.errors import FootfallError
from footfall.studio import DEFAULT_CONTROLLER
from footfall.studio.studio import Studio
from tools.browser import Browser, Page
from tools.watcher import WatcherApart


def _megabytes() -> float:
    """Memory that this process holds now, MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def _page_megabytes(page: Page) -> float:
    """Memory that a page's scripts hold once what they no longer need is collected, MB."""
    page.send("HeapProfiler.collectGarbage")
    return float(page.send("Runtime.getHeapUsage")["usedSize"]) / 1e6


def endure(
    controller: str, minutes: float, clients: int, *, every: float = 60.0, browser: bool = False
) -> list[dict[str, Any]]:
    """Let a controller walk while clients watch; a fall is reset.

    Returns:
        For every ``every`` seconds: ``minute``, ``memory_mb``, ``page_mb`` of a browser's page, ``drawn_per_second``,
        ``frames_per_second`` sent to each client, ``cpu`` seconds of the studio a second, ``real_time`` (simulated over
        real seconds), ``lost_seconds``, ``load`` of the machine; and at last a row of the whole.
    """
    studio = Studio(controller, port=0, playing=False)
    session = studio.session
    rows: list[dict[str, Any]] = []
    try:
        with ExitStack() as stack:
            watchers = [stack.enter_context(WatcherApart(studio.address)) for _ in range(clients)]
            page = stack.enter_context(Browser(1280, 720)).open(studio.address) if browser else None
            session.loop.play(True)
            time.sleep(2.0)
            began = last = time.perf_counter()
            first = before = _reading(studio, watchers)
            while (now := time.perf_counter()) - began < 60.0 * minutes:
                time.sleep(min(every, 60.0 * minutes - (now - began)))
                if session.world.fell_at is not None:
                    session.loop.call(session.reset)
                now, reading = time.perf_counter(), _reading(studio, watchers)
                rows.append(_row(before, reading, now - last, (now - began) / 60.0))
                if page is not None:
                    rows[-1]["page_mb"] = round(_page_megabytes(page), 2)
                print(json.dumps(rows[-1]), flush=True)
                before, last = reading, now
            whole = _row(first, _reading(studio, watchers), time.perf_counter() - began, minutes)
            for name in ("memory_mb", "page_mb") if page is not None else ("memory_mb",):
                whole[f"{name.removesuffix('_mb')}_grew_mb"] = round(rows[-1][name] - rows[0][name], 2)
            rows.append(whole)
            print(json.dumps(rows[-1]), flush=True)
    finally:
        studio.stop()
    return rows


def _reading(studio: Studio, watchers: list[WatcherApart]) -> dict[str, Any]:
    loop = studio.session.loop
    return {
        "frames": [w.seen()["frames"] for w in watchers],
        "drawn": loop.frames,
        "cpu": time.process_time(),
        "lost": loop.lost,
        "simulated": loop.simulated,
    }


def _row(before: dict[str, Any], now: dict[str, Any], seconds: float, minute: float) -> dict[str, Any]:
    frames = [round((b - a) / seconds, 1) for a, b in zip(before["frames"], now["frames"], strict=True)]
    return {
        "minute": round(minute, 2),
        "memory_mb": round(_megabytes(), 1),
        "drawn_per_second": round((now["drawn"] - before["drawn"]) / seconds, 1),
        "frames_per_second": frames,
        "cpu": round((now["cpu"] - before["cpu"]) / seconds, 2),
        "real_time": round((now["simulated"] - before["simulated"]) / seconds, 3),
        "lost_seconds": round(now["lost"] - before["lost"], 2),
        "load": round(os.getloadavg()[0], 2),
    }


def main() -> int:
    """Print what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.endurance", description=__doc__)
    parser.add_argument("controller", nargs="?", default=DEFAULT_CONTROLLER)
    parser.add_argument("--minutes", type=float, default=13.0)
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--browser", action="store_true", help="a page of a headless Chromium watches too")
    asked = parser.parse_args()
    try:
        if not 0 < asked.minutes <= 600 or not 0 <= asked.clients <= 50:
            raise FootfallError("--minutes must lie between 0 and 600, --clients between 0 and 50")
        every = min(60.0, 12.0 * asked.minutes)
        endure(asked.controller, asked.minutes, asked.clients, every=every, browser=asked.browser)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
