"""Motions as .npz: every array as it is, and the description as JSON."""

import io
import zipfile
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.formats.record import describe, read_description, rebuild
from footfall.motion.formats.smpl import SMPL_KEYS, is_smpl, smpl_motion
from footfall.motion.motion import Motion

_LARGEST = 1 << 30
_LARGEST_SQUEEZED = 1 << 26
_FRAMES = ("times", "root_position", "rotations")


def write_npz(motion: Motion, path: Path) -> None:
    """Save a motion; ``read_npz`` gives it back bit for bit."""
    arrays: dict[str, np.ndarray] = {name: getattr(motion, name) for name in _FRAMES}
    arrays |= {f"channel/{name}": value for name, value in motion.channels.items()}
    text = np.frombuffer(describe(motion).encode(), dtype=np.uint8)
    np.savez_compressed(path, allow_pickle=False, description=text, **arrays)


def read_npz(path: Path, *, up: str | None = None) -> Motion:
    """Load a motion saved by ``write_npz``, or an SMPL motion as AMASS has them (see ``smpl``).

    No pickles are read, and sizes are checked before anything is unpacked.

    Args:
        path: the file.
        up: upward axis of an SMPL motion's world; by default what its poses tell.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            _check_sizes(archive, path)
            held = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            smpl = "description" not in held and is_smpl(set(held))
            wanted = {name: info for name, info in held.items() if not smpl or name in SMPL_KEYS}
            arrays = {name: _array(archive, info, path) for name, info in wanted.items()}
    except FootfallError:
        raise
    except (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError, SyntaxError) as error:
        raise FootfallError(f"{path}: not a readable .npz ({' '.join(str(error).split())[:100]})") from error
    except Exception as error:  # zlib and numpy's header parser raise their own kinds on damaged bytes
        raise FootfallError(f"{path}: not a readable .npz ({type(error).__name__})") from error
    if smpl:
        return smpl_motion(arrays, path, up=up or "auto")
    if up is not None:
        raise FootfallError(f"{path}: 'up' is not an option of a footfall motion; its axes are known")
    missing = [name for name in ("description", *_FRAMES) if name not in arrays]
    if missing:
        raise FootfallError(f"{path}: neither a footfall motion ('{missing[0]}' is missing) nor one of SMPL ('poses')")
    text = arrays["description"].astype(np.uint8, copy=False).tobytes().decode("utf-8", errors="replace")
    described = read_description(text, str(path))
    frames = {name.removeprefix("channel/"): value for name, value in arrays.items() if name.startswith("channel/")}
    return rebuild(described, frames | {name: arrays[name] for name in _FRAMES}, str(path))


def _check_sizes(archive: zipfile.ZipFile, path: Path) -> None:
    size = sum(info.file_size for info in archive.infolist())
    packed = sum(info.compress_size for info in archive.infolist())
    if size > _LARGEST or (size > _LARGEST_SQUEEZED and size > 400 * max(packed, 1)):
        raise FootfallError(f"{path}: it would unpack to {size / 1e6:.0f} MB; no footfall motion does")


def _array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> np.ndarray:
    content = io.BytesIO(archive.read(info))
    major, _ = np.lib.format.read_magic(content)
    header = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(content)
    left = info.file_size - content.tell()
    if dtype.hasobject or int(np.prod([int(n) for n in shape], dtype=object)) * dtype.itemsize != left:
        raise FootfallError(f"{path}: array '{info.filename}' does not hold what its header says")
    content.seek(0)
    return np.asarray(np.lib.format.read_array(content, allow_pickle=False))
