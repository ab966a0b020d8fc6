"""Exported C, compiled as its documentation says and called from Python."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from footfall.embedded.program import CProgram

FLAGS = ("-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-ffp-contract=off", "-shared", "-fPIC")

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler (cc)")


def compiled(folder: Path, source: str, file: str = "exported", level: str = "-O2") -> ctypes.CDLL:
    """A library of a C file in a folder."""
    (folder / f"{file}.c").write_text(source, encoding="utf-8")
    library = folder / f"{file}.so"
    command = ["cc", *FLAGS, level, str(folder / f"{file}.c"), "-o", str(library), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return ctypes.CDLL(str(library))


class InC:
    """An exported controller, ready to step; with ``original`` in the coordinates of its figure's file."""

    def __init__(self, program: CProgram, folder: Path, *, original: bool = False, level: str = "-O2") -> None:
        (folder / f"{program.file}.h").write_text(program.header, encoding="utf-8")
        self.program, self.name = program, program.name
        self.library = compiled(folder, program.source, program.file, level)
        self._part = "original_" if original else ""
        size = 8 * (4 + program.control.law.memory.size + program.control.figure.nv + 1)
        self._state = ctypes.create_string_buffer(size)
        self.restart()

    def restart(self) -> None:
        """To the beginning."""
        self._call("init", self._state)

    @property
    def memory(self):
        """[M] what the law remembers."""
        return np.frombuffer(self._state, count=self.program.control.law.memory.size, offset=16)

    def remember(self, memory) -> None:
        """Set what the law remembers."""
        self.memory[:] = memory

    @property
    def stance(self) -> int:
        """0 left, 1 right."""
        return int(np.frombuffer(self._state, np.int32, 2, 16 + 8 * len(self.memory))[1])

    def step(self, qpos, qvel, dt, contact=None):
        """[NU] torque and stiffness."""
        torque, stiffness = np.zeros((2, len(self.program.joints)))
        self._call(f"{self._part}step", self._state, qpos, qvel, contact, ctypes.c_double(dt), torque, stiffness)
        return torque, stiffness

    def motors(self, qpos, qvel, dt, contact=None):
        """[4, NU] torque, kp, kd and target."""
        found = np.zeros((4, len(self.program.joints)))
        self._call(f"{self._part}step_motors", self._state, qpos, qvel, contact, ctypes.c_double(dt), found)
        return found

    def soles(self, qpos):
        """[P, 3] places of the sole points."""
        found = np.zeros((len(self.program.control.points), 3))
        self._call(f"{self._part}soles", qpos, found)
        return found

    def from_original(self, qpos, qvel):
        """footfall's qpos and qvel."""
        figure = self.program.control.figure
        found = np.zeros(figure.nq), np.zeros(figure.nv)
        self._call("from_original", qpos, qvel, *found)
        return found

    def table(self, name):
        """A table of doubles, as long as the header says."""
        size = re.search(rf"{self.name}_{name}\[(\w+)\]", self.program.header)[1]
        count = int(re.search(rf"{size} = (\d+)", self.program.header)[1])
        return np.array((ctypes.c_double * count).in_dll(self.library, f"{self.name}_{name}"))

    def _call(self, name, *arguments) -> None:
        kept = [np.ascontiguousarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        given = [ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a for a in kept]
        getattr(self.library, f"{self.name}_{name}")(*given)
