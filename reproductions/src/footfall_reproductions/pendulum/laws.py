"""Laws that 3LP walkers must obey, measured: integration, periodicity, limits, symmetry, smoothness, feet, refusals."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from footfall.errors import FootfallError
from footfall.figures.inertia import GRAVITY
from footfall.methods.pendulum.closed_form import Hips, Plane, StepState, advance
from footfall.methods.pendulum.gait import Gait, periodic_gait
from footfall.methods.pendulum.model import Person, ThreeLinearPendulums
from footfall.methods.pendulum.trajectory import Trajectory, record_walk, sample_gait
from footfall.methods.pendulum.walk import Walk, human_walk
from footfall.methods.pendulum.walker_motion import walk_motion
from footfall.motion.gait.angles import leg_angles
from footfall.motion.gait.measures import foot_quality
from footfall.push import Push

Array = NDArray[np.float64]

_WEIGHT = 70.0 * GRAVITY
CONDITIONS: dict[str, tuple[str, float, dict[str, Any]]] = {
    "A": ("child of 1 m", 1.0, {"speed": 1.0 / 1.7}),
    "B": ("giant of 2.5 m", 2.5, {"speed": 2.5 / 1.7}),
    "C": ("downhill, 9 degrees", 1.7, {"slope": -np.radians(9)}),
    "D": ("uphill, 9 degrees", 1.7, {"slope": np.radians(9)}),
    "E": ("low frequency, 1.3 steps/s", 1.7, {"frequency": 1.3}),
    "F": ("high frequency, 2.6 steps/s", 1.7, {"frequency": 2.6}),
    "G": ("slowly backward, 0.5 m/s", 1.7, {"speed": -0.5}),
    "H": ("backward, 1 m/s", 1.7, {"speed": -1.0}),
    "I": ("no clearance", 1.7, {"clearance": 0.0}),
    "J": ("high clearance, 15 % of the leg", 1.7, {"clearance": 0.15}),
    "K": ("torso bent back, 15 degrees", 1.7, {"tilt": -np.radians(15)}),
    "L": ("torso bent forward, 35 degrees", 1.7, {"tilt": np.radians(35)}),
    "M": ("dragged back by a tenth of the weight", 1.7, {"drag": -0.1 * _WEIGHT}),
    "N": ("pulled forward by a tenth of the weight", 1.7, {"drag": 0.1 * _WEIGHT}),
}
"""Figure 8: letter, what it shows, height in metres, and how the walk differs from 1 m/s at 1.7 steps/s."""

REFUSED: dict[str, dict[str, Any]] = {
    "speed": {"speed": 2.5},
    "backward speed": {"speed": -2.5},
    "frequency": {"frequency": 0.5},
    "high frequency": {"frequency": 6.0},
    "slope": {"slope": np.radians(30)},
    "tilt": {"tilt": np.radians(75)},
    "double support": {"double_support": 0.6},
    "clearance": {"clearance": 0.5},
    "drag": {"drag": 500.0},
    "speed not a number": {"speed": float("nan")},
}
"""Walks beyond reach, each by one parameter."""


def walked(height: float, changes: dict[str, Any], steps: int = 6, fps: float = 60.0) -> Trajectory:
    """A person of ``height`` (and a mass that grows with its cube) who walks ``steps`` steps."""
    body = Person.of(height, 70.0 * (height / 1.7) ** 3)
    gait = periodic_gait(body, Walk(**changes))
    return record_walk(gait, steps * float(gait.stride.duration[0]), fps=fps)


def integration_error(count: int = 20, seed: int = 3) -> float:
    """The largest difference, in m and m/s, between the closed form and numerical integration of the equations of
    motion
    over a step with pushes and feedback torques, for random bodies, walks and grounds."""
    random = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(count):
        body = Person.of(random.uniform(1.2, 2.0), random.uniform(40, 110))
        slope, tilt = random.uniform(-0.15, 0.15), random.uniform(-0.2, 0.4)
        walk = human_walk(body, random.uniform(0.3, 1.2), slope=slope, tilt=tilt, drag=random.uniform(-30, 30))
        gait = periodic_gait(body, walk)
        c, m = gait.stride, gait.model
        inputs = (*random.normal(0, 10, 4), *random.normal(0, 30, 2))
        start = [c.start_sx, c.start_px, 0, c.start_vx, c.start_sy, c.start_py, 0, c.start_vy]
        state = np.array([float(np.asarray(v).reshape(-1)[0]) for v in start]) + random.normal(0, 0.02, 8)
        state[[2, 6]] = 0.0
        d = random.choice([-1.0, 1.0])
        before = float((c.ankle + c.ankle_ramp)[0])
        hips, fx, fy = Hips(*inputs[:4]), inputs[4], inputs[5]
        begin = StepState(0.0, d, before, Plane(*state[:4]), Plane(*state[4:]), hips)
        closed = advance(c, begin, c.duration, fx, fy)
        worst = max(worst, float(np.abs(np.ravel(closed) - _integrated(m, c, d, before, inputs, state)).max()))
    return worst


def _integrated(m: ThreeLinearPendulums, c: Any, d: float, before: float, inputs: Any, state: Array) -> Array:
    vx, wx, vy, wy, fx, fy = inputs
    double, single = float(c.double_time[0]), float(c.single_time[0])

    def of(value: Any) -> float:
        return float(np.asarray(value).reshape(-1)[0])

    def both(t: float, x: Array) -> Array:
        share = t / double
        foot = of(m.double_foot) + of(m.double_foot_slope) * share
        mu = (1 - share) * before + share * of(c.ankle)
        ax = of(m.double_pelvis) * x[1] + foot * x[0] + of(m.double_ankle) * mu + of(m.double_force) * fx
        ay = of(m.double_pelvis) * x[5] + foot * x[4] + of(m.double_force) * fy
        return np.array([0, x[3], 0, ax + of(m.double_bias), 0, x[7], 0, ay])

    def one(t: float, x: Array) -> Array:
        hip_x = of(c.hip_x) + vx + (of(c.hip_ramp_x) + wx) * t / single
        hip_y = d * of(c.hip_y) + vy + (d * of(c.hip_ramp_y) + wy) * t / single
        mu = of(c.ankle) + of(c.ankle_ramp) * t / single
        out = [x[2], x[3], 0.0, 0.0, x[6], x[7], 0.0, 0.0]
        for k in (0, 1):
            by_s, by_p = of(m.single[k][0]), of(m.single[k][1])
            hip, force = of(m.hip[k]), of(m.force[k])
            out[2 + k] = by_s * x[0] + by_p * x[1] + hip * hip_x + of(m.ankle[k]) * mu + force * fx + of(m.bias_x[k])
            out[6 + k] = by_s * x[4] + by_p * x[5] + hip * hip_y + force * fy + d * of(m.bias_y[k])
        return np.array(out)

    for law, span in ((both, double), (one, single)):
        state = solve_ivp(law, (0.0, span), state, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]
    return state


def periodicity_error(count: int = 1000, seed: int = 4) -> float:
    """The largest miss, in m and m/s, of a step's end from the mirrored start, over random bodies and walks."""
    random = np.random.default_rng(seed)
    body = Person.of(random.uniform(1.0, 2.2, count), random.uniform(20, 120, count))
    speed = random.uniform(-0.3, 0.5, count) * np.sqrt(GRAVITY * body.h1)
    others = {"slope": random.uniform(-0.1, 0.1, count), "tilt": random.uniform(-0.2, 0.3, count)}
    c = periodic_gait(body, human_walk(body, speed, **others)).stride
    (sx, px, svx, pvx), (sy, py, svy, pvy) = c.walked(1.0, c.duration)
    misses = [-sx - c.start_sx, px - sx - c.start_px, svx, pvx - c.start_vx]
    misses += [sy - c.start_sy, sy - py - c.start_py, svy, pvy + c.start_vy]
    return float(np.max(np.abs(misses)))


