"""Motions of random walks on a body: what a policy that follows clips may be trained on where no capture is at hand.

Feet follow a :class:`~footfall.motion.synthesis.footstep_plan.FootstepPlan`: flat while they stand, rolling over heel
and toe, lifted between. The centre of mass x moves as that of an inverted pendulum of height h whose foot is at the
centre of pressure z, which goes from foot to foot:

    w (x - z) - h/g x'' = 0

one tridiagonal system for the whole walk. w is the weight on the feet, 1 in a walk and 0 in the air
(:mod:`footfall.motion.synthesis.random_walks`). The pelvis is put where that centre of mass comes out, as high as the
legs reach or lower, and the legs are bent to their feet. Trunk and arms have the walk's style.

How a body rises and sinks where its feet leave the ground: a parabola in the air, and before and after it a bend of
the knees that takes up its speed.

In the air for T seconds a body leaves the ground and comes down at g T / 2. On the ground its height is a cubic with
these speeds at its ends: through one bend between two leaps that are close, else through one after the first and
another before the second.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_banded
from scipy.ndimage import gaussian_filter1d

from footfall.figures import Figure
from footfall.figures.inertia import GRAVITY
from footfall.motion.ball_poses import hinge_chains, mass_centre, skeleton_of_balls
from footfall.motion.motion import Motion
from footfall.motion.quaternion import (
    Array,
    conjugate,
    cross,
    from_axis_angle,
    from_euler,
    from_matrix,
    multiply,
    rotate,
    unit,
)
from footfall.motion.synthesis.footstep_plan import (
    FootstepPlan,
    Means,
    Style,
    lively_style,
    plan_footsteps,
    plan_stop,
    random_style,
    steady_style,
)

BEND = 0.35
"""Seconds of a bend before a leap and after it, at most."""


@dataclass(frozen=True)
class Flight:
    """Seconds at which a body leaves the ground and comes down."""

    leaves: float
    lands: float


def flights_of(lands: Array, leaves: Array) -> list[Flight]:
    """The times at which no foot is on the ground; every foot stands from ``lands`` to ``leaves``, [K] each."""
    order = np.argsort(lands, kind="stable")
    found, until = [], -np.inf
    for k in order:
        if np.isfinite(until) and lands[k] > until + 1e-9:
            found.append(Flight(float(until), float(lands[k])))
        until = max(until, float(leaves[k]))
    return found


def heights_of(flights: list[Flight], times: Array) -> tuple[Array, Array]:
    """Metres [T] by which a body is higher than one that stays on the ground, and its weight [T] on the feet, in shares
    of the usual one."""
    height, weight = np.zeros(len(times)), np.ones(len(times))
    ends = [None, *flights, None]
    for before, after in pairwise(ends):
        if before is not None and after is not None and after.leaves - before.lands < 2.0 * BEND:
            _bend(times, before.lands, after.leaves, -_speed(before), _speed(after), height, weight)
            continue
        if before is not None:
            _bend(times, before.lands, before.lands + BEND, -_speed(before), 0.0, height, weight)
        if after is not None:
            _bend(times, after.leaves - BEND, after.leaves, 0.0, _speed(after), height, weight)
    for flight in flights:
        aloft = (times > flight.leaves) & (times < flight.lands)
        height[aloft] = 0.5 * GRAVITY * (times[aloft] - flight.leaves) * (flight.lands - times[aloft])
        weight[aloft] = 0.0
    return height, np.maximum(weight, 0.0)


def _speed(flight: Flight) -> float:
    return 0.5 * GRAVITY * (flight.lands - flight.leaves)


def _bend(times: Array, first: float, last: float, down: float, up: float, height: Array, weight: Array) -> None:
    """Add a cubic from 0 to 0 with these speeds, m/s, at its ends."""
    inside = (times >= first) & (times <= last)
    span = last - first
    s = (times[inside] - first) / span
    height[inside] = span * (down * s * (1.0 - s) ** 2 - up * s**2 * (1.0 - s))
    weight[inside] = 1.0 + (down * (6.0 * s - 4.0) + up * (6.0 * s - 2.0)) / (span * GRAVITY)


X, Y, Z = np.eye(3)
STRETCHED = 0.985
"""Of a leg's length, at most."""
ROOM = 0.5
"""rad that the body turns over a standing foot before that foot turns as well."""
BALL = 0.7
"""Where along the foot, from ankle to toe, it turns: on its ball."""
GESTURES = np.array([0.3, 0.3, 0.6, 0.7, 0.5, 1.0, 0.6, 0.6, *(1.2, 0.8, 1.0) * 2, *(0.8, 1.0) * 2])
"""How far trunk, head and arms move in gestures, beside each other."""
ROUNDS = 3
"""In which the pelvis is moved until the centre of mass is where it should be."""


