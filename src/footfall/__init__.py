"""footfall: physically simulated bipeds that walk.

Importing the package loads nothing heavy; every public name is loaded when it is first used.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "FootfallError": "footfall.errors",
}

__all__ = ["FootfallError", "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'footfall' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
