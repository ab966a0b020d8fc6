"""Kernels that compile in half the time or less and run more slowly, for tests, most of which simulate for seconds.

They differ from others in rounding alone, and are kept in a cache of their own. What comes compiled is used as it is.
"""

import os
from pathlib import Path
from typing import Any

QUICK = "FOOTFALL_QUICK_KERNELS"
"""Environment variable: if set, kernels are quick, in this process and those that it starts."""

LARGE = 900_000
"""Characters of a kernel that takes longer to optimise than most tests run it: one of a figure in space."""


def quick_cache(cache: str) -> str:
    """Where compiled kernels are kept, given where they are kept usually."""
    return str(Path(cache) / "quick") if os.environ.get(QUICK) else cache


def quick_options(source: str, options: dict[str, Any]) -> dict[str, Any]:
    """Options of the compiler for a file, given the usual ones."""
    if not os.environ.get(QUICK):
        return options
    flags = (flag for flag in str(options.get("extra_flags", "")).split() if "inline" not in flag)
    level = min(options.get("optimization_level", 2), 0 if Path(source).stat().st_size > LARGE else 1)
    return options | {"extra_flags": " ".join(flags), "optimization_level": level}
