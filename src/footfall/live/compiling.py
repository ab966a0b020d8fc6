"""From C++ to WebAssembly, by the clang in the Python package ``ziglang``."""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

import warp as wp

from footfall.errors import FootfallError

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
