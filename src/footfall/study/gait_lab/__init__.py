"""The gait laboratory: events, parameters, angles, moments, powers and forces of any walk, beside those of people."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
