"""A push sweep: which pushes SIMBICON's walk survives, over their force and the moment at which they come.

python examples/push_sweep.py
"""

import numpy as np

import footfall as ff
from footfall.study import save_sweep_picture

if __name__ == "__main__":
    walk = ff.Experiment("walk", seconds=8.0, set={"push.duration": 0.1})
    force = ff.Grid("push.force", np.linspace(-700, 700, 29))
    start = ff.Grid("push.start", np.linspace(4.0, 4.7, 15))  # two footsteps
    data = ff.Sweep(walk, [force, start]).run()
    save_sweep_picture(data, "push_sweep.png")
    print(f"{float(data.survived.mean()):.0%} of {data.survived.size} pushes survived; see push_sweep.png")
