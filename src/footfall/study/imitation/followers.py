"""From a clip to a physically simulated character: what can follow a clip, one judge and one report for all of it.

A follower takes a clip and gives a controller. The tracking law with searched gains is here (Data-Driven Biped Control,
sections 3 to 5, with gains searched where the authors tuned by hand); a network that practises is in
:mod:`.network_follower`, a SIMBICON walk in :mod:`.captured`.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.clips import clip_repertoire
from footfall.methods.tracking.controller import TrackingController
from footfall.methods.tracking.repertoire import Settings
from footfall.motion import Motion
from footfall.motion.ball_poses import FPS
from footfall.motion.conditioning.ground_fit import frames_of, sole_depth
from footfall.progress import Show, part_of, silent
from footfall.push import Push
from footfall.study.imitation.clips import check_clip
from footfall.study.imitation.following import ON_PATH, ClipController, Following, follow, followed_up
from footfall.study.imitation.gain_search import (
    GainSearch,
    SearchedGains,
    StretchSearch,
    default_sets,
    search_gains,
    search_stretches,
    sized_set,
    split_set,
)
from footfall.study.imitation.verdicts import FollowingVerdict, verdict_of
from footfall.study.measures.table import OF_FOLLOWING
from footfall.study.trials.pushing import PUSH_SIDES, strict_threshold

LOOP_SECONDS = 60.0
"""For which a loop is followed."""
DEMO = {"friction": 2.0, "ankle_settling": 0.2}
"""Ground and ankle of the authors' turning and interactive demonstrations."""
FIRM = {
    "stiffness": 5000.0,
    "damping": 2.0 * 5000.0**0.5,
    "friction": 1.5,
    "locking_speed": 0.02,
    "implicit_friction": True,
    "ankle_settling": 0.2,
    "late_landing": 0.8,
}
"""The ground of imitated clips, firmer and less gripping than that of the authors' demonstrations (2000, 2): feet sink
in less, and the legs, whose joints give way to nothing, fight each other less while both feet are down. Friction is
implicit and locks below 0.02 m/s instead of 0.05: feet slide less, and hips work against none that changes its sign."""
CALM = {"friction": 1.0}
"""The same where torques are limited: the legs fight each other less still."""
LONGEST_TRIAL = 90.0
"""Seconds of a clip that the search tries."""
LONG = 15.0
"""Seconds above which the search for one set of gains is short: three starts, few generations, no restarts."""
LONG_GENERATIONS = 14
STURDY = (60.0, 120.0)
"""Newtons that sturdy characters are tried with."""
SAME_SOLE = 1e-6
"""Metres that are no difference."""
PATIENCE = 3.0
"""How much more simulation a search with pushes may take: every set is tried in three times as many worlds."""
LOOP_TRIAL = 12.0
"""Seconds for which sets are tried on a loop that none carries for a minute."""
UNSEEN, UNSEEN_NOISE = 7, 0.03
"""Disturbed starts that no search has seen, by which the report says how often it stays up, and the standard deviation
of their velocities, rad/s and m/s."""
FORCES = np.arange(20.0, 201.0, 20.0)
"""Newtons of the pushes that characters are tried with."""
STEP, PHASES = 0.65, 4
"""Seconds of a step, over which first pushes are spread, and at how many moments of it they are tried."""
MAY_FALL = 1
"""Disturbed starts that may fall before another follower is tried."""
KEPT = ("verdict", "fell", "seconds", "joint_error_deg", "correlation", "pace", "distance_ratio", "off_path",
        "heading_error_deg", "mpjpe_root_mm", "mpjpe_global_mm", "hip_torque_per_kg", "disturbed_up", "disturbed_tried",
        "push_limits")  # fmt: skip
"""What of a report stands in the controller's file."""


