"""Steps of a motion graph played one after another, without physics: what a policy that follows clips is given to
follow, where it is steered.

A step is laid where the foot that has just landed is, and turned as the pelvis was going. What is then left between the
last pose and the step's first, d, and between their velocities, v, dies away over the time T of the step (displacements
as in Data-Driven Biped Control, equation 6, with velocities as well):

    d(t) = d (1 - 3 s² + 2 s³) + T v s (1 - s)²,    s = t / T

Feet have displacements of their own: a planted foot keeps its position and heading, and what these are off dies away
while it swings, so feet stay where they landed. A bent step bends the path of the pelvis and of the swinging foot, not
of the standing one. Hips and knees are turned so that the ankles are where the feet go. A character that halts comes to
rest with its centre of mass over the middle of its feet.

A clip may also be slowed: distances over the ground are a share of what they were, and so are the positions of standing
feet; the time of a step, its heights and its flights stay.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.motion_graph import GraphClip, TrackedGraph
from footfall.methods.tracking.step_choice import FRAMES, SLOTS, ChosenStep, Slots, StepChoice
from footfall.motion.ball_poses import (
    FPS,
    ankles,
    body_frames,
    facing_of,
    foot_frames,
    legs_of,
    mass_centre,
    turned_frames,
)
from footfall.motion.conditioning.legs import moved_ankles
from footfall.motion.gait.contact import spans_of
from footfall.motion.quaternion import Array, conjugate, exp, log, multiply, rotate
from footfall.motion.synthesis.cuts import foot_contacts

LONGEST = 15
"""Frames in which a displacement has died away."""
LIFTED = 0.4
"""Metres a second above which the ankle of a foot has left the ground."""
RESTING = 24
"""Frames in which a character that halts comes to rest."""
LANDED = 3
"""Frames before a step's end in which the swinging foot is down already."""


@dataclass(frozen=True, eq=False)
class Feet:
    """Both feet over time: ankles [T, 2, 3] and orientations [T, 2, 4]."""

    place: Array
    turn: Array


