"""Recorded walks of many worlds, and what is measured of them: functions from :class:`Walks` to one number a world.

What each function is, with its unit, is in the row of :data:`footfall.study.measures.table.MEASURES` that names it.
Joint angles of the left leg over its stride, from foot strike to foot strike, are compared with people's (hip, knee and
ankle in degrees, 51 samples a cycle), the hip's without its mean, since a pelvis has no agreed zero.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.figure import Figure
from footfall.figures.mjcf import body_points
from footfall.figures.parts import Point
from footfall.figures.side_names import SIDES
from footfall.figures.solid_shapes import solid_gaps
from footfall.motion.gait.contact import least_load, support_shares
from footfall.motion.gait.measures import FootPosition, mean_step_width
from footfall.motion.synthesis.periodic import WalkCycle
from footfall.simulation.trace import Trace
from footfall.study.measures.body import Units
from footfall.study.measures.people import ANGLE_FILE, Norms

Array = NDArray[np.float64]
Frames = NDArray[np.int64]

JOINTS = {"hip": ("hip_flexion", 1.0), "knee": ("knee_flexion", -1.0), "ankle": ("ankle_dorsiflexion", 1.0)}
"""Role -> the people's column and the sign of the figure's angle."""
PEOPLE_SPEEDS = {"very_slow": 0.51, "slow": 0.86, "free": 1.28, "fast": 1.66, "very_fast": 2.06}
"""The groups' mean speeds, m/s: 0.172, 0.290, 0.429, 0.560 and 0.694 sqrt(g L) for a leg of L = 0.9 m."""
LEG = 0.9
SAMPLES = 51
CLIP_WEIGHTS = {"hip_roll": 6.0, "hip_yaw": 1.0, "hip": 2.0, "knee": 2.0, "ankle": 2.0}
"""How much a joint's difference from a clip's counts, by part of its name; 1 for others. Hips that roll a little make
feet cross."""
FEWEST = 5
"""Exchanges of stance from which on a walk has steps that can be measured."""


