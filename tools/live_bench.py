"""Sizes and speeds of modules: ``python -m tools.live_bench [CONTROLLER …]`` prints a table for this machine.

Times are the least of several short runs of the same kernel, natively and in a headless Chromium, one after the other
on one core; the ratio is taken within one run of this command. What it takes to launch a kernel is not counted.
"""

import base64
import gzip
import json
import sys
import time
from dataclasses import dataclass
from importlib.resources import files

from footfall.control.registry import load_controller
from footfall.live.character import Character, characters_of
from footfall.live.description import description
from footfall.live.modules import module_of
from footfall.live.page import live_page
from tools.browser import Browser, Page

STEPS, REPEATS = 1500, 60


@dataclass(frozen=True)
class Measured:
    """What one controller's module weighs and how fast it runs; times in microseconds a step."""

    controller: str
    module_bytes: int
    packed_bytes: int
    page_bytes: int
    native: float
    browser: float
    dt: float

    @property
    def ratio(self) -> float:
        """Browser time over native time."""
        return self.browser / self.native

    @property
    def real_time(self) -> float:
        """How many times faster than real time the browser runs."""
        return 1e6 * self.dt / self.browser


def measure(names: list[str]) -> list[Measured]:
    """Measure controllers by name, each natively and in Chromium."""
    rows = []
    with Browser(400, 300) as browser:
        page = browser.open("about:blank")
        script = (files("footfall.live") / "walker.js").read_text(encoding="utf-8").replace("\nexport ", "\n")
        page.js(f"globalThis.Walker = (() => {{ {script} return Walker; }})(), 0")
        for name in names:
            controller = load_controller(name)
            (character,) = characters_of([controller])
            wasm = module_of(character).wasm
            native, browsed = _times(character, page)
            size = len(live_page([controller]).encode())
            packed = len(gzip.compress(wasm))
            rows.append(Measured(name, len(wasm), packed, size, native, browsed, character.simulation.dt))
    return rows


def _times(character: Character, page: Page) -> tuple[float, float]:
    """The least microseconds a step, natively and in the page, in turns."""
    module = module_of(character)
    packed = base64.b64encode(module.wasm).decode("ascii")
    about = json.dumps(description(character, module.tables))
    page.js(
        f"(async () => {{ const bytes = Uint8Array.from(atob('{packed}'), c => c.charCodeAt(0));"
        f" globalThis.w = await Walker.load(bytes, {about});"
        " w.every = 0; for (let k = 0; k < 40; k++) { w.reset(); for (let i = 0; i < 50; i++) w.step(10); } })()"
    )
    page.js("new Promise(r => setTimeout(r, 1500))")
    run = (
        f"(() => {{ w.reset(); const t = performance.now(); w.step({STEPS});"
        f" return 1000 * (performance.now() - t) / {STEPS}; }})()"
    )
    simulation = character.simulation
    simulation.step(STEPS)
    launch = native = browsed = float("inf")
    for _ in range(REPEATS):
        simulation.reset()
        begun = time.thread_time()
        simulation.step(0)
        between = time.thread_time()
        simulation.step(STEPS)
        launch, native = min(launch, between - begun), min(native, time.thread_time() - between)
        browsed = min(browsed, float(page.js(run)))
    return 1e6 * (native - launch) / STEPS, browsed


def main(names: list[str]) -> None:
    """Print the table."""
    print("| controller | module | compressed | page | native step | in Chromium | ratio | times real time |")
    print("|---|---|---|---|---|---|---|---|")
    for row in measure(names or ["walk", "human-12-walk", "human-walk", "bird-run"]):
        print(
            f"| {row.controller} | {row.module_bytes / 1000:.1f} kB | {row.packed_bytes / 1000:.1f} kB | "
            f"{row.page_bytes / 1000:.0f} kB | {row.native:.2f} µs | {row.browser:.2f} µs | {row.ratio:.2f} | "
            f"{row.real_time:,.0f} |"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
