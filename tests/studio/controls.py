"""The studio's page as its tests see it: controls by their labels."""

import json
import time
from contextlib import suppress
from typing import Any

import pytest

from footfall.errors import FootfallError
from tools.browser import Browser, Page, find_chromium

LABEL = "[...document.querySelectorAll('label')].find(e => e.innerText === {0} && e.getClientRects().length)"
ROW = f"({LABEL})?.parentElement.parentElement.parentElement"
BUTTON = "[...document.querySelectorAll('button')].find(e => e.innerText.trim() === {0})"
SHOWN = "document.querySelector('[data-testid=status]')?.innerText && document.getElementById('ff-clock')?.innerText"
ASIDE = (
    "(document.head.append(Object.assign(document.createElement('style'), {textContent:"
    " '[class*=Notification] { pointer-events: none !important }'})), 1)"
)

in_a_browser = [
    pytest.mark.skipif(
        find_chromium() is None,
        reason="NO BROWSER TESTS: chromium is not installed; `make browser` installs it (apt-get install chromium)",
    ),
]
"""Marks of tests that look at the page."""


def opened(browser: Browser, studio: Any, more: str = "", size: tuple[int, int] | None = None) -> Page:
    """A page of the studio, once it is there. Notices come and go on it, but do not stand in a click's way."""
    page = browser.open(studio.address + more, size)
    page.wait(SHOWN, 90, "the page")
    page.js(ASIDE)
    return page


def reload(page: Page) -> None:
    """Load the page again, and wait until it is there."""
    page.js("(window.before = true)")
    page.send("Page.reload")
    page.wait(f"!window.before && {SHOWN}", 90, "the page again")
    page.js(ASIDE)


def advance(studio: Any, seconds: float) -> None:
    """Simulate without waiting for the clock, and leave it paused."""
    session = studio.session
    for _ in range(round(4 * seconds)):
        session.loop.call(lambda: session.step(0.25))


def row(label: str) -> str:
    """The row of a control."""
    return ROW.format(json.dumps(label))


def button(text: str) -> str:
    return BUTTON.format(json.dumps(text))


def press(page: Page, text: str) -> None:
    page.click_on(button(text), 15.0)


def click_id(page: Page, name: str) -> None:
    """Click an element of footfall's own bar."""
    page.click_on(f"document.getElementById({json.dumps(name)})")


def insist(page: Page, act: Any, shown: str, what: str) -> None:
    """Do something until the page shows it: a click on what is just being rebuilt is lost, as it is to people."""
    for _ in range(5):
        if page.js(shown):
            return
        with suppress(FootfallError):
            act()
            page.wait(shown, 6.0)
            return
    page.wait(shown, 6.0, what)


def insist_on(act: Any, condition: Any, what: str) -> Any:
    """As :func:`insist`, for a condition on the server's side; its value."""
    for _ in range(5):
        with suppress(AssertionError, FootfallError):
            act()
            return until(condition, 6.0)
    return until(condition, 6.0, what)


def tab(page: Page, name: str) -> None:
    """Show a panel."""
    found = f"[...document.querySelectorAll('[role=tab]')].find(e => e.innerText.trim() === {json.dumps(name)})"
    insist(page, lambda: page.click_on(found, 15.0), f"{found}?.ariaSelected === 'true'", f"the panel {name}")


def unfold(page: Page, name: str, shows: str) -> None:
    """Open a folder by its title, unless it is open: then it shows the element that ``shows`` names."""
    title = (
        f"[...document.querySelectorAll('*')].find(e => e.children.length < 2 && e.innerText === {json.dumps(name)})"
    )
    insist(
        page, lambda: page.click_on(title, 15.0), f"{shows}?.getBoundingClientRect().height > 0", f"the folder {name}"
    )


def tick(page: Page, label: str, on: bool) -> None:
    """Tick a checkbox, or not."""
    box = f"{row(label)}?.querySelector('input')"
    insist(page, lambda: page.click_on(box, 15.0), f"{box}?.checked === {json.dumps(on)}", f"{label}: {on}")


def drag_slider(page: Page, label: str, by: float) -> None:
    """Drag a slider's thumb by pixels, until its value has changed."""
    thumb = f"{row(label)}?.querySelector('[role=slider]')"
    before = page.wait(f"{thumb}?.ariaValueNow", what=f"the slider {label}")

    def drag() -> None:
        x, y = page.place(thumb, 15.0)
        page.drag((x, y), (x + by, y), steps=5)

    insist(page, drag, f"{thumb}?.ariaValueNow !== {json.dumps(before)}", f"the slider {label} to move")


def choose(page: Page, label: str, option: str) -> None:
    """Choose an option of a dropdown."""
    field = f"{row(label)}?.querySelector('input')"
    found = f"[...document.querySelectorAll('[role=option]')].find(e => e.innerText === {json.dumps(option)})"

    def pick() -> None:
        if not page.js(f"{found}?.getBoundingClientRect().height > 0"):
            page.click_on(field, 15.0)
        page.click_on(found, 15.0)

    insist(page, pick, f"{field}?.value === {json.dumps(option)}", f"{label}: {option}")


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
