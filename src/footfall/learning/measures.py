"""What each world's decision took, measured around a rollout: the ground's force and the joints' effort.

With the figure's momentum p (upward), its mass m, gravity g and the seconds T of the decision, the ground's mean upward
force is, in body weights,

    ground_force = ((p after - p before) / T + m g) / (m g),

for pushes are level. ``torque_squared`` and ``power`` are means over the decision of the summed squares of joint
torques and of the joints' absolute power, as in :class:`footfall.simulation.outcome.Outcome`.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.figures import Figure
from footfall.simulation.prepared import PreparedWorlds
from footfall.simulation.rollout import COMPILER_FLAGS
from footfall.simulation.structures import TALLY

DECISION_MEASURES = ("ground_force", "torque_squared", "power")
"""Body weights, (N m)² and W; each a mean over the decision."""


class DecisionMeasures:
    """Measures of the worlds' last decision.

    Args:
        prepared: the worlds; their simulation sums up efforts.
        elapsed: [N] decisions of each world's episode.

    Attributes:
        values: by name, each [N] on the device; 0 in a world that began an episode instead of deciding.
        start: [N, 4] what a world had before its decision: time steps, summed squares of torques, work and momentum.
        before, after: launches of each share of the worlds, before and after its rollout.
    """

    def __init__(self, prepared: PreparedWorlds, elapsed: Any) -> None:
        simulation, state = prepared.simulation, prepared.state
        figure, real, device, count = simulation.figure, simulation.real, simulation.device, simulation.worlds
        self.values = {name: wp.zeros(count, dtype=real, device=device) for name in DECISION_MEASURES}
        self.start = wp.zeros((count, 4), dtype=real, device=device)
        weight = -float(simulation.gravity[2]) * sum(b.mass for b in figure.bodies)
        begin, measure = measuring_kernels(figure, real)
        fields = [state[name] for name in ("qpos", "qvel", "tally", "step_count")]
        rest = [*fields, simulation.dt, weight, self.start, *self.values.values()]

        def launches(kernel: Any, inputs: Sequence[Any]) -> list[Any]:
            return [
                wp.launch(kernel, dim=n, inputs=[first, *inputs], device=device, record_cmd=True)
                for first, n in prepared.shares
            ]

        self.before, self.after = launches(begin, [elapsed, *fields[:2], self.start]), launches(measure, rest)


@cache
def measuring_kernels(figure: Figure, real: Any) -> tuple[Any, Any]:
    """Of a figure: (first world, elapsed, qpos, qvel, start), which notes what a world begins its episode with; and
    (first world, qpos, qvel, tally, step_count, dt, weight, start, and an array for each of ``DECISION_MEASURES``),
    which measures a decision, where ``weight`` is newtons, and notes what the next one starts with.
    """
    compiled = CompiledFigure(figure, real)
    Qpos, Qvel, found = compiled.Qpos, compiled.Qvel, compiled.upward_momentum
    nq, nv, zero = compiled.nq, compiled.nv, real(0.0)
    One = wp.types.vector(length=1, dtype=real)
    squares_at, work_at = TALLY.index("torque_squared"), TALLY.index("work")
    Matrix, Numbers, Counts = wp.array2d(dtype=real), wp.array(dtype=real), wp.array(dtype=wp.int32)
    options = {"enable_backward": False, "module": "unique", "module_options": {"cpu_compiler_flags": COMPILER_FLAGS}}

    @wp.func
    def momentum(qpos: Matrix, qvel: Matrix, w: int):
        q = Qpos()
        v = Qvel()
        for k in range(wp.static(nq)):
            q[k] = qpos[w, k]
        for k in range(wp.static(nv)):
            v[k] = qvel[w, k]
        upward = One()
        found(q, v, qpos, 0, upward)  # sizes are compiled in: no table is read
        return upward[0]

    @wp.kernel(**options)
    def begin(first: int, elapsed: Counts, qpos: Matrix, qvel: Matrix, start: Matrix):
        w = first + wp.tid()
        if elapsed[w] == 0:
            for k in range(3):
                start[w, k] = zero
            start[w, 3] = momentum(qpos, qvel, w)

    @wp.kernel(**options)
    def measure(
        first: int, qpos: Matrix, qvel: Matrix, tally: Matrix, step_count: Counts, dt: real, weight: real,
        start: Matrix, ground_force: Numbers, torque_squared: Numbers, power: Numbers,
    ):  # fmt: skip
        w = first + wp.tid()
        steps = real(step_count[w])
        seconds = (steps - start[w, 0]) * dt
        ground_force[w] = zero
        torque_squared[w] = zero
        power[w] = zero
        if seconds > zero:
            upward = momentum(qpos, qvel, w)
            torque_squared[w] = (tally[w, squares_at] - start[w, 1]) / seconds
            power[w] = (tally[w, work_at] - start[w, 2]) / seconds
            if weight > zero:
                ground_force[w] = ((upward - start[w, 3]) / seconds + weight) / weight
            start[w, 0] = steps
            start[w, 1] = tally[w, squares_at]
            start[w, 2] = tally[w, work_at]
            start[w, 3] = upward

    return begin, measure
