"""A study in its own process, so that the walker in the studio walks on.

``python -m footfall.studio.core.studies.worker`` reads one JSON object on standard input, writes a line
``{"progress": 0…1, "words": "…"}`` now and then, some with a ``"sketch"`` of the result so far, and at last a line
``{"result": …}`` or ``{"error": "…"}``. It ends when standard input does, as when the studio is gone. A line
``finish`` ends a search early with the best that it has found.
"""

import _thread
import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any

from footfall.errors import FootfallError, unknown_name
from footfall.studio.core.studies.gaits import stability_study, sweep_study
from footfall.studio.core.studies.robustness import basin_study, rose_study
from footfall.studio.core.studies.searches import adapt_study, find_gait_study, optimize_study
from footfall.studio.core.studies.study import Progress, Result, Subject

STUDIES: dict[str, Callable[..., Result]] = {
    "rose": rose_study,
    "basin": basin_study,
    "stability": stability_study,
    "sweep": sweep_study,
    "optimise": optimize_study,
    "adapt": adapt_study,
    "find-gait": find_gait_study,
}


def study(name: str, subject: Subject, progress: Progress, **options: Any) -> Result:
    """Do a study, of a balanced walker where the subject has a drive."""
    if name not in STUDIES:
        raise unknown_name("study", name, STUDIES)
    if subject.drive is None or name not in ("rose", "basin"):
        return STUDIES[name](subject, progress, **options)
    from footfall.studio.core.studies.balanced import balanced_basin, balanced_rose

    balanced: dict[str, Callable[..., Result]] = {"rose": balanced_rose, "basin": balanced_basin}
    return balanced[name](subject, progress, **options)


def _listen(lines: Iterable[str]) -> None:
    """Do what the studio says while the study runs."""
    for line in lines:
        if line.strip() == "finish":
            _thread.interrupt_main()
    os._exit(1)


def main() -> int:
    """Do the study that standard input asks for."""
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
    sys.exit(main())
