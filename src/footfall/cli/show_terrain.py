"""A terrain in words, numbers and a picture: its outline."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.cli.printing import print_table
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.terrain import Terrain


class ShownTerrain:
    """A terrain: its outline."""

    def __init__(self, terrain: "Terrain") -> None:
        self.terrain = terrain

    def toml(self) -> str:
        """Terrains have none."""
        raise FootfallError("--toml: only controllers have a .toml file")

    def described(self) -> dict[str, Any]:
        """Everything, for JSON."""
        head = {"kind": "terrain", "name": str(self.terrain)}
        if self.terrain.kind == "grid":
            origin, spacing, heights = self.terrain.grid()
            return head | {"origin": origin, "spacing": spacing, "heights": heights}
        x, z = self.terrain.profile()
        return head | {"x": x, "z": z}

    def print_summary(self) -> None:
        """Its first vertices, or its size."""
        parts = self.described()
        if "heights" in parts:
            heights = parts["heights"]
            print(f"{parts['name']}: {heights.shape[0]} x {heights.shape[1]} nodes, {np.ptp(heights):.3f} m high")
            return
        print(f"{parts['name']}: a profile of {len(parts['x'])} vertices, level beyond its ends")
        shown = list(zip(parts["x"], parts["z"]))
        rows = [[f"{x:.2f}", f"{z:.3f}"] for x, z in shown[:24]]
        print_table([["x m", "z m"], *rows, *([["…", f"({len(shown) - 24} more)"]] if len(shown) > 24 else [])])

    def draw(self, file: Path) -> None:
        """Its outline from the side, or its heights from above."""
        from footfall.pictures.page import empty_figure, save_figure

        parts = self.described()
        page = empty_figure(9, 3)
        ax = page.add_subplot()
        if "heights" in parts:
            (x0, y0), (dx, dy), heights = parts["origin"], parts["spacing"], parts["heights"]
            ends = (x0, x0 + dx * (heights.shape[0] - 1), y0, y0 + dy * (heights.shape[1] - 1))
            page.colorbar(ax.imshow(heights.T, origin="lower", extent=ends, cmap="viridis"), label="z, m")
            ax.set_ylabel("y, m")
        else:
            x = np.concatenate(
                [[min(parts["x"][0] - 2, -1)], parts["x"][parts["x"] < 60], [min(parts["x"][-1] + 2, 60)]]
            )
            z = self.terrain.height(x)
            ax.fill_between(x, z, min(z.min() - 0.2, -0.2), color="0.85")
            ax.plot(x, z, color="0.25")
            ax.set_ylabel("z, m")
            if np.ptp(z) < 3:
                ax.set_aspect("equal", adjustable="datalim")
        ax.set_xlabel("x, m")
        ax.set_title(str(self.terrain), loc="left")
        save_figure(page, file)
