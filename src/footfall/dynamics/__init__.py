"""The dynamics compiler: from a figure to Warp functions specialised to it, and the ground under its feet."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
