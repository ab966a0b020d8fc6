"""Training a policy: PPO until its decisions or minutes are used up, with checkpoints; the best policy is kept, as a
controller that runs by itself. Policies are judged by how long they survive: one episode in every world, the same
worlds for all of them. The learning curve is drawn.
"""

import io
import json
import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.kind import Integration, Start
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.falls import on_the_back, stands
from footfall.learning.layers import Layers, arrays_of
from footfall.learning.options import FALLEN, SAME_STEP, STEP, Options
from footfall.learning.ppo import Iteration, PolicyWorlds, Ppo, PpoSettings
from footfall.learning.setup import USUAL_DT, Setup, joint_servos
from footfall.learning.worlds import EnvironmentWorlds
from footfall.methods.network.controller import NetworkController, base_text
from footfall.methods.network.deciding import Block
from footfall.methods.network.multilayer import Network
from footfall.methods.network.terms import Observation
from footfall.pictures.page import LETTERS, TEXT, dress, empty_figure, save_figure, set_title
from footfall.text_files import write_whole

SAVE_SECONDS = 30.0
"""Between checkpoints."""
SMOOTH = 0.1
"""Share of an iteration in the smoothed worth, by which the best policy is found."""
SETTLED = 10
"""Iterations before a policy counts as best."""
SETTLING = 10
"""Iterations for the critic of a policy that was trained before."""
PLACE = ("device", "precision", "threads", "lanes", "arrays", "render_mode", "width", "height", "camera")
"""Options that a checkpoint may change."""

Progress = Callable[[float, Iteration, float], None]


@dataclass(frozen=True)
class Trained:
    """A trained policy.

    Attributes:
        network: the best policy.
        last: the last one.
        history: of every iteration.
        seconds: of training, in all.
        stopped: whether it was interrupted.
    """

    network: Network
    last: Network
    history: tuple[Iteration, ...]
    seconds: float
    stopped: bool = False


