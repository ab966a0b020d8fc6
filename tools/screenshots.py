"""Pictures of the studio for the documentation: ``python -m tools.screenshots FOLDER``."""

import argparse
import io
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PIL import Image

from footfall.errors import FootfallError, unknown_name
from footfall.studio.core.session.exporting import motion_bytes
from footfall.studio.studio import Studio
from tools.browser import Browser, Page

__all__ = ["main", "take_screenshots"]

SECONDS = 6.0


def take_screenshots(folder: Path, only: Sequence[str] = ()) -> list[Path]:
    """Walk, pose, push, stress and lead bipeds in a headless browser and picture each.

    Args:
        folder: where the pictures go. only: names of the pictures to make; by default all.
    """
    studio = Studio("walk", port=0)
    views: dict[str, Callable[[Studio, Page], None]] = {
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
        with Browser(1440, 900) as browser:
            page = browser.open(studio.address)
            page.wait("document.querySelector('[data-testid=status]')?.innerText", 60, "the page")
            _advance(studio, SECONDS)
            page.js("document.querySelectorAll('.mantine-Notification-closeButton').forEach(b => b.click())")
            for name in only or views:
                if name not in views:
                    raise unknown_name("picture", name, views)
                view = views[name]
                view(studio, page)
                time.sleep(2.5)
                path = folder / f"{name}.png"
                Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(200).save(path, optimize=True)
                made.append(path)
    finally:
        studio.stop()
    return made


def _advance(studio: Studio, seconds: float) -> None:
    """Simulate without waiting for the clock, frame by frame, and leave it paused."""
    for _ in range(round(60 * seconds)):
        studio.session.loop.call(studio.session.step)


def _tab(page: Page, name: str) -> None:
    page.click_on(f"[...document.querySelectorAll('[role=tab]')].find(e => e.innerText.trim() === '{name}')")


def _walk(studio: Studio, page: Page) -> None:
    _tab(page, "Plots")


def _tick(page: Page, label: str) -> None:
    page.click_on(
        f"[...document.querySelectorAll('label')].find(e => e.innerText === '{label}')"
        ".parentElement.parentElement.parentElement.querySelector('input')"
    )
    page.mouse("mouseMoved", 720, 60, "none", 0)


def _pose(studio: Studio, page: Page) -> None:
    _tick(page, "Pose with handles")


def _poke(studio: Studio, page: Page) -> None:
    _tick(page, "Pose with handles")
    studio.session.loop.call(lambda: studio.session.change_setting(terrain="steps:0.02,1.2,20"))
    studio.layout.push.terrain.value = "steps up"
    _tab(page, "Push")
    _advance(studio, 5.0)
    studio.session.loop.call(lambda: studio.steering.push(1.0, 0.0))
    _advance(studio, 0.08)


def _drive(studio: Studio, page: Page) -> None:
    studio.layout.push.terrain.value = "flat"
    studio.session.loop.call(lambda: studio.session.change_setting(terrain="flat"))
    studio.session.loop.call(studio.session.reset)
    _tab(page, "Drive")
    _advance(studio, 3.0)
    studio.session.loop.call(lambda: studio.steering.request("fast-walk"))
    _advance(studio, 4.2)


def _stress(studio: Studio, page: Page) -> None:
    _tab(page, "Edit")
    _tab(page, "Stress")
    for kind in ("rose", "basin"):
        studio.layout.studies.start(kind)
    page.wait(
        "!!document.querySelector('[data-testid=rose]') && !!document.querySelector('[data-testid=basin]')",
        240,
        "studies",
    )


def _pendulum(studio: Studio, page: Page) -> None:
    studio.session.loop.call(lambda: studio.steering.request("walk"))
    _advance(studio, 3.0)
    _tab(page, "3LP")
    _tick(page, "Walk beside the biped")
    time.sleep(1.5)
    _advance(studio, 1.3)


def _without_pendulum(studio: Studio, page: Page) -> None:
    if studio.companion.walker is not None:
        _tab(page, "3LP")
        _tick(page, "Walk beside the biped")


def _clip(studio: Studio, page: Page) -> None:
    """A closed-form walk as a clip."""
    from footfall.methods.pendulum import Person, human_walk, periodic_gait, record_walk, walk_motion

    _without_pendulum(studio, page)
    body = Person.of(1.75, 70.0)
    motion = walk_motion(record_walk(periodic_gait(body, human_walk(body, 1.2)), 6.0, fps=60.0))
    studio.layout.clips.take("3lp-walk.npz", motion_bytes(motion, ".npz"))
    _tab(page, "Clip")
    _advance(studio, 2.6)
    time.sleep(3.0)


WAY = ((1.6, -0.2), (3.4, 0.9), (3.6, 3.2), (1.6, 4.4), (-0.6, 3.4))


def _path(studio: Studio, page: Page) -> None:
    _without_pendulum(studio, page)
    studio.session.loop.call(studio.layout.clips.remove)
    studio.session.open("human-walk")
    while not studio.session.world.can.balance:
        time.sleep(0.2)
    studio.session.loop.call(studio.session.reset)
    _tab(page, "Drive")
    _tab(page, "Balance")
    _advance(studio, 2.4)
    x, y = (float(v) for v in studio.session.world.state["qpos"][0][:2])
    for dx, dy in WAY:
        studio.session.loop.call(partial(studio.steering.add_point, x + dx, y + dy))
    for client in studio.server.get_clients().values():
        client.camera.position, client.camera.look_at = (-2.4, -6.6, 3.3), (-0.5, 0.6, 0.6)
    while studio.steering.reached < 2 and studio.session.world.time < 20.0:
        _advance(studio, 0.2)
    _advance(studio, 1.15)


def _steered(studio: Studio, page: Page) -> None:
    _without_pendulum(studio, page)
    studio.session.loop.call(studio.layout.clips.remove)
    studio.session.open("steered-walk")
    while not studio.session.world.clip:
        time.sleep(0.2)
    _tab(page, "Drive")
    _tab(page, "Plots")
    for x, y in ((2.0, 0.6), (3.4, 2.6), (1.4, 4.2)):
        studio.session.loop.call(partial(studio.steering.add_point, x, y))
    studio.session.loop.lost = 0.0
    _advance(studio, 4.3)
    for client in studio.server.get_clients().values():
        client.camera.position, client.camera.look_at = (4.8, -0.4, 2.0), (-0.2, 0.5, 0.75)


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
