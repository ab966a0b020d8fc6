"""Terrains: immutable descriptions with heights, normals and the tables that an engine compiles.

The ground is z = height(x, y) with x forward, y left, z up, in metres. A walker starts at x = 0; steps and slopes begin
ahead of it and every ground continues level beyond its ends.
"""

from footfall.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
