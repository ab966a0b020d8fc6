"""Learning: worlds in which policies act, what they observe and what rewards them, and proximal policy optimisation."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
