"""Worlds: a figure, a law, a terrain and disturbances, run on a device."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
