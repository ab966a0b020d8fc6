"""A figure's forward dynamics alone, step after step, for the benchmark."""

from typing import Any

import warp as wp

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.stages import Stages
from footfall.figures import Figure
from footfall.simulation.rollout import COMPILER_FLAGS


def forward_kernel(figure: Figure) -> tuple[Any, Any, Any]:
    """A kernel (steps, dt, qpos, qvel, body, end_qpos, end_qvel) of free flight; the types of qpos and qvel."""
    compiled = CompiledFigure(figure)
    stages = Stages(compiled, implicit=False)
    sense, accelerate, advance = stages.sense, stages.accelerate, compiled.advance
    Qpos, Qvel, Points, Pushes, Scratch = compiled.Qpos, compiled.Qvel, compiled.Points, compiled.Pushes, stages.Scratch

    @wp.kernel(enable_backward=False, module="unique", module_options={"cpu_compiler_flags": COMPILER_FLAGS})
    def forward(
        steps: int,
        dt: wp.float64,
        qpos: wp.array[Qpos],
        qvel: wp.array[Qvel],
        body: wp.array2d[wp.float64],
        end_qpos: wp.array[Qpos],
        end_qvel: wp.array[Qvel],
    ):
        i = wp.tid()
        q = qpos[i]
        v = qvel[i]
        for _ in range(steps):
            scratch = Scratch()
            position = Points()
            velocity = Points()
            torque = Qvel()
            force = Points()
            push = Pushes()
            qacc = Qvel()
            sense(q, v, body, 0, scratch, position, velocity)
            accelerate(q, v, body, 0, scratch, torque, force, push, qacc)
            v += qacc * dt
            advance(q, v, dt)
        end_qpos[i] = q
        end_qvel[i] = v

    return forward, Qpos, Qvel
