"""Commands that serve a page until they are stopped."""

import time
from collections.abc import Callable


def serve(stop: Callable[[], None]) -> int:
    """Wait for Ctrl+C, then stop the page; the command's exit status."""
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        return 0
    finally:
        stop()
