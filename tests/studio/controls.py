"""The studio's page as its tests see it: controls by their labels."""

import json
import time
from typing import Any

from footfall.studio.tools.browser import Page

LABEL = "[...document.querySelectorAll('label')].find(e => e.innerText === {0} && e.getClientRects().length)"
ROW = f"({LABEL})?.parentElement.parentElement.parentElement"
BUTTON = "[...document.querySelectorAll('button')].find(e => e.innerText.trim() === {0})"


def row(label: str) -> str:
    """The row of a control."""
    return ROW.format(json.dumps(label))


def button(text: str) -> str:
    return BUTTON.format(json.dumps(text))


def press(page: Page, text: str) -> None:
    page.click_on(button(text))


def click_id(page: Page, name: str) -> None:
    """Click an element of footfall's own bar."""
    page.click_on(f"document.getElementById({json.dumps(name)})")


def tab(page: Page, name: str) -> None:
    page.click_on(f"[...document.querySelectorAll('[role=tab]')].find(e => e.innerText.trim() === {json.dumps(name)})")


def unfold(page: Page, name: str) -> None:
    """Open a folder by its title."""
    page.click_on(
        f"[...document.querySelectorAll('*')].find(e => e.children.length < 2 && e.innerText === {json.dumps(name)})"
    )


def tick(page: Page, label: str) -> None:
    """Click a checkbox."""
    page.click_on(f"{row(label)}.querySelector('input')")


def drag_slider(page: Page, label: str, by: float) -> None:
    """Drag a slider's thumb by pixels."""
    x, y = page.place(f"{row(label)}.querySelector('[role=slider]')")
    page.drag((x, y), (x + by, y), steps=5)


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a dropdown."""
    page.click_on(f"{row(label)}.querySelector('input')")
    found = f"[...document.querySelectorAll('[role=option]')].find(e => e.innerText === {json.dumps(option)})"
    page.wait(f"!!{found} && {found}.getBoundingClientRect().height > 0", what=f"option {option}")
    page.click_on(found)


def status(page: Page) -> str:
    return str(page.js("document.querySelector('[data-testid=status]')?.innerText ?? ''"))


def until(condition: Any, seconds: float = 45.0, what: str = "") -> Any:
    """Wait until a condition on the server's side holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds:g} s in vain{' for ' + what if what else ''}")


def on_screen(page: Page, camera: Any, point: Any) -> tuple[float, float]:
    """Where a point of the scene is seen, in the page's pixels."""
    import numpy as np

    left, top, width, height = page.js(
        "(() => { const r = document.querySelector('canvas').getBoundingClientRect();"
        " return [r.x, r.y, r.width, r.height]; })()"
    )
    eye, to = np.asarray(camera.position), np.asarray(camera.look_at)
    ahead = (to - eye) / np.linalg.norm(to - eye)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    way = np.asarray(point) - eye
    scale = 0.5 * height / np.tan(0.5 * camera.fov) / float(way @ ahead)
    return float(left + width / 2 + scale * (way @ right)), float(top + height / 2 - scale * (way @ up))
