"""Controller and body as C: the module's bits, from gcc and clang, in C++, Python and C#; instances do not meet."""

import ctypes
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.control import load_controller
from footfall.embedded.physics import physics_in_c
from footfall.embedded.wasm import read_wasm
from footfall.errors import FootfallError
from footfall.live.description import write_module
from footfall.motion.quaternion import rotate, unit
from tests.embedded.in_c import needs_compiler
from tests.live.node import HERE, find_node, run_script

EXAMPLES = Path(__file__).parents[2] / "examples" / "native"
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-shared", "-fPIC"]
needs_node = pytest.mark.skipif(find_node() is None, reason="node is not installed")
CLANG = [sys.executable, "-m", "ziglang", "cc"]
PUSH = [60.0, 0.0, 0.0]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A library of one controller by a compiler, compiled once."""
    return cache(lambda name, *compiler: compiled(tmp_path_factory.mktemp("library"), [name], *compiler))


def compiled(folder, names, *compiler):
    """A library of controllers with physics."""
    for text, end in zip(physics_in_c([load_controller(name) for name in names], "walker"), "ch", strict=True):
        (folder / f"walker.{end}").write_text(text, encoding="utf-8")
    command = [*(compiler or ("cc", "-O1")), *FLAGS, str(folder / "walker.c"), "-o", str(folder / "walker.so"), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr[:2000]
    return Library(ctypes.CDLL(str(folder / "walker.so")), (folder / "walker.h").read_text(encoding="utf-8"))


class Library:
    """Walkers of a compiled library."""

    def __init__(self, library, header):
        self.library, self.nq = library, int(re.search(r"WALKER_NQ = (\d+)", header)[1])
        library.walker_coordinates.restype = ctypes.POINTER(ctypes.c_double)
        library.walker_size.restype = ctypes.c_size_t

    def made(self):
        return ctypes.create_string_buffer(self.library.walker_size())

    def __getattr__(self, name):
        def call(*arguments):
            given = [self._plain(a) for a in arguments]
            return getattr(self.library, f"walker_{name}")(*given)

        return call

    @staticmethod
    def _plain(value):
        if isinstance(value, list):
            return (ctypes.c_double * len(value))(*value)
        if isinstance(value, str):
            return value.encode()
        return ctypes.c_double(value) if isinstance(value, float) else value

    def qpos(self, walker):
        return list(self.coordinates(walker)[: self.nq])


def in_node(folder, names, calls):
    write_module([load_controller(name) for name in names], folder, name="w")
    return run_script(HERE / "run_runtime.mjs", [{"folder": str(folder), "name": "w", "calls": calls}])[0]


@needs_compiler
@needs_node
@pytest.mark.parametrize(
    ("name", "compiler"),
    [
        pytest.param("walk", ("cc", "-O2")),
        pytest.param("walk", (*CLANG, "-O1"), marks=[pytest.mark.extra("ziglang"), pytest.mark.slow]),
        pytest.param("walk-3d", ("cc", "-O1"), marks=pytest.mark.slow),
    ],
    ids=["walk by cc", "walk by clang", "walk-3d by cc"],
)
def test_it_gives_the_modules_bits_pushed_set_and_fallen(tmp_path, name, compiler, made):
    if compiler[0] == sys.executable and importlib.util.find_spec("ziglang") is None:
        pytest.skip("NO CLANG: ziglang is not installed")
    library = made(name, *compiler)
    start = float(load_controller(name).start.qpos[0])
    walker = library.made()
    assert library.start(walker, None, start, 0.0, 0.0) == 1
    assert library.set(walker, "speed", 0.6) == 1
    library.step(walker, 1500)
    assert library.push(walker, -1, PUSH, 0.1) == 1
    library.step(walker, 1500)
    walked = library.qpos(walker)
    hard = [900.0, 100.0, 0.0]
    library.push(walker, 0, hard, 0.5)
    assert library.step(walker, 2500) == 1
    calls = [["set", "speed", 0.6], ["step", 1500], ["push", PUSH, 0.1], ["step", 1500], ["qpos"]]
    pulled = [
        ["pull", 0, hard],
        ["step", 500],
        ["pull", 0, None],
        ["step", 2000],
        ["qpos"],
        ["transforms"],
        ["contacts"],
    ]
    told = in_node(tmp_path / "web", [name], [*calls, *pulled])
    assert walked == told[4]
    assert library.qpos(walker) == told[9]
    position, quaternion = (ctypes.c_double * 3)(), (ctypes.c_double * 4)()
    for k, body in enumerate(told[10]):
        library.body(walker, k, position, quaternion)
        assert list(position) == body["position"]
        np.testing.assert_allclose(list(quaternion), body["quaternion"], atol=1e-15)
    assert [library.contact(walker, k) for k in range(len(told[11]))] == [int(p["touches"]) for p in told[11]]


@needs_compiler
def test_it_keeps_nothing_outside_a_walker_and_allocates_nothing(tmp_path):
    """The symbols of the compiled file: constants, and of other libraries only mathematics, copies and comparisons."""
    for text, end in zip(physics_in_c([load_controller("walk")], "walker"), "ch", strict=True):
        (tmp_path / f"walker.{end}").write_text(text, encoding="utf-8")
    flags = ["-std=c99", "-O0", "-fno-pie", "-fno-pic", "-Wall", "-Wextra", "-pedantic", "-Wvla", "-Werror"]
    subprocess.run(["cc", *flags, "-c", "walker.c"], cwd=tmp_path, check=True)
    run = subprocess.run(["nm", "walker.o"], cwd=tmp_path, check=True, capture_output=True, text=True)
    rows = [line.split()[-2:] for line in run.stdout.splitlines()]
    assert {kind for kind, _ in rows} <= set("TtRrUS")
    needed = {name.lstrip("_") for kind, name in rows if kind == "U"}
    known = "sqrt sqrtf sin cos atan2 fabs fabsf floor ceil trunc rint copysign copysignf memcpy memmove memset strcmp"
    assert needed <= {*known.split(), "stack_chk_fail", "GLOBAL_OFFSET_TABLE_"}


@pytest.mark.slow
@pytest.mark.extra("ziglang")
@needs_compiler
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="NO CLANG: ziglang is not installed")
@pytest.mark.parametrize(
    "mode", [["-fms-compatibility"], ["-target", "x86_64-windows-gnu"]], ids=["microsoft's", "windows"]
)
def test_clang_takes_it_for_windows_and_in_its_mode_for_microsofts_c(tmp_path, mode):
    for text, end in zip(physics_in_c([load_controller("walk")], "walker"), "ch", strict=True):
        (tmp_path / f"walker.{end}").write_text(text, encoding="utf-8")
    flags = [*mode, "-std=c99", "-O0", "-Wall", "-Wextra", "-pedantic", "-Wvla", "-Wgnu", "-Werror"]
    done = subprocess.run([*CLANG, *flags, "-c", "walker.c"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]


@needs_compiler
def test_walkers_do_not_meet_begin_again_and_refuse_what_they_do_not_know(tmp_path):
    library = compiled(tmp_path, ["walk", "fast-walk"])
    one, other = library.made(), library.made()
    assert library.start(one, "run", 0.0, 0.0, 0.0) == 0
    assert library.start(one, None, 0.0, 0.0, 1.0) == 0  # in the plane it faces x
    for walker in (one, other):
        assert library.start(walker, None, 0.0, 0.0, 0.0) == 1
    library.step(one, 2000)
    alone = library.qpos(one)
    library.start(one, None, 0.0, 0.0, 0.0)
    for _ in range(20):
        library.step(one, 100)
        library.step(other, 50)
        library.push(other, -1, PUSH, 0.1)
    assert library.qpos(one) == alone
    assert library.request(one, "fast-walk") == 1
    assert library.request(one, "run") == 0
    assert library.set(one, "no.such", 1.0) == 0
    assert library.set(one, "speed", 0.9) == 2
    for path, value in (("speed", float("nan")), ("speed", float("inf"))):
        assert library.set(one, path, value) == 0
    assert library.start(one, None, float("nan"), 0.0, 0.0) == 0
    for body, force, seconds in ((99, PUSH, 0.1), (-2, PUSH, 0.1), (0, [float("nan"), 0.0, 0.0], 0.1), (0, PUSH, -1.0)):
        assert library.push(one, body, force, seconds) == 0
    before = library.qpos(one)
    library.step(one, -5)
    assert library.qpos(one) == before
    assert [library.contact(one, point) for point in (-1, 99)] == [0, 0]
    library.start(other, None, 0.0, 0.0, 0.0)
    assert sum(library.push(other, -1, PUSH, 1.0) for _ in range(70)) == 64


@pytest.mark.slow
@needs_compiler
def test_in_space_it_begins_where_it_is_told(made):
    library = made("walk-3d", "cc", "-O1")
    one, other = library.made(), library.made()
    library.start(one, None, 0.0, 0.0, 0.0)
    library.start(other, None, 3.0, -2.0, 1.0)
    for walker in (one, other):
        assert library.step(walker, 3000) == 0
    a, b = np.array(library.qpos(one)), np.array(library.qpos(other))
    away = b[:2] - [3.0, -2.0]
    assert np.arctan2(away[1], away[0]) - np.arctan2(a[1], a[0]) == pytest.approx(1.0, abs=0.02)
    np.testing.assert_allclose(b[7:], a[7:], atol=1e-3)


@needs_compiler
def test_the_samples_run(tmp_path):
    """Those of C, C++, Python and, where Mono is installed, C#, as their first lines say."""
    assert main(["export", "walk", "--out", str(tmp_path / "walker.c"), "--with-physics"]) == 0
    for file in ("walk.c", "crowd.cpp", "walk.py", "unity/FootfallWalker.cs"):
        shutil.copy(EXAMPLES / file, tmp_path)

    def run(command):
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr[:2000]
        return done.stdout

    for file in ("walk.c", "crowd.cpp", "walk.py"):
        text = (tmp_path / file).read_text(encoding="utf-8")
        line = next(line for line in text.splitlines() if re.search(r"\bcc -std", line))
        command = line.strip(" */").replace("python ", f"{sys.executable} ")
        said = run(command.replace("cc -std=c99 -O2", "cc -std=c99 -O1")).splitlines()
        if file == "walk.c":
            assert len(said) == 8
            assert "fell" in said[4]
            assert "walks" in said[7]
        elif file == "crowd.cpp":
            assert len(set(said)) == 1
            assert 3.0 < float(said[0]) < 8.0
        else:
            status, x = said[0].split()
            assert status == "0"
            assert float(x) > 3.0
    if shutil.which("mcs") and shutil.which("mono"):
        run("cp walker.so libwalker.so && mcs FootfallWalker.cs -out:walker.exe")
        status, x, y, z = run("LD_LIBRARY_PATH=. mono walker.exe").split()
        assert status == "0"
        assert float(x) == 0.0
        assert 0.6 < float(y) < 1.2
        assert float(z) > 3.0


