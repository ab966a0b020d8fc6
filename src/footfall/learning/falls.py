"""Bodies that were thrown to the ground, from which one learns to get up.

Walking and standing bodies are pushed on the trunk, from any side; those that fall go on as bodies that no motor drives
and come to rest. From there each has a clip that gets up (:mod:`footfall.motion.synthesis.getting_up`), which a policy
learns to follow; like those of other clips its episodes begin anywhere in it.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.figures import Figure
from footfall.motion.synthesis.getting_up import named_poses, on_the_ground, way_up_from, ways_up
from footfall.push import Push
from footfall.simulation.simulation import Simulation

Array = NDArray[np.float64]

NEWTONS, PUSH_SECONDS, PUSHED_AT = (400.0, 1500.0), (0.1, 0.4), (1.0, 3.0)
WALKERS = ("walk-3d", "stand-3d")
"""The controllers of the bodies that are pushed: one walks, one stands."""
SECONDS, STEP = 7.0, 0.002
"""How long each is simulated, and the step: the last push ends 3.6 s before the end."""
STANDS_HEIGHT, STANDS_UP = 0.85, 0.85
"""Share of the root's standing height, and of up along its own up, above which one stands."""


def thrown(figure: Figure, walker: str, count: int, seed: int) -> tuple[Array, Array]:
    """[N, nq] and [N, nv] where bodies lie in the end that fell under a controller, of ``count`` that are pushed."""
    random = np.random.default_rng(seed)
    angle, newtons = random.uniform(-np.pi, np.pi, count), random.uniform(*NEWTONS, count)
    force = np.stack([newtons * np.cos(angle), newtons * np.sin(angle), np.zeros(count)], axis=1)
    push = Push(force, random.uniform(*PUSHED_AT, count), random.uniform(*PUSH_SECONDS, count))
    simulation = Simulation(
        walker, figure=figure, worlds=count, pushes=[push], dt=STEP, ragdoll_after_fall=True, last_states=1
    )
    outcome = simulation.run(SECONDS)
    fell = np.asarray(outcome.fell) & np.isfinite(simulation.qpos).all(axis=-1)
    return simulation.qpos[fell], simulation.qvel[fell]


def on_the_back(figure: Figure) -> Array:
    """[nq] where it lies on its back."""
    return on_the_ground(figure, named_poses(figure)[0]["back"])


def stands(figure: Figure, height: Any, up: Any) -> Any:
    """Whether a body stands, by the height of its root above the ground, and by the share of the world's up along the
    root's own."""
    return (height > STANDS_HEIGHT * float(figure.default_qpos[2])) & (up > STANDS_UP)


def clips_of_getting_up(figure: Figure, falls: int, rate: float, seed: int = 0) -> list[Array]:
    """[T, nq] each: bodies get up from where they came to rest, of ``falls`` that are pushed, with their mirror images;
    and the ways up as they are."""
    fallen = [
        thrown(figure, w, max(1, falls // len(WALKERS)), seed + k) for k, w in enumerate(WALKERS if falls else ())
    ]
    lying = [qpos for rows, _ in fallen for row in rows for qpos in (row, figure.mirror_qpos(row))]
    return [*ways_up(figure, rate), *(way_up_from(figure, qpos, rate) for qpos in lying)]
