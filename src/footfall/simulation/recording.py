"""What kernels record of worlds: samples of a whole run, and the last states in a ring."""

from typing import Any

import warp as wp

from footfall.dynamics.compiler import CompiledFigure


def trace_structure(compiled: CompiledFigure, signals: int | None = None) -> Any:
    """The structure that samples are written to.

    ``stride`` steps lie between two samples, ``first`` is the number of the first; ``qpos``, ``qvel`` and ``events``
    (the law's state, the points that touch, the stance side) are [samples, N]. The ring [N, length] has a state every
    ``ring_stride`` steps.

    Args:
        compiled: the figure.
        signals: how many a law has, whose torques and what they do are recorded too; None without a law.
    """
    Qpos, Qvel = compiled.Qpos, compiled.Qvel
    fields: dict[str, Any] = {
        "stride": wp.int32,
        "first": wp.int32,
        "qpos": wp.array2d[Qpos],
        "qvel": wp.array2d[Qvel],
    }
    if signals is not None:
        Signals = wp.types.vector(length=max(1, signals), dtype=compiled.real)
        fields |= {"torque": wp.array2d[Qvel], "signals": wp.array2d[Signals], "qacc": wp.array2d[Qvel]}
        fields |= {"moment": wp.array2d[Qvel], "grf": wp.array2d[compiled.Points]}
    fields |= {
        "events": wp.array3d[wp.int32],
        "ring_stride": wp.int32,
        "ring_qpos": wp.array2d[Qpos],
        "ring_qvel": wp.array2d[Qvel],
    }
    return wp.struct(type("Trace", (), {"__annotations__": fields, "__module__": __name__}))


def recording_functions(compiled: CompiledFigure, Trace: Any) -> tuple[wp.Function, wp.Function]:
    """Warp functions that write to a trace of a structure.

    Returns:
        ``kept`` (trace, w, n, qpos, qvel): a world's state into the ring, if step n belongs there.
        ``sampled`` (trace, w, at, qpos, qvel, state, mask, stance): a sample.
    """
    Qpos, Qvel = compiled.Qpos, compiled.Qvel

    @wp.func
    def kept(trace: Trace, w: int, n: int, qpos: wp.ref[Qpos], qvel: wp.ref[Qvel]):
        if trace.ring_stride > 0:
            if n % trace.ring_stride == 0:
                at = (n // trace.ring_stride) % trace.ring_qpos.shape[1]
                trace.ring_qpos[w, at] = qpos
                trace.ring_qvel[w, at] = qvel

    @wp.func
    def sampled(
        trace: Trace, w: int, at: int, qpos: wp.ref[Qpos], qvel: wp.ref[Qvel], state: int, mask: int, stance: int
    ):
        if w < trace.qpos.shape[1] and at < trace.qpos.shape[0]:
            trace.qpos[at, w] = qpos
        if w < trace.qvel.shape[1] and at < trace.qvel.shape[0]:
            trace.qvel[at, w] = qvel
        if w < trace.events.shape[1] and at < trace.events.shape[0]:
            trace.events[at, w, 0] = state
            trace.events[at, w, 1] = mask
            trace.events[at, w, 2] = stance

    return kept, sampled
