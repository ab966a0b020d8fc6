"""Sizes and speeds of modules: ``python -m tools.live_bench [CONTROLLER …]`` prints a table for this machine.

Times are the least of several short runs of the same kernel, natively and in a headless Chromium, one after the other
on one core; the ratio is taken within one run of this command. What it takes to launch a kernel is not counted.

``python -m tools.live_bench --walkers 20 [CONTROLLER …]`` steps so many walkers in one page, each with
the bones of a character, and prints what a picture of 1/60 s takes; drawing is not counted.

``python -m tools.live_bench --c [CONTROLLER …]`` builds the C of ``footfall export --with-physics`` with cc -O2 and
times it, and the native run, in turns.
"""

import base64
import ctypes
import gzip
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from footfall.control.registry import load_controller
from footfall.embedded.physics import physics_in_c
from footfall.live.character import Character, characters_of
from footfall.live.description import description, write_module
from footfall.live.modules import module_of
from footfall.live.page import live_page
from footfall.methods.pendulum import Person, periodic_gait, record_walk, walk_motion
from footfall.motion import save_motion
from tools.browser import Browser, Page, served

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
        script = (
            (files("footfall.live") / "runtime" / "walker.js").read_text(encoding="utf-8").replace("\nexport ", "\n")
        )
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
    return _in_turns(character, lambda: float(page.js(run)))


def _in_turns(character: Character, other: Callable[[], float]) -> tuple[float, float]:
    """The least microseconds a step, natively and of what ``other`` measures."""
    simulation = character.simulation
    simulation.step(STEPS)
    launch = native = least = float("inf")
    for _ in range(REPEATS):
        simulation.reset()
        begun = time.thread_time()
        simulation.step(0)
        between = time.thread_time()
        simulation.step(STEPS)
        launch, native = min(launch, between - begun), min(native, time.thread_time() - between)
        least = min(least, other())
    return 1e6 * (native - launch) / STEPS, least


def in_c(name: str) -> str:
    """A row of what a step of the C library takes."""
    (character,) = characters_of([load_controller(name)])
    with TemporaryDirectory() as folder:
        for text, end in zip(physics_in_c([load_controller(name)], "walker"), "ch", strict=True):
            (Path(folder) / f"walker.{end}").write_text(text, encoding="utf-8")
        build = ["cc", "-std=c99", "-O2", "-shared", "-fPIC", "walker.c", "-lm", "-o", "walker.so"]
        subprocess.run(build, cwd=folder, check=True)
        library = ctypes.CDLL(f"{folder}/walker.so")
    walker, nothing = ctypes.create_string_buffer(library.walker_size()), ctypes.c_double(0.0)

    def timed() -> float:
        library.walker_start(walker, None, nothing, nothing, nothing)
        begun = time.thread_time()
        library.walker_step(walker, STEPS)
        return 1e6 * (time.thread_time() - begun) / STEPS

    native, compiled = _in_turns(character, timed)
    dt = character.simulation.dt
    return f"| {name} | {native:.2f} µs | {compiled:.2f} µs | {compiled / native:.2f} | {1e6 * dt / compiled:,.0f} |"


FRAMES = 600
MANY = """(async () => {
const { Walker, Rig } = await import("./index.js"), fetched = async file => (await fetch(file)).arrayBuffer();
const json = async file => (await fetch(file)).json();
const module = await WebAssembly.compile(await fetched("w.wasm")), about = await json("w.json");
const bones = await json("rig.json"), pairs = [], took = [];
for (let k = 0; k < COUNT; k++) {
  const walker = await Walker.load(module, about);
  walker.every = 0; walker.reset(undefined, { position: [0, k] });
  pairs.push([walker, new Rig(bones)]);
}
let posing = 0;
for (let frame = 0; frame < FRAMES; frame++) {
  const begun = performance.now(), steps = Math.floor((frame + 1) / 60 / about.dt) - Math.floor(frame / 60 / about.dt);
  for (const [walker] of pairs) walker.step(steps);
  const stepped = performance.now();
  for (const [walker, rig] of pairs) rig.pose(walker);
  took.push(performance.now() - begun); posing += performance.now() - stepped;
}
took.sort((a, b) => a - b);
const up = pairs.filter(([walker]) => walker.outcome === "walking").length;
return [took[FRAMES / 2], took[Math.floor(FRAMES * 0.99)], posing / FRAMES, up];
})()"""


def many(name: str, count: int) -> str:
    """A row of what a picture with so many walkers takes."""
    with TemporaryDirectory() as folder:
        save_motion(walk_motion(record_walk(periodic_gait(Person.of()), 2.0, fps=30)), Path(folder) / "person.glb")
        write_module([load_controller(name)], Path(folder) / "web", name="w", onto=Path(folder) / "person.glb")
        shutil.copytree(str(files("footfall.live") / "runtime"), Path(folder) / "web", dirs_exist_ok=True)
        with served(Path(folder) / "web") as address, Browser(400, 300) as browser:
            page = browser.open(f"{address}/index.d.ts")
            page.wait("document.readyState === 'complete'")
            middle, slow, bones, up = page.js(MANY.replace("COUNT", str(count)).replace("FRAMES", str(FRAMES)))
    return f"| {name} | {count} | {middle:.1f} ms | {slow:.1f} ms | {bones:.1f} ms | {up} |"


def main(names: list[str]) -> None:
    """Print the table."""
    if names[:1] == ["--walkers"]:
        print("| controller | walkers | median | 99 % of pictures | of it bones | upright after 10 s |")
        print("|---|---|---|---|---|---|")
        for name in names[2:] or ["walk-3d"]:
            print(many(name, int(names[1])))
        return
    if names[:1] == ["--c"]:
        print("| controller | native step | step in C | ratio | times real time |")
        print("|---|---|---|---|---|")
        for name in names[1:] or ["walk", "walk-3d"]:
            print(in_c(name))
        return
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