class PlayedSteps(StepChoice):
    """A walk on a motion graph that is made of its poses alone.

    Args:
        graph: its steps.
        style: of the first one.

    Attributes:
        walked: numbers of the steps that were made, -1 for a stand.
        begun: the frame at which each began.
        orders: for each frame the wanted direction (radians) and speed.
        count: how many frames were made.
    """

    def __init__(self, graph: TrackedGraph, *, style: str = "") -> None:
        super().__init__(graph, style=style)
        self.walked: list[int] = []
        self.begun: list[int] = []
        self.orders: list[tuple[float, float]] = []
        self._stands_on, self._rests = 0, False
        self.count = 0
        self._done = np.zeros((0, graph.skeleton.nq))
        self._feet: Feet | None = None
        self._coming = self._lay(0.0)
        self._show(1)

    @property
    def frames(self) -> Array:
        """[T, nq] the poses so far, of ball joints, 30 a second; of those that were not forgotten."""
        return self._done

    def frame(self, number: int) -> Array:
        """[nq] one of them by its number, of those that were not forgotten."""
        return np.asarray(self._done[number - self.count + len(self._done)])

    def forget(self, kept: int) -> None:
        """Keep the last frames alone, two or more: a walk without end would fill the memory."""
        self._done = self._done[-max(kept, 2) :]
        for name in ("walked", "begun", "orders", "made"):
            setattr(self, name, getattr(self, name)[-kept:])

    def copy(self) -> "PlayedSteps":
        """The same walk, to go another way."""
        other = copy(self)
        for name in ("walked", "begun", "orders", "made"):
            setattr(other, name, getattr(self, name).copy())
        return other

    @property
    def time(self) -> float:
        """Seconds so far."""
        return (self.count - 1) / FPS

    @property
    def place(self) -> Array:
        """[2] the pelvis on the ground."""
        return np.asarray(self._done[-1, :2])

    @property
    def facing(self) -> float:
        """Heading of the pelvis."""
        return float(facing_of(self._done[-1:])[0])

    def advance(self, frames: int = FRAMES) -> bool:
        """Go on for some frames and choose the next step; True, for nothing falls here."""
        self.decide()
        for _ in range(frames):
            if not len(self._coming):
                self._go_on()
            self._show(1)
        return True

    def _show(self, count: int) -> None:
        self._done = np.concatenate([self._done, self._coming[:count]])
        self._coming = self._coming[count:]
        self.count += count
        self.orders += [(self.direction, self.speed)] * count

    def _go_on(self) -> None:
        """Begin the next slot, or keep standing."""
        slots = self.slots
        if slots.present.stands and self.stops:
            self.decide()
        if self.slots.holds:
            self._coming = self._done[-1:] if self._rests else self._resting()
            self._rests = True
            return
        self._rests = False
        self.observe(slots.after, slots.heading + slots.present.turn)
        self._coming = self._lay(self.slots.heading)
        self.decide()

    def _lay(self, heading: float) -> Array:
        """The poses of the present slot, after those so far."""
        slots = self.slots
        step = slots.present
        self.walked.append(step.number)
        self.begun.append(self.count)
        poses = turned_frames(step.fragment.frames, heading)
        unbent = poses if step.stands else turned_frames(self.graph.steps[step.number].fragment.frames, heading)
        swings = None if step.stands else int(step.kind == "right_swing")
        stance = self._stands_on if swings is None else 1 - swings
        feet = self._tracks(poses, unbent, stance)
        if self._feet is None:
            self._feet = feet
            self._stands_on = stance if swings is None else swings
            return poses
        move = self._feet.place[-1, stance] - feet.place[0, stance]
        move[2] = 0.0
        poses[:, :3] += move
        feet = self._led(Feet(feet.place + move, feet.turn), swings)
        last = self._done[-2:] if len(self._done) > 1 else self._done[[-1, -1]]
        result = planted_poses(joined_poses(last, poses), feet, self.graph.skeleton)
        self._feet = feet
        self._stands_on = stance if swings is None else swings
        return result[1:]

    def _resting(self) -> Array:
        """The last pose, from which the pelvis comes to rest where the body is balanced."""
        assert self._feet is not None
        last, skeleton = self._done[-1:], self.graph.skeleton
        s = (np.arange(1, RESTING + 1) / RESTING)[:, None]
        poses = np.repeat(last, RESTING, axis=0)
        feet = Feet(*(np.repeat(own[-1:], RESTING, axis=0) for own in (self._feet.place, self._feet.turn)))
        poses[:, :2] += s**2 * (3.0 - 2.0 * s) * (_support(last, skeleton) - mass_centre(last, skeleton)[:, :2])
        poses[:, :3] += RESTING * s * (1.0 - s) ** 2 * (self._done[-1, :3] - self._done[-2, :3])
        return planted_poses(poses, feet, skeleton)

    def _tracks(self, poses: Array, unbent: Array, stance: int) -> Feet:
        """The feet as the step has them: the standing one unbent."""
        legs = legs_of(self.graph.skeleton)
        own = [foot_frames(unbent if side == stance else poses, leg) for side, leg in enumerate(legs)]
        return Feet(*(np.stack(rows, axis=1) for rows in zip(*own, strict=True)))

    def _led(self, feet: Feet, swings: int | None) -> Feet:
        """The feet on from where they are: what they are off dies away while they swing."""
        assert self._feet is not None
        count = len(feet.place)
        off = self._feet.place[-1] - feet.place[0]
        turned = log(multiply(self._feet.turn[-1], conjugate(feet.turn[0])))
        level, upright = np.ones((count, 2)), np.tile(decay(count)[0], (1, 2))
        if swings is not None:
            level[:, swings] = upright[:, swings] = _dying(feet.place[:, swings])
        shares = np.stack([level, level, upright], axis=-1)
        tilts = np.stack([upright, upright, level], axis=-1)
        return Feet(feet.place + shares * off, multiply(exp(tilts * turned), feet.turn))


def feet_of(poses: Array, skeleton: Figure) -> Feet:
    """Both feet in poses [T, nq]."""
    own = [foot_frames(poses, leg) for leg in legs_of(skeleton)]
    return Feet(*(np.stack(rows, axis=1) for rows in zip(*own, strict=True)))


def planted_poses(poses: Array, feet: Feet, skeleton: Figure) -> Array:
    """The poses with their feet where they go."""
    for side, leg in enumerate(legs_of(skeleton)):
        poses = moved_ankles(poses, leg, feet.place[:, side] - ankles(poses, skeleton)[:, side])
        shin = multiply(multiply(poses[:, 3:7], poses[:, leg.hip : leg.hip + 4]), poses[:, leg.knee : leg.knee + 4])
        poses[:, leg.ankle : leg.ankle + 4] = multiply(conjugate(shin), feet.turn[:, side])
    return poses


def joined_poses(last: Array, poses: Array) -> Array:
    """The poses with the displacement from the last two before them, which dies away."""
    count = len(poses)
    keep, drift = decay(count)
    result = poses.copy()
    off = last[1, :3] - poses[0, :3]
    faster = (last[1, :3] - last[0, :3]) - (poses[1, :3] - poses[0, :3])
    result[:, :3] += keep * off + drift * faster
    now, first = last[:, 3:].reshape(2, -1, 4), poses[:2, 3:].reshape(2, -1, 4)
    off = log(multiply(now[1], conjugate(first[0])))
    faster = log(multiply(now[1], conjugate(now[0]))) - log(multiply(first[1], conjugate(first[0])))
    turns = exp(keep[..., None] * off + drift[..., None] * faster)
    result[:, 3:] = multiply(turns, poses[:, 3:].reshape(count, -1, 4)).reshape(count, -1)
    return result


