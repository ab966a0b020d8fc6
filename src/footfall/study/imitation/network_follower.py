"""A network that follows clips, and practises those with which it falls or from which it strays.

Nothing is searched: a policy that was trained on many clips follows another one as it is. Where that is not enough, it
practises the clip (:mod:`footfall.learning.ppo`) until it neither falls nor strays.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Controller, Integration
from footfall.control.registry import print_controller
from footfall.errors import FootfallError, check_name
from footfall.figures import Figure
from footfall.learning.options import Options
from footfall.learning.ppo import practising
from footfall.learning.setup import LOOKS, USUAL_DT, environment_pool
from footfall.methods.network.clip_frames import ClipFrames, table_of
from footfall.methods.network.controller import TRACKER, NetworkController
from footfall.methods.network.multilayer import Network
from footfall.methods.network.seen import Scope
from footfall.methods.network.terms import looks_of
from footfall.methods.tracking.clips import looped_frames
from footfall.methods.tracking.stops import stop_after
from footfall.motion import Motion, resampled
from footfall.motion.ball_poses import FPS, hinge_chains
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.progress import Show, part_of, silent
from footfall.study.imitation.clips import check_clip
from footfall.study.imitation.followers import LOOP_SECONDS, ClipJudge, Follower, Imitation, measured, pushed_up
from footfall.study.imitation.following import follow, followed_up
from footfall.terrain.terrain import TerrainRandomSteps

ASTRAY = 0.05
"""Share of its distance by which a policy may go further, less far or aside, before it practises."""
GAINS = (1.0, 1.5, 2.0)
"""How keen on the clip's position a policy is tried."""
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


@dataclass(frozen=True)
class Aim:
    """What counts in practice of a clip: to follow it on course, to be hard to push over, or to look like it.

    Attributes:
        push: newtons of pushes while it practises, from and to.
        near: share of its distance by which a policy that needs no more practice may be off, along its path or aside.
        like: millimetres by which its joints may be then, relative to the pelvis.
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
    check_name("aim of practice", name, AIMS)
    return AIMS[name]


def tracker_file() -> Path:
    """The file of the policy that follows clips and comes with footfall. It was trained on motion that footfall made
    itself (:mod:`footfall.learning.clips`); docs/learning.md has the command."""
    return Path(str(files("footfall.methods.network") / f"{TRACKER}.toml"))


def check_policy(controller: Controller) -> NetworkController:
    """The controller, which must be a policy that follows clips."""
    if not isinstance(controller, NetworkController) or not controller.follows:
        raise FootfallError(
            f"policy: controller '{controller.name}' follows no clips; give one that was trained to, "
            "as `footfall train` writes it"
        )
    return controller


def with_clip(policy: NetworkController, motion: Motion, name: str, *, loop: bool = False) -> NetworkController:
    """A policy with a clip to follow, retargeted onto its figure; a motion of that figure is taken as it is. In a
    ``loop`` its best two steps are repeated for a minute. After the clip's end it comes to a stand."""
    figure = Figure.load(policy.figure)
    if motion.figure == figure.name and not loop:
        qpos, chains = resampled(motion, policy.rate).to_qpos(figure), hinge_chains(figure)
        poses = resampled(motion, FPS).to_qpos(figure)
        frames = poses if chains is None else chains.ball_poses(poses)
    else:
        frames = frames_of(motion, figure, lifted=True)
        check_clip(frames, figure)
        frames = looped_frames(frames, figure, LOOP_SECONDS) if loop else frames
        qpos = table_of(frames, figure, policy.rate)
    whole = table_of(np.concatenate([frames, stop_after(frames, figure)]), figure, policy.rate)[len(qpos) :]
    shown = ClipFrames(np.concatenate([qpos, whole]).astype(np.float32), policy.rate, len(whole))
    what = f"two steps of {name}, again and again," if loop else f"{name}, {shown.seconds:.1f} s of motion,"
    about = f"Follows {what} by the policy {policy.name}."
    return replace(policy, name=name, about=about, clip_frames=shown, start=None)


