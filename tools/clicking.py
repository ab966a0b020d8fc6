"""Random clicking: ``python -m tools.clicking --actions 5000 --seed 1``.

A headless browser clicks, drags, chooses, types, scrolls and presses keys at random, seeded, on everything that the
page shows. Scenes are not drawn, all else runs as for a person: without a graphics card drawing would take most of the
time. An exception in the server or on the page's console is reported with the action that came before it. A control
that was used several times and never changed anything, neither in the server nor on the page, is reported as dead. At
the end the studio must still reset and walk.
"""

import argparse
import io
import json
import logging
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.studio import DEFAULT_CONTROLLER
from footfall.studio.studio import Studio
from tools.browser import PATIENCE, Browser, Page

KEYS = (" ", "n", "r", "j", "l", "i", "k", "u", "o", "1", "2", "3", "z", "x", "c", "v", "ArrowLeft", "ArrowRight")
TEXTS = ("abc", "-", "1e9", "0.25", "")
FOUND = """(() => { const out = [];
const add = (kind, e, name, state) => { const r = e.getBoundingClientRect();
  if (r.width > 2 && r.height > 2 && r.top > 0 && r.bottom < innerHeight && r.left >= 0 && r.right <= innerWidth) {
    const hit = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
    if (e.contains(hit)) out.push([kind, name, state, r.x, r.y, r.width, r.height]); } };
const all = (selector, act) => document.querySelectorAll(selector).forEach(e => { if (!e.disabled) act(e); });
const word = e => e.id || e.innerText?.trim() || e.ariaLabel || '';
const named = e => `${e.closest('[data-name]')?.dataset.name ?? ''} ${word(e)}`;
all('button', e => add('button', e, named(e), (e.ariaExpanded ?? '') + (e.ariaPressed ?? '')));
all('summary', e => add('fold', e, named(e), e.parentElement.open));
all('input[type=range]', e => add('slider', e, named(e), e.value));
all('#scrub', e => add('slider', e, 'scrub', ''));
all('input[type=checkbox]', e => add('checkbox', e, named(e), e.checked));
all('input[type=number], input[type=text]', e => add('field', e, named(e), e.value));
all('select', e => add('select', e, e.id, e.value));
const { yaw, pitch } = footfall.view;
all('#view', e => out.push(['canvas', 'canvas', `${yaw} ${pitch}`, 0, 0, innerWidth, innerHeight]));
return out; })()"""
"""Everything that can be used: what it is, its name, its state, its place."""
SELECT = """((e, n) => { e.selectedIndex = Math.floor(n * e.options.length);
e.dispatchEvent(new Event('change', {bubbles: true})); })"""
UP_AND_DOWN = (
    "[...document.querySelectorAll('*')].filter(e => e.scrollHeight > e.clientHeight + 20 && e.clientHeight > 80)"
)
THERE = "document.documentElement?.dataset.ready === 'yes'"
ENOUGH = 10
"""Uses after which a control that did nothing is dead: one may come too late, or meet a page that is busy."""
SOFT = ("canvas", "scroll", "key", "nothing", "fold")
"""What may well do nothing: a click beside the walker, a key that means nothing now."""
Found = tuple[str, str, Any, float, float, float, float]


class _Answers:
    """What reaches the server: what pages ask for, and acts of the session."""

    def __init__(self, studio: Studio) -> None:
        self.count = 0
        self.clicks: dict[str, list[bool]] = {}
        hear, plain = studio.server._receive, studio.session.act

        def receive(client: Any, asked: Any) -> None:
            self._add()
            hear(client, asked)

        def act(job: Any) -> Any:
            self._add()
            return plain(job)

        studio.server._receive = receive
        studio.session.act = act  # type: ignore[method-assign]

    def _add(self) -> None:
        self.count += 1

    def note(self, name: str, before: int, changed: bool) -> None:
        """A control was used when so many had come; ``changed``: whether the page shows something else now."""
        self.clicks.setdefault(name, []).append(changed or self.count > before)

    @property
    def dead(self) -> list[str]:
        """Controls that never did anything."""
        return sorted(name for name, did in self.clicks.items() if len(did) >= ENOUGH and not any(did))


class _Complaints(logging.Handler):
    """What the server complains about."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what was logged, with the kind of an exception and the line that raised it."""
        words = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            words = "".join(traceback.format_exception(record.exc_info[1])[-2:]).strip()
        self.found.append(words[:400])


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


