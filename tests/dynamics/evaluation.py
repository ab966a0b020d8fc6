"""A compiled figure's functions over many states at once, in one kernel."""

import numpy as np
import warp as wp

from footfall.dynamics import CompiledFigure
from footfall.dynamics.stages import Stages
from footfall.simulation.device import device_of
from footfall.simulation.rollout import COMPILER_FLAGS

__all__ = ["Evaluation"]

QUICK = {"optimization_level": 0, "cpu_compiler_flags": COMPILER_FLAGS}
"""Options of kernels that run for a moment."""


class Evaluation:
    """Every generated function of a figure, for S states: ``answers`` takes arrays [S, …] and gives arrays [S, …]."""

    def __init__(self, compiled: CompiledFigure) -> None:
        self.compiled = compiled
        self.kernel, self.sizes = _kernel(compiled)

    def answers(self, qpos, qvel, torque=None, force=None, push=None, stiffness=None, springs=None, body=None):
        """qacc; implicit (with joint and point stiffness); hybrid torques that bring qacc about; kinematics.

        Args:
            qpos, qvel, torque: [S, nq], [S, nv], [S, nv].
            force: [S, P, 3] on the ground points. push: [S, places, 3].
            stiffness: [S, nv] and springs: [S, P, 3], taken implicitly.
            body: [1 or S, cells] body rows, if sizes differ.
        """
        c = self.compiled
        count = len(qpos)
        dtype = np.float32 if c.real == wp.float32 else np.float64

        def given(values, width, kind):
            flat = np.zeros((count, width)) if values is None else np.asarray(values).reshape(count, -1)
            flat = np.pad(flat, ((0, 0), (0, width - flat.shape[1])))
            return wp.array(flat.astype(dtype), dtype=kind, device="cpu")

        points, places = c.Points._length_, c.Pushes._length_
        rows = np.zeros((1, 1)) if body is None else body
        inputs = [
            given(qpos, c.nq, c.Qpos),
            given(qvel, c.nv, c.Qvel),
            given(torque, c.nv, c.Qvel),
            given(force, points, c.Points),
            given(push, places, c.Pushes),
            given(stiffness, c.nv, c.Qvel),
            given(springs, points, c.Points),
            wp.array(np.asarray(rows, dtype=dtype), dtype=c.real, device="cpu"),
            int(len(rows) > 1),
        ]
        outputs = {name: wp.zeros((count, size), dtype=c.real, device="cpu") for name, size in self.sizes.items()}
        wp.launch(self.kernel, dim=count, inputs=inputs, outputs=list(outputs.values()), device="cpu")
        found = {name: array.numpy() for name, array in outputs.items()}
        for name in ("position", "velocity", "landmarks", "point_acceleration"):
            found[name] = found[name].reshape(count, -1, 3)
        found["bodies"] = found["bodies"].reshape(count, -1, 18)
        return found


def _kernel(c: CompiledFigure):
    device_of("cpu")
    plain, ahead = Stages(c, implicit=False), Stages(c, implicit=True)
    sense, accelerate = plain.sense, plain.accelerate
    sense_ahead, accelerate_ahead = ahead.sense, ahead.accelerate
    given = Stages(c, implicit=False, prescribed=True)
    sense_given, prescribe, ScratchGiven = given.sense, given.accelerate, given.Scratch
    bodies, landmarks = c.bodies, c.landmarks
    Qpos, Qvel, Points, Pushes, real = c.Qpos, c.Qvel, c.Points, c.Pushes, c.real
    Scratch, ScratchAhead = plain.Scratch, ahead.Scratch
    nv, np3, nb, nl = c.nv, Points._length_, 18 * len(c.figure.bodies), 3 * len(c.figure.points)
    Bodies = wp.types.vector(length=nb, dtype=real)
    Landmarks = wp.types.vector(length=max(1, nl), dtype=real)
    marked = nl > 0

    @wp.kernel(enable_backward=False, module="unique", module_options=QUICK)
    def evaluate(
        qpos: wp.array[Qpos],
        qvel: wp.array[Qvel],
        torque: wp.array[Qvel],
        force: wp.array[Points],
        push: wp.array[Pushes],
        stiffness: wp.array[Qvel],
        springs: wp.array[Points],
        body: wp.array2d[real],
        differ: int,
        out_qacc: wp.array2d[real],
        out_implicit: wp.array2d[real],
        out_hybrid_qacc: wp.array2d[real],
        out_hybrid_torque: wp.array2d[real],
        out_position: wp.array2d[real],
        out_velocity: wp.array2d[real],
        out_point_acceleration: wp.array2d[real],
        out_bodies: wp.array2d[real],
        out_landmarks: wp.array2d[real],
    ):
        i = wp.tid()
        w = i * differ
        q = qpos[i]
        v = qvel[i]
        t = torque[i]
        f = force[i]
        p = push[i]
        s = stiffness[i]
        g = springs[i]
        scratch = Scratch()
        position = Points()
        velocity = Points()
        qacc = Qvel()
        sense(q, v, body, w, scratch, position, velocity)
        accelerate(q, v, body, w, scratch, t, f, p, qacc)
        for k in range(nv):
            out_qacc[i, k] = qacc[k]
        for k in range(np3):
            out_position[i, k] = position[k]
            out_velocity[i, k] = velocity[k]
        again = ScratchGiven()
        asked = qacc
        needed = Qvel()
        sense_given(q, v, body, w, again, position, velocity)
        prescribe(q, v, body, w, again, asked, f, p, qacc, needed)
        for k in range(nv):
            out_hybrid_qacc[i, k] = qacc[k]
            out_hybrid_torque[i, k] = needed[k]
        kept = ScratchAhead()
        moved = Points()
        sense_ahead(q, v, body, w, kept, position, velocity)
        accelerate_ahead(q, v, body, w, kept, t, f, s, g, p, qacc, moved)
        for k in range(nv):
            out_implicit[i, k] = qacc[k]
        for k in range(np3):
            out_point_acceleration[i, k] = moved[k]
        frames = Bodies()
        bodies(q, v, body, w, frames)
        for k in range(nb):
            out_bodies[i, k] = frames[k]
        if wp.static(marked):
            marks = Landmarks()
            landmarks(q, v, body, w, marks)
            for k in range(nl):
                out_landmarks[i, k] = marks[k]

    sizes = {"qacc": nv, "implicit": nv, "hybrid_qacc": nv, "hybrid_torque": nv, "position": np3, "velocity": np3}
    return evaluate, sizes | {"point_acceleration": np3, "bodies": nb, "landmarks": nl}
