"""What a GPU's compiler makes of footfall's kernels: registers, values that do not fit them, instructions.

python -m tools.registers [CONTROLLER:INTEGRATOR …] [--threads 64] [--blocks 8] [--precision float32] [--arch 90]

A kernel whose values do not fit a thread's registers writes some of them to memory and reads them again (spills), which
is what limits the human's. No GPU is needed: Warp's own compiler writes the assembly, and NVIDIA's assembler ``ptxas``
(of a CUDA toolkit, or ``pip install nvidia-cuda-nvcc``) says what becomes of it. ``--blocks`` is how many blocks of
``--threads`` threads must fit a multiprocessor: fewer leave each thread more registers.
"""

import argparse
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.kernels.start import start_warp

CASES = ("human-walk:explicit", "human-walk:implicit", "walk-3d:implicit", "walk:explicit", "walk:implicit")


@dataclass(frozen=True)
class Registers:
    """What one kernel needs.

    Attributes:
        registers: of each thread.
        frame: bytes of memory of each thread, for what does not fit them.
        stores, loads: bytes written there and read back, counted once in the text.
        instructions: of the virtual assembly.
        arithmetic: how many of these compute with floating point.
        machine: instructions of the GPU itself, 16 bytes each.
        seconds: that compiling and assembling took.
    """

    case: str
    registers: int
    frame: int
    stores: int
    loads: int
    instructions: int
    arithmetic: int
    machine: int
    seconds: float


def find_assembler() -> str | None:
    """Where ``ptxas`` is: on the path, or in an installed package of NVIDIA's; None where there is none."""
    packages = [d for d in metadata.distributions() if str(d.metadata["Name"]).startswith("nvidia-cuda-nvcc")]
    files = [d.locate_file(f) for d in packages for f in d.files or () if f.name == "ptxas"]
    return next((str(f) for f in files if Path(str(f)).is_file()), shutil.which("ptxas"))


def measure(
    case: str,
    assembler: str,
    *,
    threads: int | None = None,
    blocks: int | None = None,
    precision: str = "float32",
    arch: int = 90,
) -> Registers:
    """Compile one kernel as for a GPU, and assemble it.

    Args:
        case: a controller and an integrator, joined by a colon.
        assembler: the path of ``ptxas``.
        threads, blocks: threads of a block, and blocks that must fit a multiprocessor; by default footfall's choice.
        precision: "float32" or "float64".
        arch: compute capability, 90 for an H100 or H200.
    """
    began = time.process_time()
    kernel, chosen = _kernel(case, precision)
    with tempfile.TemporaryDirectory() as folder:
        text = _assembly(kernel, chosen[0], arch, Path(folder))
        for word, value in (("maxntid", threads), ("minnctapersm", blocks)):
            text = text if value is None else re.sub(rf"\.{word} \d+", f".{word} {value}", text)
        said = assemble(text, assembler, arch, Path(folder))
        machine = _code_bytes((Path(folder) / "kernel.cubin").read_bytes()) // 16
    registers, frame, stores, loads = (
        int(m.group(1)) if (m := re.search(pattern, said)) else 0
        for pattern in (r"Used (\d+) reg", r"(\d+) bytes stack", r"(\d+) bytes spill st", r"(\d+) bytes spill lo")
    )
    operations = re.findall(r"^\s+(?:@!?%p\d+ )?([a-z][\w.]+)\s+[%\[{]", text, re.MULTILINE)
    arithmetic = [o for o in operations if re.match(r"(fma|add|sub|mul|div|rcp|sqrt)\.\S*f(32|64)$", o)]
    counts = len(operations), len(arithmetic), machine
    return Registers(case, registers, frame, stores, loads, *counts, time.process_time() - began)


