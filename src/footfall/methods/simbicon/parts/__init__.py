"""Parts of SIMBICON's law: small Warp functions, each tested by itself, each idea in a file of its own."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
