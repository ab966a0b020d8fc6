"""Kernels that come with footfall: the studio's first start and the first walks compile nothing."""

import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from footfall.kernels.building import LOG
from footfall.kernels.shipped import archive_name, put_in_place

SCRIPT = "from tools.kernels import use_shipped; use_shipped()"


@pytest.mark.slow
@pytest.mark.skipif(
    not (files("footfall.kernels") / "compiled" / archive_name()).is_file(),
    reason=f"NO SHIPPED KERNELS: there is no archive {archive_name()} for machines such as this one",
)
def test_with_an_empty_cache_the_studio_and_built_in_controllers_compile_nothing(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    environment = os.environ | {"WARP_CACHE_PATH": str(tmp_path / "cache"), LOG: str(log)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    compiled = log.read_text() if log.exists() else ""
    hint = "a law, the ground or the rollout changed: `make kernels` compiles the shipped kernels again"
    assert compiled == "", f"{hint}\n{compiled}"


def test_a_kernel_that_is_not_shipped_is_left_to_the_compiler(tmp_path: Path) -> None:
    folder = tmp_path / "wp_something_else_0123456"
    assert not put_in_place(folder, f"{folder.name}.cpu0.o")
    assert not folder.exists()