def keener(policy: NetworkController, gain: float) -> Network:
    """The policy's network, for one that sees ``gain`` times how far the clip's root is from its own, along the ground.

    A policy lags behind its clip, or runs ahead, by a distance at which what it gains by closing it and what it loses
    are equal. Seen as g times as far, the same policy keeps it to about 1/g. That is linear in what it observes, and so
    only another first layer. The offset now is the one at the nearest look, less the distance that the clip goes until
    then.
    """
    if policy.history != 1:
        raise FootfallError(f"policy '{policy.name}' has a history of {policy.history}; keenness needs a history of 1")
    names = [name for block in policy.observations for name in block.names]
    looks, first = looks_of(names), policy.network.weights[0]
    changed = first.copy()
    for way in ("forward", "left"):
        columns = [names.index(f"clip_{look}_{way}") for look in looks]
        pull = np.float32(gain - 1.0) * first[:, columns].sum(axis=1)
        changed[:, columns[0]] += pull
        changed[:, names.index(f"clip_velocity_{way}")] -= pull * np.float32(looks[0] / policy.rate)
    weights, biases = (changed, *policy.network.weights[1:]), policy.network.biases
    return Network(weights, biases, policy.network.activation)


@dataclass(frozen=True)
class NetworkFollower(Follower):
    """A policy that follows clips, as it is or after practice of the clip.

    Attributes:
        policy: a tracker; its figure is the clip's.
        practice: decisions, at most (:func:`practise`); 0 for none; None for the usual number, and for none of a policy
            that observes other numbers than footfall's environments give.
        aim: what it practises for, by name (:data:`AIMS`).
        seed: of everything random.
    """

    policy: NetworkController
    practice: int | None = None
    aim: str = "course"
    seed: int = 1
    law: ClassVar[str] = "learned"

    def __post_init__(self) -> None:
        check_practice(self.practice)
        aim_of(self.aim)

    @property
    def key(self) -> str:
        """The policy's file, and how it is used."""
        policy = hashlib.sha256(print_controller(self.policy).encode()).hexdigest()
        return f"{policy} {self.practice} {self.aim} {self.seed}"

    def imitate(
        self, clip: Motion, name: str = "clip", *, loop: bool = False, pushes: bool = True, progress: Show = silent
    ) -> Imitation:
        """Make a clip's controller; a loop repeats its best two steps for a minute."""
        progress(0.0, "reading the clip")
        controller, aim = with_clip(self.policy, clip, name, loop=loop), AIMS[self.aim]
        first = self._measured(controller, ("network",), pushes=False)
        progress(0.1, "measured")
        why, rests = self._why(first, aim), self.practice is None and not _is_known(self.policy)
        made = first
        if (why or aim.always) and self.practice != 0 and not rests:
            after = practise(
                controller, decisions=self.practice, aim=self.aim, seed=self.seed, progress=part_of(progress, 0.1, 0.8)
            )
            made = self._measured(after.controller, ("network", "practice"), pushes=pushes)
            worse = first.worth > made.worth if not aim.always else first.worth[:2] > made.worth[:2]
            if not worse:
                report = made.controller.report | {"practised_decisions": after.decisions, "keenness": after.best.gain}
                return replace(made, controller=replace(made.controller, report=report, start=None), why=why)
        progress(0.9, "measuring")
        found = self._measured(controller, made.steps, pushes=True) if pushes else first
        return replace(found, steps=made.steps, why=why)

    def _measured(self, controller: NetworkController, steps: tuple[str, ...], *, pushes: bool) -> Imitation:
        assert controller.clip_frames is not None
        judge = ClipJudge(controller.clip_frames.seconds, seed=self.seed, about={"policy": self.policy.name})
        return measured(controller, self.law, judge, pushes=pushes, steps=steps)

    @staticmethod
    def _why(made: Imitation, aim: Aim) -> str:
        """Why a policy should practise its clip; empty where it need not."""
        course = made.following.course
        assert course is not None
        if made.following.fell:
            tips = made.following.time >= made.following.seconds
            return made.failed if tips else f"the character fell after {made.following.time:.1f} s"
        if made.falls:
            return f"{made.up} of {made.tried} disturbed starts stayed up"
        ratio = course.distance_ratio
        goes = bool(np.isfinite(ratio))
        if max(abs(ratio - 1.0) if goes else 0.0, course.off_path) > ASTRAY:
            covered = f"covered {ratio:.2f} of the clip's distance and " if goes else ""
            return f"the character {covered}drifted {100 * course.off_path:.0f} cm from its path per metre"
        if not aim.always and _pushed_over(made.controller, aim.tried) > 0.0:
            return f"a push of {max(aim.tried):g} N made it fall"
        return ""