@dataclass(frozen=True, eq=False)
class Imitation:
    """A clip's controller with its report.

    Attributes:
        controller: it.
        law: what ``footfall imitate --law`` calls the follower that made it.
        following: the undisturbed run.
        up: how many unseen disturbed starts stayed up.
        tried: how many there were.
        push_limits: newtons by direction; empty where they were not asked for or the clip is too short to be pushed.
        search: what the search found; None where nothing was searched.
        cycle: what is measured of a walk that repeats one cycle, in place of the clip's path, as JSON has it.
        steps: what was done, in this order: "network", "practice", "search".
        why: why the first of these was not enough; empty where it was.
    """

    controller: Any
    law: str
    following: Following
    up: int
    tried: int
    push_limits: Mapping[str, float] = field(default_factory=dict)
    search: Any = None
    cycle: Mapping[str, Any] = field(default_factory=dict)
    steps: tuple[str, ...] = ("search",)
    why: str = ""

    @property
    def failed(self) -> str:
        """Why this is no character to use; empty where it is one."""
        f = self.following
        if f.fell and f.time >= f.seconds:
            return "it tips over at the clip's end"
        if f.fell:
            return f"it falls after {f.time:.1f} s of {f.seconds:.1f}"
        return f"none of {self.tried} disturbed starts stays up" if self.up == 0 else ""

    @property
    def verdict(self) -> FollowingVerdict:
        """Whether it follows its clip, and why not."""
        return verdict_of(self.following, self.failed)

    @property
    def falls(self) -> bool:
        """Whether it falls, or more disturbed starts do than may."""
        return self.following.fell or self.up < self.tried - MAY_FALL

    @property
    def worth(self) -> tuple[bool, int, float, float]:
        """By which of two characters of a clip the better is known: it stays up, from more starts, for longer, closer
        to the clip's positions."""
        course = self.following.course
        assert course is not None
        return not self.following.fell, self.up, self.following.time, -course.mpjpe_global

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        f = self.following
        return {
            "controller": self.controller.name,
            "figure": self.controller.figure,
            "verdict": self.verdict.word,
            "why": list(self.verdict.why),
            "fell": f.fell,
            "seconds": round(f.time, 3),
            "asked_seconds": round(f.seconds, 3),
            "joint_error_deg": round(f.joint_error, 2),
            "correlation": _rounded(f.correlation),
            "pace": _rounded(f.speed),
            "steps": f.footsteps,
            **(self.cycle or _course_numbers(f)),
            "disturbed_up": self.up,
            "disturbed_tried": self.tried,
            "sets_of_gains_tried": 0 if self.search is None else self.search.tried,
            "push_limits": self.push_limits,
        }

    def kept(self) -> dict[str, Any]:
        """What of the report stands in the controller's file."""
        return {key: value for key, value in self.as_dict().items() if key in KEPT}


def _course_numbers(f: Following) -> dict[str, Any]:
    """What is measured against the clip's path and asked of the body, as JSON has it."""
    course, physique = f.course, f.physique
    assert course is not None
    assert physique is not None
    measured = vars(course) | vars(physique)
    values = {key: measured[name] * factor for name, (key, factor) in OF_FOLLOWING.items()}
    values |= {"clip_swing_height_cm": 100.0 * physique.clip_swing_height, "clip_flight": physique.clip_flight}
    return {key: _rounded(value) for key, value in values.items()} | {"within_half_a_metre": course.success}


