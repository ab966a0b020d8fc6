"""Studies: sweeps, robustness, stability, optimisation, and the papers' tables measured again."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
