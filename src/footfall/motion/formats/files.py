"""Motion files by suffix: one way in, one way out.

Other packages add formats (:mod:`footfall.plugins`, group ``footfall.formats``) by their suffix without its dot: an
object, such as a module, that is a :class:`MotionFormat`, or half of one.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import wraps
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, Literal, Protocol

from footfall.errors import FootfallError
from footfall.motion.motion import Motion
from footfall.motion.skeleton.roles import with_roles
from footfall.plugins import load_plugin, plugin_names, plugin_package
from footfall.text_files import is_file, write_whole


class MotionFormat(Protocol):
    """A format of motion files that another package adds. One that is read only has no ``write``, and the other way
    round; options of one's own are keyword arguments."""

    def read(self, path: Path) -> Motion:
        """The motion in a file."""

    def write(self, motion: Motion, path: Path) -> None:
        """Write a motion to a new file."""


_FORMATS = {
    ".npz": ("record:read_npz", "record:write_npz"),
    ".csv": ("record:read_csv", "record:write_csv"),
    ".bvh": ("bvh:read_bvh", "bvh:write_bvh"),
    ".amc": ("asf_amc:read_amc", ""),
    ".c3d": ("c3d:read_c3d", "c3d_writer:write_c3d"),
    ".trc": ("opensim:read_trc", "opensim:write_trc"),
    ".mot": ("opensim:read_opensim", "opensim:write_opensim"),
    ".sto": ("opensim:read_opensim", "opensim:write_opensim"),
    ".glb": ("gltf_reader:read_gltf", "gltf_writer:write_gltf"),
    ".gltf": ("gltf_reader:read_gltf", "gltf_writer:write_gltf"),
    ".txt": ("body_models:read_deepmimic", "body_models:write_deepmimic"),
    ".fbx": ("fbx:read_fbx", "fbx:write_fbx"),
    **dict.fromkeys((".usda", ".usdc", ".usd", ".usdz"), ("", "gltf_writer:write_usd")),
}
"""Suffix -> reader and writer, each as a module of this folder and a function in it; empty where there is none."""
_READERS, _WRITERS = ({suffix: row[k] for suffix, row in _FORMATS.items() if row[k]} for k in (0, 1))
_LARGEST = 1 << 30


def readable_suffixes() -> tuple[str, ...]:
    """Suffixes of motion files that are read; of other packages' formats all, as none is loaded for this."""
    return (*_READERS, *(suffix for suffix in _guests() if suffix not in _READERS))


def writable_suffixes() -> tuple[str, ...]:
    """Suffixes of motion files that are written, likewise."""
    return (*_WRITERS, *(suffix for suffix in _guests() if suffix not in _WRITERS))


def _guests() -> dict[str, str]:
    """Suffix -> the name under which another package adds it."""
    return {f".{name.lstrip('.').lower()}": name for name in plugin_names("formats")}


def load_motion(path: str | Path, **options: Any) -> Motion:
    """Load a motion by the suffix of its file: .npz (footfall's own, or SMPL's as in AMASS), .csv, .bvh, .glb, .gltf,
    .amc (with its .asf beside it), .c3d, .trc, .mot, .sto (OpenSim), .txt (DeepMimic), .fbx (through Blender), or a
    format that another package adds.

    Args:
        path: the file.
        options: handed to the reader: ``unit`` and ``up`` where a file does not say them, ``animation`` of a glTF or
            FBX file, ``root`` of a BVH file with several figures.
    """
    path = Path(path)
    reader = _by_suffix(path, "read")
    _check_options(path, reader, options)
    if not is_file(path):
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
    known = with_roles(motion.skeleton, motion.root_position, motion.rotations)
    return motion if known is motion.skeleton else replace(motion, skeleton=known)


def save_motion(motion: Motion, path: str | Path, **options: Any) -> Path:
    """Save a motion as .npz or .csv (everything), .bvh (poses), .glb or .gltf (poses, a skinned body, everything else
    as extras), .c3d (points, ground forces, events), .trc (points), .mot or .sto (OpenSim's coordinates), .usd, .usda,
    .usdc or .usdz (poses and body), .fbx (through Blender), .txt (DeepMimic's figure), or as a format that another
    package adds.

    The file appears whole or not at all.
    """
    path = Path(path)
    writer = _by_suffix(path, "write")
    _check_options(path, writer, options)

    def write(part: Path) -> None:
        try:
            writer(motion, part, **options)
        except FootfallError as error:
            raise FootfallError(str(error).replace(str(part), str(path))) from error

    write_whole(path, write)
    return path


def _by_suffix(path: Path, verb: Literal["read", "write"]) -> Callable[..., Any]:
    suffix = path.suffix.lower()
    known = {"read": _READERS, "write": _WRITERS}[verb]
    if suffix in known:
        module, _, name = known[suffix].partition(":")
        function: Callable[..., Any] = getattr(import_module(f"footfall.motion.formats.{module}"), name)
        return function
    if suffix not in _guests():
        every = {"read": readable_suffixes, "write": writable_suffixes}[verb]()
        raise FootfallError(
            f"{path}: footfall cannot {verb} motion as '{suffix or path.name}'; choose one of: {', '.join(every)}"
        )
    guest = _guests()[suffix]
    own = getattr(load_plugin("formats", guest), verb, None)
    if not callable(own):
        package = plugin_package("formats", guest)
        raise FootfallError(
            f"{path}: package '{package}' cannot {verb} {suffix} files; choose one of: {', '.join(known)}"
        )
    answer = Motion if verb == "read" else object
    return _guarded(own, answer, f"{path}: package '{plugin_package('formats', guest)}' failed to {verb} it")


def _guarded(function: Callable[..., Any], answer: type, what: str) -> Callable[..., Any]:
    """A function of another package, whose exceptions and wrong answers become errors of one line."""

    @wraps(function)
    def guarded(*args: Any, **options: Any) -> Any:
        try:
            found = function(*args, **options)
        except FootfallError:
            raise
        except Exception as error:
            raise FootfallError(f"{what}: {type(error).__name__}: {error}") from error
        if not isinstance(found, answer):
            raise FootfallError(f"{what}: it returned {found!r:.60}, not a {answer.__name__}")
        return found

    return guarded


def _check_options(path: Path, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    known = [name for name, option in signature(function).parameters.items() if option.kind is option.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise FootfallError(f"{path}: '{name}' is not an option of a {path.suffix.lower()} file; {takes}")
