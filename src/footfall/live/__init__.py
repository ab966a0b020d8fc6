"""Live pages: a controller as one HTML file that simulates in the visitor's browser, and as a WebAssembly module.

Warp's generated C++ of the fused rollout is compiled to WebAssembly as it is, so a page computes what
``footfall run`` computes.
"""
