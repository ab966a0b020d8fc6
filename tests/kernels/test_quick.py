"""Tests' own kernels: less optimised, and apart from those that users get."""

from pathlib import Path

import pytest

from footfall.kernels.building import LARGE, LONG, QUICK, quick_cache, quick_options
from footfall.kernels.start import start_warp

FLAGS = "-march=native -fno-slp-vectorize -mllvm=-inline-threshold=9000"
USUAL = {"extra_flags": FLAGS, "optimization_level": 2, "block_dim": 1}


@pytest.mark.parametrize(("size", "asked", "level"), [(10, 2, 1), (10, 0, 0), (LARGE + 1, 2, 0)])
def test_a_large_kernel_is_not_optimised_and_others_little(size: int, asked: int, level: int, tmp_path: Path) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_bytes(b" " * size)
    quick = quick_options(str(source), USUAL | {"optimization_level": asked})
    assert quick == {"extra_flags": "-march=native", "optimization_level": level, "block_dim": 1}


def test_a_large_kernel_that_runs_for_long_is_optimised_as_little_as_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_bytes(b" " * (LARGE + 1))
    monkeypatch.setenv(QUICK, LONG)
    assert quick_options(str(source), USUAL)["optimization_level"] == 1


def test_they_are_kept_apart(tmp_path: Path) -> None:
    assert quick_cache(str(tmp_path)) == str(tmp_path / "quick")
    assert Path(start_warp().config.kernel_cache_dir).name == "quick"


@pytest.mark.usefixtures("optimised_kernels")
def test_users_get_optimised_ones() -> None:
    assert quick_options("kernel.cpp", USUAL) == USUAL
    assert quick_cache("somewhere") == "somewhere"
    assert Path(start_warp().config.kernel_cache_dir).name != "quick"