def pendulum_limit() -> float:
    """How far ω² of a walker with almost massless legs is from g/(h1 + h3), the linear inverted pendulum's,
    relatively."""
    body = Person.of()
    light = body.replace(m2=body.m2 * 1e-8, inertia=body.inertia * 1e-8)
    rate = float(ThreeLinearPendulums.of(light).modes()[0])
    return abs(rate**2 * float(body.h1 + body.h3) / GRAVITY - 1.0)


def mirror_error() -> float:
    """The largest difference between a pushed walk that starts with the left leg and the mirrored one that starts with
    the right leg under the mirrored push."""
    from footfall.methods.pendulum.walkers import Walkers

    gait = periodic_gait(Person.of())
    left = record_walk(Walkers(gait, swing_left=True), 4.0, pushes=[Push((20, 30, 0), 0.7, 0.5)])
    right = record_walk(Walkers(gait, swing_left=False), 4.0, pushes=[Push((20, -30, 0), 0.7, 0.5)])
    flips = {"sy", "py", "svy", "pvy", "vy", "wy", "foot_y", "heading", "d"}
    rows = [np.abs(a * (-1.0 if n in flips else 1.0) - right.state[n]).max() for n, a in left.state.items()]
    posed = {"pelvis_turn", "pelvis_list", "spread", "stance_roll", "swing_roll", "stance_yaw", "swing_yaw", "heading"}
    rows += [np.abs(a * (-1.0 if n in posed else 1.0) - right.posture[n]).max() for n, a in left.posture.items()]
    return float(np.max(rows))


