"""Kernels are compiled once for all processes, with headers that are compiled once."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from footfall.kernels.building import LOG, NotCompiledError, without_compiling
from footfall.kernels.start import start_warp

SCRIPT = """
from footfall.kernels import building as kernel_building
from footfall.kernels.start import loading, start_warp

kernel_building.FEW = 0
wp = start_warp()


@wp.kernel(enable_backward=False, module="unique")
def double(numbers: wp.array[wp.float64]):
    numbers[wp.tid()] = wp.float64(2.0) * numbers[wp.tid()]


numbers = wp.array([1.5, -4.0], dtype=wp.float64, device="cpu")
with loading("numbers"):
    wp.launch(double, 2, [numbers], device="cpu")
print(numbers.numpy().tolist())
"""


def test_two_processes_that_need_a_kernel_compile_it_once(tmp_path: Path) -> None:
    script, cache, log = tmp_path / "double.py", tmp_path / "cache", tmp_path / "log.jsonl"
    script.write_text(SCRIPT)
    environment = os.environ | {"WARP_CACHE_PATH": str(cache), LOG: str(log)}
    both = [
        subprocess.Popen(
            [sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    for process in both:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "PCH" not in err
        assert json.loads(out) == [3.0, -8.0]
    (kernel,) = map(json.loads, log.read_text().splitlines())
    assert kernel["what"] == "numbers"
    assert "test_two_processes" in kernel["test"]
    assert len(list(cache.rglob("*.pch"))) == 1


def test_a_kernel_that_is_not_there_is_not_compiled_in_a_hurry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wp = start_warp()
    monkeypatch.setattr(wp.config, "kernel_cache_dir", str(tmp_path))

    @wp.kernel(enable_backward=False, module="unique")
    def triple(numbers: wp.array[wp.float64]):  # type: ignore[name-defined]
        numbers[wp.tid()] = wp.float64(3.0) * numbers[wp.tid()]

    numbers = wp.array([1.5], dtype=wp.float64, device="cpu")
    with without_compiling(), pytest.raises(NotCompiledError):
        wp.launch(triple, 1, [numbers], device="cpu")
    assert not list(tmp_path.rglob("*.o"))
    wp.launch(triple, 1, [numbers], device="cpu")
    assert numbers.numpy().tolist() == [4.5]
