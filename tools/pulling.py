"""Hard pulls: does a figure stay a figure when it is torn about, and come to rest on the floor when it falls?

Every world is pulled once, in a direction and at a time of its own, as hard and as long as chance has it.

    python -m tools.pulling walk-3d run-3d --worlds 1000 --dt 0.0005 0.001 0.002
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.push import Push
from footfall.simulation import Simulation
from footfall.simulation.structures import STOPPED

FIRST, LAST = 2.0, 4.0
"""Seconds between which pulls begin."""
REST = 0.5
"""A body whose parts all move slower, metres a second, lies still."""
DEEP = 0.01
"""Metres under the floor that no part of a body at rest may be."""


@dataclass(frozen=True)
class PullTest:
    """How so many worlds ended: diverged (running, or after the fall), fell, upright at the end; of the fallen, those
    that do not lie still at the end, those with a part deeper than 1 cm in the floor, and the deepest, metres."""

    controller: str
    engine: str
    dt: float
    worlds: int
    diverged: int
    fell: int
    upright: int
    moving: int
    sunk: int
    deepest: float


def pull_test(
    controller: Any,
    *,
    worlds: int = 1000,
    most: float = 2000.0,
    longest: float = 2.0,
    seconds: float = 20.0,
    dt: float | None = None,
    seed: int = 1,
    engine: str = "native",
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> PullTest:
    """Pull worlds of a controller about, each once, up to ``most`` newtons for up to ``longest`` seconds."""
    random = np.random.default_rng(seed)
    directions = random.normal(size=(worlds, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    forces = directions * random.uniform(0.0, most, (worlds, 1))
    pull = Push(forces, random.uniform(FIRST, LAST, worlds), random.uniform(0.0, longest, worlds))
    kind = Simulation
    if engine == "mujoco":
        from footfall.simulation.mujoco_engine import MujocoSimulation

        kind = MujocoSimulation
    simulation = kind(controller, worlds=worlds, pushes=[pull], dt=dt, ragdoll_after_fall=True, **options)
    if simulation.figure.root == "planar":
        raise FootfallError("pulls from all sides are for 3D figures; a planar figure has push maps")
    outcome = simulation.run(seconds, progress)
    lying = np.flatnonzero(outcome.fell & (simulation.snapshot()["status"] != STOPPED))
    depths = -lowest_points(simulation.figure, simulation.qpos[lying])
    return PullTest(
        controller=str(simulation.description()["controller"]),
        engine=engine,
        dt=simulation.dt,
        worlds=worlds,
        diverged=int(np.sum(outcome.diverged) + np.sum(simulation.snapshot()["status"] == STOPPED)),
        fell=int(np.sum(outcome.fell)),
        upright=int(np.sum(outcome.survived)),
        moving=int(np.sum(_speeds(simulation.figure, simulation.qpos[lying], simulation.qvel[lying]) > REST)),
        sunk=int(np.sum(depths > DEEP)),
        deepest=float(depths.max(initial=0.0)),
    )


def lowest_points(figure: Figure, qpos: NDArray[np.float64]) -> NDArray[np.float64]:
    """[N] the height of the lowest place on the surface of a figure's geoms, in each of N poses [N, nq]."""
    model, data = figure.model, mujoco.MjData(figure.model)
    own = np.flatnonzero(model.geom_bodyid > 0)
    kind, size = model.geom_type[own], model.geom_size[own]
    sphere, capsule = kind == int(mujoco.mjtGeom.mjGEOM_SPHERE), kind == int(mujoco.mjtGeom.mjGEOM_CAPSULE)
    heights = np.zeros(len(qpos))
    for n, pose in enumerate(qpos):
        data.qpos[:] = pose
        mujoco.mj_kinematics(model, data)
        up = np.abs(data.geom_xmat[own].reshape(-1, 3, 3)[:, 2])
        reach = np.einsum("gi,gi->g", up, model.geom_aabb[own, 3:])
        reach = np.where(capsule, size[:, 0] + up[:, 2] * size[:, 1], reach)
        heights[n] = np.min(data.geom_xpos[own, 2] - np.where(sphere, size[:, 0], reach))
    return heights


def _speeds(figure: Figure, qpos: NDArray[np.float64], qvel: NDArray[np.float64]) -> NDArray[np.float64]:
    """[N] the speed of the fastest body's centre of mass."""
    model, data = figure.model, mujoco.MjData(figure.model)
    speeds = np.zeros(len(qpos))
    for n, (pose, rate) in enumerate(zip(qpos, qvel, strict=True)):
        data.qpos[:], data.qvel[:] = pose, rate
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        velocity, found = np.zeros(6), []
        for body in range(1, model.nbody):
            mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, velocity, 0)
            found.append(float(np.linalg.norm(velocity[3:])))
        speeds[n] = max(found)
    return speeds


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="tools.pulling", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("controllers", nargs="+")
    parser.add_argument("--worlds", type=int, default=1000)
    parser.add_argument("--dt", type=float, nargs="+", default=[0.0005, 0.001, 0.002])
    parser.add_argument("--most", type=float, default=2000.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=["native", "mujoco"], default="native")
    given = parser.parse_args()
    for controller in given.controllers:
        for dt in given.dt:
            try:
                test = pull_test(
                    controller, worlds=given.worlds, most=given.most, seconds=given.seconds, dt=dt, seed=given.seed,
                    engine=given.engine,
                )  # fmt: skip
            except FootfallError as error:
                sys.exit(f"footfall: {error}")
            print(json.dumps(asdict(test)), flush=True)


if __name__ == "__main__":
    main()
