"""Captured and recorded motion: poses of a skeleton over time, their algebra, their measures and their files."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
