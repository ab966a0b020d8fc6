"""Pictures of motions: strips of poses, plots, animations and a player for the browser."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
