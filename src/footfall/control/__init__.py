"""What control laws share: what a law is, the parts that laws are made of, and the kinds of controllers by name."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