def check_practice(decisions: int | None) -> None:
    """Refuse a number of decisions below zero."""
    if decisions is not None and decisions < 0:
        raise FootfallError(f"practice is {decisions}; give decisions, 0 for none")


@dataclass(frozen=True)
class JudgedNetwork:
    """A network, and what its judge says.

    Attributes:
        network: what was judged.
        cost: the lower the better.
        holds: whether it needs no more practice.
        falls: whether it falls.
        strays: whether it leaves the clip's path, or is pushed over.
        gain: how much keener on the clip's position it was made (:func:`keener`).
        up: walks in which it stayed up, where it is judged by several.
    """

    network: Network
    cost: float
    holds: bool
    falls: bool = False
    strays: bool = False
    gain: float = 1.0
    up: int = 0


def practise_until(
    best: JudgedNetwork,
    options: Options,
    judge: Callable[[Network], JudgedNetwork],
    *,
    seed: int,
    limit: Callable[[JudgedNetwork], int],
    every: int,
    show: Callable[[float, JudgedNetwork], None],
) -> tuple[JudgedNetwork, int]:
    """Practise until a judge is content; the best network of those that were judged, and the decisions that it took.

    Args:
        best: the network to begin with, as it was judged.
        options: of the environment.
        judge: says how good a network is.
        seed: of everything random.
        limit: decisions at most, by the best so far.
        every: iterations between judgements.
        show: called with the share done and the best so far.
    """
    practice = practising(best.network, options, seed)
    try:
        while not best.holds and practice.decisions < (most := limit(best)):
            practice.iterate()
            if practice.iteration % every == 0 or practice.decisions >= most:
                best = min(best, judge(practice.network()), key=lambda one: one.cost)
            show(min(practice.decisions / most, 1.0), best)
        return best, practice.decisions
    finally:
        practice.close()


@dataclass(frozen=True)
class Practised:
    """What practice made of a policy that follows a clip, or of a character that is steered.

    Attributes:
        controller: with the best policy.
        decisions: that it practised, in all worlds together.
        best: what its judge says of it.
    """

    controller: Any
    decisions: int
    best: JudgedNetwork