UNREAL = """
#include <cstdio>
#include <cstdlib>
#include "FootfallWalker.h"
int main(int, char **words) {
  auto *walker = new FootfallWalker;
  double given[7], place[3], turn[4];
  for (int frame = 0; frame < 60; ++frame) walker->advance(0.016);
  walker->body(0, place, turn);
  std::printf("%.17g %.17g %.17g\\n", place[0], place[1], place[2]);
  for (int i = 0; i < 7; ++i) given[i] = std::atof(words[1 + i]);
  FootfallWalker::in_unreal(given, given + 3, place, turn);
  std::printf("%.17g %.17g %.17g %.17g\\n", turn[3], turn[0], turn[1], turn[2]);
  walker->push(0.0, 60.0, 0.0, 0.1);
  for (int frame = 0; frame < 5; ++frame) walker->advance(1.0);
  std::printf("%d\\n", walker->fallen());
}
"""


@needs_compiler
def test_the_part_for_unreal_that_needs_no_unreal(tmp_path):
    """It goes on as the library does, in whole steps, and mirrors y: turning and mirroring is mirroring and turning."""
    library = compiled(tmp_path, ["walk"], "cc", "-O0")
    shutil.copy(EXAMPLES / "unreal" / "FootfallWalker.h", tmp_path)
    (tmp_path / "unreal.cpp").write_text(UNREAL, encoding="utf-8")
    build = ["c++", "-std=c++17", *FLAGS[1:5], "unreal.cpp", "./walker.so", "-o", "unreal"]
    subprocess.run(build, cwd=tmp_path, check=True)
    turn = unit(np.array([0.7, 0.3, -0.5, 0.2]))
    given = map(str, [1.0, 2.0, 3.0, *turn])
    run = subprocess.run(["./unreal", *given], cwd=tmp_path, check=True, capture_output=True, text=True)
    place, mirrored, fallen = (np.array(line.split(), dtype=float) for line in run.stdout.splitlines())
    walker = library.made()
    library.start(walker, None, 0.0, 0.0, 0.0)
    library.step(walker, 960)
    position, quaternion = (ctypes.c_double * 3)(), (ctypes.c_double * 4)()
    library.body(walker, 0, position, quaternion)
    np.testing.assert_array_equal(place, np.array(position) * [100.0, -100.0, 100.0])
    for v in np.eye(3):
        mirror = np.array([1.0, -1.0, 1.0])
        np.testing.assert_allclose(rotate(mirrored, mirror * v), mirror * rotate(turn, v), atol=1e-12)
    assert fallen == 0


