"""A client that watches a studio as a browser's page does, without drawing: it reads every message and answers.

``python -m tools.watcher ADDRESS`` watches, and prints what it has seen so far for every line that it
reads.
"""

import json
import subprocess
import sys
import threading

from footfall.studio.server import SOCKET


class Watcher:
    """A client in a thread of its own. Use it in a ``with`` statement.

    Attributes:
        frames: messages of the server that moved something.
        bytes: how much came.
    """

    def __init__(self, address: str) -> None:
        from websockets.sync.client import connect

        self.frames = self.bytes = 0
        where = address.replace("http://", "ws://") + SOCKET
        self._socket = connect(where, max_size=None, compression=None, ping_interval=None)
        self._thread = threading.Thread(target=self._watch, name="footfall-watcher", daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            for raw in self._socket:
                self.bytes += len(raw)
                if isinstance(raw, bytes):
                    self.frames += 1
                    self._answer(int.from_bytes(raw[:4], "little"))
                elif not (turn := json.loads(raw))["frame"]:
                    self._answer(turn["n"])
        except ConnectionClosed:
            return

    def _answer(self, turn: int) -> None:
        self._socket.send(json.dumps({"type": "ack", "n": turn}))

    def close(self) -> None:
        """Go away."""
        self._socket.close()
        self._thread.join(timeout=5.0)

    def __enter__(self) -> "Watcher":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class WatcherApart:
    """A client in a process of its own, so that it takes no time from the studio's. Use it in a ``with`` statement."""

    def __init__(self, address: str) -> None:
        command = [sys.executable, "-m", "tools.watcher", address]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.seen()

    def seen(self) -> dict[str, int]:
        """``frames``: messages that moved something, so far. ``bytes``: how much came."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        answer: dict[str, int] = json.loads(self._process.stdout.readline())
        return answer

    def __enter__(self) -> "WatcherApart":
        return self

    def __exit__(self, *_: object) -> None:
        with self._process as process:
            process.terminate()


def main() -> int:
    """Watch the studio at the address that the command line names."""
    with Watcher(sys.argv[1]) as watcher:
        for _ in sys.stdin:
            print(json.dumps({"frames": watcher.frames, "bytes": watcher.bytes}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
