"""Controllers carried from the body they were made for to another: scaled by size and mass, then searched there.

from footfall.study.adaptation import adapt

adapted = adapt("plain-walk-sketch", "my.xml", seconds=300)
adapted.controller, adapted.trials
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