def phase_jumps() -> tuple[float, float]:
    """The largest jump at a phase change (start and end of double support) of any joint over all conditions of figure
    8:
    in position (m) and in velocity (m/s), between frames 1/2000 of a step apart."""
    worst_position, worst_speed = 0.0, 0.0
    for _, height, changes in CONDITIONS.values():
        gait = periodic_gait(Person.of(height, 70.0), Walk(**changes))
        step, double = float(gait.stride.duration[0]), float(gait.stride.double_time[0])
        frame = step / 2000
        for edge in (step, step + double, 2 * step, 2 * step + double):
            motion = walk_motion(sample_gait(gait, edge + frame * np.arange(-3, 4)))
            velocity = np.diff(motion.points(), axis=0) / frame
            jump = float(np.linalg.norm(np.diff(velocity, axis=0), axis=-1).max())
            worst_speed, worst_position = max(worst_speed, jump), max(worst_position, jump * frame)
    return worst_position, worst_speed


def feet_and_knees(walk: Trajectory) -> dict[str, float]:
    """Of a walk's motion: how far soles sink and slide (worst contact), m, and the range of the knees, degrees."""
    motion = walk_motion(walk)
    feet = foot_quality(motion, _true_contacts(walk, motion))
    angles = leg_angles(motion)
    knees = np.degrees(np.concatenate([angles["left_knee"], angles["right_knee"]]))
    return {
        "sink": feet.penetration,
        "slide": feet.slide_worst,
        "knee_least": float(knees.min()),
        "knee_most": float(knees.max()),
    }


def _true_contacts(walk: Trajectory, motion: Any) -> Any:
    """The contacts that the walk's phases say: the stance foot, and both feet in double support."""
    from footfall.motion.gait.contact import Contacts

    left_swings = walk.state["d"][:, 0] > 0
    both = walk.state["t"][:, 0] < float(walk.gait.stride.double_time[0])
    return Contacts(both | ~left_swings, both | left_swings, motion.times)


def combinations(count: int = 60, seed: int = 5) -> tuple[int, int, list[dict[str, float]]]:
    """Random combinations of all of figure 8's conditions: how many were tried, how many refused as infeasible, and
    :func:`feet_and_knees` of those that walked."""
    random = np.random.default_rng(seed)
    refused, measured = 0, []
    for _ in range(count):
        height = random.uniform(1.0, 2.3)
        scale = np.sqrt(height / 1.7)
        changes = {
            "speed": random.uniform(-0.8, 1.4) * scale,
            "frequency": random.uniform(1.4, 2.4) / scale,
            "double_support": random.uniform(0.0, 0.35),
            "clearance": random.uniform(0.0, 0.15),
            "slope": random.uniform(-0.12, 0.12),
            "tilt": random.uniform(-0.2, 0.4),
            "drag": random.uniform(-0.06, 0.06) * _WEIGHT * (height / 1.7) ** 3,
        }
        try:
            walk = walked(height, changes, steps=4)
        except FootfallError:
            refused += 1
            continue
        measured.append(feet_and_knees(walk))
    return count, refused, measured


def pushed(gait: Gait, degrees: float, newtons: float = 50.0, fps: float = 60.0) -> Trajectory:
    """A walk pushed by ``newtons`` toward ``degrees`` (0 forward, 90 left) all through its third step (figure 9)."""
    duration = float(gait.stride.duration[0])
    angle = np.radians(degrees)
    push = Push((newtons * np.cos(angle), newtons * np.sin(angle), 0.0), 2 * duration, duration)
    return record_walk(gait, 12 * duration, fps=fps, pushes=[push])


def refusals(attempt: Callable[[dict[str, Any]], Any] | None = None) -> dict[str, str]:
    """The message for each walk of :data:`REFUSED`; empty where it was not refused."""
    messages = {}
    for name, changes in REFUSED.items():
        try:
            (attempt or (lambda given: periodic_gait(Person.of(), Walk(**given))))(changes)
            messages[name] = ""
        except FootfallError as error:
            messages[name] = str(error)
    return messages
