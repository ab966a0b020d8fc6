"""What a tracker practises a clip for: to follow it on course, to be hard to push over, or to look like it.

A tracker that falls with a clip, or strays from its path, practises it until it does neither.

A tracker practises to be steered: it follows walks that are played at random on a character's clips, until it stays
up in all that its judge tries.

A policy that follows a clip, made keener on the clip's place: it sees itself further from it than it is.

A policy lags behind its clip, or runs ahead, by a distance at which what it gains by closing it and what it loses
are equal. Seen as g times as far, the same policy keeps it to about 1/g. That is linear in what it observes, and so
only another first layer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Integration
from footfall.errors import FootfallError, unknown_name
from footfall.figures import Figure
from footfall.learning.clips import PlayedMinute, played_minutes
from footfall.learning.options import Options
from footfall.learning.ppo import practising
from footfall.learning.setup import LOOKS, USUAL_DT, environment_pool
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.multilayer import Network
from footfall.methods.network.seen import Scope
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.methods.network.terms import looks_of
from footfall.motion import Motion
from footfall.progress import Show, part_of
from footfall.push import Push
from footfall.simulation.device import device_of
from footfall.study.imitation.clips import seconds_up
from footfall.study.imitation.following import tracking_simulation, up_to_the_end
from footfall.study.imitation.imitate import DIRECTIONS, Imitation, follow_clip, imitate_by_policy, measured
from footfall.terrain import TerrainRandomSteps


@dataclass(frozen=True)
class Aim:
    """What counts in practice.

    Attributes:
        push: newtons of pushes while it practises, from and to.
        near: share of its way by which a policy that needs no more practice may be off, along its path or aside.
        like: millimetres by which its joints may be then, with the pelvises laid together.
        poses: weight of that error in the judge's cost, for each metre.
        tried: newtons of pushes of 0.4 s, from four sides each, that the judge tries on clips of 6 s or more.
        pushes: weight in the judge's cost of the share of them that throw it over.
        weights: of the reward's terms, where they are not the usual ones of practice.
        always: whether a policy practises that follows the clip well as it is.
    """

    push: tuple[float, float]
    near: float = 0.04
    like: float = 80.0
    poses: float = 3.0
    tried: tuple[float, ...] = (100.0,)
    pushes: float = 1.0
    weights: Mapping[str, float] = field(default_factory=dict)
    always: bool = False


AIMS: Mapping[str, Aim] = {
    "course": Aim((0.0, 300.0)),
    "sturdy": Aim((50.0, 400.0), tried=(100.0, 200.0), pushes=2.0, always=True),
    "faithful": Aim((0.0, 50.0), like=25.0, poses=12.0, tried=(), weights={"imitation": 4.0}, always=True),
}
"""By name: "course" is the usual one."""


def aim_of(name: str) -> Aim:
    """The aim of a name."""
    if name not in AIMS:
        raise unknown_name("aim of practice", name, list(AIMS))
    return AIMS[name]


WAYS = ("forward", "left")


def keener(policy: NetworkController, gain: float) -> Network:
    """The policy's network, for one that sees ``gain`` times how far the clip's root is from its own, along the
    ground.

    The offset now is the one at the nearest look, less the way that the clip goes until then.
    """
    if policy.history != 1:
        raise FootfallError(f"policy '{policy.name}' sees {policy.history} observations; one alone can be made keener")
    names = [name for block in policy.observations for name in block.names]
    looks, first = looks_of(names), policy.network.weights[0]
    changed = first.copy()
    for way in WAYS:
        columns = [names.index(f"clip_{look}_{way}") for look in looks]
        pull = np.float32(gain - 1.0) * first[:, columns].sum(axis=1)
        changed[:, columns[0]] += pull
        changed[:, names.index(f"clip_velocity_{way}")] -= pull * np.float32(looks[0] / policy.rate)
    weights, biases = (changed, *policy.network.weights[1:]), policy.network.biases
    return Network(weights, biases, policy.network.activation)


MAY_FALL, ASTRAY = 1, 0.05
"""Disturbed starts of a clip that may fall, and the share of its way by which a policy may go further, less far or
aside, before it practises."""

GAINS = (1.0, 1.5, 2.0)
"""How keen on the clip's place a policy is tried."""
USUAL, LONG, MOST = 400_000, 20.0, 2.0
"""Decisions of a clip of up to so many seconds; of a longer one more, in proportion, up to so many times as many."""
STUBBORN, STRAYING = 4.0, 2.0
"""How many times as many, where it still falls, and where it strays or is pushed over."""
PUSHED = 6.0
"""Seconds of a clip that is pushed, at least."""
ROUND = 10
"""Iterations between judgements."""
STARTS, MORE, NOISE = 5, 10, 0.03
"""Disturbed starts of a judgement, how many more of a policy that stands all of them, and the deviation of their
velocities, rad/s and m/s."""
STEADY = 0.9
"""Share of a judgement's starts, the undisturbed one too, below which a policy falls."""
PUSHED_AT, PUSHED_FOR = (0.25, 0.45, 0.65), 0.4
"""Shares of the clip at which a judge pushes, and seconds."""
LEASH = 0.5
"""Metres from the clip's root at which an episode ends."""
LANES = 4
"""Worlds that a thread takes side by side."""
LEVEL = TerrainRandomSteps(0.0)
"""For a policy that sees the ground ahead: steps of no height."""
WEIGHTS = {"speed": 0.0, "alive": 0.0, "smooth": -0.1, "place": -2.0}
"""Of the reward, where they are not the usual ones."""


