"""Live pages: a controller as one HTML file that simulates in the visitor's browser, and as a WebAssembly module.

Warp's generated C++ of the fused rollout is compiled to WebAssembly as it is, so a page computes what
``footfall run`` computes.
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
