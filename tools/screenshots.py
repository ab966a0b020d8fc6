"""Pictures of the studio for the documentation: ``python -m tools.screenshots FOLDER``."""

import argparse
import io
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PIL import Image

from footfall.errors import FootfallError, check_name
from footfall.studio.core.clip import read_clip
from footfall.studio.core.frames import motion_bytes
from footfall.studio.studio import Studio
from tools.appearance import picture_of
from tools.browser import Browser, Page

SECONDS = 6.0


def take_screenshots(folder: Path, only: Sequence[str] = ()) -> list[Path]:
    """Walk, pose, push, stress and lead bipeds in a headless browser and picture each.

    Args:
        folder: where the pictures go.
        only: names of the pictures to make; by default all.
    """
    studio = Studio("walk", port=0, playing=False)
    views: dict[str, Callable[[Studio, Page], tuple[str, ...]]] = {
        "studio-walk": _walk,
        "studio-pose": _pose,
        "studio-poke": _poke,
        "studio-drive": _drive,
        "studio-stress": _stress,
        "studio-pendulum": _pendulum,
        "studio-clip": _clip,
        "studio-path": _path,
        "studio-steered": _steered,
    }
    made = []
    try:
        with Browser(1440, 900, drawing=False) as browser:
            page = browser.open(f"{studio.address}/?theme=light")
            page.wait("document.documentElement?.dataset.ready === 'yes'", 60, "the page")
            _advance(studio, SECONDS)
            for name in only or views:
                check_name("picture", name, views)
                panels = views[name](studio, page)
                page.wait(f"Math.abs(footfall.scene.focus[4] - {studio.session.world.time}) < 1e-3", 30, "the frame")
                path = folder / f"{name}.png"
                picture = Image.open(io.BytesIO(picture_of(page, panels)))
                picture.convert("RGB").quantize(256).save(path, optimize=True)
                made.append(path)
    finally:
        studio.stop()
    return made


def _advance(studio: Studio, seconds: float) -> None:
    """Simulate without waiting for the clock, frame by frame, and leave it paused."""
    for _ in range(round(60 * seconds)):
        studio.session.loop.call(studio.session.step)


def _walk(studio: Studio, page: Page) -> tuple[str, ...]:
    return ("plots",)


def _pose(studio: Studio, page: Page) -> tuple[str, ...]:
    _show_handles(studio, True)
    return ("edit",)


def _show_handles(studio: Studio, on: bool) -> None:
    studio.layout.editor.states.posing.value = on
    studio.session.loop.call(lambda: setattr(studio.session, "posing", on))


def _poke(studio: Studio, page: Page) -> tuple[str, ...]:
    _show_handles(studio, False)
    studio.session.loop.call(lambda: studio.session.change_setting(terrain="steps:0.02,1.2,20"))
    _advance(studio, 5.0)
    studio.session.loop.call(lambda: studio.steering.push(1.0, 0.0))
    _advance(studio, 0.08)
    return ("push",)


def _drive(studio: Studio, page: Page) -> tuple[str, ...]:
    studio.session.loop.call(lambda: studio.session.change_setting(terrain="flat"))
    studio.session.loop.call(studio.session.reset)
    _advance(studio, 3.0)
    studio.session.loop.call(lambda: studio.steering.request("fast-walk"))
    _advance(studio, 4.2)
    return ("gait",)


def _stress(studio: Studio, page: Page) -> tuple[str, ...]:
    page.js("footfall.panels.toggle('stress', true)")
    for kind in ("rose", "basin"):
        studio.layout.studies.sections[kind].start()
    drawn = "document.querySelector('[data-testid={}]')"
    page.wait(f"!!{drawn.format('rose')} && !!{drawn.format('basin')}", 240, "studies")
    while any(studio.layout.studies.sections[kind].running for kind in ("rose", "basin")):
        time.sleep(0.5)
    return ("edit", "stress")


def _pendulum(studio: Studio, page: Page) -> tuple[str, ...]:
    studio.session.loop.call(lambda: studio.steering.request("walk"))
    _advance(studio, 3.0)
    _switch_pendulum(studio, True)
    _advance(studio, 2.8)
    return ("3lp",)


def _switch_pendulum(studio: Studio, on: bool) -> None:
    studio.gui.find("3lp/walk-beside-the-biped").value = on
    studio.session.loop.call(lambda: studio.companion.switch(on))


def _clip(studio: Studio, page: Page) -> tuple[str, ...]:
    """A closed-form walk as a clip."""
    from footfall.methods.pendulum import Person, human_walk, periodic_gait, record_walk, walk_motion

    _switch_pendulum(studio, False)
    body = Person.of(1.75, 70.0)
    motion = walk_motion(record_walk(periodic_gait(body, human_walk(body, 1.2)), 6.0, fps=60.0))
    page.js("footfall.panels.toggle('motion', true)")
    studio.layout.clips.enter(read_clip("3lp-walk.npz", motion_bytes(motion, ".npz")))
    _advance(studio, 2.6)
    page.wait("!!document.querySelector('[data-testid=gaits]')", 60, "measures")
    return ("motion",)


WAY = ((1.6, -0.2), (3.4, 0.9), (3.6, 3.2), (1.6, 4.4), (-0.6, 3.4))


def _path(studio: Studio, page: Page) -> tuple[str, ...]:
    _switch_pendulum(studio, False)
    studio.session.loop.call(studio.layout.clips.remove)
    studio.session.open("human-walk")
    while not studio.session.world.can.balance:
        time.sleep(0.2)
    studio.session.loop.call(studio.session.reset)
    _advance(studio, 2.4)
    x, y = (float(v) for v in studio.session.world.state["qpos"][0][:2])
    for dx, dy in WAY:
        studio.session.loop.call(partial(studio.steering.add_point, x + dx, y + dy))
    while studio.steering.reached < 2 and studio.session.world.time < 20.0:
        _advance(studio, 0.2)
    _advance(studio, 1.15)
    page.wait("!footfall.view.planar", 30, "the human")
    page.js("Object.assign(footfall.view, { yaw: -1.9, pitch: 0.42, distance: 8.5 })")
    return ("steer", "balance")


def _steered(studio: Studio, page: Page) -> tuple[str, ...]:
    studio.session.open("steered-walk")
    while not studio.session.world.clip:
        time.sleep(0.2)
    for x, y in ((2.0, 0.6), (3.4, 2.6), (1.4, 4.2)):
        studio.session.loop.call(partial(studio.steering.add_point, x, y))
    studio.session.loop.lost = 0.0
    _advance(studio, 4.3)
    page.js("(footfall.view.face(footfall.scene.heading), footfall.view.look('three'), 1)")
    return ("gait", "plots")


def main() -> int:
    """Write the pictures into the folder that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tools.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", default=[], help="a picture's name, such as studio-path")
    asked = parser.parse_args()
    try:
        for path in take_screenshots(asked.folder, asked.only):
            print(path)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
