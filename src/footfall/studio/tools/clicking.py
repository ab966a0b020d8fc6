"""Random clicking: ``python -m footfall.studio.tools.clicking --actions 5000 --seed 1``.

A headless browser clicks, drags, chooses, types and presses keys at random, seeded, on everything that the page shows.
An exception in the server or on the page's console is reported with the action that came before it. A button that was
clicked several times and never reached the server is reported as dead. At the end the studio must still reset and walk.
"""

import argparse
import io
import json
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.studio.studio import Studio
from footfall.studio.tools.browser import Browser, Page

__all__ = ["click_at_random", "main"]

KEYS = (" ", "n", "r", "j", "l", "i", "k", "u", "o", "1", "2", "3", "z", "x", "c", "v", "ArrowLeft", "ArrowRight")
FOUND = """(() => { const out = [];
const add = (kind, e, name) => { const r = e.getBoundingClientRect();
  if (r.width > 2 && r.height > 2 && r.top > 0 && r.bottom < innerHeight && r.left >= 0 && r.right <= innerWidth)
    out.push([kind, name, r.x, r.y, r.width, r.height]); };
for (const e of document.querySelectorAll('button')) if (!e.disabled) add('button', e, e.innerText.trim() || e.title);
for (const e of document.querySelectorAll('[role=tab]')) add('tab', e, e.innerText.trim());
for (const e of document.querySelectorAll('[role=slider]')) add('slider', e, e.id);
for (const e of document.querySelectorAll('input[type=checkbox]')) add('checkbox', e, '');
for (const e of document.querySelectorAll('[role=option]')) add('option', e, e.innerText.trim());
for (const e of document.querySelectorAll('input[type=text]')) if (!e.disabled) add('field', e, e.value);
return out; })()"""
LEFT_ALONE = ("☾", "☀", "Save", "Save anyway")
"""Buttons that reload the page or write files."""
ENOUGH = 4
"""Clicks after which a button that did nothing is dead: one may come too late, or meet a page that is busy."""


class _Answers:
    """What reaches the server: controls of viser's page, and acts of the session."""

    def __init__(self, studio: Studio) -> None:
        from viser._messages import GuiUpdateMessage

        self.count = 0
        self.clicks: dict[str, list[bool]] = {}
        studio.server.gui._websock_interface.register_handler(GuiUpdateMessage, lambda *_: self._add())
        plain = studio.session.act

        def act(job: Any) -> Any:
            self._add()
            return plain(job)

        studio.session.act = act  # type: ignore[method-assign]

    def _add(self) -> None:
        self.count += 1

    def note(self, name: str, before: int) -> None:
        """A button was clicked when so many had come."""
        self.clicks.setdefault(name, []).append(self.count > before)

    @property
    def dead(self) -> list[str]:
        """Buttons that never did anything."""
        return sorted(name for name, did in self.clicks.items() if len(did) >= ENOUGH and not any(did))


class _Complaints(logging.Handler):
    """What the server complains about."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what was logged."""
        self.found.append(record.getMessage())


class _Tee(io.TextIOBase):
    """Standard error that notices tracebacks."""

    def __init__(self, stream: Any, found: list[str]) -> None:
        self._stream, self._found = stream, found

    def write(self, text: str) -> int:
        """Pass text on."""
        if "Traceback" in text:
            self._found.append(text.strip()[:400])
        return int(self._stream.write(text))

    def flush(self) -> None:
        """Pass everything on."""
        self._stream.flush()


def click_at_random(actions: int, seed: int, controller: str = "walk") -> dict[str, Any]:
    """Do so many random actions.

    Returns:
        ``actions`` by kind, ``complaints`` of the server, ``errors`` on the page's console, ``dead`` buttons, how many
        ``buttons`` were clicked, ``alive``: whether the studio reset and walked at the end.
    """
    pick, done, complaints = random.Random(seed), Counter[str](), _Complaints()
    logging.getLogger("footfall.studio").addHandler(complaints)
    plain, sys.stderr = sys.stderr, _Tee(sys.stderr, complaints.found)
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(controller, port=0, folder=Path(folder), shadows=False)
        answers = _Answers(studio)
        try:
            with Browser(1280, 800, scale=0.5) as browser:
                page = browser.open(studio.address)
                page.wait("document.getElementById('ff-clock')?.innerText", 90, "the page")
                last, began = "", time.monotonic()
                for number in range(actions):
                    noticed, reached = len(complaints.found) + len(page.errors), answers.count
                    last = _act(page, pick, done)
                    if last.startswith("button"):
                        page.js("new Promise(done => setTimeout(done, 30))")
                        answers.note(last[8:-1], reached)
                    if number % 50 == 49:
                        print(
                            json.dumps({"actions": number + 1, "seconds": round(time.monotonic() - began)}), flush=True
                        )
                    if len(complaints.found) + len(page.errors) > noticed:
                        print(json.dumps({"after": last, "found": [*complaints.found, *page.errors][-1]}), flush=True)
                errors = list(page.errors)
            session = studio.session
            session.loop.call(session.reset)
            session.loop.play(True)
            began_at = session.world.time
            time.sleep(3.0)
            alive = session.world.time > began_at + 0.5
        finally:
            studio.stop()
            sys.stderr = plain
            logging.getLogger("footfall.studio").removeHandler(complaints)
    return {
        "actions": dict(done),
        "complaints": complaints.found,
        "errors": errors,
        "buttons": len(answers.clicks),
        "dead": answers.dead,
        "alive": alive,
        "seed": seed,
    }


def _act(page: Page, pick: random.Random, done: Counter[str]) -> str:
    """One random action; what it was."""
    if pick.random() < 0.15:
        key = pick.choice(KEYS)
        page.key(key)
        done["key"] += 1
        return f"key {key!r}"
    found = [f for f in page.js(FOUND) if f[1] not in LEFT_ALONE]
    if not found:
        page.js("document.activeElement?.blur()")
        return "nothing to click"
    kinds = sorted({f[0] for f in found})
    kind = pick.choice(kinds)
    _, name, x, y, width, height = pick.choice([f for f in found if f[0] == kind])
    at = (x + width / 2, y + height / 2)
    done[kind] += 1
    if kind == "slider":
        page.drag(at, (at[0] + pick.uniform(-60, 60), at[1]), steps=3, pause=0.01)
    else:
        page.click(*at)
    if kind == "field" and pick.random() < 0.5:
        page.send("Input.insertText", text=pick.choice(("abc", "-", "1e9", "0.25", "")))
    if kind == "field":
        page.js("document.activeElement?.blur()")
    return f"{kind} {name!r}"


def main() -> int:
    """Print what the command line asks for; the exit status is 1 where something went wrong."""
    parser = argparse.ArgumentParser(prog="python -m footfall.studio.tools.clicking", description=__doc__)
    parser.add_argument("controller", nargs="?", default="walk")
    parser.add_argument("--actions", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    try:
        result = click_at_random(asked.actions, asked.seed, asked.controller)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    print(json.dumps(result))
    return 0 if result["alive"] and not any(result[name] for name in ("complaints", "errors", "dead")) else 1


if __name__ == "__main__":
    sys.exit(main())
