"""Captured clips and gait tables, which do not come with footfall: in the folder that ``FOOTFALL_DATA`` names."""

import os
from pathlib import Path

VARIABLE = "FOOTFALL_DATA"
"""Environment variable: a folder with ``gait`` (tables of people's walking) and ``mocap`` (clips)."""
_FOLDER = Path(os.environ.get(VARIABLE) or "footfall-data")
GAIT = _FOLDER / "gait"
MOCAP = _FOLDER / "mocap"


def data_folder() -> Path | None:
    """The folder that holds both, or None where one is missing."""
    return _FOLDER if GAIT.is_dir() and MOCAP.is_dir() else None