@needs_compiler
@pytest.mark.skipif(shutil.which("godot3-server") is None, reason="NO GODOT: godot3-server is missing (make browser)")
def test_the_sample_for_godot_runs_without_a_window(tmp_path):
    project = tmp_path / "godot"
    shutil.copytree(EXAMPLES / "godot", project)
    assert main(["export", "walk", "--out", str(project / "walker.c"), "--with-physics"]) == 0
    text = (project / "bridge.c").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if re.search(r"\bcc -std", line)).strip(" *").partition("     (")[0]
    build = [*shlex.split(line.replace("-O2", "-O1")), "-Wall", "-Wextra", "-pedantic", "-Werror"]
    done = subprocess.run(build, capture_output=True, text=True, check=False, cwd=project)
    assert done.returncode == 0, done.stderr[:2000]
    play = ["godot3-server", "--path", str(project), "--fixed-fps", "60"]
    home = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(play, capture_output=True, text=True, check=False, timeout=120, env=home)
    said = re.findall(r"^(\d+) s: (walks|fell) at (\S+) (\S+) (\S+)$", done.stdout, re.MULTILINE)
    assert [row[1] for row in said] == ["walks"] * 4 + ["fell"] * 3 + ["walks"] * 3, done.stdout + done.stderr
    height, ahead = (np.array([float(row[k]) for row in said]) for k in (3, 4))
    assert 3.0 < -ahead[3] < 5.0
    assert (height[:4] > 0.8).all()
    assert (height[4:7] < 0.4).all()
    assert ahead[7] < ahead[6] - 0.3  # it goes on where it lay


def test_what_is_no_module_is_refused():
    with pytest.raises(FootfallError, match="not a WebAssembly module"):
        read_wasm(b"MZ")
