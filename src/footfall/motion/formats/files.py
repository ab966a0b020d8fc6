"""Motion files by suffix: one way in, one way out."""

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.motion.motion import Motion
from footfall.writing import write_whole

__all__ = ["MOTION_READERS", "MOTION_WRITERS", "load_motion", "save_motion"]

MOTION_READERS = {
    ".npz": "footfall.motion.formats.npz_file:read_npz",
    ".csv": "footfall.motion.formats.csv_file:read_csv",
    ".bvh": "footfall.motion.formats.bvh:read_bvh",
    ".glb": "footfall.motion.formats.gltf_reader:read_glb",
    ".amc": "footfall.motion.formats.asf_amc:read_amc",
    ".c3d": "footfall.motion.formats.c3d:read_c3d",
}
MOTION_WRITERS = {
    ".npz": "footfall.motion.formats.npz_file:write_npz",
    ".csv": "footfall.motion.formats.csv_file:write_csv",
    ".bvh": "footfall.motion.formats.bvh_writer:write_bvh",
    ".glb": "footfall.motion.formats.gltf:write_glb",
}
_LARGEST = 1 << 30


def load_motion(path: str | Path, **options: Any) -> Motion:
    """Load a motion from .npz, .csv, .bvh, .glb (as footfall writes it), .amc (with its .asf beside it) or .c3d.

    Args:
        path: the file.
        options: handed to the reader, such as ``unit`` for .bvh.
    """
    path = Path(path)
    reader = _by_suffix(path, MOTION_READERS, "read")
    if not path.is_file():
        there = [p.name for p in path.parent.glob(f"*{path.suffix}")] if path.parent.is_dir() else []
        near = get_close_matches(path.name, there, n=1)
        raise FootfallError(f"{path}: there is no such file" + (f"; did you mean '{near[0]}'?" if near else ""))
    size = path.stat().st_size
    if size > _LARGEST:
        raise FootfallError(f"{path}: {size / 1e9:.1f} GB is too large for a motion (at most 1 GB)")
    try:
        motion: Motion = reader(path, **options)
    except FootfallError as error:
        if str(path) in str(error):
            raise
        raise FootfallError(f"{path}: {error}") from error
    return motion


def save_motion(motion: Motion, path: str | Path, **options: Any) -> Path:
    """Save a motion as .npz or .csv (everything), .bvh (poses) or .glb (poses, a skinned body, everything else as
    extras).

    The file appears whole or not at all.
    """
    path = Path(path)
    writer = _by_suffix(path, MOTION_WRITERS, "write")
    write_whole(path, lambda part: writer(motion, part, **options))
    return path


def _by_suffix(path: Path, known: dict[str, str], verb: str) -> Callable[..., Any]:
    suffix = path.suffix.lower()
    if suffix not in known:
        raise FootfallError(
            f"{path}: footfall cannot {verb} motion as '{suffix or path.name}'; choose one of: {', '.join(known)}"
        )
    module, _, name = known[suffix].partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
