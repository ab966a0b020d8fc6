"""How long a studio takes to start: ``python -m tools.starting walk-3d --times 3 --cold``.

Each start is that of the command ``footfall studio`` in a process of its own, with compiled Python files, as an
installed footfall has them. It ends when a client, which asks for the page's messages as a browser does, hears of a
walker that moves; with ``--browser`` when a Chromium that was open before has painted it. With ``--cold`` the cache of
kernels is empty each time.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from typing import Any

from footfall.errors import FootfallError
from footfall.studio import DEFAULT_CONTROLLER
from tools.browser import Browser
from tools.watcher import Watcher

TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
PATIENCE = 300.0
PAINTED = "document.documentElement?.dataset.ready === 'yes' && footfall.wire.frames > 1"


def start_once(
    controller: str, cache: str | None = None, browser: Browser | None = None, compiled: str | None = None
) -> dict[str, Any]:
    """Start a studio, and end it when its walker moves.

    Args:
        controller: its name.
        cache: folder of compiled kernels; by default Warp's own.
        browser: shows the page, whose first pictures are waited for; None for a client that paints nothing.
        compiled: folder of compiled Python files; None to keep them where this process does.

    Returns:
        ``controller`` that moves, ``seconds`` and ``cpu_seconds`` of the studio's process until then, ``load`` of the
        machine before.
    """
    import websockets.sync.client  # noqa: F401  the client's, which is not part of the start

    load = os.getloadavg()[0]
    environment = os.environ | ({} if cache is None else {"WARP_CACHE_PATH": cache})
    if compiled is not None:
        environment = environment | {"PYTHONPYCACHEPREFIX": compiled}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "footfall", "studio", controller, "--json", "--port", "8090", "--no-shadows"]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command += ["--folder", folder]
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as studio:
            try:
                lines = iter(studio.stdout or ())
                answer = json.loads("".join(_object(lines)))
                with ExitStack() as stack:
                    if browser is None:
                        watcher = stack.enter_context(Watcher(answer["address"]))
                    else:
                        page = browser.open(answer["address"])
                        stack.callback(page.close)
                    while not (watcher.frames > 1 if browser is None else page.js(PAINTED)):
                        if time.perf_counter() - began > PATIENCE or studio.poll() is not None:
                            raise FootfallError(f"the studio did not start within {PATIENCE:g} s")
                        time.sleep(0.01)
                    seconds, spent = time.perf_counter() - began, _cpu_seconds(studio.pid)
            finally:
                studio.terminate()
    return {
        "controller": answer["controller"],
        "seconds": round(seconds, 2),
        "cpu_seconds": round(spent, 2),
        "load": round(load, 2),
    }


def _object(lines: Any) -> Any:
    """The lines of the JSON object that begins here."""
    for line in lines:
        yield line
        if line.rstrip().endswith("}"):
            return


def _cpu_seconds(process: int) -> float:
    """CPU seconds that a process has taken."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def main() -> int:
    """Print one line of JSON for each start that the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tools.starting", description=__doc__)
    parser.add_argument("controller", nargs="?", default=DEFAULT_CONTROLLER)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--cold", action="store_true", help="with an empty cache of kernels each time")
    parser.add_argument("--browser", action="store_true", help="until a headless Chromium has painted it")
    asked = parser.parse_args()
    try:
        with ExitStack() as stack:
            compiled = stack.enter_context(tempfile.TemporaryDirectory())
            browser = stack.enter_context(Browser(1280, 720)) if asked.browser else None
            start_once(asked.controller, None, browser, compiled)  # compiles Python files
            for _ in range(asked.times):
                with tempfile.TemporaryDirectory() as cache:
                    row = start_once(asked.controller, cache if asked.cold else None, browser, compiled)
                print(json.dumps(row | {"cold": asked.cold, "browser": asked.browser}), flush=True)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
