"""Tests' own kernels: not optimised, and apart from those that users get."""

from pathlib import Path

import pytest

from footfall.kernels.building import quick_cache, quick_options
from footfall.kernels.start import start_warp

USUAL = {"extra_flags": "-march=native -mllvm=-inline-threshold=9000", "optimization_level": 2, "block_dim": 1}


def test_a_kernel_is_not_optimised() -> None:
    quick = quick_options(USUAL)
    assert quick == {"extra_flags": "-march=native", "optimization_level": 0, "block_dim": 1}


def test_they_are_kept_apart(tmp_path: Path) -> None:
    assert quick_cache(str(tmp_path)) == str(tmp_path / "quick")
    assert Path(start_warp().config.kernel_cache_dir).name == "quick"


@pytest.mark.usefixtures("optimised_kernels")
def test_users_get_optimised_ones() -> None:
    assert quick_options(USUAL) == USUAL
    assert quick_cache("somewhere") == "somewhere"
    assert Path(start_warp().config.kernel_cache_dir).name != "quick"
