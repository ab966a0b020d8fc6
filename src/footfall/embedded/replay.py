"""Check a pack: a robot's walk, and a golden run that its C and MuJoCo must give again. Needs Python and a C compiler.

    python check.py                            replay the golden run with the C, compiled here
    python check.py --mujoco                   in MuJoCo too, with the robot's file in the pack (needs mujoco, numpy)
    python check.py --mujoco --figure g1.xml   with the robot's file elsewhere, beside its meshes

The C gets the states of the golden run and must answer with its torques. MuJoCo is put into each of these states, must
sense the same contacts and step to the next state; then it walks freely, and must stay up as long. A difference below a
tolerance, times 1 + the expected number, is rounding. The exit status is 0 where all is the same, 1 where something
differs, and 2 where the pack is damaged or cannot be replayed.

This file knows nothing of footfall: it is `check.py` in every pack, and what `footfall check` runs.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import hashlib
import json
import math
import re
import subprocess
import sys
import tempfile
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which
from typing import Any, NamedTuple

SUMS, ABOUT, GOLDEN, FORMAT = "SHA256SUMS", "pack.json", "golden.csv", "footfall pack 1"
TOLERANCES = {"qpos": 1e-6, "qvel": 1e-4, "contact": 0.5, "torque": 1e-6, "stiffness": 1e-6, "applied": 1e-3}
"""Quantity of a golden run -> tolerance. The torque applied to a joint is the law's torque less its stiffness times the
joint's acceleration, which is as good as the contact solver."""
LISTS = {"qpos": "qpos", "qvel": "qvel", "contact": "contacts"}
"""Quantity -> where pack.json names its numbers; the others have one for each joint."""


class PackError(Exception):
    """What is wrong with a pack, in one line."""


class Mismatch(NamedTuple):
    """Where a replay first differs from what the pack says: seconds, quantity, and the joint or coordinate."""

    engine: str
    time: float
    quantity: str
    name: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        where = f"{self.quantity} of {self.name}"
        return f"{self.engine} differs first at {self.time:.6g} s: {where}: expected {self.expected}, got {self.got}"


