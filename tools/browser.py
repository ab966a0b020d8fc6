"""A headless browser, driven over its debugging protocol: for pictures of the studio and for its tests."""

import base64
import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from footfall.errors import FootfallError

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-gpu-compositing",
    "--disable-gpu-rasterization",
    "--disable-accelerated-2d-canvas",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-port=0",
)
"""As a browser of a machine without a graphics card: WebGL, all else on the page and its composition in software."""
PATIENCE = 300.0
"""Seconds that an answer or a condition is waited for. A busy machine may need many; nothing takes longer for it."""
KEYS = {
    " ": ("Space", " ", 32),
    "ArrowRight": ("ArrowRight", "ArrowRight", 39),
    "ArrowLeft": ("ArrowLeft", "ArrowLeft", 37),
    "ArrowUp": ("ArrowUp", "ArrowUp", 38),
    "End": ("End", "End", 35),
    "Home": ("Home", "Home", 36),
    "Enter": ("Enter", "Enter", 13),
    "Escape": ("Escape", "Escape", 27),
    "Tab": ("Tab", "Tab", 9),
}
PLACE = """(async () => {
const find = () => ELEMENT, e = find(); if (!e) return null;
const middle = () => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, r.width]; };
e.scrollIntoView({block: 'center', behavior: 'instant'});
const before = middle(); await new Promise(done => setTimeout(done, 60));
const after = middle(), moves = before.some((x, i) => Math.abs(x - after[i]) > 0.5);
if (find() !== e || !after[2] || moves) return null;
const hit = document.elementFromPoint(after[0], after[1]);
return hit && (e.contains(hit) || hit.contains(e)) ? after : null; })()"""
"""Where ELEMENT can be clicked: it stays there, and nothing else lies over it."""
SWITCH = """const names = ['drawElements', 'drawArrays', 'drawElementsInstanced', 'drawArraysInstanced', 'clear'];
for (const name of names) {
  const plain = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...them) { if (window.drawing) plain.apply(this, them); }; }
window.drawing = false;"""
"""Makes a page's WebGL draw only while ``window.drawing`` is true; all else runs as it does."""


def find_chromium() -> str | None:
    """Where Chromium is installed; None if it is not."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if found := shutil.which(name):
            return found
    return None


_Quiet = type("_Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address at which a folder is served while the ``with`` statement lasts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Browser:
    """A headless Chromium with a profile of its own. Use it in a ``with`` statement.

    Args:
        width, height: of its pages, in their own pixels.
        scale: pixels drawn for each of those, in each direction; few are faster without a graphics card.
        drawing: whether 3D scenes are drawn. Without a graphics card a page spends most of its time on that. A page
            that does not draw does all else, and draws while its script sets ``window.drawing``.

    Attributes:
        downloads: the folder that downloaded files appear in.
    """

    def __init__(self, width: int = 1440, height: int = 900, scale: float = 1.0, *, drawing: bool = True) -> None:
        program = find_chromium()
        if program is None:
            raise FootfallError("no Chromium was found here; install it (apt-get install chromium)")
        self._folder = tempfile.TemporaryDirectory(prefix="footfall-browser-", ignore_cleanup_errors=True)
        profile = Path(self._folder.name) / "profile"
        self.downloads = Path(self._folder.name) / "downloads"
        self.downloads.mkdir()
        self.size, self.scale, self.drawing = (width, height), scale, drawing
        self._process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._port = self._find_port(profile / "DevToolsActivePort")
        self.pages: list[Page] = []
        self._session = Session(self._ask("json/version")["webSocketDebuggerUrl"])
        self._session.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))

    def _ask(self, path: str, method: str = "GET") -> Any:
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}/{path}", method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def _find_port(self, file: Path) -> int:
        for _ in range(300):
            if file.is_file() and (lines := file.read_text().split()):
                return int(lines[0])
            if self._process.poll() is not None:
                break
            time.sleep(0.1)
        raise FootfallError("Chromium did not start")

    def open(self, address: str, size: tuple[int, int] | None = None, scale: float | None = None) -> "Page":
        """A page of its own window at an address; of another size and scale where they are given."""
        target = self._session.send("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        socket = f"ws://127.0.0.1:{self._port}/devtools/page/{target}"
        page = Page(socket, size or self.size, scale or self.scale)
        self.pages.append(page)
        if not self.drawing:
            page.send("Page.addScriptToEvaluateOnNewDocument", source=SWITCH)
        page.go(address)
        return page

    def close(self) -> None:
        """End it."""
        for page in self.pages:
            page.close()
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Session:
    """A connection to the browser or to one of its tabs.

    Attributes:
        errors: exceptions and errors on the console that arrived while answers were awaited.
    """

    def __init__(self, socket: str) -> None:
        from websockets.sync.client import connect

        self.errors: list[str] = []
        self._socket = connect(socket, max_size=None, open_timeout=60, ping_interval=None)
        self._number = 0

    def send(self, method: str, *, wait: bool = True, **parameters: Any) -> Any:
        """One command of the protocol and its answer; without ``wait``, for what kills the page, none."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while wait:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if (problem := _problem(answer)) and len(self.errors) < 1000:
                self.errors.append(problem)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise FootfallError(f"browser: {method}: {answer['error'].get('message')}")
                return answer["result"]


