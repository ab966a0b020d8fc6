"""What a paper's rows were measured by: digests of the modules of footfall that were loaded, of the paper's folder, and
the versions of the libraries. Rows are older than the code where one of them has changed."""

import hashlib
import json
import platform
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

import footfall
from footfall.clusters.chunk_folder import processor_name
from footfall.clusters.jobs import usable_cores
from footfall_reproductions import PAPERS

BENEATH = ("figures", "terrain", "motion", "kernels", "dynamics", "control", "simulation", "methods", "study")
"""Packages of footfall that decide what is measured: not the command line, the studio, pages and pictures."""
HOME, OWN = Path(footfall.__file__).resolve().parent, Path(__file__).resolve().parent
SHARED = ("captured_data.py", "foot_slip.py", "rates.py", "tables.py", "trials.py")
"""Modules that papers share."""
WORDS = "claims.toml"
"""The file of a paper that says what is claimed; it measures nothing."""
_LIBRARIES = {"mujoco": "mujoco", "warp": "warp-lang", "numpy": "numpy"}
_SUFFIXES = {".py", ".toml", ".xml", ".csv", ".txt"}


def machine() -> dict[str, str]:
    """The machine and the versions of what measures."""
    versions = {name: metadata.version(package) for name, package in {"footfall": "footfall", **_LIBRARIES}.items()}
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": processor_name(),
        "cores": str(usable_cores()),
        "python": platform.python_version(),
        **versions,
    }


def sources(paper: str) -> Mapping[str, str]:
    """Digests and versions by name of whatever this process has loaded to measure a paper: modules and folders of
    footfall's packages, and what lies beside them as data. Equal sources measure equal rows."""
    loaded = [name for name in BENEATH if f"footfall.{name}" in sys.modules]
    entries = [
        f"footfall.{name}.{path.stem if _code(path) else path.name}" for name in loaded for path in _within(name)
    ]
    measured = [name for name in entries if name in sys.modules or not _code(HOME / _path(name))]
    return _now((*measured, f"reproductions.{PAPERS[paper]}", "reproductions", *_LIBRARIES))


def changed(old: Mapping[str, str]) -> list[str]:
    """Names of the sources that are no longer what they were."""
    now = _now(tuple(old))
    return [name for name in old if now[name] != old[name]]


def fingerprint(paper: str) -> str:
    """Of all that a paper's rows may be measured by, on any machine."""
    names = (*(f"footfall.{name}" for name in BENEATH), f"reproductions.{PAPERS[paper]}", "reproductions", *_LIBRARIES)
    return hashlib.sha256(json.dumps(_now(names)).encode()).hexdigest()[:16]


def _now(names: Iterable[str]) -> dict[str, str]:
    return {name: _current(name) for name in names}


@cache
def _current(name: str) -> str:
    """The digest of a source as it lies here, or the version of a library; empty where it is gone."""
    if name in _LIBRARIES:
        return metadata.version(_LIBRARIES[name])
    if name == "reproductions":
        return _digest(OWN / shared for shared in SHARED)
    own = name.startswith("reproductions.")
    path = OWN / name.partition(".")[2] if own else HOME / _path(name)
    return _digest(_files(path) if path.is_dir() else [path]) if path.exists() else ""


def _within(package: str) -> list[Path]:
    return sorted(p for p in (HOME / package).iterdir() if p.is_dir() or p.suffix in _SUFFIXES)


def _path(name: str) -> Path:
    """Within footfall, of ``footfall.PACKAGE`` or ``footfall.PACKAGE.ENTRY``: a folder, a module or a file of data."""
    _, package, *entry = name.split(".", 2)
    path = Path(package, *entry)
    return path.with_name(f"{path.name}.py") if (HOME / path).with_name(f"{path.name}.py").is_file() else path


def _code(path: Path) -> bool:
    return path.suffix == ".py" or (path / "__init__.py").is_file()


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix in _SUFFIXES and p.name != WORDS)


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]
