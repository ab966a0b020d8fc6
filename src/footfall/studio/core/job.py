"""A study in a process of its own, so that the walker in the studio walks on.

``python -m footfall.studio.core.job`` reads one JSON object on standard input, writes a line
``{"progress": 0…1, "words": "…"}`` now and then, some with a ``"sketch"`` of the result so far, and at last a line
``{"result": …}`` or ``{"error": "…"}``. It ends when standard input does, as when the studio is gone. A line
``finish`` ends a search early with the best that it has found.
"""

import _thread
import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

from footfall.errors import FootfallError
from footfall.studio.core.studies import Result, Subject, study


class Job:
    """A study under way.

    Args:
        asked: the study's name, the controller, the setting and options.
        told: called in a thread of its own with each report: ``progress`` with ``words`` and maybe a ``sketch``; at
            last ``result`` or ``error``, unless it was stopped.

    Attributes:
        process: that computes it.
    """

    def __init__(self, asked: Mapping[str, Any], told: Callable[["Job", dict[str, Any]], None]) -> None:
        self._told, self._stopped = told, False
        self.process = subprocess.Popen(
            [sys.executable, "-m", "footfall.studio.core.job"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._write(json.dumps(dict(asked)))
        threading.Thread(target=self._read, name=f"footfall-{asked['study']}", daemon=True).start()

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def finish(self) -> None:
        """End a search early, with the best that it has found."""
        self._write("finish")

    def stop(self) -> None:
        self._stopped = True
        if self.running:
            self.process.terminate()

    def _write(self, line: str) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except (OSError, ValueError):
            pass  # it has ended, its input is closed perhaps, and its last report says how

    def _read(self) -> None:
        assert self.process.stdout is not None
        last: dict[str, Any] = {}
        for line in self.process.stdout:
            if not self._stopped:  # else the last line may be cut off
                last = json.loads(line)
                self._told(self, last)
        status = self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()
        if not self._stopped and not {"result", "error"} & set(last):
            self._told(self, {"error": f"it ended without a result (status {status})"})


def _listen(lines: Iterable[str]) -> None:
    for line in lines:
        if line.strip() == "finish":
            _thread.interrupt_main()
    os._exit(1)


def work() -> int:
    with contextlib.suppress(OSError):
        os.nice(10)
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def write(**line: Any) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    most = 0.0

    def progress(part: float, words: str = "", sketch: Result | None = None) -> None:
        nonlocal most
        most = max(most, part)
        write(progress=most, words=words, **({"sketch": asdict(sketch)} if sketch else {}))

    asked = json.loads(sys.stdin.readline())
    threading.Thread(target=_listen, args=(sys.stdin,), daemon=True).start()
    try:
        subject = Subject(asked["controller"], asked["setting"], asked.get("drive"))
        result = study(str(asked["study"]), subject, progress, **asked.get("options", {}))
    except FootfallError as error:
        write(error=str(error))
        return 2
    except KeyboardInterrupt:
        write(error="it was ended before it had found anything")
        return 2
    except Exception as error:
        write(error=f"{type(error).__name__}: {error}")
        raise
    write(result=asdict(result))
    return 0


if __name__ == "__main__":
    sys.exit(work())
