"""Bodies around the skeletons of motion files.

Motion is a layer above figures, so what reads it is asked by its name, and only for a file that is none of a figure's.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

READER = "footfall.motion.person_of_clip"


def clip_body(path: Path) -> Any | None:
    """The figure of the person in a motion file (see ``figure_from_motion``); None where it is no motion file."""
    reader = import_module(READER)
    return reader.person_of_file(path) if path.suffix.lower() in reader.readable_suffixes() else None
