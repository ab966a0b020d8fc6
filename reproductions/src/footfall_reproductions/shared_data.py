"""Captured clips and gait tables, which do not come with footfall: ``shared/data`` beside the repository."""

from pathlib import Path

__all__ = ["GAIT", "MOCAP", "data_folder"]

_FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "data"
GAIT = _FOLDER / "gait"
MOCAP = _FOLDER / "mocap"


def data_folder() -> Path | None:
    """The folder that holds both, or None where one is missing."""
    return _FOLDER if GAIT.is_dir() and MOCAP.is_dir() else None
