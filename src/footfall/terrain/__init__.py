"""Terrains: immutable descriptions with heights, normals and the tables that an engine compiles.

The ground is z = height(x, y) with x forward, y left, z up, in metres. A walker starts at x = 0; steps and slopes begin
ahead of it and every ground continues level beyond its ends.
"""

from footfall.terrain.terrain import (
    Terrain,
    TerrainFlat,
    TerrainHeightField,
    TerrainProfile,
    TerrainRandomSteps,
    TerrainSlope,
    TerrainStairs,
    TerrainSteps,
    parse_terrain,
    stack_profiles,
    terrain_names,
)

__all__ = [
    "Terrain",
    "TerrainFlat",
    "TerrainHeightField",
    "TerrainProfile",
    "TerrainRandomSteps",
    "TerrainSlope",
    "TerrainStairs",
    "TerrainSteps",
    "parse_terrain",
    "stack_profiles",
    "terrain_names",
]