@dataclass(frozen=True, eq=False)
class Followed:
    """A clip followed by a tracker, which practised it where it had to.

    Attributes:
        made: the better of what it made of the clip before practice and after.
        why: why practice was called for, in words; empty where it was not, or where its aim alone called for it.
        practised: whether it practised: a policy may not be able to, or not be asked to.
    """

    made: Imitation[NetworkController]
    why: str
    practised: bool

    @property
    def falls(self) -> bool:
        """Whether it falls, or more disturbed starts do than may."""
        return self.made.following.fell or self.made.up < self.made.tried - MAY_FALL


@dataclass(frozen=True)
class Practised:
    """What practice made of a policy.

    Attributes:
        controller: the best policy, with its clip. decisions: that it practised, in all worlds together.
        gain: how much keener on the clip's place it was made, in all (:func:`keener`).
    """

    controller: NetworkController
    decisions: int
    gain: float


@dataclass(frozen=True)
class _Judged:
    """A network, and what its judge says: the lower the better."""

    network: Network
    cost: float
    falls: bool
    strays: bool
    holds: bool
    gain: float = 1.0


def follow_and_practise(
    clip: Path | Motion,
    policy: NetworkController,
    *,
    practice: int | None = None,
    aim: str = "course",
    name: str = "",
    loop: bool = False,
    pushes: bool = True,
    seed: int = 1,
    progress: Show | None = None,
) -> Followed:
    """Make a clip's controller, by a policy as it is or by one that practised the clip.

    Args:
        clip: a motion or its file. policy: a tracker; its figure is the clip's.
        practice: decisions, at most (:func:`practise`); 0 for none; None for the usual number, and for none of a policy
            that observes other numbers than footfall's environments give.
        aim: what for, by name (:data:`~footfall.study.imitation.practised.AIMS`).
        name: of the controller; by default from the file's name.
        loop: repeat the clip's best two steps for a minute.
        pushes: whether to look for push limits (of clips of 6 s or more).
        seed: of everything random.
        progress: called with the share done and a few words.
    """
    if practice is not None and practice < 0:
        raise FootfallError(f"practice is {practice}; give decisions, 0 for none")
    wanted = aim_of(aim)
    show = progress or (lambda done, what: None)
    first = imitate_by_policy(
        clip, policy, name=name, loop=loop, pushes=False, seed=seed, progress=lambda d, w: show(0.1 * d, w)
    )
    why, controller = _why(first, wanted), first.controller
    if not (why or wanted.always) or practice == 0 or (practice is None and not _is_known(policy)):
        show(0.9, "measuring")
        return Followed(measured(controller, policy.name, pushes=True, seed=seed) if pushes else first, why, False)
    after = practise(controller, decisions=practice, aim=aim, seed=seed, progress=lambda d, w: show(0.1 + 0.8 * d, w))
    show(0.9, "measuring")
    made = measured(after.controller, policy.name, pushes=pushes, seed=seed)
    if worth(first)[:2] > worth(made)[:2] or (not wanted.always and worth(first) > worth(made)):
        return Followed(measured(controller, policy.name, pushes=True, seed=seed) if pushes else first, why, True)
    report = dict(made.controller.report) | {"practised_decisions": after.decisions, "keenness": after.gain}
    made = replace(made, controller=replace(made.controller, report=report, start=None))
    return Followed(made, why, True)


