"""What footfall uses of Warp's inside is there; where it is not, Warp is left as it is and one line says so."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from footfall.kernels import building
from footfall.kernels.building import FUNCTIONS, missing_internals
from footfall.kernels.start import start_warp

OTHER_WARP = """
import json
import warp
from importlib import import_module

build, context = import_module("warp._src.build"), import_module("warp._src.context")
plain = build.build_cpu
def build_cpu(obj_path, cpp_path, **options):
    return plain(obj_path, cpp_path, **options)
build.build_cpu = build_cpu
del context._get_host_cpu_name

from footfall.kernels.start import start_warp
from footfall.control.registry import law_of
from footfall.control import load_controller
from footfall.figures import Figure
from footfall.simulation.kernels import digest_of

wp = start_warp()
start_warp()

@wp.kernel(enable_backward=False)
def double(numbers: wp.array[wp.float64]):
    numbers[wp.tid()] = wp.float64(2.0) * numbers[wp.tid()]

numbers = wp.array([1.5, -4.0], dtype=wp.float64, device="cpu")
wp.launch(double, 2, [numbers], device="cpu")
walk = load_controller("walk")
digest = digest_of(law_of(walk, Figure.load(walk.figure)), ())
print(json.dumps([numbers.numpy().tolist(), digest, build.build_cpu is build_cpu]))
"""


@pytest.fixture
def _asked_anew() -> Iterator[None]:
    missing_internals.cache_clear()
    yield
    missing_internals.cache_clear()


def test_the_installed_warp_has_all_of_it() -> None:
    start_warp()
    assert missing_internals() == ""
    build, context = import_module("warp._src.build"), import_module("warp._src.context")
    assert hasattr(build.build_cpu, "__wrapped__")
    assert hasattr(context.Module._compile, "__wrapped__")


@pytest.mark.usefixtures("_asked_anew")
@pytest.mark.parametrize(
    ("where", "arguments", "said"),
    [
        (("warp._src.build", "build_gpu"), (), "warp._src.build.build_gpu is missing"),
        (("warp._src.nothing", "build_cpu"), (), "warp._src.nothing.build_cpu is missing"),
        (("warp._src.build", "build_cpu"), ("obj_path", "colour"), "warp._src.build.build_cpu takes other arguments"),
        (("warp._src.context", "Module._compile"), ("device", "self"), "Module._compile takes other arguments"),
    ],
)
def test_what_is_missing_is_named(
    where: tuple[str, str], arguments: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "FUNCTIONS", FUNCTIONS | {where: arguments})
    assert missing_internals().endswith(said)


@pytest.mark.slow
def test_another_warp_compiles_by_itself_and_one_line_says_so(tmp_path: Path) -> None:
    script = tmp_path / "other_warp.py"
    script.write_text(OTHER_WARP, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[3.0, -8.0], None, True]
    (line,) = done.stderr.splitlines()
    assert line.startswith("footfall: Warp 1.")
    assert "build_cpu takes other arguments; warp._src.context._get_host_cpu_name is missing" in line