def _code_bytes(binary: bytes) -> int:
    """Bytes of an ELF file's sections that hold code."""
    (table,), (width, count) = struct.unpack_from("<Q", binary, 0x28), struct.unpack_from("<HH", binary, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", binary, table + width * k) for k in range(count)]
    return sum(size for _, kind, flags, _, _, size in sections if kind == 1 and flags & 4)


def _kernel(case: str, precision: str) -> tuple[Any, tuple[int, int]]:
    """A controller's rollout as a GPU runs it, and its threads and blocks."""
    wp = start_warp()
    from footfall.control.registry import law_of
    from footfall.dynamics.compiler import CompiledFigure
    from footfall.simulation.inputs import figure_of, graph_of, push_places
    from footfall.simulation.rollout import bounds_of, build_rollout
    from footfall.simulation.step_plan import WorldStepPlan
    from footfall.simulation.structures import Features, Structures

    name, _, integrator = case.partition(":")
    controller = load_controller(name)
    figure = figure_of(None, controller)
    law = law_of(graph_of(controller), figure)
    real = {"float32": wp.float32, "float64": wp.float64}[precision]
    places = push_places((), figure)
    compiled = CompiledFigure(figure, real, push_places=places, feet_only=bool(figure.legs), narrow=True)
    structures = Structures.of(compiled, law, implicit=integrator == "implicit")
    rollout = build_rollout(WorldStepPlan(structures, law, integrator=integrator, features=Features(efforts=False)))
    return rollout.kernel, bounds_of(compiled, implicit=structures.types.implicit)


def _assembly(kernel: Any, threads: int, arch: int, folder: Path) -> str:
    """A kernel's virtual assembly, by Warp's compiler."""
    wp = start_warp()
    wp.compile_aot_module(kernel.module, arch=arch, module_dir=folder, use_ptx=True)
    (file,) = folder.glob("*.ptx")
    return file.read_bytes().rstrip(b"\0").decode()


def assemble(text: str, assembler: str, arch: int, folder: Path) -> str:
    """What ``ptxas`` says of a virtual assembly.

    Warp's compiler may be newer than the assembler and head its text with a version that this one does not know. The
    text is then given the newest that it knows: footfall's kernels use no instruction that came later.
    """
    source = folder / "kernel.ptx"
    command = [assembler, "-v", f"-arch=sm_{arch}", "-o", str(folder / "kernel.cubin"), str(source)]
    for _ in range(2):
        source.write_text(text)
        answer = subprocess.run(command, capture_output=True, text=True)
        said = answer.stderr + answer.stdout
        known = re.search(r"Unsupported \.version [\d.]+; current version is '([\d.]+)'", said)
        if known is None:
            break
        text = re.sub(r"^\.version [\d.]+", f".version {known.group(1)}", text, flags=re.MULTILINE)
    if answer.returncode:
        raise FootfallError(f"{assembler}: {said.strip().splitlines()[0]}")
    return said


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    lines = (__doc__ or "").splitlines()
    parser = argparse.ArgumentParser(prog="python -m tools.registers", description=lines[0])
    parser.add_argument("cases", nargs="*", default=CASES, metavar="CONTROLLER:INTEGRATOR")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--blocks", type=int)
    parser.add_argument("--precision", choices=("float32", "float64"), default="float32")
    parser.add_argument("--arch", type=int, default=90)
    asked = parser.parse_args(arguments)
    assembler = find_assembler()
    if assembler is None:
        print("ptxas was not found; install a CUDA toolkit, or: pip install nvidia-cuda-nvcc", file=sys.stderr)
        return 2
    print("kernel                registers  frame B  stores B  loads B  instructions  arithmetic  machine  CPU s")
    options = {key: value for key, value in vars(asked).items() if key != "cases"}
    try:
        for case in asked.cases:
            r = measure(case, assembler, **options)
            print(
                f"{r.case:<22}{r.registers:>9}{r.frame:>9}{r.stores:>10}{r.loads:>9}{r.instructions:>14}"
                f"{r.arithmetic:>12}{r.machine:>9}{r.seconds:>7.1f}",
                flush=True,
            )
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