def practised_clip(clip: Path | Motion, policy: NetworkController, **options: Any) -> Imitation[NetworkController]:
    """What a policy makes of a clip, with practice where it needs some; arguments as :func:`follow_and_practise` takes
    them."""
    return follow_and_practise(clip, policy, **options).made


def _why(made: Imitation[NetworkController], aim: Aim) -> str:
    """Why a policy should practise its clip, in words; empty where it need not."""
    course = made.following.course
    assert course is not None
    if made.following.fell:
        tips = made.following.time >= made.following.seconds
        return "it tips over at the clip's end" if tips else f"it fell after {made.following.time:.1f} s"
    if made.up < made.tried - MAY_FALL:
        return f"{made.up} of {made.tried} disturbed starts stayed up"
    goes = bool(np.isfinite(course.way))
    if max(abs(course.way - 1.0) if goes else 0.0, course.off_path) > ASTRAY:
        way = f"went {course.way:.2f} of the clip's way" if goes else "should have stayed in place"
        return f"it {way}, {100 * course.off_path:.0f} cm off its path for each metre"
    if not aim.always and _pushed_over(made.controller, aim.tried) > 0.0:
        return f"a push of {max(aim.tried):g} N threw it over"
    return ""


def worth(made: Imitation[Any]) -> tuple[bool, int, float, float]:
    """By which of two characters of a clip the better is known: it stays up, from more starts, for longer, closer to
    the clip's places."""
    course = made.following.course
    assert course is not None
    return not made.following.fell, made.up, made.following.time, -course.mpjpe_global


def practise(
    controller: NetworkController,
    *,
    decisions: int | None = None,
    aim: str = "course",
    seed: int = 1,
    progress: Show | None = None,
) -> Practised:
    """Let a policy practise the clip that it follows.

    The best of what was judged on the way is kept. It is judged by the clip alone: by how long it stays up from
    starts that are disturbed, and by its way, its path and the joints' places.

    Args:
        controller: a tracker with its clip.
        decisions: how many, in all worlds together; None for 400,000, more of clips of more than 20 s, and up to four
            times as many while it falls, twice while it strays or pushes throw it over. It ends sooner where it follows
            the clip as it should.
        aim: what for, by name (:data:`~footfall.study.imitation.practised.AIMS`).
        seed: of everything random.
        progress: called with the share done and a few words.
    """
    show = progress or (lambda done, what: None)
    clip = controller.clip_frames
    if clip is None:
        raise FootfallError(f"controller '{controller.name}' has no clip to practise")
    usual = round(USUAL * float(np.clip(clip.seconds / LONG, 1.0, MOST))) if decisions is None else decisions
    most = round(STUBBORN * usual) if decisions is None else decisions
    times = np.arange(len(clip)) / clip.rate
    motion = Motion.from_qpos(Figure.load(controller.figure), times, clip.qpos.astype(float))
    wanted = aim_of(aim)
    options = tracker_options(controller, motion, wanted)
    show(0.0, "looking closer")
    best, done = _keenest(controller, controller.network, wanted, seed), 0
    if most > 0 and not best.holds:
        begun = best.gain
        practice = practising(best.network, options, seed)
        try:
            while not best.holds and practice.decisions < (limit := _limit(best, usual, most)):
                practice.iterate()
                if practice.iteration % ROUND == 0 or practice.decisions >= limit:
                    show(practice.decisions / limit, "practising")
                    judged = replace(_judged(controller, practice.network(), wanted, seed), gain=begun)
                    best = min(best, judged, key=lambda one: one.cost)
            done = practice.decisions
        finally:
            practice.close()
        if not best.holds:
            last = _keenest(controller, best.network, wanted, seed)
            best = min(best, replace(last, gain=best.gain * last.gain), key=lambda one: one.cost)
    return Practised(replace(controller, network=best.network, start=None), done, best.gain)


def _limit(best: _Judged, usual: int, most: int) -> int:
    """Decisions for a policy of which the best so far does as it does."""
    return most if best.falls else min(round(STRAYING * usual), most) if best.strays else usual