@dataclass
class TrainingCheckpoint:
    """What training needs to continue.

    Attributes:
        options: of the environment, as text: a checkpoint continues in the same one alone.
        settings: of PPO.
        state: :meth:`footfall.learning.ppo.Ppo.state`.
        history: of every iteration so far.
        seconds: so far.
        smoothed, best_worth, best: by which the best policy is found, and its iteration.
        network: the best policy's bytes.
    """

    options: str
    settings: dict[str, Any]
    state: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    smoothed: float = 0.0
    best_worth: float = -math.inf
    best: int = -1
    network: bytes = b""

    def save(self, path: Path) -> None:
        """Write it, whole or not at all: arrays, and the rest as JSON, in one ``.npz``."""
        texts = {name: value for name, value in vars(self).items() if name not in ("state", "network")}
        arrays: dict[str, Any] = {"checkpoint": json.dumps(texts), "network": np.frombuffer(self.network, np.uint8)}
        arrays |= {f"state_{name}": value for name, value in self.state.items()}
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        write_whole(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> "TrainingCheckpoint":
        """Read one; nothing in it is run."""
        try:
            with np.load(path, allow_pickle=False) as found:
                state = {name.removeprefix("state_"): found[name] for name in found if name.startswith("state_")}
                texts = json.loads(str(found["checkpoint"]))
                return cls(**texts, state=state, network=found["network"].tobytes())
        except OSError as error:
            raise FootfallError(f"checkpoint {path}: {error.strerror or 'it cannot be read'}") from None
        except Exception:  # zipfile, numpy and json raise many kinds for files that are not their own
            raise FootfallError(f"checkpoint {path}: it is not a checkpoint of footfall train") from None


def train_policy(
    options: Options,
    settings: PpoSettings,
    *,
    decisions: int,
    minutes: float | None = None,
    seed: int = 0,
    episode: int = 1000,
    checkpoint: Path | None = None,
    resume: bool = False,
    begin: Network | None = None,
    save: Callable[[NetworkController], None] | None = None,
    name: str = "learned",
    progress: Progress | None = None,
) -> tuple[Trained, NetworkController]:
    """Train a policy for an environment with corrections.

    Args:
        options: of the environment.
        settings: of PPO.
        decisions: in all worlds together, after which training ends.
        minutes: after which it ends, if that is sooner.
        seed: of everything random; on a CPU the same seed trains the same policy.
        episode: decisions of an episode.
        checkpoint: file that is written every half minute and at the end.
        resume: whether to continue from it.
        begin: the policy to begin with, of the environment's observations; None for a new one.
        save: called with the best controller so far whenever a checkpoint is written.
        name: of the controller.
        progress: called with the share done, the last iteration and decisions a second.
    """
    setup = Setup.of(options)
    check_trainable(setup)
    if begin is not None:
        asked = (len(setup.observations), *settings.hidden, len(setup.action.table))
        if begin.sizes != asked or begin.activation != settings.activation:
            raise FootfallError(
                f"begin: the network has layers of {list(begin.sizes)} ({begin.activation}); this environment and "
                f"these settings ask for {list(asked)} ({settings.activation})"
            )
    own = replace(settings, settling=SETTLING if begin is not None else 0)
    ppo = Ppo.of(replace(options, render_mode=None), own, policy=begin, seed=seed, episode=episode)
    try:
        kept = TrainingCheckpoint(options_text(setup.options), json.loads(json.dumps(asdict(settings))))
        run = _Run(ppo, setup, kept, seed, checkpoint, save, name)
        if resume:
            run.resume()
        return run.train(decisions, minutes, progress), run.controller()
    finally:
        ppo.close()


@dataclass
class _Run:
    """Training in progress, with what has to survive an interruption."""

    ppo: Ppo
    setup: Setup
    kept: TrainingCheckpoint
    seed: int
    path: Path | None
    save: Callable[[NetworkController], None] | None
    name: str

    def __post_init__(self) -> None:
        self._before, self._began, self._saved = 0.0, time.monotonic(), time.monotonic()

    def resume(self) -> None:
        """Continue from the checkpoint."""
        if self.path is None:
            raise FootfallError("resume: name the checkpoint to continue from")
        found = TrainingCheckpoint.load(self.path)
        found.settings = self.kept.settings | found.settings
        for what, now, then in (
            ("environment", self.kept.options, found.options),
            ("settings", self.kept.settings, found.settings),
        ):
            if now != then:
                raise FootfallError(f"checkpoint {self.path}: its {what} differ; they were: {then}")
        self.kept, self._before = found, found.seconds
        self.ppo.load(found.state)
        if isinstance(self.ppo.worlds, PolicyWorlds):
            self.ppo.worlds.reset(self.seed + self.ppo.decisions)

    def train(self, decisions: int, minutes: float | None, progress: Progress | None) -> Trained:
        settings, stopped = self.ppo.settings, False
        a_step = settings.worlds * settings.horizon
        try:
            while self.ppo.decisions < decisions and not (minutes and self._elapsed() > 60.0 * minutes):
                began = time.monotonic()
                done = self.ppo.iterate()
                self._note(done)
                if progress is not None:
                    spent = self._elapsed() / (60.0 * minutes) if minutes else 0.0
                    share = min(max(self.ppo.decisions / decisions, spent), 1.0)
                    progress(share, done, a_step / max(time.monotonic() - began, 1e-9))
                if time.monotonic() - self._saved > SAVE_SECONDS:
                    self._write()
        except KeyboardInterrupt:
            stopped = True
            if not self.kept.history:
                raise
        self._write()
        history = tuple(Iteration(**row) for row in self.kept.history)
        return Trained(self._network(), self.ppo.network(), history, self.kept.seconds, stopped)

    def _elapsed(self) -> float:
        return self._before + time.monotonic() - self._began

    def _note(self, done: Iteration) -> None:
        kept = self.kept
        first = not kept.history
        kept.history.append(asdict(done))
        kept.smoothed = done.worth if first else (1.0 - SMOOTH) * kept.smoothed + SMOOTH * done.worth
        if first or (len(kept.history) > SETTLED and kept.smoothed > kept.best_worth):
            kept.best_worth = kept.smoothed if len(kept.history) > SETTLED else -math.inf
            kept.best, kept.network = len(kept.history) - 1, self.ppo.network().to_bytes()

    def _network(self) -> Network:
        return Network.from_bytes(self.kept.network, "best policy")

    def controller(self) -> NetworkController:
        report = {
            "decisions": self.ppo.decisions,
            "seconds": round(self.kept.seconds, 1),
            "worlds": self.ppo.settings.worlds,
            "seed": self.seed,
            "environment": self.kept.options,
        }
        base = self.setup.controller if self.setup.options.action == "corrections" else None
        what = f"'{base.name}' with a network" if base is not None else "a network that sets joints' targets"
        about = f"{what}, trained for {self.kept.seconds:.0f} s"
        return learned_controller(self.setup, self._network(), self.name, about=about, report=report)

    def _write(self) -> None:
        self._saved = time.monotonic()
        self.kept.seconds, self.kept.state = self._elapsed(), self.ppo.state()
        if self.path is not None:
            self.kept.save(self.path)
        if self.save is not None:
            self.save(self.controller())


def options_text(options: Options) -> str:
    """The options that differ from the usual ones."""
    own: dict[str, Any] = {n: f.default for n, f in options.__dataclass_fields__.items() if n in PLACE}
    usual = replace(options, **own)
    parts = []
    for name, part in usual.__dataclass_fields__.items():
        value = getattr(usual, name)
        standard = part.default_factory() if callable(part.default_factory) else part.default
        if value != standard:
            shown = os.fspath(value) if isinstance(value, os.PathLike) else value
            parts.append(f"{name}={getattr(shown, 'name', shown)}")
    return ", ".join(parts)


# -- controllers -------------------------------------------------------------------------------------------------------


def check_trainable(setup: Setup) -> None:
    """Refuse environments whose policies cannot be written down as controllers."""
    options = setup.options
    if options.action == "torques":
        raise FootfallError("action is 'torques'; train policies whose actions are 'corrections' or 'targets'")
    if options.decide == STEP:
        raise FootfallError("decide is 'step'; train with decisions at a rate, such as 50 times a second")
    if options.clip is not None and options.action != "follow":
        raise FootfallError(
            f"clip: policies that observe a clip are trained with action 'follow', not '{options.action}'"
        )


def learned_controller(
    setup: Setup, network: Network, name: str, *, about: str = "", report: Mapping[str, Any] | None = None
) -> NetworkController:
    """The controller of a network that was trained in an environment: what it observed and did there, written down.

    Args:
        setup: of the environment.
        network: of its plain observations.
        name: of the controller.
        about: what it is.
        report: how it was trained and what was measured.
    """
    check_trainable(setup)
    options = setup.options
    low, high = options.limits("speed")
    given = options.figure if options.figure is not None or setup.controller is None else setup.controller.figure
    does: dict[str, Any]
    if options.action == "corrections" and setup.controller is not None:
        does = {"base": base_text(setup.controller), "correct": dict(options.correct)}
    else:
        does = {"servos": joint_servos(options, setup.figure)}
    if options.action == "follow":
        does["integration"] = Integration(USUAL_DT if options.dt is None else options.dt)
    if options.start == FALLEN:
        lying = on_the_back(setup.figure)
        does |= {"gets_up": True, "start": Start(tuple(map(float, lying)), (0.0,) * setup.figure.nv)}
    return NetworkController(
        name,
        given.name if isinstance(given, Figure) else str(given),
        network,
        tuple(
            Block(tuple(row.name for row in rows), limit=limit)
            for limit, rows in groupby(setup.observations, key=_limit)
        ),
        **does,
        about=about,
        rate=float(options.decide),
        goal_speed=(low + high) / 2.0,
        report=dict(report or {}),
    )


def _limit(row: Observation) -> float:
    """How large an observation is at most; those that are never cut off have no limit."""
    largest = max(abs(row.low), abs(row.high))
    return 0.0 if largest == 1.0 or not math.isfinite(largest) else largest


UNSEEN_SEED, UNSEEN_TERRAINS = 1_000_000, 500_000
"""Seeds of worlds and of terrains that training does not use: its own are far below."""
WINDOW = 10
"""Iterations that the curves are averaged over."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """The outcome of one episode in each of N worlds.

    Attributes:
        survived: [N] whether it did not fall; of one who gets up, whether it stands at the end.
        seconds: [N] until it fell, or of the episode.
        gets_up: whether it begins where it has fallen.
    """

    survived: NDArray[np.bool_]
    seconds: NDArray[np.float64]
    gets_up: bool = False

    def __str__(self) -> str:
        count, seconds = f"{int(self.survived.sum())} of {len(self.survived)}", f"{self.seconds.mean():.1f} s"
        return f"{count} stand after {seconds}" if self.gets_up else f"{count} survive, {seconds} on average"

    def as_dict(self) -> dict[str, Any]:
        """The sums, for JSON."""
        return {
            "survived": int(self.survived.sum()),
            "worlds": len(self.survived),
            "mean_seconds": round(float(self.seconds.mean()), 3),
        }


def unseen(options: Options) -> Options:
    """Options with terrains that training does not use."""
    return replace(options, terrain_seed=options.terrain_seed + UNSEEN_TERRAINS, render_mode=None)


def judge_policy(options: Options, network: Network | None, *, worlds: int = 256, decisions: int = 1000) -> Judgement:
    """Let a policy act in worlds that training does not use.

    Args:
        options: of the environment.
        network: the policy; None for actions of zero, that is the controller alone.
        worlds: how many.
        decisions: how long an episode is.
    """
    made = EnvironmentWorlds(options, worlds, most=decisions, mode=SAME_STEP)
    gets_up = options.start == FALLEN
    arrays = arrays_of(made.device)
    try:
        with arrays.working():
            acting = PolicyWorlds(made, arrays)
            acting.reset(UNSEEN_SEED)
            policy, still = network and Layers(network, arrays), arrays.zeros(worlds, acting.sizes[1])
            alive = arrays.zeros(worlds) == 0.0
            up = _standing(made) if gets_up else lambda acting: alive
            survived, lasted = ~alive, arrays.zeros(worlds)
            for _ in range(decisions):
                _, fell, late = acting.act(policy(acting.observed()) if policy else still)
                lasted += arrays.single(alive)
                survived |= alive & late & ~fell & up(acting)
                alive &= ~(fell | late)
            return Judgement(arrays.numpy(survived), arrays.numpy(lasted).astype(float) * made.period, gets_up)
    finally:
        made.close()


def _standing(worlds: EnvironmentWorlds) -> Callable[[PolicyWorlds], Any]:
    """Which worlds ended an episode upright, [N]."""
    names = [row.name for row in worlds.setup.observations]
    height, up = names.index("height"), names.index("up_z")

    def standing(acting: PolicyWorlds) -> Any:
        last = acting.observed(final=True)
        return stands(worlds.setup.figure, last[:, height], last[:, up])

    return standing


def save_learning_curve(name: str, trained: Trained, judgements: Mapping[str, Judgement], path: Path) -> None:
    """Draw reward and falls over decisions, and how the policy was judged."""
    rows = trained.history
    decisions = np.array([row.decisions for row in rows]) / 1e6
    per_episode = [row.decisions / (k + 1) for k, row in enumerate(rows)]
    falls = [1000.0 * row.episodes * (1.0 - row.survived) / size for row, size in zip(rows, per_episode)]
    page = empty_figure(TEXT, 2.4)
    axes = page.subplots(1, 3 if judgements else 2)
    for axis, label, values in (
        (axes[0], "reward a decision", [row.reward for row in rows]),
        (axes[1], "falls in 1000 decisions", falls),
    ):
        axis.plot(decisions, values, color="0.8", linewidth=1.0)
        axis.plot(decisions, _smooth(values), color="C0")
        axis.set_xlabel("million decisions")
        axis.set_title(label)
    if judgements:
        shares = [100.0 * j.survived.mean() for j in judgements.values()]
        axes[2].bar(list(judgements), shares, color=["0.7", "C0"][: len(shares)])
        for k, judgement in enumerate(judgements.values()):
            text = f"{int(judgement.survived.sum())} of {len(judgement.survived)}"
            axes[2].text(k, shares[k], text, ha="center", va="bottom", fontsize=LETTERS - 1)
        axes[2].set_ylim(0, 112)
        axes[2].set_title("% that survive in new worlds")
    dress(*axes)
    set_title(page, f"{name}: {trained.seconds:.0f} s of training")
    save_figure(page, path)


def _smooth(values: list[float]) -> list[float]:
    return [float(np.mean(values[max(0, k - WINDOW + 1) : k + 1])) for k in range(len(values))]
