"""Studies on many processes and machines: jobs run by any executor, kept as they finish, continued after a stop."""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
