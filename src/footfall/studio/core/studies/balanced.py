"""The push rose and the basin of a walker that limit-cycle control balances: every push and every start is a walker.

It walks straight on at its Q_d. Its samples do not know of pushes.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import parse_controller
from footfall.dynamics import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle import BalancedWalk, hip_control
from footfall.methods.limit_cycle.balanceable import with_torso_servo
from footfall.motion.quaternion import from_axis_angle, multiply
from footfall.simulation import Push
from footfall.studio.core.studies.robustness import drawn_basin, drawn_rose
from footfall.studio.core.studies.study import Progress, Result, Subject
from footfall.studio.core.worlds.setting import Setting

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

SETTLED, AFTER = 12, 12
"""Steps before a push, and after it."""
STARTED = 14
"""Steps that a start must walk for."""
MOST = 600.0
DURATION = 0.1


class _Walkers:
    """Balanced walkers in the studio's setting."""

    def __init__(self, subject: Subject, walkers: int) -> None:
        setting, drive = subject.setting, subject.drive
        assert drive is not None
        graph = with_torso_servo(parse_controller(subject.controller), drive["servo"])
        world = Setting(**{**setting, "place": tuple(setting["place"]), "hardness": Ground(**setting["hardness"])})
        figure = world.make_figure(Figure.load(graph.figure))
        forward, lateral = f"{drive['forward']}.forward", f"{drive['lateral']}.lateral"
        control = hip_control(drive["sampling"], forward=forward, lateral=lateral, targets=tuple(drive["targets"]))
        self.walk = BalancedWalk(
            graph,
            control,
            walkers=walkers,
            figure=figure,
            terrain=world.make_terrain(),
            ground=world.make_ground(),
            body=world.make_body(figure),
            pushes=[Push((0.0, 0.0, 0.0), 0.0, 0.0)],
            threads=1,
        )
        self._wanted = np.tile([d.target for d in control.dimensions], (walkers, 1))

    def go_on(self, first: int, steps: int, done: Callable[[float], None] = lambda part: None) -> Flags:
        """Take steps, ``first`` of which were taken before: True where the walker is upright."""
        walk = self.walk
        alive = np.ones(walk.walkers, dtype=bool)
        base = np.tile(walk.table.row, (walk.walkers, 1))
        still = {axis: np.zeros(walk.walkers) for axis in ("forward", "lateral")}
        for number in range(first, first + steps):
            start = walk.main.snapshot()
            alive &= walk.take(start, base, walk.aimed(start, self._wanted, still), number, alive).upright
            done((number + 1 - first) / steps)
            if not alive.any():
                break
        return alive


def balanced_rose(subject: Subject, progress: Progress, *, directions: int = 16, sizes: int = 10) -> Result:
    """The hardest push of 0.1 s from each direction that a balanced walker survives, early and late in a step of either
    leg; every smaller one passes too.

    Args:
        subject: what is pushed; its drive has sampling, forward, lateral, targets and servo.
        progress: called as it goes on. directions: how many. sizes: how many forces are tried, up to 600 N.
    """
    from footfall.study.robustness.pushing import strict_threshold

    alone = _Walkers(subject, 1)
    if not alone.go_on(0, SETTLED, lambda part: progress(0.05 * part))[0]:
        raise FootfallError("the walker falls before it could be pushed: there is no rose to draw")
    settled = alone.walk.main.snapshot()
    now = float(settled["step_count"][0]) * alone.walk.main.dt
    step = now / SETTLED
    forces = MOST * (1 + np.arange(sizes)) / sizes
    phases = np.array([0.25, 0.75, 1.25, 1.75]) * step
    force, phase = (a.ravel() for a in np.meshgrid(forces, phases, indexing="ij"))
    many = _Walkers(subject, len(force))
    angles = 360.0 * np.arange(directions) / directions
    limits, beyond = np.zeros(directions), np.zeros(directions, dtype=bool)
    for k, angle in enumerate(np.radians(angles)):
        way = np.array([np.cos(angle), np.sin(angle), 0.0])
        many.walk.main.restore(settled, np.zeros(len(force), dtype=int))
        many.walk.main.set_pushes([Push(force[:, None] * way, now + phase, DURATION)])
        survived = many.go_on(SETTLED, AFTER)
        progress(0.05 + 0.95 * (k + 1) / directions)
        passed = survived.reshape(sizes, len(phases))
        limits[k], beyond[k] = strict_threshold(forces, passed), bool(passed.all())
    return drawn_rose(angles, limits, beyond, forces, directions * len(force), planar=False)


def balanced_basin(subject: Subject, progress: Progress, *, count: int = 11) -> Result:
    """Which changed starts a balanced walker still walks from: the pelvis's pitch and the forward speed, on a grid."""
    x, y = np.linspace(-0.3, 0.3, count), np.linspace(-0.75, 0.75, count)
    pitch, speed = (a.ravel() for a in np.meshgrid(x, y, indexing="ij"))
    walkers = _Walkers(subject, len(pitch))
    main = walkers.walk.main
    start = main.snapshot()
    turn = from_axis_angle(np.array([0.0, 1.0, 0.0]), pitch)
    start["qpos"][:, 3:7] = multiply(turn, start["qpos"][:, 3:7].astype(float))
    start["qvel"][:, 0] += speed
    main.restore(start)
    survived = walkers.go_on(0, STARTED, progress).reshape(count, count)
    return drawn_basin(x, y, survived, f"{STARTED} steps")