def tracker_options(policy: NetworkController, clips: Motion | Sequence[Motion], aim: Aim = AIMS["course"]) -> Options:
    """The environment in which a tracker acts as its controller does, with clips of its figure, to practise for an
    aim."""
    servos, figure = policy.servos, Figure.load(policy.figure)
    assert servos is not None
    stiffness = 1.0
    if servos.kp is not None:
        own = np.array([figure.kp[figure.joint(name).dof] for name in servos.joints])
        stiffness = float(np.mean(np.broadcast_to(servos.kp, own.shape) / own))
    options = Options(
        figure=figure.name,
        action="follow",
        reach=float(np.mean(servos.scale)),
        stiffness=stiffness,
        decide=policy.rate,
        dt=(policy.integration or Integration(USUAL_DT)).dt,
        clip=clips,
        leash=LEASH,
        noise=(0.05, 0.3),
        push=aim.push,
        push_seconds=(0.1, 0.4),
        push_place="com",
        weights={**WEIGHTS, **aim.weights},
        terrain=LEVEL if _sees_ground(policy) else "flat",
        precision="float32",
        lanes=LANES,
    )
    if not _is_known(policy):
        raise FootfallError(
            f"policy '{policy.name}' observes other numbers than footfall/Human28Follow-v0 gives, so it cannot practise"
        )
    return options


def _is_known(policy: NetworkController) -> bool:
    """Whether it observes what footfall's environments with clips give, and nothing else."""
    figure = Figure.load(policy.figure)
    given = environment_pool(Scope(figure, looks=LOOKS), sight=_sees_ground(policy))
    seen = tuple(name for block in policy.observations for name in block.names)
    return policy.history == 1 and seen == given.names


def _sees_ground(policy: NetworkController) -> bool:
    return any(name.startswith("ground_") for block in policy.observations for name in block.names)


def _keenest(controller: NetworkController, network: Network, aim: Aim, seed: int) -> _Judged:
    """A network at the best of the gains that are tried."""
    own = replace(controller, network=network, start=None)
    tried = [replace(_judged(own, keener(own, gain), aim, seed), gain=gain) for gain in GAINS]
    return min(tried, key=lambda one: one.cost)


def _judged(controller: NetworkController, network: Network, aim: Aim, seed: int) -> _Judged:
    """Judge a network in a world without disturbances and some with."""
    own, clip = replace(controller, network=network, start=None), controller.clip_frames
    assert clip is not None
    following = follow_clip(own)
    stayed, seconds = _disturbed(own, STARTS, seed + 200)
    up, lasted = [not following.fell, *stayed], [following.time, *seconds]
    if all(up):
        stayed, seconds = _disturbed(own, MORE, seed + 300)
        up, lasted = [*up, *stayed], [*lasted, *seconds]
    stands, share = float(np.mean(up)), float(np.mean(lasted)) / clip.seconds
    course = following.course
    assert course is not None
    way = abs(course.way - 1.0) if np.isfinite(course.way) else 0.0
    off = course.off_path + (course.mpjpe_global + aim.poses * course.mpjpe_root) / 1000.0
    pushed = _pushed_over(own, aim.tried)
    cost = 4.0 * (1.0 - share) + 2.0 * (1.0 - stands) + way + off + aim.pushes * pushed
    falls = following.fell or stands < STEADY
    astray = max(way, course.off_path)
    near = astray <= aim.near and course.mpjpe_root <= aim.like
    return _Judged(network, cost, falls, astray > ASTRAY or pushed > 0.0, not falls and near and pushed == 0.0)


