"""What a paper's rows were measured by: digests of the packages of footfall beneath them, of the paper's folder, and
the versions of the libraries. Rows are older than the code where one of them has changed."""

import hashlib
import json
import platform
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


@cache
def sources(paper: str) -> Mapping[str, str]:
    """Digests and versions by name: equal sources measure equal rows."""
    home, own = Path(footfall.__file__).resolve().parent, Path(__file__).resolve().parent
    files = {f"footfall.{name}": _files(home / name) for name in BENEATH}
    files[f"reproductions.{PAPERS[paper]}"] = _files(own / PAPERS[paper])
    files["reproductions"] = [own / name for name in SHARED]
    found = {name: _digest(paths) for name, paths in files.items()}
    return found | {name: metadata.version(package) for name, package in _LIBRARIES.items()}


@cache
def fingerprint(paper: str) -> str:
    """Of all sources of a paper."""
    return hashlib.sha256(json.dumps(sources(paper)).encode()).hexdigest()[:16]


def _files(folder: Path) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix in _SUFFIXES and p.name != WORDS)


def _digest(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]
