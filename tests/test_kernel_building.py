"""Kernels are compiled once for all processes, with headers that are compiled once."""

import json
import os
import subprocess
import sys
from pathlib import Path

from footfall.kernel_building import LOG

SCRIPT = """
from footfall import kernel_building
from footfall.compiling import loading, start_warp

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