def _rounded(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None


def controller_name(path: Path) -> str:
    """A controller's name from a file's."""
    return re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-") or "clip"


class Follower(ABC):
    """What can follow a clip: clip in, controller out.

    Attributes:
        law: what ``footfall imitate --law`` calls it.
    """

    law: ClassVar[str]

    @property
    def key(self) -> str:
        """Words that tell it from other followers, by which finished work is known again."""
        return repr(self)

    @abstractmethod
    def imitate(
        self, clip: Motion, name: str = "clip", *, loop: bool = False, pushes: bool = True, progress: Show = silent
    ) -> Imitation:
        """Make a clip's controller.

        Args:
            clip: of any figure.
            name: of the controller.
            loop: repeat the clip's best two steps, instead of following it once.
            pushes: whether to look for push limits.
            progress: called with the share done and a few words.
        """


class FollowerJudge(ABC):
    """How a controller that was made of a clip is judged."""

    @abstractmethod
    def follow(self, controller: Any) -> tuple[Following, dict[str, Any]]:
        """The undisturbed run, and what JSON says of it in place of the clip's path."""

    @abstractmethod
    def starts_up(self, controller: Any) -> tuple[int, int]:
        """How many disturbed starts that no search has seen stay up, and of how many."""

    @abstractmethod
    def push_limits(self, controller: Any) -> dict[str, float]:
        """Newtons for 0.4 s by the side that the push comes from: the largest such that every smaller one passes."""

    @abstractmethod
    def reported(self, made: "Imitation") -> Any:
        """The controller with what its file says of it."""


def measured(
    controller: Any, law: str, judge: FollowerJudge, *, pushes: bool = True, progress: Show = silent, **made: Any
) -> Imitation:
    """Judge a controller that was made of a clip.

    Args:
        controller: it.
        law: of its follower.
        judge: of such controllers.
        pushes: whether to look for push limits.
        progress: called with the share done and a few words.
        made: further values of the :class:`Imitation`.
    """
    progress(0.0, "measuring")
    following, cycle = judge.follow(controller)
    up, tried = judge.starts_up(controller)
    limits: dict[str, float] = {}
    if pushes and not following.fell:
        progress(0.5, "pushing")
        limits = judge.push_limits(controller)
    found = Imitation(controller, law, following, up, tried, limits, cycle=cycle, **made)
    return replace(found, controller=judge.reported(found))


@dataclass(frozen=True)
class ClipJudge(FollowerJudge):
    """Of a controller that follows a clip frame by frame: tracking, or a policy.

    Attributes:
        seconds: for how long it is followed.
        loop: whether it walks without end.
        seed: of the disturbed starts.
        about: what else stands in the controller's report.
    """

    seconds: float
    loop: bool = False
    seed: int = 1
    about: Mapping[str, Any] = field(default_factory=dict)

    def follow(self, controller: ClipController) -> tuple[Following, dict[str, Any]]:
        """Beside the clip."""
        return follow(controller, self.seconds), {}

    def starts_up(self, controller: ClipController) -> tuple[int, int]:
        """Up to the clip's end."""
        starts: dict[str, Any] = {"worlds": UNSEEN + 1, "noise": UNSEEN_NOISE, "seed": self.seed + 100}
        return int(followed_up(controller, self.seconds, **starts)[0][1:].sum()), UNSEEN

    def push_limits(self, controller: ClipController) -> dict[str, float]:
        """Of loops, or of clips of 6 s or more."""
        if self.loop:
            return push_limits(controller, first=6.0, count=4)
        late = 0.4 * self.seconds
        return push_limits(controller, first=late, count=1, every=late) if self.seconds >= 6.0 else {}

    def reported(self, made: Imitation) -> ClipController:
        """With its report."""
        controller: ClipController = replace(made.controller, report={**self.about, **made.kept()})
        return controller


def push_limits(
    controller: ClipController,
    *,
    first: float = 8.0,
    count: int = 10,
    every: float = 4.0,
    forces: ArrayLike = FORCES,
    **options: Any,
) -> dict[str, float]:
    """Newtons from each side: the largest push below which every smaller one passes too.

    As in Data-Driven Biped Control, section 5: forces of 0.4 s on the torso, every 4 s, at several phases of the step.
    A force passes if the figure is up after all pushes, or was when its clip ended, at every phase and from every
    start.

    Args:
        controller: a walk that goes on long enough: tracking, or a policy with a clip.
        first: time of the first push.
        count: how many.
        every: seconds between them.
        forces: [F] rising.
        options: as :func:`pushed_up` takes them.
    """
    begins = first + STEP * np.arange(PHASES) / PHASES
    moments = [begins + every * k for k in range(count)]
    stays = pushed_up(controller, forces, moments, first + every * count + STEP, **options)
    return {side: strict_threshold(forces, passed) for side, passed in zip(PUSH_SIDES, stays, strict=True)}


def pushed_up(
    controller: ClipController,
    forces: ArrayLike,
    moments: Sequence[ArrayLike],
    seconds: float,
    *,
    duration: float = 0.4,
    noises: Sequence[float] = (0.0,),
    figure: Figure | None = None,
) -> NDArray[np.bool_]:
    """[sides, forces, moments, noises] whether a controller is up after pushes, or was when its clip ended.

    Args:
        controller: tracking, or a policy with a clip.
        forces: [F] newtons.
        moments: for each push [M], when it begins in the worlds that differ by it, seconds.
        seconds: for how long it is followed.
        duration: of each push.
        noises: of the starts' velocities, rad/s and m/s.
        figure: by default the controller's own.
    """
    sides, sizes, noise = (np.asarray(values) for values in (list(PUSH_SIDES.values()), forces, noises))
    shape = (len(sides), len(sizes), len(np.asarray(moments[0])), len(noise))
    which, strength, moment, start = (index.ravel() for index in np.indices(shape))
    figure = Figure.load(controller.figure) if figure is None else figure
    shaken = noise[start, None] * np.random.default_rng(1).normal(size=(len(start), figure.nv))
    vectors = sizes[strength, None] * sides[which]
    pushes = [Push(vectors, np.asarray(begins)[moment], duration) for begins in moments]
    return followed_up(controller, seconds, shaken=shaken, pushes=pushes, figure=figure)[0].reshape(shape)


@dataclass(frozen=True)
class TrackingFollower(Follower):
    """The tracking law with gains that are searched.

    Attributes:
        figure: a figure of ball joints, or one of hinges, as robots are.
        sturdy: judge candidates by pushes as well: harder to push over, and further from the clip.
        stay_on_path: judge candidates by the clip's path and heading more than by its poses.
        torque_limit: what a joint can give, N m for each kg of the body; 0 for whatever is asked.
        search: how to look for gains.
    """

    figure: str = "mocap-biped"
    sturdy: bool = False
    stay_on_path: bool = False
    torque_limit: float = 0.0
    search: GainSearch = field(default_factory=GainSearch)
    law: ClassVar[str] = "tracking"

    def imitate(
        self, clip: Motion, name: str = "clip", *, loop: bool = False, pushes: bool = True, progress: Show = silent
    ) -> Imitation:
        """Make a clip's controller; a loop repeats the best two steps for ever."""
        progress(0.0, "reading the clip")
        controller, seconds = self._controller(clip, name, loop)
        progress(0.05, "trying known gains")
        found = self._searched(controller, seconds, loop, part_of(progress, 0.05, 0.75))
        judge = ClipJudge(seconds, loop, self.search.seed)
        last = part_of(progress, 0.8, 0.2)
        return measured(found.controller, self.law, judge, pushes=pushes, progress=last, search=found)

    def _controller(self, clip: Motion, name: str, loop: bool) -> tuple[TrackingController, float]:
        """The clip cut into fragments, and for how many seconds it is followed."""
        body = Figure.load(self.figure)
        frames = frames_of(clip, body, lifted=True)
        check_clip(frames, body)
        repertoire = clip_repertoire(frames, body, loop=loop).changed(**FIRM, **sole_setting(body))
        if self.torque_limit:
            repertoire = repertoire.changed(**CALM, torque_limit=self.torque_limit)
        about = f"Tracks {'two steps of ' if loop else ''}{name}, {len(frames) / FPS:.1f} s of captured motion."
        seconds = LOOP_SECONDS if loop else sum(len(f.frames) - 1 for f in repertoire.fragments) / FPS
        return TrackingController(name, repertoire, self.figure, about), seconds

    def _plan(self, seconds: float) -> GainSearch:
        """How to search for what is asked of a clip of some seconds."""
        plan = replace(self.search, seconds=min(seconds, LONGEST_TRIAL))
        if self.sturdy:
            patient: dict[str, Any] = {"simulated": PATIENCE * plan.simulated, "refined": PATIENCE * plan.refined}
            plan = replace(plan, pushes=STURDY, enough=0.0, **patient)
        return replace(plan, weights=ON_PATH, enough=0.0) if self.stay_on_path else plan

    def _searched(self, controller: TrackingController, seconds: float, loop: bool, show: Show) -> SearchedGains:
        """One set of gains; where that does not carry all starts to the end, another search for shorter trials of a
        loop, or gains that change along the clip."""
        asked = plan = self._plan(seconds)
        if plan.seconds > LONG:
            generations = min(plan.generations, LONG_GENERATIONS)
            short: dict[str, Any] = {"starts": min(plan.starts, 3), "restarts": 1, "generations": generations}
            plan = replace(plan, refined=1.5 * plan.refined, **short)
        found = search_gains(controller, plan, part_of(show, 0.0, 8.0 / 15.0))
        if found.up == found.starts or plan.generations == 0:
            return found
        rest = part_of(show, 8.0 / 15.0, 7.0 / 15.0)
        if loop:
            second = search_gains(controller, replace(asked, seconds=min(plan.seconds, LOOP_TRIAL)), rest)
            best = max(found, second, key=lambda one: follow(one.controller, seconds).time)
            return replace(best, tried=found.tried + second.tried)
        body = Figure.load(self.figure)
        known = [split_set(sized_set(values, body))[0] for values in default_sets()]
        stretches = StretchSearch(plan.seconds, noise=plan.noise, seed=plan.seed)
        changed, more = search_stretches(found.controller, known, stretches, rest)
        return replace(found, controller=changed, tried=found.tried + more)


def sole_setting(body: Figure) -> dict[str, Any]:
    """The setting of another body than the paper's."""
    depth = sole_depth(body)
    return {} if abs(depth - Settings().sole) < SAME_SOLE else {"sole": depth}


@dataclass(frozen=True)
class EitherFollower(Follower):
    """Two followers, of which the second is tried where the first falls; the better character is kept.

    Attributes:
        network: what is tried first.
        search: what is tried then; its loops have no end, where a network's last a minute.
    """

    network: Follower
    search: Follower
    law: ClassVar[str] = "any"

    @property
    def key(self) -> str:
        """Both."""
        return f"{self.network.key} or {self.search.key}"

    def imitate(
        self, clip: Motion, name: str = "clip", *, loop: bool = False, pushes: bool = True, progress: Show = silent
    ) -> Imitation:
        """Make a clip's controller by one or the other."""
        first, second = part_of(progress, 0.0, 0.6), part_of(progress, 0.6, 0.4)
        asked: dict[str, Any] = {"loop": loop, "pushes": pushes}
        followed = self.network.imitate(clip, name, progress=first, **asked)
        if not followed.falls:
            return followed
        found = self._searched(clip, name, progress=second, **asked)
        best = found if found is not None and found.worth > followed.worth else followed
        return replace(best, steps=(*followed.steps, "search"), why=followed.why)

    def _searched(self, clip: Motion, name: str, **options: Any) -> Imitation | None:
        """None where the clip cannot be cut into steps: the network may do without, and says what else is wrong."""
        try:
            return self.search.imitate(clip, name, **options)
        except FootfallError:
            return None
