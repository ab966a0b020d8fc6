"""Short pushes on every segment of a body: the test that learned controllers of robots are given, by rising forces.

Two forms, each k of n worlds that are up at the end: ``once`` pushes a world once, on a segment, in a level direction
and with a share of the most force that chance chooses; ``every`` pushes each world on every segment in turn, spread
over the time. Pushes act at the segments' centres of mass. All rungs of the ladder have the same numbers of chance, and
so differ in force alone; on a CPU the same seed gives the same worlds to the bit.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import load_walker
from footfall.errors import MOST_CANDIDATES, FootfallError, check_whole
from footfall.figures import Figure
from footfall.push import pushes_on_segments
from footfall.simulation import MujocoSimulation, Simulation

LARGEST, DURATION, SECONDS, FIRST, LAST = 600.0, 0.08, 60.0, 3.0, 5.0
"""Newtons, seconds of a push and of a run; when pushes begin, and how long before the end the last one is."""
FORMS: tuple[Literal["once", "every"], ...] = ("once", "every")


@dataclass(frozen=True)
class SegmentPushes:
    """How many worlds were up at the end.

    Attributes:
        controller, figure, engine, dt, seconds, duration, seed: what was simulated.
        worlds: of each rung and form.
        rungs: (most newtons, up once, up every) each.
        segments: name -> (up, pushed) of the form ``once``, all rungs together.
        digest: of all states at the end; equal for runs that are equal to the bit.
    """

    controller: str
    figure: str
    engine: str
    dt: float
    seconds: float
    duration: float
    seed: int
    worlds: int
    rungs: tuple[tuple[float, int, int], ...]
    segments: dict[str, tuple[int, int]]
    digest: str

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return vars(self) | {"rungs": [dict(zip(("most_n", *FORMS), rung, strict=True)) for rung in self.rungs]}


def segment_pushes(
    controller: Any,
    *,
    worlds: int = 150,
    ladder: Sequence[float] = (LARGEST,),
    seconds: float = SECONDS,
    duration: float = DURATION,
    seed: int = 1,
    engine: str = "native",
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> SegmentPushes:
    """Push worlds of a controller on their segments.

    Args:
        controller: a controller by value, name or file.
        worlds: how many of each rung and form.
        ladder: the most newtons, rung by rung.
        seconds: of a run.
        duration: of a push, seconds.
        seed: of everything.
        engine: native, or mujoco for MuJoCo's contacts.
        progress: called with the simulated time from time to time.
        options: of the simulation besides.
    """
    check_whole("worlds", worlds, 1, MOST_CANDIDATES)
    kind = MujocoSimulation if engine == "mujoco" else Simulation
    body = options.get("figure")
    figure = body if isinstance(body, Figure) else Figure.load(body or load_walker(controller).figure)
    if figure.root == "planar":
        raise FootfallError("pushes on segments from all sides are for 3D figures; a planar figure has push maps")
    if not seconds >= FIRST + LAST:
        raise FootfallError(f"seconds is {seconds:g}; pushes on segments take at least {FIRST + LAST:g}")
    if not ladder or not all(0.0 <= most < np.inf for most in ladder):
        raise FootfallError("the ladder of pushes is newtons from 0 up, rung by rung, as in 150,300,450,600")
    segments = [body for body in figure.bodies if body.mass > 0.0]
    drawn = [_drawn(form, worlds, len(segments), seconds, seed) for form in FORMS]
    share, start = (np.concatenate([form[k] for form in drawn]) for k in (0, 1))
    force = np.concatenate([most * share for most in ladder])
    pushes = pushes_on_segments(figure, force, np.tile(start, (len(ladder), 1)), duration)
    simulation = kind(controller, worlds=len(force), pushes=pushes, **options)
    outcome = simulation.run(seconds, progress)
    up = outcome.survived.reshape(len(ladder), len(FORMS), worlds)
    chosen = drawn[0][2]
    return SegmentPushes(
        controller=str(simulation.description()["controller"]),
        figure=figure.name,
        engine=engine,
        dt=simulation.dt,
        seconds=seconds,
        duration=duration,
        seed=seed,
        worlds=worlds,
        rungs=tuple((float(n), *map(int, row.sum(axis=1))) for n, row in zip(ladder, up, strict=True)),  # type: ignore[misc]
        segments={
            body.name: (int(up[:, 0, chosen == k].sum()), len(ladder) * int(np.sum(chosen == k)))
            for k, body in enumerate(segments)
        },
        digest=sha256(simulation.qpos.tobytes()).hexdigest()[:16],
    )


def _drawn(
    form: str, worlds: int, segments: int, seconds: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Shares [worlds, segments, 3] of the most force, starts [worlds, segments], and segments [worlds] of ``once``."""
    random = np.random.default_rng(seed)
    angle = random.uniform(0.0, 2.0 * np.pi, (worlds, segments))
    level = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=2)
    share = random.uniform(0.0, 1.0, angle.shape)[..., None] * level
    chosen = random.integers(segments, size=worlds)
    if form == "once":
        share[np.arange(segments) != chosen[:, None]] = 0.0
        return share, np.tile(random.uniform(FIRST, FIRST + 2.0, worlds)[:, None], (1, segments)), chosen
    turns = np.argsort(random.random(angle.shape), axis=1)
    between = (seconds - FIRST - LAST) / segments
    return share, FIRST + (turns + random.random(angle.shape) * 0.5) * between, chosen
