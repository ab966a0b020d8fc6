"""A study that runs in a process of its own, as the studio sees it (:mod:`.worker` is the other end)."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any


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
            [sys.executable, "-m", "footfall.studio.core.studies.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._write(json.dumps(dict(asked)))
        threading.Thread(target=self._read, name=f"footfall-{asked['study']}", daemon=True).start()

    @property
    def running(self) -> bool:
        """Whether it is being computed."""
        return self.process.poll() is None

    def finish(self) -> None:
        """End a search early, with the best that it has found."""
        self._write("finish")

    def stop(self) -> None:
        """End it without a result."""
        self._stopped = True
        if self.running:
            self.process.terminate()

    def _write(self, line: str) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended, and its last report says how

    def _read(self) -> None:
        assert self.process.stdout is not None
        last: dict[str, Any] = {}
        for line in self.process.stdout:
            last = json.loads(line)
            if not self._stopped:
                self._told(self, last)
        status = self.process.wait()
        assert self.process.stdin is not None
        self.process.stdin.close()
        if not self._stopped and not {"result", "error"} & set(last):
            self._told(self, {"error": f"it ended without a result (status {status})"})