def practise(
    controller: NetworkController,
    *,
    decisions: int | None = None,
    aim: str = "course",
    seed: int = 1,
    progress: Show = silent,
) -> Practised:
    """Let a policy practise the clip that it follows.

    The best of what was judged on the way is kept. It is judged by the clip alone: by how long it stays up from
    starts that are disturbed, and by its distance, its path and the joints' positions.

    Args:
        controller: a tracker with its clip.
        decisions: how many, in all worlds together; None for 400,000, more of clips of more than 20 s, and up to four
            times as many while it falls, twice while it strays or pushes throw it over. It ends sooner where it follows
            the clip as it should.
        aim: what for, by name (:data:`AIMS`).
        seed: of everything random.
        progress: called with the share done and a few words.
    """
    clip = controller.clip_frames
    if clip is None:
        raise FootfallError(f"controller '{controller.name}' has no clip to practise")
    usual = round(USUAL * float(np.clip(clip.seconds / LONG, 1.0, MOST))) if decisions is None else decisions
    most = round(STUBBORN * usual) if decisions is None else decisions
    wanted = aim_of(aim)
    options = tracker_options(controller, motion_of(clip, Figure.load(controller.figure)), wanted)
    progress(0.0, "looking closer")
    best, done = _keenest(controller, controller.network, wanted, seed), 0
    if most > 0 and not best.holds:
        begun = best.gain
        best, done = practise_until(
            best,
            options,
            lambda network: replace(_judged(controller, network, wanted, seed), gain=begun),
            seed=seed,
            limit=lambda one: most if one.falls else min(round(STRAYING * usual), most) if one.strays else usual,
            every=ROUND,
            show=lambda share, _: progress(share, "practising"),
        )
        if not best.holds:
            last = _keenest(controller, best.network, wanted, seed)
            best = min(best, replace(last, gain=best.gain * last.gain), key=lambda one: one.cost)
    return Practised(replace(controller, network=best.network, start=None), done, best)


def motion_of(clip: ClipFrames, figure: Figure) -> Motion:
    """A policy's clip as a motion."""
    return Motion.from_qpos(figure, np.arange(len(clip.clip)) / clip.rate, clip.clip.astype(float))


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


def _keenest(controller: NetworkController, network: Network, aim: Aim, seed: int) -> JudgedNetwork:
    """A network at the best of the gains that are tried."""
    own = replace(controller, network=network, start=None)
    tried = [replace(_judged(own, keener(own, gain), aim, seed), gain=gain) for gain in GAINS]
    return min(tried, key=lambda one: one.cost)


def _judged(controller: NetworkController, network: Network, aim: Aim, seed: int) -> JudgedNetwork:
    """Judge a network in a world without disturbances and some with."""
    own = replace(controller, network=network, start=None)
    following = follow(own)
    stayed, seconds = _disturbed(own, STARTS, seed + 200)
    up, lasted = [not following.fell, *stayed], [following.time, *seconds]
    if all(up):
        stayed, seconds = _disturbed(own, MORE, seed + 300)
        up, lasted = [*up, *stayed], [*lasted, *seconds]
    stands, share = float(np.mean(up)), float(np.mean(lasted)) / following.seconds
    course = following.course
    assert course is not None
    distance = abs(course.distance_ratio - 1.0) if np.isfinite(course.distance_ratio) else 0.0
    off = course.off_path + (course.mpjpe_global + aim.poses * course.mpjpe_root) / 1000.0
    pushed = _pushed_over(own, aim.tried)
    cost = 4.0 * (1.0 - share) + 2.0 * (1.0 - stands) + distance + off + aim.pushes * pushed
    falls = following.fell or stands < STEADY
    astray = max(distance, course.off_path)
    holds = not falls and astray <= aim.near and course.mpjpe_root <= aim.like and pushed == 0.0
    return JudgedNetwork(network, cost, holds, falls, astray > ASTRAY or pushed > 0.0)


def _disturbed(controller: NetworkController, count: int, seed: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which of some disturbed starts come to the clip's end, and how many seconds each stays up until then."""
    clip = controller.clip_frames
    assert clip is not None
    shaken = NOISE * np.random.default_rng(seed).normal(size=(count, Figure.load(controller.figure).nv))
    return followed_up(controller, clip.seconds, shaken=shaken)


def _pushed_over(controller: NetworkController, forces: Sequence[float]) -> float:
    """Share of pushes, each force from four sides at some moments, that throw it over; 0 of none, and of a short
    clip."""
    clip = controller.clip_frames
    assert clip is not None
    if not forces or clip.seconds < PUSHED:
        return 0.0
    moments = clip.seconds * np.array(PUSHED_AT)
    return 1.0 - float(pushed_up(controller, forces, [moments], clip.seconds, duration=PUSHED_FOR).mean())
