"""Imitation: a captured clip becomes a controller that tracks it, with gains found by search, and a report on it."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
