"""A basin: from which disturbed footstrikes the walk recovers, over the torso's lean and the speed.

python examples/basin.py
"""

import matplotlib.pyplot as plt
import numpy as np

import footfall as ff
from footfall.study import ReturnMap, basin_section

if __name__ == "__main__":
    gait = ReturnMap(ff.Experiment("walk", settle=8.0), dt=0.0005)
    point = gait.fixed_point()
    lean, speed = np.linspace(-0.6, 0.6, 25), np.linspace(-1.2, 1.2, 25)
    walks = basin_section(gait, point, ("torso_pitch", lean), ("root_x.rate", speed), seconds=5.0)
    plt.figure(figsize=(5.6, 4.6), layout="constrained")
    plt.pcolormesh(speed, lean, walks, cmap="viridis", shading="nearest")
    plt.plot(0.0, 0.0, "k+", markersize=12)
    plt.xlabel("change of speed at the strike, m/s")
    plt.ylabel("change of the torso's lean, rad")
    plt.title(f"walk: recovers (yellow) from {walks.mean():.0%}; largest multiplier {abs(point.multipliers[0]):.2f}")
    plt.savefig("basin.png", dpi=120)
    print(f"recovers from {int(walks.sum())} of {walks.size} strikes; see basin.png")
