"""The studio on screens of several sizes, light and dark: ``python -m tools.appearance FOLDER``.

Every panel is pictured at 1440 x 900, 1280 x 720 and 390 x 844, for a person to look at. The pictures are not kept.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from footfall.errors import FootfallError
from footfall.studio import DEFAULT_CONTROLLER
from footfall.studio.panels.layout import TABS
from footfall.studio.studio import Studio
from tools.browser import Browser, Page

__all__ = ["main", "picture_all"]

SIZES = ((1440, 900), (1280, 720), (390, 844))
SIDE_BY_SIDE = (("Edit", "Plots"), ("Push", "Stress"), ("Drive", "Balance"), ("Export", "3LP"), ("Export", "Clip"))
"""Panels on the left and on the right that are shown together on a wide screen."""
NARROW = 500
SECONDS = 4.0
THERE = "document.querySelector('[data-testid=status]')?.innerText && document.getElementById('ff-clock')?.innerText"
TAB = "[...document.querySelectorAll('{0}')].find(e => e.innerText.trim() === '{1}' && e.getClientRects().length)"
TIDY = "document.querySelectorAll('.mantine-Notification-closeButton').forEach(b => b.click())"
DRAWN = 2.5
"""Seconds in which a page without a graphics card has drawn its scene."""


def picture_all(folder: Path, controller: str = DEFAULT_CONTROLLER, widths: Sequence[int] | None = None) -> list[Path]:
    """Picture every panel, light and dark, at every size or at those of some widths; the files."""
    studio = Studio(controller, port=0, playing=False)
    made = []
    try:
        for _ in range(round(60 * SECONDS)):
            studio.session.loop.call(studio.session.step)
        with Browser(drawing=False) as browser:
            for size in (s for s in SIZES if not widths or s[0] in widths):
                for theme in ("light", "dark"):
                    page = browser.open(f"{studio.address}/{'?darkMode' if theme == 'dark' else ''}", size)
                    page.wait(THERE, 90, "the page")
                    time.sleep(1.0)
                    for panels in [(name,) for name in TABS] if size[0] < NARROW else SIDE_BY_SIDE:
                        path = folder / f"{size[0]}x{size[1]}-{theme}-{'-'.join(panels)}.png"
                        _show(page, panels, "#ff-tabs button" if size[0] < NARROW else "[role=tab]")
                        page.screenshot(path)
                        made.append(path)
                    page.close()
    finally:
        studio.stop()
    return made


def _show(page: Page, panels: tuple[str, ...], tabs: str) -> None:
    """Show panels, and draw the scene once."""
    page.js(TIDY)
    for name in panels:
        page.click_on(TAB.format(tabs, name))
    page.mouse("mouseMoved", 5, 5, "none", 0)
    page.js("(window.drawing = true)")
    time.sleep(DRAWN)
    page.js(f"(window.drawing = false, {TIDY})")


def main() -> int:
    """Write the pictures into the folder that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m tools.appearance", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("controller", nargs="?", default=DEFAULT_CONTROLLER)
    parser.add_argument("--width", type=int, action="append", choices=[w for w, _ in SIZES], help="of this width alone")
    asked = parser.parse_args()
    try:
        if not asked.folder.is_dir():
            raise FootfallError(f"{asked.folder}: there is no such folder")
        for path in picture_all(asked.folder, asked.controller, asked.width):
            print(path)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
