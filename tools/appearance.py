"""The studio on screens of several sizes, light and dark: ``python -m tools.appearance FOLDER``.

Every panel is pictured at 1440 x 900, 1280 x 720 and 390 x 844, for a person to look at. The pictures are not kept.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from footfall.errors import FootfallError
from footfall.studio import DEFAULT_CONTROLLER
from footfall.studio.studio import Studio
from tools.browser import Browser, Page

SIZES = ((1440, 900), (1280, 720), (390, 844))
SIDE_BY_SIDE = (
    (), ("push",), ("gait", "balance"), ("edit", "plots"), ("steer", "cycle"), ("terrain", "stress"), ("body",),
    ("motion",), ("3lp",), ("export",),
)  # fmt: skip
"""Panels that are shown together on a wide screen: one at the left, one that explains at the right."""
NARROW = 500
SECONDS = 4.0
READY = "document.documentElement?.dataset.ready === 'yes'"
PANELS = "footfall.panels.list.map(p => p.name)"
DRAWN = """new Promise(done => { window.drawing = true; footfall.paint();
requestAnimationFrame(() => requestAnimationFrame(() => { footfall.paint(); requestAnimationFrame(done); })); })"""
"""Draws the scene, on a page that else does not."""


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
                    page = browser.open(f"{studio.address}/?theme={theme}", size)
                    page.wait(READY, 90, "the page")
                    for panels in [(), *((name,) for name in page.js(PANELS))] if size[0] < NARROW else SIDE_BY_SIDE:
                        path = folder / f"{size[0]}x{size[1]}-{theme}-{'-'.join(panels) or 'opens'}.png"
                        picture_of(page, panels, path)
                        made.append(path)
                    page.close()
    finally:
        studio.stop()
    return made


def picture_of(page: Page, panels: Sequence[str], path: Path | None = None) -> bytes:
    """The page with just these panels open, as a PNG."""
    page.js(
        "(names => { for (const p of footfall.panels.list) footfall.panels.toggle(p.name, names.includes(p.name));"
        f" document.getElementById('hint').hidden = true; }})({json.dumps(list(panels))})"
    )
    page.mouse("mouseMoved", 700, 5, "none", 0)
    page.js(DRAWN)
    page.wait("document.getElementById('view').dataset.painted === 'finely'", 60, "a fine picture")
    picture = page.screenshot(path)
    page.js("(window.drawing = false, 1)")
    return picture


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