def click_at_random(actions: int, seed: int, controller: str = DEFAULT_CONTROLLER) -> dict[str, Any]:
    """Do so many random actions.

    Returns:
        ``actions`` by kind, ``complaints`` of the server, ``errors`` on the page's console, how many ``controls`` were
        used, those that are ``dead``, ``alive``: whether the studio reset and walked at the end, ``seconds``.
    """
    pick, done, complaints = random.Random(seed), Counter[str](), _Complaints()
    logging.getLogger("footfall.studio").addHandler(complaints)
    plain, sys.stderr = sys.stderr, _Tee(sys.stderr, complaints.found)
    warnings.filterwarnings("error", category=RuntimeWarning, module="footfall")
    began, errors = time.monotonic(), list[str]()
    with tempfile.TemporaryDirectory() as folder:
        studio = Studio(controller, port=0, folder=Path(folder), shadows=False)
        answers = _Answers(studio)
        try:
            with Browser(1280, 800, scale=0.5, drawing=False) as browser:
                page = browser.open(studio.address)
                page.wait(THERE, 90, "the page")
                for number in range(actions):
                    noticed, reached = len(complaints.found) + len(page.errors), answers.count
                    kind, name, changed = _act(page, pick)
                    done[kind] += 1
                    if kind not in SOFT:
                        answers.note(f"{kind} {name!r}", reached, changed)
                    if number % 100 == 99:
                        so_far: dict[str, object] = {"actions": number + 1, "seconds": round(time.monotonic() - began)}
                        so_far |= {"controls": len(answers.clicks), "dead": answers.dead}
                        print(json.dumps(so_far), flush=True)
                    if len(complaints.found) + len(page.errors) > noticed:
                        found = [*complaints.found, *page.errors][-1]
                        print(json.dumps({"action": number + 1, "after": f"{kind} {name}", "found": found}), flush=True)
                errors = list(page.errors)
            session = studio.session
            session.loop.call(session.reset, PATIENCE)  # it may compile just now
            session.loop.rate = 1.0
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
        "controls": len(answers.clicks),
        "dead": answers.dead,
        "alive": alive,
        "seed": seed,
        "seconds": round(time.monotonic() - began),
    }


def _act(page: Page, pick: random.Random) -> tuple[str, str, bool]:
    """One random action: its kind, the control's name, whether the page shows something else after it."""
    chance = pick.random()
    if chance < 0.12:
        key = pick.choice(KEYS)
        page.key(key)
        return "key", key, False
    if chance < 0.2:
        page.js(f"{{ const all = {UP_AND_DOWN}, e = all[Math.floor({pick.random()} * all.length)];"
                f" if (e) e.scrollTop = {pick.random()} * (e.scrollHeight - e.clientHeight); }}")  # fmt: skip
        return "scroll", "", False
    before: list[Found] = page.js(FOUND)
    if not before:
        page.js("document.activeElement?.blur()")
        return "nothing", "", False
    kind = pick.choice(sorted({f[0] for f in before}))
    found = pick.choice([f for f in before if f[0] == kind])
    try:
        _use(page, found, pick)
        page.js("new Promise(done => setTimeout(done, 40))")
        after: list[Found] = page.js(FOUND)
    except FootfallError:  # the page is being loaded again
        page.wait(THERE, 90, "the page again")
        return kind, found[1], True
    return kind, found[1], [f[:3] for f in before] != [f[:3] for f in after]


def _use(page: Page, found: Found, pick: random.Random) -> None:
    """Use a control as a person does."""
    kind, name, _, x, y, width, height = found
    at = (x + width / 2, y + height / 2)
    if kind == "slider":
        page.drag(at, (at[0] + pick.uniform(-60, 60), at[1]), steps=3, pause=0.01)
    elif kind == "select":
        page.js(f"{SELECT}(document.getElementById({json.dumps(name)}), {pick.random()})")
    elif kind == "canvas":
        start, end = ((x + pick.uniform(0.1, 0.9) * width, y + pick.uniform(0.1, 0.9) * height) for _ in range(2))
        start = pick.choice((start, (x + 0.5 * width, y + 0.5 * height)))
        page.drag(start, pick.choice((start, end)), steps=4, pause=0.01)
    else:
        page.click(*at)
    if kind == "field":
        if pick.random() < 0.5:
            if pick.random() < 0.5:
                page.js("document.activeElement?.select?.()")
            page.send("Input.insertText", text=pick.choice(TEXTS))
            page.js("document.activeElement?.blur()")
        elif pick.random() < 0.3:
            page.js("document.activeElement?.blur()")


def main() -> int:
    """Print what the command line asks for; the exit status is 1 where something went wrong."""
    parser = argparse.ArgumentParser(prog="python -m tools.clicking", description=__doc__)
    parser.add_argument("controller", nargs="?", default=DEFAULT_CONTROLLER)
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