@dataclass(frozen=True, eq=False)
class Walks:
    """The worlds of a trace after they have settled, S samples of W worlds.

    Attributes:
        trace: of ``qpos`` and ``events``.
        torque_squared: [W or more] mean summed squared joint torques, N² m².
        settle: seconds that are left out.
        people: joint -> [51] people's mean angles in degrees, for likeness (see :func:`read_people`).
        cycle: a clip's, which the walks are compared with.
    """

    trace: Trace
    torque_squared: Array
    settle: float = 0.0
    people: Mapping[str, Array] | None = None
    cycle: WalkCycle | None = None

    @cached_property
    def first(self) -> int:
        """The first sample that counts."""
        return min(int(np.searchsorted(self.trace.times, self.settle)), len(self.trace.times) - 3)

    @cached_property
    def qpos(self) -> Array:
        """[S, W, nq]."""
        return self.trace.qpos[self.first :]

    @cached_property
    def stance(self) -> NDArray[np.int32]:
        """[S, W] the stance foot: 0 left, 1 right."""
        return self.trace.stance[self.first :]

    @property
    def worlds(self) -> int:
        """How many."""
        return int(self.qpos.shape[1])

    @property
    def planar(self) -> bool:
        """Whether the figure moves in a plane."""
        return self.trace.figure.root == "planar"

    @property
    def dt(self) -> float:
        """Seconds between samples."""
        return float(self.trace.times[1] - self.trace.times[0])

    @property
    def span(self) -> float:
        """Seconds from the first to the last sample."""
        return (len(self.qpos) - 1) * self.dt

    @cached_property
    def units(self) -> Units:
        """The body's own units."""
        return Units.of(self.trace.figure)

    @cached_property
    def touches(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """[S, W] whether the left and the right foot touch the ground."""
        ground = [p for p in self.trace.figure.points if p.ground]
        left, right = ([k for k, p in enumerate(ground) if p.foot == side] for side in SIDES)
        contact = self.trace.contact[self.first :]
        return np.asarray(contact[..., left].any(axis=-1)), np.asarray(contact[..., right].any(axis=-1))

    @cached_property
    def stands(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """[S, W] whether the left and the right foot carry a load where forces were recorded; else whether they
        touch."""
        trace = self.trace
        if not trace.grf.size:
            return self.touches
        least = least_load(trace.figure.gravity * float(trace.figure.model.body_mass.sum()))
        ground = [p for p in trace.figure.points if p.ground]
        left, right = ([k for k, p in enumerate(ground) if p.foot == side] for side in SIDES)
        vertical = trace.grf[self.first :, ..., 2]
        return np.asarray(vertical[..., left].sum(axis=-1) > least), np.asarray(
            vertical[..., right].sum(axis=-1) > least
        )

    @cached_property
    def heading(self) -> Array:
        """[S, W] radians from the world's x to its y; 0 in a plane."""
        if self.planar:
            return np.zeros(self.qpos.shape[:2])
        w, x, y, z = np.moveaxis(self.qpos[..., 3:7], -1, 0)
        return np.asarray(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))

    @cached_property
    def pitch(self) -> Array:
        """[S, W] radians by which the root's forward axis points below the horizon."""
        if self.planar:
            return -self.qpos[..., 2]
        w, x, y, z = np.moveaxis(self.qpos[..., 3:7], -1, 0)
        return np.asarray(np.arcsin(np.clip(2 * (w * y - x * z), -1.0, 1.0)))

    @cached_property
    def roll(self) -> Array:
        """[S, W] radians by which the root turns to its right."""
        if self.planar:
            return np.zeros(self.qpos.shape[:2])
        w, x, y, z = np.moveaxis(self.qpos[..., 3:7], -1, 0)
        return np.asarray(np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)))

    @cached_property
    def joints(self) -> Array:
        """[S, W, J] what follows the root in qpos."""
        return self.qpos[..., 3 if self.planar else 7 :]

    @cached_property
    def exchanges(self) -> dict[int, Frames]:
        """World -> the samples at which stance changes to the other foot, a foot strike each, of worlds that stay up
        (samples after a fall are zero) and take enough steps."""
        found = {}
        for w in range(self.worlds):
            frames = np.flatnonzero(np.diff(self.stance[:, w])) + 1
            if len(frames) >= FEWEST and self.qpos[-1, w].any():
                found[w] = frames
        return found

    @cached_property
    def thirds(self) -> dict[int, Frames]:
        """World -> [steps, 3] samples at a third, the middle and two thirds of each step."""
        return {w: thirds_of(frames) for w, frames in self.exchanges.items()}

    def step_by_step(self, measure: Callable[[int, Any], Any], steps: Mapping[int, Any] | None = None) -> Array:
        """[W] what a function of a world and its exchanges (or what else ``steps`` has of it) finds; NaN where a world
        took too few steps."""
        found = np.full(self.worlds, np.nan)
        for w, own in (self.exchanges if steps is None else steps).items():
            found[w] = measure(w, own)
        return found

    def poses(self, frames: Mapping[int, Frames]) -> Array:
        """[N, nq] the states of all worlds at their frames, one world after the other."""
        return np.concatenate([self.qpos[:0, 0], *(self.qpos[m.ravel(), w] for w, m in frames.items())])

    def by_world(self, values: Array, frames: Mapping[int, Frames]) -> dict[int, Array]:
        """World -> its rows of values [N, …] of :meth:`poses`, in the shape of its frames."""
        ends = np.cumsum([m.size for m in frames.values()])
        return {
            w: values[end - m.size : end].reshape(*m.shape, *values.shape[1:])
            for (w, m), end in zip(frames.items(), ends, strict=True)
        }

    @cached_property
    def middles(self) -> dict[int, Frames]:
        """World -> the middle of each step."""
        return {w: (frames[:-1] + frames[1:]) // 2 for w, frames in self.exchanges.items()}

    @cached_property
    def feet(self) -> dict[int, Array]:
        """World -> [steps, 2, 3] the left and the right foot in the middle of each step: the point under the ankle, or
        the middle of the sole."""
        figure, poses, feet = self.trace.figure, self.poses(self.middles), []
        for side in SIDES:
            under = [p for p in figure.points if p.name == f"{side}_under_ankle"]
            points = under or [figure.point(name) for name in figure.leg(side).sole]
            feet.append(body_points(figure.model, poses, ((p.body, p.position) for p in points)).mean(axis=1))
        return self.by_world(np.stack(feet, axis=1), self.middles)

    @cached_property
    def sole_points(self) -> tuple[Point, ...]:
        """P ground points of the feet, the left one's first."""
        return tuple(p for side in SIDES for p in self.trace.figure.points if p.foot == side and p.ground)

    @cached_property
    def soles(self) -> dict[int, Array]:
        """World -> [steps, 3, P, 3] the ground points of both feet at the thirds of each step."""
        points = ((p.body, p.position) for p in self.sole_points)
        return self.by_world(body_points(self.trace.figure.model, self.poses(self.thirds), points), self.thirds)

    def on_stance(self, world: int) -> NDArray[np.bool_]:
        """[steps, P] whether a ground point of the feet is the stance foot's, in the middle of each step."""
        on_left = np.array([p.foot == "left" for p in self.sole_points])
        return np.where(self.stance[self.thirds[world][:, 1], world][:, None] == 0, on_left, ~on_left)

    @cached_property
    def leg_gaps(self) -> dict[int, Array]:
        """World -> [steps, MOMENTS] metres between the shapes of the legs over each step."""
        moments = {w: moments_of(frames) for w, frames in self.exchanges.items()}
        return self.by_world(leg_gaps(self.trace.figure, self.poses(moments)), moments)

    @cached_property
    def profiles(self) -> dict[str, Array]:
        """Joint -> [W, 51] degrees of flexion of the left leg over its stride; NaN without a stride."""
        grid, figure = np.linspace(0.0, 1.0, SAMPLES), self.trace.figure
        profiles = {name: np.full((self.worlds, SAMPLES), np.nan) for name in JOINTS}
        for w in range(self.worlds):
            exchanges = np.flatnonzero(np.diff(self.stance[:, w])) + 1
            strikes = exchanges[self.stance[exchanges, w] == 0]
            if len(strikes) < 2:
                continue
            moments = [a + grid * (b - a) for a, b in pairwise(strikes)]
            for name, (_, sign) in JOINTS.items():
                angle = np.degrees(sign * self.qpos[:, w, figure.joint(figure.roles[name][0]).qpos])
                profiles[name][w] = np.mean([np.interp(m, np.arange(len(angle)), angle) for m in moments], axis=0)
        return profiles

    @cached_property
    def phases(self) -> Array:
        """[S, W] the phase of each sample: 0 to 1/2 evenly over each left stance, 1/2 to 1 over each right one, however
        long it lasts; the first and last stance are taken to last as long as their neighbours."""
        phases = np.zeros(self.stance.shape)
        for w, stance in enumerate(self.stance.T):
            cuts = [0, *(np.flatnonzero(np.diff(stance)) + 1), len(stance)]
            usual = float(np.median(np.diff(cuts[1:-1]))) if len(cuts) > 3 else float(len(stance))
            for i, (a, b) in enumerate(pairwise(cuts)):
                length = float(b - a) if 0 < i < len(cuts) - 2 else max(usual, float(b - a))
                shift = length - (b - a) if i == 0 else 0.0
                phases[a:b, w] = 0.5 * stance[a] + 0.5 * (np.arange(b - a) + shift) / length
        return phases

    @property
    def clip(self) -> WalkCycle:
        """The cycle, which must be given."""
        assert self.cycle is not None
        return self.cycle

    @cached_property
    def clip_joints(self) -> tuple[Array, Array]:
        """[S, W, joints] radians of the joints that the clip's cycle has, and the cycle's own at equal phases."""
        columns = [self.trace.figure.joint(name).qpos for name in self.clip.joints]
        return self.qpos[..., columns], self.clip.angles_at(self.phases)

    @cached_property
    def ahead(self) -> tuple[Array, Array]:
        """[S - 1, W, 2] velocities on the ground, and the directions faced."""
        facing = np.stack([np.cos(self.heading), np.sin(self.heading)], axis=-1)[:-1]
        return np.diff(self.qpos[..., :2], axis=0) / self.dt, facing


def thirds_of(frames: Frames) -> Frames:
    """[steps, 3] samples at a third, the middle and two thirds of each step from one frame to the next."""
    return np.array([(a + (b - a) // 3, (a + b) // 2, b - (b - a) // 3) for a, b in pairwise(frames)])


MOMENTS = 8


def moments_of(frames: Frames) -> Frames:
    """[steps, MOMENTS] samples, evenly over each step from one frame to the next."""
    return np.rint(np.linspace(frames[:-1], frames[1:], MOMENTS, endpoint=False, axis=1)).astype(np.int64)


def leg_gaps(figure: Figure, poses: Array) -> Array:
    """[N] metres between the shapes of the two legs at qpos [N, nq], below 0 where they are inside each other; not a
    number for a figure whose legs have no shapes that meet."""
    shapes = figure.solid
    pairs = [shapes.pairs[k] for k in shapes.leg_pairs]
    if not pairs or not len(poses):
        return np.full(len(poses), np.nan)
    return np.asarray(solid_gaps(figure.model, shapes.capsules, pairs, poses).min(axis=0))


def median_gap(gaps: Array) -> float:
    """Metres between the legs: the least of each step [steps, MOMENTS], median over steps."""
    return float(np.median(gaps.min(axis=1)))


def read_people(folder: str | Path, speed: float = 1.28) -> dict[str, Array]:
    """[51] mean joint angles over the gait cycle of people who walk at ``speed``, degrees, from a folder's
    schwartz2008_joint_angles.csv: between the two groups whose speeds are next to it."""
    slowest, fastest = min(PEOPLE_SPEEDS.values()), max(PEOPLE_SPEEDS.values())
    if not slowest <= speed <= fastest:
        raise FootfallError(f"people's joint angles: speed is {speed:g}; they walk at {slowest:g} to {fastest:g} m/s")

    groups = Norms(folder, speed, LEG).angle_groups
    if not groups:
        raise FootfallError(f"people's joint angles: folder '{folder}' has no {ANGLE_FILE}")
    shares = [np.interp(speed, list(PEOPLE_SPEEDS.values()), row) for row in np.eye(len(PEOPLE_SPEEDS))]
    mixed = list(zip(PEOPLE_SPEEDS, shares, strict=True))
    return {
        name: np.asarray(np.sum([share * groups[column][group].mean[::2] for group, share in mixed], axis=0))
        for name, (column, _) in JOINTS.items()
    }


def speed(walks: Walks) -> Array:
    velocity, facing = walks.ahead
    return np.asarray(np.einsum("swk,swk->w", velocity, facing) / (len(walks.qpos) - 1))


def side_speed(walks: Walks) -> Array:
    velocity, facing = walks.ahead
    sideways = np.stack([-facing[..., 1], facing[..., 0]], axis=-1)
    return np.asarray(np.einsum("swk,swk->w", velocity, sideways) / (len(walks.qpos) - 1))


def veer(walks: Walks) -> Array:
    if walks.planar:
        return np.zeros(walks.worlds)
    ahead, aside = (walks.qpos[-1, :, k] - walks.qpos[0, :, k] for k in (0, 1))
    return np.asarray(np.abs(aside) / np.maximum(np.abs(ahead), 0.5 * walks.units.length * walks.span))


def turn(walks: Walks) -> Array:
    heading = np.unwrap(walks.heading, axis=0)
    return np.asarray(np.abs(heading[-1] - heading[0]) / walks.span)


def double_support_share(walks: Walks) -> Array:
    return np.asarray(support_shares(*walks.stands)[0])


def flight_share(walks: Walks) -> Array:
    return np.asarray(support_shares(*walks.stands)[1])


def hop_rate(walks: Walks) -> Array:
    left, right = walks.touches
    return np.asarray((np.diff((~left & ~right).astype(int), axis=0) > 0).sum(axis=0) / (len(left) * walks.dt))


def limp(walks: Walks) -> Array:
    def uneven(_: int, frames: Frames) -> float:
        steps = np.diff(frames) * walks.dt
        return float(abs(steps[0::2].mean() - steps[1::2].mean()) / steps.mean())

    return walks.step_by_step(uneven)


def pelvis_speed(walks: Walks) -> Array:
    moved = np.diff(walks.qpos[..., :3], axis=0)
    return np.asarray(np.sqrt((moved**2).sum(axis=-1).mean(axis=0)) / walks.dt)


def apart(walks: Walks) -> Array:
    figure = walks.trace.figure
    left, right = ([figure.joint(figure.roles[name][i]).qpos for name in JOINTS] for i in (0, 1))
    return np.asarray(np.sqrt(((walks.qpos[..., left] - walks.qpos[..., right]) ** 2).mean(axis=(0, 2))))


def lean(walks: Walks) -> Array:
    w, x, y, z = np.moveaxis(walks.qpos[..., 3:7], -1, 0)
    return np.asarray(np.arctan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y)).mean(axis=0))


def joint_acceleration(walks: Walks) -> Array:
    return np.asarray(np.sqrt((np.diff(walks.joints, 2, axis=0) ** 2).mean(axis=(0, 2))) / walks.dt**2)


def knee_at_strike(walks: Walks) -> Array:
    figure, stance = walks.trace.figure, walks.stance
    knees = [figure.joint(figure.legs[side].knee[0]).qpos for side in SIDES]
    return walks.step_by_step(lambda w, frames: np.mean([-walks.qpos[e, w, knees[stance[e, w]]] for e in frames]))


def skips(walks: Walks) -> Array:
    left, right = walks.touches

    def share(w: int, frames: Frames) -> float:
        standing = np.where(walks.stance[:, w] == 0, left[:, w], right[:, w])
        return float(np.mean([_returns(standing[a:b]) for a, b in pairwise(frames)]))

    return walks.step_by_step(share)


def _returns(touches: NDArray[np.bool_]) -> bool:
    """Whether a foot leaves the ground and comes down again."""
    change = np.diff(touches.astype(int))
    left, back = np.flatnonzero(change < 0), np.flatnonzero(change > 0)
    return bool(len(left) and len(back) and back[-1] > left[0] + 3)


def scuff(walks: Walks) -> Array:
    left, right = walks.touches

    def share(w: int, middle: Frames) -> float:
        return float(np.where(walks.stance[middle, w] == 0, right[middle, w], left[middle, w]).mean())

    return walks.step_by_step(share, walks.middles)


def heave(walks: Walks) -> Array:
    rise = walks.qpos[..., 2]
    return walks.step_by_step(lambda w, frames: np.mean([np.ptp(rise[a:b, w]) for a, b in pairwise(frames)]))


def bounce(walks: Walks) -> Array:
    rise = walks.qpos[..., 2]
    return walks.step_by_step(lambda w, frames: rise[frames, w].mean() - rise[walks.middles[w], w].mean())


def lift(walks: Walks) -> Array:
    def height(w: int, feet: Array) -> float:
        return float(np.mean(feet[np.arange(len(feet)), 1 - walks.stance[walks.middles[w], w], 2]))

    return walks.step_by_step(height, walks.feet)


def sole_lift(walks: Walks) -> Array:
    return walks.step_by_step(
        lambda w, soles: np.where(walks.on_stance(w), np.inf, soles[:, 1, :, 2]).min(axis=1).mean(), walks.soles
    )


def _across(walks: Walks, w: int, standing: Array) -> float:
    """Mean way from each standing position [steps, 2] to the next, to the side of the foot that stands."""
    m = walks.middles[w]
    across = np.stack([-np.sin(walks.heading[m, w]), np.cos(walks.heading[m, w])], axis=-1)[1:]
    side = np.where(walks.stance[m[1:], w] == 0, 1.0, -1.0)
    return float(np.mean(side * np.einsum("sk,sk->s", np.diff(standing, axis=0), across)))


def ankle_spread(walks: Walks) -> Array:
    def width(w: int, feet: Array) -> float:
        return _across(walks, w, feet[np.arange(len(feet)), walks.stance[walks.middles[w], w], :2])

    return walks.step_by_step(width, walks.feet)


def sole_spread(walks: Walks) -> Array:
    def width(w: int, soles: Array) -> float:
        standing = np.where(walks.on_stance(w)[..., None], soles[:, 1], np.nan)[..., :2]
        return _across(walks, w, np.nanmean(standing, axis=1))

    return walks.step_by_step(width, walks.soles)


def slide(walks: Walks) -> Array:
    ground = [p.name for p in walks.trace.figure.points if p.ground]
    order = [ground.index(p.name) for p in walks.sole_points]

    def farthest(w: int, soles: Array) -> float:
        early, _, late = walks.thirds[w].T
        contact = walks.trace.contact[walks.first :, w][..., order]
        held = contact[early] & contact[late] & walks.on_stance(w)
        way = np.linalg.norm(soles[:, 2, :, :2] - soles[:, 0, :, :2], axis=-1)
        return float(np.max(np.where(held, way, 0.0), axis=1).mean())

    return walks.step_by_step(farthest, walks.soles)


def step_width(walks: Walks) -> Array:
    figure = walks.trace.figure
    feet = [figure.body(figure.leg(side).foot) for side in SIDES]
    ankles = [(foot.index, figure.joint(foot.joints[0]).anchor if foot.joints else np.zeros(3)) for foot in feet]
    places = body_points(figure.model, walks.poses(walks.exchanges), ankles)

    def width(w: int, ankles: Array) -> float:
        frames = walks.exchanges[w]
        faced = np.stack([np.cos(walks.heading[frames, w]), np.sin(walks.heading[frames, w])], axis=-1)
        standing = walks.stance[frames, w]
        strikes = zip(frames, standing, ankles[np.arange(len(frames)), standing], faced, strict=True)
        return mean_step_width([FootPosition(float(f), SIDES[side], ankle, way) for f, side, ankle, way in strikes])

    return walks.step_by_step(width, walks.by_world(places[..., :2], walks.exchanges))


def joint_error(walks: Walks, joint: str) -> Array:
    if walks.people is None:
        return np.full(walks.worlds, np.nan)
    miss = walks.profiles[joint] - walks.people[joint]
    if joint == "hip":
        miss = miss - miss.mean(axis=1, keepdims=True)
    return np.asarray(np.sqrt((miss**2).mean(axis=1)))


def likeness(walks: Walks) -> Array:
    return np.asarray(np.mean([joint_error(walks, joint) for joint in JOINTS], axis=0))


def clip_cycle_error(walks: Walks) -> Array:
    own, wanted = walks.clip_joints
    miss = np.degrees(own - wanted)
    names = walks.clip.joints
    weight = np.array([next((w for part, w in CLIP_WEIGHTS.items() if part in name), 1.0) for name in names])
    return np.asarray(np.sqrt((weight * miss**2).mean(axis=(0, 2)) / weight.mean()))


def clip_velocity_error(walks: Walks) -> Array:
    forward, left = walks.clip.velocity
    return np.asarray(np.hypot(speed(walks) - forward, side_speed(walks) - left))


def clip_step_error(walks: Walks) -> Array:
    exchanges = (np.diff(walks.stance, axis=0) != 0).sum(axis=0)
    usual = 0.5 * (walks.clip.left + walks.clip.right)
    return np.asarray(np.abs(len(walks.stance) * walks.dt / np.maximum(exchanges, 1) - usual) / usual)
