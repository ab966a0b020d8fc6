"""Tracking of captured motion (Data-Driven Biped Control): fragments of motion followed by a figure of ball joints,
corrected for balance and kept in step with the simulation."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