def _problem(answer: dict[str, Any]) -> str:
    """An exception or an error on the page's console that the browser tells of; empty for anything else."""
    method, parameters = answer.get("method"), answer.get("params", {})
    if method == "Runtime.exceptionThrown":
        details = parameters["exceptionDetails"]
        return str(details.get("exception", {}).get("description", details.get("text")))[:400]
    if method == "Runtime.consoleAPICalled" and parameters["type"] == "error":
        return " ".join(str(a.get("value", a.get("description", ""))) for a in parameters["args"])[:400]
    return ""


class Page(Session):
    """A tab."""

    def __init__(self, socket: str, size: tuple[int, int], scale: float = 1.0) -> None:
        super().__init__(socket)
        self.open = True
        self.send("Page.enable")
        self.send("Runtime.enable")
        width, height = size
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )

    def go(self, address: str) -> None:
        """Load an address."""
        self.send("Page.navigate", url=address)

    def js(self, expression: str) -> Any:
        """The value of an expression in the page."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise FootfallError(f"browser: {details.get('exception', {}).get('description', details.get('text'))}")
        return answer["result"].get("value")

    def wait(self, expression: str, seconds: float = PATIENCE, what: str = "") -> Any:
        """Wait until an expression is true in the page; its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.js(expression):
                return value
            time.sleep(0.1)
        raise FootfallError(f"browser: waited {seconds:g} s in vain for {what or expression}")

    def screenshot(self, path: Path | None = None) -> bytes:
        """The page as a PNG."""
        picture = base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
        if path is not None:
            path.write_bytes(picture)
        return picture

    def place(self, expression: str, seconds: float = PATIENCE) -> tuple[float, float]:
        """The middle of the element that an expression names, once it is there, scrolled into view, at rest and not
        covered by another one."""
        found = self.wait(PLACE.replace("ELEMENT", expression), seconds, f"a place to click {expression}")
        return float(found[0]), float(found[1])

    def mouse(
        self, kind: str, x: float, y: float, button: str = "left", buttons: int = 1, *, wait: bool = True
    ) -> None:
        """One event of the mouse: mousePressed, mouseMoved or mouseReleased.

        Without ``wait`` the page may still be at work on it. Events keep their order, and the answer to one comes only
        after the next picture: a gesture that waits for its last event alone is ten times as fast.
        """
        self.send(
            "Input.dispatchMouseEvent", wait=wait, type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1
        )

    def click(self, x: float, y: float) -> None:
        """Click at a place."""
        self.mouse("mouseMoved", x, y, "none", 0, wait=False)
        self.mouse("mousePressed", x, y, wait=False)
        self.mouse("mouseReleased", x, y, buttons=0)

    def click_on(self, expression: str, seconds: float = PATIENCE) -> None:
        """Click on the element that an expression names, once it can be clicked (see :meth:`place`)."""
        self.click(*self.place(expression, seconds))

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 8, pause: float = 0.06) -> None:
        """Press at one place, move to another and let go."""
        self.mouse("mouseMoved", *start, "none", 0, wait=False)
        time.sleep(pause)
        self.mouse("mousePressed", *start, wait=False)
        for k in range(1, steps + 1):
            time.sleep(pause)
            x, y = (a + (b - a) * k / steps for a, b in zip(start, end))
            self.mouse("mouseMoved", x, y, wait=False)
        time.sleep(2 * pause)
        self.mouse("mouseReleased", *end, buttons=0)

    def key(self, key: str, modifiers: int = 0) -> None:
        """Press a key (modifiers: 2 Ctrl, 8 Shift)."""
        if key in KEYS:
            code, text, number = KEYS[key]
        else:
            code, text, number = f"Key{key.upper()}" if key.isalpha() else f"Digit{key}", key, ord(key.upper())
        common: dict[str, Any] = {"key": text, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        self.send("Input.dispatchKeyEvent", type="keyDown", **common)
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def close(self) -> None:
        """Close the tab."""
        if self.open:
            self.open = False
            try:
                self.send("Page.close")
            except Exception:
                return
            finally:
                self._socket.close()
