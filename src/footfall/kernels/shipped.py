"""Compiled kernels that come with footfall, so that the first start of the studio and the first walks need
not wait for a compiler.

They are in one archive for each kind of machine, ``compiled/MACHINE.zip``, under the names that Warp gives them. A name
holds a digest of all that goes into the kernel: one that is out of date is not found, and compiled as any other.
``make wheel`` compiles them into a wheel for machines such as the one that builds it.
``make kernels`` compiles an archive in a checkout.
"""

import json
import platform
import sys
import zipfile
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from footfall.errors import FootfallError
from footfall.text_files import write_whole

TARGETS = {
    "x86_64": ("x86-64-v3", frozenset(("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"))),
    "amd64": ("x86-64-v3", frozenset(("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"))),
    "aarch64": ("generic", frozenset[str]()),
    "arm64": ("generic", frozenset[str]()),
}
"""Machine -> the processor that kernels are compiled for, and what it asks of one: every x86-64 of the last ten years,
every 64-bit ARM."""
ABOUT = "about.json"


def portable_flag() -> str:
    """The compiler's flag for kernels that run on any machine such as this one."""
    machine = platform.machine().lower()
    if machine not in TARGETS:
        raise FootfallError(f"kernels cannot be compiled ahead for '{machine}'; only for {', '.join(TARGETS)}")
    return f"-target-cpu {TARGETS[machine][0]}"


def archive_name() -> str:
    """The archive for machines such as this one."""
    return f"{platform.machine().lower()}-{sys.platform}.zip"


def put_in_place(folder: Path, name: str) -> bool:
    """Put a shipped kernel into Warp's cache; whether there was one that this machine can run.

    Args:
        folder: the kernel's folder in the cache.
        name: of its object file in there.
    """
    archive = files("footfall.kernels") / "compiled" / archive_name()
    if not archive.is_file():
        return False
    context: Any = import_module("warp._src.context")
    _, needed = TARGETS.get(platform.machine().lower(), ("", None))
    if needed is None or not context._get_cpu_feature_set() >= needed:
        return False
    with archive.open("rb") as file, zipfile.ZipFile(file) as kernels:
        if f"{folder.name}.o" not in kernels.namelist() or json.loads(kernels.read(ABOUT)) != built_with():
            return False
        folder.mkdir(parents=True, exist_ok=True)
        try:
            write_whole(folder / f"{folder.name}.meta", kernels.read(f"{folder.name}.meta"))
            write_whole(folder / name, kernels.read(f"{folder.name}.o"))
        except FootfallError:
            return False
    return True


def built_with() -> dict[str, str]:
    """What a kernel must have been compiled with to be loaded by the Warp that runs."""
    context: Any = import_module("warp._src.context")
    return {
        "warp": str(import_module("warp").config.version),
        "llvm": str(context._get_cpu_toolchain_version()),
        "triple": str(context._get_cpu_target_triple()),
    }
