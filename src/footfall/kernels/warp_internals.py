"""What footfall uses of Warp beyond its public interface, checked before it is used.

Warp may change these with any minor version, so ``pyproject.toml`` names one. With another one that lacks some of them,
Warp stays as it is: it compiles every kernel by itself, which takes longer.
"""

import inspect
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any

FUNCTIONS = {
    ("warp._src.build", "build_cpu"): (
        "obj_path", "cpp_path", "extra_flags", "optimization_level", "verbose", "use_precompiled_headers", "pch_dir",
    ),
    ("warp._src.context", "Module._compile"): ("self", "device", "output_dir", "output_name"),
    ("warp._src.context", "Module._get_meta_name"): ("self", "block_dim"),
    ("warp._src.context", "Module.get_module_hash"): ("self", "block_dim"),
    ("warp._src.context", "Module.load"): ("self", "device", "block_dim", "binary_path", "meta_path"),
    ("warp._src.context", "_get_cpu_feature_set"): (),
    ("warp._src.context", "_get_cpu_target_hash"): ("resolved_flags",),
    ("warp._src.context", "_get_cpu_target_triple"): (),
    ("warp._src.context", "_get_cpu_toolchain_version"): (),
    ("warp._src.context", "_get_host_cpu_name"): (),
}  # fmt: skip
"""Module and function -> arguments that it must have, in this order."""


@cache
def missing_internals() -> str:
    """What the installed Warp lacks of :data:`FUNCTIONS`, in words; empty where nothing is missing."""
    return "; ".join(filter(None, (_lack(*where, arguments) for where, arguments in FUNCTIONS.items())))


def _lack(module: str, name: str, arguments: tuple[str, ...]) -> str:
    try:
        function: Any = attrgetter(name)(import_module(module))
        there = inspect.signature(function).parameters
    except (ImportError, AttributeError, TypeError, ValueError):
        return f"{module}.{name} is missing"
    if [argument for argument in there if argument in arguments] != list(arguments):
        return f"{module}.{name} takes other arguments"
    return ""