class Pack:
    """A pack in a folder, its files compared with their sums.

    Attributes:
        folder: where it is.
        about: pack.json.
        file: name of the controller's files, without suffix.
        names: quantity -> names of its numbers.
        rows: of the golden run: the time, and quantity -> numbers.
        dt: seconds between them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        summed = self._check_sums()
        try:
            self.about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
            if self.about["format"] != FORMAT:
                raise PackError(f"{ABOUT}: its format is '{self.about['format']}'; this script reads '{FORMAT}'")
            joints = [str(joint["name"]) for joint in self.about["joints"]]
            self.names = {q: [str(n) for n in self.about[LISTS[q]]] if q in LISTS else joints for q in TOLERANCES}
            self.file, self.dt = str(self.about["file"]), float(self.about["golden"]["dt"])
            self.c, self.up = dict(self.about["c"]), bool(self.about["golden"]["up"])
            self.body, self.needs = str(self.about["body"]["file"]), list(self.about["body"]["needs"])
            int(self.c["memory"]), int(self.c["nv"]), str(self.c["name"])
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise PackError(f"{ABOUT} cannot be read: {type(error).__name__}: {error}") from None
        missing = [name for name in (f"{self.file}.c", f"{self.file}.h", f"run_{self.file}.py") if name not in summed]
        if missing:
            raise PackError(f"{SUMS} does not name {missing[0]}")
        self.rows = self._golden()

    def _check_sums(self) -> list[str]:
        """Names of the pack's files; each must be there, and be the file that was packed."""
        try:
            lines = (self.folder / SUMS).read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            raise PackError(f"{self.folder} is not a pack: it has no {SUMS}") from None
        names = []
        for line in lines:
            found = re.fullmatch(r"([0-9a-f]{64})  ([^/\\:\0]+)", line)
            if found is None or found[2] in (".", ".."):
                raise PackError(f"{SUMS}: '{line[:80]}' is not a sum and the name of a file")
            try:
                content = (self.folder / found[2]).read_bytes()
            except OSError:
                raise PackError(f"{found[2]} is missing from the pack") from None
            if hashlib.sha256(content).hexdigest() != found[1]:
                raise PackError(f"{found[2]} is not the file that was packed: its SHA-256 is another")
            names.append(found[2])
        for name in (ABOUT, GOLDEN):
            if name not in names:
                raise PackError(f"{SUMS} does not name {name}")
        return names

    def _golden(self) -> list[tuple[float, dict[str, list[float]]]]:
        head = ["time", *(f"{quantity} {name}" for quantity, names in self.names.items() for name in names)]
        rows = []
        with open(self.folder / GOLDEN, encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            if next(lines, []) != head:
                raise PackError(f"{GOLDEN}: its columns are not those of {ABOUT}")
            for number, line in enumerate(lines, 2):
                try:
                    values = [float(text) for text in line]
                except ValueError:
                    values = []
                if len(values) != len(head) or not all(map(math.isfinite, values)):
                    raise PackError(f"{GOLDEN}, line {number}: it must be {len(head)} numbers")
                row, at = {}, 1
                for quantity, names in self.names.items():
                    row[quantity] = values[at : at + len(names)]
                    at += len(names)
                rows.append((values[0], row))
        if not rows:
            raise PackError(f"{GOLDEN} has no rows")
        return rows

    def first(
        self, engine: str, time: float, row: dict[str, list[float]], got: Mapping[str, Sequence[float]]
    ) -> Mismatch | None:
        """The first number of a row that is not as expected."""
        for quantity, values in got.items():
            for name, expected, value in zip(self.names[quantity], row[quantity], values):
                if not abs(expected - value) <= TOLERANCES[quantity] * (1.0 + abs(expected)):
                    return Mismatch(engine, time, quantity, name, expected, float(value))
        return None


def built(source: Path) -> ctypes.CDLL:
    """A library of a C file."""
    if which("cc") is None:
        raise PackError("there is no C compiler (cc) to compile the controller")
    with tempfile.TemporaryDirectory() as folder:
        library = str(Path(folder, "walk.so"))
        command = ["cc", "-std=c99", "-O2", "-shared", "-fPIC", str(source), "-o", library, "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise PackError(f"{source.name} does not compile: {(done.stderr.strip().splitlines() or ['?'])[0]}")
        return ctypes.CDLL(library)


def _tables(pack: Pack, c: ctypes.CDLL) -> Mismatch | None:
    """The joints of pack.json are those that the C drives, with its limits, signs and offsets."""
    columns = {"name": "joint_names", "torque_limit": "torque_limit"}
    if pack.c["original"]:
        columns |= {"name": "original_joint_names", "sign": "original_sign", "offset": "original_offset"}
    for key, table in columns.items():
        kind: Any = ctypes.c_char_p if key == "name" else ctypes.c_double
        values = (kind * len(pack.names["torque"])).in_dll(c, f"{pack.c['name']}_{table}")
        for k, (joint, value) in enumerate(zip(pack.about["joints"], values)):
            told, got = joint.get(key), value.decode() if key == "name" else value
            unlimited = told is None and key == "torque_limit" and math.isinf(got)
            if not unlimited and told != got:
                return Mismatch("C", 0.0, key.replace("_", " "), f"joint {k} in {ABOUT}", told, got)
    return None


def replay_c(pack: Pack, source: Path | None = None, engine: str = "C") -> Mismatch | None:
    """The first torque that the C answers to the golden run's states otherwise; ``source`` is another C file."""
    c = built(source or pack.folder / f"{pack.file}.c")
    name, nu = pack.c["name"], len(pack.names["torque"])
    try:
        init, step = getattr(c, f"{name}_init"), getattr(c, f"{name}_{'original_' if pack.c['original'] else ''}step")
        found = _tables(pack, c)
    except (AttributeError, ValueError):
        raise PackError(f"{pack.file}.c has no functions and tables of '{name}'") from None
    if found is not None:
        return found
    state = ctypes.create_string_buffer(8 * (4 + int(pack.c["memory"]) + int(pack.c["nv"])))
    torque, stiffness, dt = (ctypes.c_double * nu)(), (ctypes.c_double * nu)(), ctypes.c_double(pack.dt)
    init(state)
    for time, row in pack.rows:
        states = [(ctypes.c_double * len(row[q]))(*row[q]) for q in LISTS]
        step(state, *states, dt, torque, stiffness)
        found = pack.first(engine, time, row, {"torque": list(torque), "stiffness": list(stiffness)})
        if found is not None:
            return found
    return None


def runner(script: Path) -> Any:
    """The script that walks a robot's file in MuJoCo, as a module."""
    module = types.ModuleType("runner")
    module.__file__ = str(script)
    try:
        exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"), module.__dict__)
    except ImportError as error:
        raise PackError(f"MuJoCo cannot be used: {error}; pip install mujoco numpy") from None
    return module


def sensed(walker: Any, names: dict[str, list[str]]) -> dict[str, list[float]]:
    """Quantity -> numbers of the last step of a runner's walker."""
    return {q: [float(x) for x in values[: len(names[q])]] for q, values in zip(TOLERANCES, walker.seen)}


def replay_mujoco(pack: Pack, body: Path | None = None) -> Mismatch | None:
    """The first difference in MuJoCo, in the robot's file: state by state, then walking freely."""
    if body is None and pack.needs:
        raise PackError(f"{pack.body} needs {', '.join(pack.needs[:3])}: name the robot's own file with --figure")
    body = body or pack.folder / pack.body
    run = runner(pack.folder / f"run_{pack.file}.py")
    try:
        model, c = run.scene(str(body), 0.0), built(pack.folder / f"{pack.file}.c")
        if model.opt.timestep != pack.dt:
            return Mismatch("MuJoCo", 0.0, "time step", body.name, pack.dt, model.opt.timestep)
        walker, nq, nv = run.Walker(model, c, 0, 0.0), len(pack.names["qpos"]), len(pack.names["qvel"])
    except (ValueError, KeyError, AttributeError) as error:
        raise PackError(f"{body} cannot be walked in: {' '.join(str(error).split())}") from None
    for time, row in pack.rows:
        data = walker.data
        found = pack.first("MuJoCo", time, row, {"qpos": data.qpos[:nq].tolist(), "qvel": data.qvel[:nv].tolist()})
        data.qpos[:nq], data.qvel[:nv] = row["qpos"], row["qvel"]
        if found is None:
            walker.step()
            found = pack.first("MuJoCo", time, row, sensed(walker, pack.names))
        if found is not None:
            return found
    free, up = run.Walker(model, c, 0, 0.0), True
    for time, _ in pack.rows if pack.up else []:
        up = free.step()
        if not up:
            return Mismatch("MuJoCo, walking freely,", time, "posture", "the body", "up", "fell")
    return None


def main() -> int:
    """The script."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--mujoco", action="store_true", help="in MuJoCo too")
    options.add_argument("--figure", type=Path, default=None, help="the robot's own file, beside its meshes")
    given = options.parse_args()
    try:
        pack = Pack(Path(__file__).resolve().parent)
        last = pack.rows[-1][0] + pack.dt
        print(f"{pack.about['controller']}: {len(pack.rows)} steps, {last:.2f} s, {'up' if pack.up else 'falls'}")
        found = replay_c(pack)
        print(found or "the C answers the golden run's states with its torques")
        if found is None and (given.mujoco or given.figure):
            found = replay_mujoco(pack, given.figure)
            print(found or "MuJoCo steps as the golden run does")
    except PackError as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 2
    return 0 if found is None else 1


if __name__ == "__main__":
    sys.exit(main())