def _support(poses: Array, skeleton: Figure) -> Array:
    """[T, 2] the middle of the points of both feet."""
    places, turns = body_frames(poses, skeleton)
    feet = {skeleton.body(leg.foot).index for leg in skeleton.legs.values()}
    points = [places[:, p.body] + rotate(turns[:, p.body], p.position) for p in skeleton.points if p.body in feet]
    return np.asarray(np.mean(points, axis=0)[:, :2])


def decay(count: int) -> tuple[Array, Array]:
    """[T, 1] what is left of a displacement, and of one frame's difference in velocity."""
    most = min(LONGEST, count - 1)
    s = np.minimum(np.arange(count) / most, 1.0)[:, None]
    return 1.0 - 3.0 * s**2 + 2.0 * s**3, most * s * (1.0 - s) ** 2


def _dying(ankle: Array) -> Array:
    """[T] the share of a displacement that is left to a foot which swings: 1 until it lifts, 0 when it has landed."""
    count = len(ankle)
    speed = np.linalg.norm(np.gradient(ankle, 1.0 / FPS, axis=0), axis=1)
    quick = np.flatnonzero(speed > LIFTED)
    lifts = int(quick[0]) if len(quick) else 0
    lands = max(count - 1 - LANDED, lifts + 1)
    s = np.clip((np.arange(count) - lifts) / (lands - lifts), 0.0, 1.0)
    return np.asarray(1.0 - 3.0 * s**2 + 2.0 * s**3)


def played_chain(graph: TrackedGraph, numbers: Sequence[int], frames: int) -> Array:
    """[frames, nq] the first poses of steps that are made in this order, the last of them again and again.

    Args:
        graph: the steps.
        numbers: which of them, one or more.
        frames: how many, 30 a second.
    """
    chain = _Chain(graph, numbers)
    if chain.count < frames:
        chain.advance(frames - chain.count)
    return chain.frames[:frames]


class _Chain(PlayedSteps):
    """Steps that are not chosen."""

    def __init__(self, graph: TrackedGraph, numbers: Sequence[int]) -> None:
        self._numbers, self._at = tuple(numbers), 0
        super().__init__(graph)

    def begin(self) -> None:
        """With the first step."""
        self.direction = 0.0
        self.made: list[str] = []
        number = self._numbers[0]
        self.slots = Slots((ChosenStep.of(number, self.graph.steps[number]),) * SLOTS)

    def observe(self, slot: int, heading: float) -> None:
        """The next step begins."""
        self._at += slot != self.slots.now
        super().observe(slot, heading)

    def decide(self) -> bool:
        """The chain says which step is next."""
        number = self._numbers[min(self._at + 1, len(self._numbers) - 1)]
        self.slots = self.slots.put(self.slots.after, ChosenStep.of(number, self.graph.steps[number]))
        return True


def slowed_clip(clip: GraphClip, share: float, skeleton: Figure) -> GraphClip:
    """A clip that goes a share of its way in the same time.

    Args:
        clip: with poses of the skeleton.
        share: of the way, above 0, at most 1.
        skeleton: of ball joints.
    """
    if not 0.0 < share <= 1.0:
        raise FootfallError(f"slowed clip: the share is {share:g}; it must be above 0 and at most 1")
    contacts = foot_contacts(clip.frames, skeleton)
    feet, begin, poses = ankles(clip.frames, skeleton), clip.frames[0, :2], clip.frames.copy()
    poses[:, :2] = begin + share * (poses[:, :2] - begin)
    for side, (leg, stands) in enumerate(zip(legs_of(skeleton), (contacts.left, contacts.right), strict=True)):
        wanted = feet[:, side].copy()
        wanted[:, :2] += (share - 1.0) * (_held(feet[:, side, :2], stands) - begin)
        poses = moved_ankles(poses, leg, wanted - ankles(poses, skeleton)[:, side])
    return replace(clip, name=f"{clip.name}--{share:g}", frames=poses)


def _held(foot: Array, stands: NDArray[np.bool_]) -> Array:
    """[T, 2] the foot, at one place for as long as it stands, and going from one to the next while it swings."""
    times, places = [], []
    for first, after in spans_of(stands):
        times += [first, after - 1]
        places += [foot[first:after].mean(axis=0)] * 2
    for end in (0, len(foot) - 1):
        if not stands[end]:
            times.insert(0 if end == 0 else len(times), end)
            places.insert(0 if end == 0 else len(places), foot[end])
    at = np.arange(len(foot))
    low = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    known, there = np.array(times, dtype=float), np.array(places)
    s = np.clip((at - known[low]) / np.maximum(known[low + 1] - known[low], 1.0), 0.0, 1.0)[:, None]
    smooth = s * s * (3.0 - 2.0 * s)
    return np.asarray((1.0 - smooth) * there[low] + smooth * there[low + 1])