def _disturbed(controller: NetworkController, count: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which of some disturbed starts come to the clip's end, and how many seconds each stays up until then."""
    clip = controller.clip_frames
    assert clip is not None
    shaken = NOISE * np.random.default_rng(seed).normal(size=(count, Figure.load(controller.figure).nv))
    worlds = tracking_simulation(controller, worlds=count, shaken=shaken, dt=None, last_states=1)
    outcome = worlds.run(clip.seconds)
    up = up_to_the_end(worlds, clip)
    ended = np.nan_to_num(outcome.end_time, nan=clip.seconds)  # not a number of one that has not fallen yet
    return up, np.where(up, clip.seconds, np.minimum(ended, clip.seconds))


def _pushed_over(controller: NetworkController, forces: Sequence[float]) -> float:
    """Share of pushes, each force from four sides at some moments, that throw it over; 0 of none, and of a short
    clip."""
    clip = controller.clip_frames
    assert clip is not None
    if not forces or clip.seconds < PUSHED:
        return 0.0
    tried = [(newtons * np.array(side), at) for newtons in forces for side in DIRECTIONS.values() for at in PUSHED_AT]
    vectors, moments = (np.array(column) for column in zip(*tried, strict=True))
    push = Push(vectors, moments * clip.seconds, PUSHED_FOR)
    worlds = tracking_simulation(controller, worlds=len(tried), pushes=[push], dt=None, last_states=1)
    worlds.run(clip.seconds)
    return 1.0 - float(up_to_the_end(worlds, clip).mean())


SECONDS = 60.0
WALK_NOISE = 0.03
"""Deviation of the velocities at a judged walk's start."""
PRACTISED_AT, JUDGED_AT = 2_000_000, 3_000_000
"""Seeds of walks, far from those of a report."""


@dataclass(frozen=True)
class _Course:
    """How a character practises.

    Attributes:
        walks, judged: played walks of a minute that it practises, and others by which it is judged.
        every: iterations between judgements. usual: decisions, at most.
    """

    walks: int
    judged: int
    every: int
    usual: int


ON_CPU, ON_GPU = _Course(48, 20, 50, 4_000_000), _Course(240, 40, 100, 300_000_000)


@dataclass(frozen=True)
class PractisedWalks:
    """What practice made of a character.

    Attributes:
        controller: with the best policy. decisions: that it practised. up, tried: judged minutes that it stayed up in.
    """

    controller: SteeredNetwork
    decisions: int
    up: int
    tried: int


@dataclass(frozen=True)
class _JudgedWalks:
    network: Network
    up: int
    share: float

    @property
    def worth(self) -> tuple[int, float]:
        return self.up, self.share


def practise_walks(
    controller: SteeredNetwork,
    *,
    decisions: int | None = None,
    seed: int = 1,
    device: str = "cpu",
    progress: Show | None = None,
) -> PractisedWalks:
    """Let a character's policy practise random walks on its clips.

    Args:
        controller: the tracker and the clips.
        decisions: how many, at most, in all worlds together; None for 4 million on a CPU, 300 million on a GPU. It ends
            where it stays up in all judged minutes; 0 for none.
        seed: of everything random.
        device: "cpu", or "cuda" to practise on a GPU (with torch).
        progress: called with the share done and a few words.
    """
    if decisions is not None and decisions < 0:
        raise FootfallError(f"practice is {decisions}; give decisions, 0 for none")
    check_device(device)
    course = ON_CPU if device == "cpu" else ON_GPU
    show = progress or (lambda done, what: None)
    graph, policy, most = controller.graph, controller.policy, course.usual if decisions is None else decisions
    seeds = [
        *(JUDGED_AT + 1000 * seed + k for k in range(course.judged)),
        *(PRACTISED_AT + 1000 * seed + k for k in range(course.walks)),
    ]
    walks = played_minutes(graph, SECONDS, seeds, policy.rate, progress=part_of(show, 0.0, 0.1))
    judged, practised = walks[: course.judged], walks[course.judged :]
    best, done = _judge(policy, policy.network, judged), 0
    if most > 0 and best.up < course.judged:
        options = tracker_options(policy, [_motion(walk.clip, graph.figure) for walk in practised])
        practice = practising(
            best.network, replace(options, device=device, lanes=1 if device != "cpu" else options.lanes), seed
        )
        try:
            while practice.decisions < most and best.up < course.judged:
                practice.iterate()
                if practice.iteration % course.every == 0 or practice.decisions >= most:
                    best = max(best, _judge(policy, practice.network(), judged), key=lambda one: one.worth)
                share = 0.1 + 0.9 * practice.decisions / most
                show(min(share, 1.0), f"practising walks: up in {best.up} of {course.judged} minutes")
            done = practice.decisions
        finally:
            practice.close()
    made = replace(controller, policy=replace(policy, network=best.network))
    return PractisedWalks(made, done, best.up, course.judged)


def check_device(device: str) -> None:
    """Refuse a device that is not there, or on which nothing can be practised."""
    device_of(device)
    if device != "cpu" and find_spec("torch") is None:
        raise FootfallError(f"device '{device}': practice there needs torch; pip install 'footfall[gym,learn]'")


def _motion(clip: ClipFrames, figure: Figure) -> Motion:
    return Motion.from_qpos(figure, np.arange(len(clip)) / clip.rate, clip.qpos.astype(float))


def _judge(policy: NetworkController, network: Network, walks: Sequence[PlayedMinute]) -> _JudgedWalks:
    """How many walks a policy stays up in, and for what share of their time."""
    own = replace(policy, network=network, start=None)
    lasted = seconds_up(own, [walk.clip for walk in walks], WALK_NOISE, range(len(walks)))
    share = np.minimum(lasted, SECONDS).mean() / SECONDS
    return _JudgedWalks(network, int(np.isinf(lasted).sum()), float(share))
