"""What a result depends on besides its job: footfall's files, the versions beneath, and the processor.

Equal sources on processors of one kind give equal bits.
"""

import hashlib
import os
import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

import footfall
from footfall.kernels.quick import QUICK

_SUFFIXES = {".py", ".toml", ".xml", ".csv", ".txt"}
_BENEATH = {"mujoco": "mujoco", "warp": "warp-lang", "numpy": "numpy"}


def files_digest(*homes: Path) -> str:
    """A digest of the files of packages, by their folders."""
    digest = hashlib.sha256()
    for home in homes:
        for path in sorted(p for p in home.rglob("*") if p.suffix in _SUFFIXES):
            digest.update(str(path.relative_to(home)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def own_source() -> Mapping[str, str]:
    """This process's footfall and what is beneath it, by name."""
    source = {"footfall": files_digest(Path(footfall.__file__).resolve().parent)}
    source["python"] = ".".join(platform.python_version_tuple()[:2])
    source |= {name: metadata.version(package) for name, package in _BENEATH.items()}
    source["kernels"] = "quick" if os.environ.get(QUICK) else "optimised"
    return source


def differences(wanted: Mapping[str, str], found: Mapping[str, str]) -> list[str]:
    """In words, what of a source is not as wanted."""
    words = []
    for name, value in wanted.items():
        other = found.get(name, "none")
        if other != value:
            words.append("other files of footfall" if name == "footfall" else f"{name} {other} instead of {value}")
    return words


@cache
def processor_name() -> str:
    """The kind of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith(("model name", "Model"))]
    return names[0] if names else platform.machine()