def random_walk(
    figure: Figure, seconds: float, seed: int, rate: float = 50.0, *, lively: bool = False, steady: bool = False
) -> Motion:
    """A random walk of about so many seconds on a figure with a free root, legs of thigh, shank and foot, and arms; a
    lively one runs, jumps, hops, spins and gestures too, a steady one keeps at what it does."""
    random = np.random.default_rng(seed)
    style = steady_style(random) if steady else lively_style(random) if lively else random_style(random)
    plan = plan_footsteps(style, seconds, random)
    times = np.arange(int(plan.lands[-1] * rate)) / rate
    qpos = _hinged(_Body(figure, style, plan, times, random).frames(), figure)
    return Motion.from_qpos(figure, times, qpos)


PLAIN = Style(
    pace=0.55,
    shared=0.2,
    width=0.16,
    height=0.06,
    crouch=0.02,
    toe_out=0.1,
    heel=0.15,
    toe=0.5,
    lean=(0.03, 0.0),
    sway=(0.1, 0.15),
    arms=np.array([[0.0, 0.12, 0.0, 0.3]] * 2),
    swing=0.3,
    fidget=0.0,
)
"""How somebody walks who comes to a stand."""
AT_REST = 0.4
"""Seconds that such a walk stands at its end."""


def stopping_walk(figure: Figure, velocity: Array, spin: float, rate: float) -> tuple[Array, int, int]:
    """[T, nq] poses of the figure's skeleton of ball joints which walk, or run, and come to a stand; the frame from
    which on it is at its speed, and the one from which on it stands.

    Args:
        figure: as :func:`random_walk` takes it.
        velocity: [2] forward and to the left, m/s.
        spin: rad/s that it turns by.
        rate: frames a second.
    """
    random = np.random.default_rng(1)
    plan, begins, stands = plan_stop(PLAIN, velocity, spin, random)
    times = np.arange(int((stands + AT_REST) * rate)) / rate
    return _Body(figure, PLAIN, plan, times, random).frames(), int(begins * rate), int(stands * rate)


def planned_walk(figure: Figure, style: Style, plan: FootstepPlan, rate: float) -> Array:
    """[T, nq] poses of a figure that walks on a plan, ``rate`` of them a second."""
    times = np.arange(int(plan.lands[-1] * rate)) / rate
    return _hinged(_Body(figure, style, plan, times, Means()).frames(), figure)


def _hinged(frames: Array, figure: Figure) -> Array:
    """Poses of the figure from poses of its skeleton of ball joints, within its joints' ranges."""
    chains = hinge_chains(figure)
    standing = np.tile(figure.default_qpos, (len(frames), 1))
    qpos = frames if chains is None else chains.hinge_poses(frames, standing)
    for joint in figure.joints:
        if joint.ndof == 1:
            qpos[:, joint.qpos] = np.clip(qpos[:, joint.qpos], joint.lower, joint.upper)
    return qpos


