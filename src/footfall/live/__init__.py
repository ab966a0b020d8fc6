"""Live pages: a controller as one HTML file that simulates in the visitor's browser, and as a WebAssembly module.

The C++ that Warp generates for a simulation is compiled to WebAssembly, so a page computes what ``footfall run``
computes.
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
