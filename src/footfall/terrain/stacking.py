"""Many worlds' profiles as one table."""

from collections.abc import Sequence

import numpy as np

from footfall.errors import FootfallError
from footfall.terrain.terrain import Array, Terrain


def stack_profiles(terrains: Sequence[Terrain]) -> tuple[Array, Array]:
    """(x [W, K], z [W, K]): the profiles of W worlds' terrains.

    Shorter ones continue level beyond their last vertex, one metre per vertex, so that every row stays strictly
    increasing in x and describes the same ground as before.
    """
    if not terrains:
        raise FootfallError("terrains: one or more are needed, one for each world")
    profiles: dict[int, tuple[Array, Array]] = {}
    for world, terrain in enumerate(terrains):
        if terrain.kind == "grid":
            raise FootfallError(f"terrain '{terrain}' (world {world}) varies with y; worlds of their own have profiles")
        if id(terrain) not in profiles:
            profiles[id(terrain)] = terrain.profile()
    longest = max(len(x) for x, _ in profiles.values())
    for key, (x, z) in profiles.items():
        more = longest - len(x)
        profiles[key] = np.concatenate([x, x[-1] + 1.0 + np.arange(more)]), np.concatenate([z, np.repeat(z[-1], more)])
    rows = [profiles[id(terrain)] for terrain in terrains]
    return np.stack([x for x, _ in rows]), np.stack([z for _, z in rows])
