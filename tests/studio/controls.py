"""The studio's page as its tests see it: controls by names that stay (``data-name``), and what the page draws."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from footfall.errors import FootfallError
from tools.browser import PATIENCE, Browser, Page, find_chromium

READY = "document.documentElement?.dataset.ready === 'yes'"

in_a_browser = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_chromium() is None,
        reason="NO BROWSER TESTS: chromium is not installed; `make browser` installs it (apt-get install chromium)",
    ),
]
"""Marks of tests that look at the page."""


def opened(browser: Browser, studio: Any, more: str = "", size: tuple[int, int] | None = None) -> Page:
    """A page of the studio, once it has drawn something."""
    page = browser.open(f"{studio.address}/{more}", size)
    page.wait(READY, what="the page")
    return page


def reload(page: Page) -> None:
    """Load the page again, and wait until it has drawn something."""
    page.js("(window.before = true)")
    page.send("Page.reload")
    page.wait(f"!window.before && {READY}", what="the page again")


def number_of_page(page: Page) -> int:
    """The number by which the server knows a page."""
    return int(page.wait("+document.documentElement.dataset.client", what="the page's number"))


def advance(studio: Any, seconds: float) -> None:
    """Simulate without waiting for the clock, and leave it paused."""
    session = studio.session
    for _ in range(round(4 * seconds)):
        session.loop.call(lambda: session.step(0.25))


def until(condition: Any, seconds: float = PATIENCE, what: str = "") -> Any:
    """Wait until a condition on the server's side holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds:g} s in vain{' for ' + what if what else ''}")


# -- controls ----------------------------------------------------------------------------------------------------------


def panel(page: Page, name: str) -> None:
    """Open a panel."""
    page.js(f"footfall.panels.toggle({json.dumps(name)}, true)")
    page.wait(f"!document.getElementById('panel-{name}').hidden", what=f"the panel {name}")


def control(name: str, part: str = "") -> str:
    """The element of a control, or a part of it."""
    return f"document.querySelector('[data-name={json.dumps(name)}]{' ' + part if part else ''}')"


def shown(page: Page, name: str, part: str = "") -> str:
    """The same, once it is there and can be used; the folders that it is in are opened."""
    found = control(name, part)
    page.wait(f"{found} && !{found}.disabled", what=f"the control {name}")
    page.js(f"for (let e = {found}; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;")
    page.wait(f"{found}.checkVisibility() || {found}.type === 'file'", what=f"the control {name} to be seen")
    return found


def press(page: Page, name: str, option: str = "") -> None:
    """Press a button, of a group the one that is named."""
    if not option:
        page.js(f"{shown(page, name, 'button')}.click()")
        return
    group = shown(page, name, ".group")
    page.js(f"[...{group}.children].find(e => e.textContent === {json.dumps(option)}).click()")


def change(page: Page, element: str, value: Any) -> None:
    """Give a control another value, as a hand does."""
    page.js(
        f"(e => {{ e.value = {json.dumps(value)}; e.dispatchEvent(new Event('input', {{bubbles: true}}));"
        f" e.dispatchEvent(new Event('change', {{bubbles: true}})); }})({element})"
    )


def slide(page: Page, name: str, value: float) -> None:
    """Put a slider at a value."""
    change(page, shown(page, name, "input[type=range]"), value)


def choose(page: Page, name: str, option: str) -> None:
    """Choose an option of a list."""
    change(page, shown(page, name, "select"), option)


def tick(page: Page, name: str, on: bool) -> None:
    """Tick a box, or not."""
    box = shown(page, name, "input")
    page.js(f"{box}.checked === {json.dumps(on)} || {box}.click()")


def write(page: Page, name: str, text: str, part: str = "input[type=text]") -> None:
    """Type into a field, and leave it."""
    field = shown(page, name, part)
    page.js(f"({field}.focus(), {field}.select(), 1)")
    page.send("Input.insertText", text=text)
    page.js(f"({field}.blur(), 1)")


def value(page: Page, name: str, part: str = "input") -> Any:
    """What a field shows."""
    return page.js(f"{control(name, part)}?.value")


def upload(page: Page, name: str, path: Path) -> None:
    """Choose a file for an upload button."""
    shown(page, name, "input[type=file]")
    root = page.send("DOM.getDocument")["root"]["nodeId"]
    found = page.send("DOM.querySelector", nodeId=root, selector=f'[data-name="{name}"] input[type=file]')["nodeId"]
    page.send("DOM.setFileInputFiles", nodeId=found, files=[str(path)])


# -- the scene ---------------------------------------------------------------------------------------------------------


def on_screen(page: Page, point: Any) -> tuple[float, float]:
    """Where a place of the world is seen, in the page's pixels."""
    x, y = page.js(f"(footfall.paint(), footfall.view.project({[float(v) for v in point]}))")
    return float(x), float(y)


def take_hold(page: Page, held: str, place: Callable[[], Any]) -> tuple[float, float]:
    """Press on a place of the world until the page holds what is there; where that is, in its pixels.

    A page that is slow may still show the picture before this one, and a note may lie on the place for seconds: then it
    is pressed again, as a hand does.
    """
    for _ in range(6):
        x, y = on_screen(page, place())
        page.mouse("mouseMoved", x, y, "none", 0)
        page.mouse("mousePressed", x, y)
        try:
            page.wait(f"footfall.hands.held?.id === {json.dumps(held)}", 10)
        except FootfallError:
            page.mouse("mouseReleased", x, y, buttons=0)
        else:
            return x, y
    under = page.js(f"document.elementFromPoint({x}, {y})?.outerHTML.slice(0, 120)")
    handles = page.js("footfall.scene.handles().map(h => [h.name, ...footfall.view.project(h.at)])")
    raise AssertionError(f"{held} is not held at ({x:.0f}, {y:.0f}); there is {under}; handles are {handles}")


def drawn(page: Page, node: str) -> list[float]:
    """The numbers with which the page draws a node."""
    return list(page.js(f"[...(footfall.scene.nodes.get({json.dumps(node)})?.data ?? [])]"))


def status(page: Page) -> str:
    return str(page.js("document.querySelector('[data-testid=status]')?.innerText ?? ''"))
