"""Compiled modules: those that come with footfall, in ``modules/`` beside this file, and those that are compiled when
they are needed, from C++ to WebAssembly by the clang in the Python package ``ziglang``. In a checkout
``make live-modules`` compiles the shipped ones again.
"""

import gzip
import hashlib
import importlib.util
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import warp as wp

from footfall.errors import FootfallError
from footfall.live.character import Character
from footfall.live.source import Table

FLAGS = (
    "-target", "wasm32-freestanding", "-std=c++17", "-Os", "-fno-exceptions", "-fno-rtti", "-fno-math-errno",
    "-ffp-contract=off", "-fno-slp-vectorize", "-D_Float16=float", "-w",
    "-flto",
)  # fmt: skip
LINK = ("--no-entry", "--gc-sections", "--strip-all", "-O2", "-z", "stack-size=131072")


def has_compiler() -> bool:
    """Whether ``ziglang`` is installed."""
    return importlib.util.find_spec("ziglang") is not None


def compile_module(text: str, what: str = "module") -> bytes:
    """A WebAssembly module from the text of :func:`footfall.live.source.module_source`."""
    if not has_compiler():
        raise FootfallError(
            f"{what}: no compiled module is shipped for it; pip install 'footfall[live]' to compile one"
        )
    native = Path(wp.__file__).parent / "native"
    with tempfile.TemporaryDirectory(prefix="footfall-live-") as folder:
        source, thing, module = (Path(folder) / name for name in ("module.cpp", "module.o", "module.wasm"))
        source.write_text(text, encoding="utf-8")
        _zig(folder, "c++", *FLAGS, f"-I{native}", "-c", str(source), "-o", str(thing), what=what)
        _zig(folder, "wasm-ld", *LINK, str(thing), "-o", str(module), what=what)
        return module.read_bytes()


def _zig(folder: str, *arguments: str, what: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", *arguments], capture_output=True, text=True, cwd=folder, check=False
    )
    if done.returncode != 0:
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[-300:])
        raise FootfallError(f"{what}: the compiler failed: {first}")


@dataclass(frozen=True)
class Module:
    """A WebAssembly module and the tables in it."""

    wasm: bytes
    tables: tuple[Table, ...]


_compiled: dict[str, Module] = {}


def key_of(character: Character) -> str:
    """A digest of what a module depends on."""
    return hashlib.sha256(repr(character.key).encode()).hexdigest()[:16]


def module_of(character: Character) -> Module:
    """The module of a character: shipped, or compiled now, which takes ten seconds or more."""
    key = key_of(character)
    shipped = shipped_index().get(key)
    if shipped is not None:
        packed = (files("footfall.live") / "modules" / f"{shipped['name']}.wasm.gz").read_bytes()
        return Module(gzip.decompress(packed), _tables(shipped["tables"]))
    if key not in _compiled or character.law.key is None:
        _compiled[key] = _compile(character)
    return _compiled[key]


def _compile(character: Character) -> Module:
    source = character.source()
    return Module(compile_module(source.text, f"controller '{character.name}'"), source.tables)


def _tables(rows: list[Any]) -> tuple[Table, ...]:
    return tuple(Table(name, kind, tuple(shape)) for name, kind, shape in rows)


@cache
def shipped_index() -> dict[str, Any]:
    """The shipped modules by key: file name, digests of their source by processor, and tables. Some numbers of figures
    differ in their last digit from processor to processor, and so does the text that is made there; a module that was
    made on one serves all."""
    index = files("footfall.live") / "modules" / "index.json"
    found: dict[str, Any] = json.loads(index.read_text(encoding="utf-8")) if index.is_file() else {}
    return found
