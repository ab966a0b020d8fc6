"""Limit-cycle control (Laszlo 1996): perturbations, regulation variables, the discrete system model, and the walks that
they balance step by step.
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
