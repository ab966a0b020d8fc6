"""Short pushes on every segment of a body: the test that learned controllers of robots are given.

Two forms, each a share of worlds that are up after a minute: ``once`` pushes a world once, on a segment, in a level
direction and with a force (up to the most) that chance chooses; ``every`` pushes each world on every segment in turn,
spread over the minute. Pushes take 0.08 s and act at the segments' centres of mass.

    python -m tools.segment_pushes my-walk.toml --engine mujoco --worlds 500
"""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.push import Push
from footfall.simulation import Simulation

MOST, DURATION, SECONDS, FIRST, LAST = 600.0, 0.08, 60.0, 3.0, 5.0
"""Newtons, seconds of a push and of a run; when pushes begin, and how long before the end the last one is."""


@dataclass(frozen=True)
class SegmentPushes:
    """How many worlds were up at the end, of how many, and by segment (``once`` alone)."""

    controller: str
    engine: str
    form: str
    dt: float
    most: float
    worlds: int
    upright: int
    segments: dict[str, tuple[int, int]]


def segment_push_test(
    controller: Any,
    *,
    form: Literal["once", "every"] = "once",
    worlds: int = 500,
    most: float = MOST,
    seconds: float = SECONDS,
    dt: float | None = None,
    seed: int = 1,
    engine: str = "native",
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> SegmentPushes:
    """Push worlds of a controller on their segments.

    Args:
        controller: a controller by value, name or file.
        options: of the simulation besides.
        form: one push a world, or one on every segment.
        worlds: how many.
        most: newtons.
        seconds: of a run.
        dt: step.
        seed: of everything.
        engine: native, or mujoco for MuJoCo's contacts.
        progress: is told the share that is done.
    """
    kind = Simulation
    if engine == "mujoco":
        from footfall.simulation.mujoco_engine import MujocoSimulation

        kind = MujocoSimulation
    figure = kind(controller, worlds=1, dt=dt, **options).figure
    if figure.root == "planar":
        raise FootfallError("pushes on segments from all sides are for 3D figures; a planar figure has push maps")
    segments = [body for body in figure.bodies if body.mass > 0.0]
    random = np.random.default_rng(seed)
    angle = random.uniform(0.0, 2.0 * np.pi, (worlds, len(segments)))
    force = random.uniform(0.0, most, angle.shape)[..., None] * np.stack(
        [np.cos(angle), np.sin(angle), 0 * angle], axis=2
    )
    chosen = random.integers(len(segments), size=worlds)
    if form == "once":
        start = np.tile(random.uniform(FIRST, FIRST + 2.0, worlds)[:, None], (1, len(segments)))
        force[np.arange(len(segments)) != chosen[:, None]] = 0.0
    else:
        turns = np.argsort(random.random(angle.shape), axis=1)
        start = FIRST + (turns + random.random(angle.shape) * 0.5) / len(segments) * (seconds - FIRST - LAST)
    pushes = [
        Push(force[:, k], start[:, k], DURATION, body.name, place=tuple(map(float, body.com)))  # type: ignore[arg-type]
        for k, body in enumerate(segments)
    ]
    simulation = kind(controller, worlds=worlds, dt=dt, pushes=pushes, **options)
    up = simulation.run(seconds, progress).survived
    counts = {body.name: (int(np.sum(up[chosen == k])), int(np.sum(chosen == k))) for k, body in enumerate(segments)}
    return SegmentPushes(
        controller=str(simulation.description()["controller"]),
        engine=engine,
        form=form,
        dt=simulation.dt,
        most=most,
        worlds=worlds,
        upright=int(np.sum(up)),
        segments=counts if form == "once" else {},
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="tools.segment_pushes", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("controllers", nargs="+")
    parser.add_argument("--figure", default=None)
    parser.add_argument("--form", choices=["once", "every"], nargs="+", default=["once", "every"])
    parser.add_argument("--worlds", type=int, default=500)
    parser.add_argument("--most", type=float, default=MOST)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--dt", type=float, default=None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=["native", "mujoco"], default="native")
    given = parser.parse_args()
    more: dict[str, Any] = {"figure": Figure.load(given.figure)} if given.figure else {}
    for controller in given.controllers:
        for form in given.form:
            try:
                test = segment_push_test(
                    controller, form=form, worlds=given.worlds, most=given.most, seconds=given.seconds, dt=given.dt,
                    seed=given.seed, engine=given.engine, **more,
                )  # fmt: skip
            except FootfallError as error:
                sys.exit(f"footfall: {error}")
            print(json.dumps(asdict(test)), flush=True)


if __name__ == "__main__":
    main()