class _Body:
    """A body on a plan, at given times."""

    def __init__(
        self, figure: Figure, style: Style, plan: FootstepPlan, times: Array, random: np.random.Generator
    ) -> None:
        self.figure, self.style, self.plan, self.times = skeleton_of_balls(figure), style, plan, times
        self.random, self.rate = random, 1.0 / (times[1] - times[0])
        points = {p.name: np.asarray(p.position) for p in self.figure.points}
        self.heel, self.toe = points["left_heel"], points["left_toe_outer"]
        self.sole = -float(self.heel[2])
        legs = {side: self.figure.legs[side].links for side in ("left", "right")}
        self.hips = {side: np.asarray(self.figure.body(links[0]).position) for side, links in legs.items()}
        self.thighs, self.shanks = (
            {side: np.asarray(self.figure.body(links[k]).position) for side, links in legs.items()} for k in (1, 2)
        )
        upper, lower = (float(np.linalg.norm(part["left"])) for part in (self.thighs, self.shanks))
        self.leg = upper + lower
        now = np.clip(np.searchsorted(plan.lands, times, side="right") - 1, 0, len(plan.lands) - 1)
        self.speed = self._smooth(np.abs(plan.speeds[now]), 0.25)
        self.heading = self._smooth(np.interp(times, plan.lands, plan.turns), 0.08 if style.lively else 0.12)
        self.flights = flights_of(plan.lands, plan.leaves)
        self.raised, self.weight = heights_of(self.flights, times)

    def _smooth(self, values: Array, seconds: float) -> Array:
        return np.asarray(gaussian_filter1d(values, seconds * self.rate, axis=0, mode="nearest"))

    def _noise(self, columns: int, seconds: float = 0.3) -> Array:
        """Random numbers [T, columns] of deviation 1, smooth over so many seconds."""
        noise = self._smooth(self.random.normal(size=(len(self.times), columns)), seconds)
        return np.asarray(noise / np.maximum(noise.std(axis=0), 1e-9))

    # -- feet ----------------------------------------------------------------------------------------------------------

    def feet(self, left: bool) -> tuple[Array, Array, Array]:
        """Ankles [T, 3], the feet's turns [T, 4], and how much each is on the ground, 0 to 1, [T]."""
        plan, style, times = self.plan, self.style, self.times
        mine = np.flatnonzero(plan.left == left)
        sign = 1.0 if left else -1.0
        yaw = plan.headings[mine] + sign * style.toe_out
        twists = self._twists(mine)
        place, angle = np.zeros((len(times), 2)), np.zeros(len(times))
        lift, pitch, down = np.zeros(len(times)), np.zeros(len(times)), np.ones(len(times))
        for i, k in enumerate(mine):
            last = i + 1 == len(mine)
            stands = (times >= plan.lands[k]) & (times <= plan.leaves[k]) if not last else times >= plan.lands[k]
            place[stands], angle[stands] = plan.places[k], yaw[i]
            if last:
                break
            a = plan.leaves[k]
            share = np.clip((times[stands] - plan.lands[k]) / (a - plan.lands[k]), 0.0, 1.0)
            place[stands], angle[stands] = self._pivoted(plan.places[k], yaw[i], twists[i] * share)
            n = mine[i + 1]
            b = plan.lands[n]
            swings = (times > a) & (times < b)
            s = (times[swings] - a) / (b - a)
            even = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
            left_at, left_yaw = self._pivoted(plan.places[k], yaw[i], twists[i])
            place[swings] = left_at + even[:, None] * (plan.places[n] - left_at)
            angle[swings] = left_yaw + even * (yaw[i + 1] - left_yaw)
            lift[swings] = plan.lifts[n] * 16.0 * s**2 * (1.0 - s) ** 2
            down[swings] = 0.0
            rise = style.toe * min(max(plan.speeds[k], 0.0), 1.5)
            land = style.heel * min(max(plan.speeds[n], 0.0), 1.5)
            pitch[swings] = rise * (1.0 - even) - land * even
            rolls = stands & (times > a - 0.25)
            pitch[rolls] = rise * np.clip((times[rolls] - a + 0.25) / 0.25, 0.0, 1.0) ** 2
            flat = (times >= b) & (times < b + 0.12) & (times < plan.leaves[n])
            pitch[flat] = -land * (1.0 - (times[flat] - b) / 0.12)
        pitch = self._smooth(pitch, 0.015)
        turn = multiply(from_axis_angle(Z, angle), from_axis_angle(Y, pitch))
        edge = np.where((pitch > 0.0)[:, None], self.toe, self.heel) * np.array([1.0, 0.0, 1.0])
        level = multiply(from_axis_angle(Z, angle), np.array([1.0, 0.0, 0.0, 0.0]))
        ankle = np.concatenate([place, np.full((len(times), 1), self.sole)], axis=1)
        ankle = ankle + rotate(level, edge) - rotate(turn, edge)
        ankle[:, 2] += lift
        return ankle, turn, down

    def _twists(self, mine: NDArray[np.intp]) -> Array:
        """[K] rad that each foot turns on its ball while it stands: of a sharp turn what the hip has no room for."""
        plan = self.plan
        found = np.zeros(len(mine))
        if self.style.pivot > 0.0:
            ends = np.minimum(plan.leaves[mine], self.times[-1])
            turned = np.interp(ends, self.times, self.heading) - np.interp(plan.lands[mine], self.times, self.heading)
            found = self.style.pivot * (turned - np.clip(turned, -ROOM, ROOM))
        return found

    def _pivoted(self, place: Array, yaw: float, twist: float | Array) -> tuple[Array, Array]:
        """Position and yaw of a foot that has turned on its ball."""
        ball = BALL * float(self.toe[0])
        now = yaw + np.asarray(twist)
        moved = np.stack([np.cos(yaw) - np.cos(now), np.sin(yaw) - np.sin(now)], axis=-1)
        return place + ball * moved, now

    # -- the centre of mass --------------------------------------------------------------------------------------------

    def pressed(self, ankles: tuple[Array, Array], down: tuple[Array, Array], height: float) -> Array:
        """[T, 2] where the pendulum's centre of mass is, for feet that carry it in turn."""
        ahead = rotate(from_axis_angle(Z, self.heading), np.array([0.04, 0.0, 0.0]))[:, :2]
        share = self._smooth(down[0] / np.maximum(down[0] + down[1], 1e-9), 0.03)[:, None]
        pressure = share * ankles[0][:, :2] + (1.0 - share) * ankles[1][:, :2] + ahead
        count, k = len(pressure), height / GRAVITY * self.rate**2
        bands = np.zeros((3, count))
        bands[0, 1:], bands[1], bands[2, :-1] = -k, self.weight + 2.0 * k, -k
        bands[1, [0, -1]] = self.weight[[0, -1]] + k
        return np.asarray(solve_banded((1, 1), bands, self.weight[:, None] * pressure))

    # -- poses ---------------------------------------------------------------------------------------------------------

    def frames(self) -> Array:
        """[T, nq] of ball joints."""
        figure, style, count = self.figure, self.style, len(self.times)
        (left, left_turn, left_down), (right, right_turn, right_down) = self.feet(True), self.feet(False)
        frames = np.zeros((count, figure.nq))
        frames[:, 3::4] = 1.0
        brisk = np.minimum(self.speed, 1.5)
        apart = rotate(conjugate(from_axis_angle(Z, self.heading)), left - right)[:, 0]
        stride = np.clip(apart / 0.6, -1.0, 1.0)
        fidget = np.zeros((count, 18))
        fidget[:, :14] = style.fidget * self._noise(14)
        if style.gesture > 0.0:
            fidget += style.gesture * self._noise(18, style.brisk) * GESTURES
        self._trunk(frames, stride, brisk, fidget)
        self._arms(frames, stride, brisk, fidget)
        mass = self.pressed((left, right), (left_down, right_down), 0.95 * self.leg)
        frames[:, :2] = mass
        for k in range(ROUNDS + 1):
            if k > 0:
                frames[:, :2] += self._smooth(mass - mass_centre(frames, figure)[:, :2], 0.04)
            frames[:, 2] = self._height(frames, (left, right), (left_down, right_down))
            self._leg(frames, "left", left, left_turn)
            self._leg(frames, "right", right, right_turn)
        return frames

    def _trunk(self, frames: Array, stride: Array, brisk: Array, fidget: Array) -> None:
        style = self.style
        yaw = self.heading - style.sway[0] * brisk * stride
        pitch, roll = 0.3 * style.lean[0] + 0.3 * fidget[:, 0], 0.3 * style.lean[1] + 0.2 * fidget[:, 1]
        frames[:, 3:7] = from_euler("zyx", np.stack([yaw, pitch, roll], axis=1))
        twist = (style.sway[0] + style.sway[1]) * brisk * stride + fidget[:, 2]
        bent = np.stack([twist, style.lean[0] + fidget[:, 3], style.lean[1] + 0.5 * fidget[:, 4]], axis=1)
        self._turn(frames, "waist", from_euler("zyx", bent))
        self._turn(frames, "neck", from_euler("zyx", fidget[:, 5:8] - 0.5 * bent))

    def _arms(self, frames: Array, stride: Array, brisk: Array, fidget: Array) -> None:
        style = self.style
        for k, (side, sign) in enumerate((("left", 1.0), ("right", -1.0))):
            pitch, roll, yaw, elbow = style.arms[k]
            moved = style.swing * brisk * -sign * stride
            pitch = pitch + moved + fidget[:, 8 + 3 * k]
            roll = roll + np.abs(fidget[:, 9 + 3 * k])
            elbow = np.maximum(elbow + 0.5 * np.maximum(moved, 0.0) + fidget[:, 10 + 3 * k], 0.0)
            turned = multiply(from_axis_angle(Y, -pitch), from_axis_angle(X, sign * roll))
            twisted = from_axis_angle(Z, sign * (yaw + fidget[:, 14 + 2 * k]))
            self._turn(frames, f"{side}_shoulder", multiply(turned, twisted))
            bent = multiply(from_axis_angle(Y, -elbow), from_axis_angle(Z, fidget[:, 15 + 2 * k]))
            self._turn(frames, f"{side}_elbow", bent)

    def _turn(self, frames: Array, joint: str, turn: Array) -> None:
        at = next((j.qpos for j in self.figure.joints if j.name == joint), None)
        if at is not None:
            frames[:, at : at + 4] = turn

    def _height(self, frames: Array, ankles: tuple[Array, Array], down: tuple[Array, Array]) -> Array:
        """[T] of the pelvis: as high as legs on the ground reach, less the crouch."""
        reach = STRETCHED * self.leg
        found = np.full(len(frames), np.inf)
        for side, ankle, on in zip(("left", "right"), ankles, down, strict=True):
            hip = rotate(frames[:, 3:7], self.hips[side])
            away = np.linalg.norm(frames[:, :2] + hip[:, :2] - ankle[:, :2], axis=1)
            high = ankle[:, 2] - hip[:, 2] + np.sqrt(np.maximum(reach**2 - away**2, 0.09))
            found = np.minimum(found, np.where(on > 0.5, high, np.inf))
        found = np.where(np.isfinite(found), found, reach + self.sole)
        span = max(1, round(0.1 * self.rate))
        padded = np.pad(found, span, mode="edge")
        low = np.lib.stride_tricks.sliding_window_view(padded, 2 * span + 1).min(axis=1)
        return self._smooth(low, 0.05) - self.style.crouch + self.raised

    def _leg(self, frames: Array, side: Literal["left", "right"], ankle: Array, turn: Array) -> None:
        """Bend a leg to its foot: the knee in the plane of hip, ankle and the foot's direction."""
        upper, lower = (float(np.linalg.norm(part[side])) for part in (self.thighs, self.shanks))
        pelvis = frames[:, 3:7]
        down = ankle - (frames[:, :3] + rotate(pelvis, self.hips[side]))
        far = np.clip(np.linalg.norm(down, axis=1), abs(upper - lower) + 1e-3, 0.9995 * (upper + lower))
        up = -unit(down)
        across = unit(cross(up, 0.5 * rotate(turn, X) + 0.5 * rotate(pelvis, X)))
        plane = from_matrix(np.stack([cross(across, up), across, up], axis=-1))
        at_hip = np.arccos(np.clip((upper**2 + far**2 - lower**2) / (2.0 * upper * far), -1.0, 1.0))
        at_ankle = np.arccos(np.clip((lower**2 + far**2 - upper**2) / (2.0 * lower * far), -1.0, 1.0))
        tilt = [np.arctan2(part[side][0], -part[side][2]) for part in (self.thighs, self.shanks)]
        thigh = multiply(plane, from_axis_angle(Y, -at_hip + tilt[0]))
        shank = multiply(plane, from_axis_angle(Y, at_ankle + tilt[1]))
        leg = self.figure.legs[side]
        self._turn(frames, leg.hip[0], multiply(conjugate(pelvis), thigh))
        self._turn(frames, leg.knee[0], multiply(conjugate(thigh), shank))
        self._turn(frames, leg.ankle[0], multiply(conjugate(shank), turn))
