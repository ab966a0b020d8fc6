"""How hard a controller that follows a clip may be pushed: the largest push below which every smaller one passes too.

As in Data-Driven Biped Control, section 5: forces of 0.4 s on the torso, every 4 s, at several phases of the step. A
force passes if the figure is up after all pushes, or was when its clip ended, at every phase and from every start.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.methods.network.controller import NetworkController
from footfall.methods.tracking.controller import TrackingController
from footfall.push import Push
from footfall.study.imitation.following import tracking_simulation, up_to_the_end

DIRECTIONS: Mapping[str, tuple[float, float, float]] = {
    "front": (-1.0, 0.0, 0.0),
    "rear": (1.0, 0.0, 0.0),
    "right": (0.0, 1.0, 0.0),
    "left": (0.0, -1.0, 0.0),
}
"""Where a push comes from -> the direction in which it acts, for a figure that goes along x."""


def push_limits(
    controller: TrackingController | NetworkController,
    *,
    first: float = 8.0,
    count: int = 10,
    every: float = 4.0,
    duration: float = 0.4,
    forces: NDArray[np.float64] | None = None,
    phases: int = 4,
    step: float = 0.65,
    noises: Sequence[float] = (0.0,),
    **options: Any,
) -> dict[str, float]:
    """Newtons from each direction.

    Args:
        controller: a walk that goes on long enough: tracking, or a policy with a clip.
        first: time of the first push. count: how many. every: seconds between them. duration: of each.
        forces: [F] rising, by default 20 to 200 N in steps of 20.
        phases: first pushes are tried at this many moments, spread over ``step`` seconds.
        noises: of the starts that are tried at each phase: disturbances of their velocities, rad/s and m/s.
        options: as :class:`Simulation` takes them.
    """
    grid = np.arange(20.0, 201.0, 20.0) if forces is None else forces
    directions = np.array(list(DIRECTIONS.values()))
    axes = np.arange(len(directions)), grid, np.arange(phases) * step / phases, np.asarray(noises)
    which, strength, late, noise = (a.ravel() for a in np.meshgrid(*axes, indexing="ij"))
    options.setdefault("figure", Figure.load(controller.figure))
    shaken = noise[:, None] * np.random.default_rng(1).normal(size=(len(noise), options["figure"].nv))
    vectors = strength[:, None] * directions[which]
    pushes = [Push(vectors, first + every * k + late, duration) for k in range(count)]
    run = tracking_simulation(controller, worlds=len(noise), shaken=shaken, pushes=pushes, last_states=1, **options)
    run.run(first + every * count + step)
    clip = controller.repertoire if isinstance(controller, TrackingController) else controller.clip_frames
    assert clip is not None
    passes = np.asarray(up_to_the_end(run, clip).reshape(len(directions), len(grid), -1).all(axis=2))
    limits = {}
    for k, name in enumerate(DIRECTIONS):
        passed = int(np.argmin(passes[k])) if not passes[k].all() else len(grid)
        limits[name] = float(grid[passed - 1]) if passed else 0.0
    return limits
