"""Training a policy: PPO until its decisions or minutes are used up, with checkpoints; the best policy is kept."""

import io
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch

from footfall.errors import FootfallError
from footfall.gym.environments import WalkVectorEnv
from footfall.learning.judging import on_stream
from footfall.learning.learned import check_trainable, learned_controller
from footfall.learning.options import Options
from footfall.learning.ppo import Agent, Iteration, Ppo, PpoSettings
from footfall.learning.practice_torch import TorchHardParts
from footfall.learning.setup import Setup
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.multilayer import Network
from footfall.text_files import write_whole

SAVE_SECONDS = 30.0
"""Between checkpoints."""
SMOOTH = 0.1
"""Share of an iteration in the smoothed worth, by which the best policy is found."""
SETTLED = 10
"""Iterations before a policy counts as best."""

SETTLING = 10
"""Iterations for the critic of a policy that was trained before."""

Progress = Callable[[float, Iteration, float], None]


@dataclass(frozen=True)
class Trained:
    """A trained policy.

    Attributes:
        network: the best policy. last: the last one.
        history: of every iteration. seconds: of training, in all. best: the iteration of the best policy.
        stopped: whether it was interrupted.
    """

    network: Network
    last: Network
    history: tuple[Iteration, ...]
    seconds: float
    best: int
    stopped: bool = False


@dataclass
class Checkpoint:
    """What training needs to continue.

    Attributes:
        options: of the environment, as text: a checkpoint continues in the same one alone.
        state: of agent, optimiser and random numbers. history, seconds: so far. smoothed, best_worth, best: by which
            the best policy is found, and its iteration. network: the best policy's bytes.
    """

    options: str
    settings: dict[str, Any]
    state: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    smoothed: float = 0.0
    best_worth: float = -float("inf")
    best: int = -1
    network: bytes = b""

    def save(self, path: Path) -> None:
        """Write it, whole or not at all."""
        buffer = io.BytesIO()
        torch.save({name: getattr(self, name) for name in self.__dataclass_fields__}, buffer)
        write_whole(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path, device: Any) -> "Checkpoint":
        """Read one; nothing in it is run."""
        try:
            found = torch.load(path, map_location=device, weights_only=True)
            return cls(**found)
        except OSError as error:
            raise FootfallError(f"checkpoint {path}: {error.strerror}") from None
        except Exception:  # torch raises many kinds for files that are not its own
            raise FootfallError(f"checkpoint {path}: it is not a checkpoint of footfall train") from None


def train(
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
        options: of the environment. settings: of PPO.
        decisions: in all worlds together, after which training ends. minutes: after which it ends, if that is sooner.
        seed: of everything random; on a CPU the same seed trains the same policy. episode: decisions of an episode.
        checkpoint: file that is written every half minute and at the end. resume: whether to continue from it.
        begin: the policy to begin with, of the environment's observations; None for a new one.
        save: called with the best controller so far whenever a checkpoint is written.
        name: of the controller.
        progress: called with the share done, the last iteration and decisions a second.
    """
    check_trainable(Setup.of(options))
    given = {f: getattr(options, f) for f in options.__dataclass_fields__} | {"arrays": "torch", "render_mode": None}
    env = WalkVectorEnv(settings.worlds, max_episode_steps=episode, autoreset_mode="SameStep", **given)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # small networks: threads would wait for each other longer than they work
    try:
        with on_stream(env):
            run = _Run(env, settings, seed, checkpoint, resume, begin, save, name)
            return run.train(decisions, minutes, progress), run.controller()
    finally:
        torch.set_num_threads(threads)
        env.close()


class _Run:
    """Training in progress, with what has to survive an interruption."""

    def __init__(
        self,
        env: WalkVectorEnv,
        settings: PpoSettings,
        seed: int,
        path: Path | None,
        resume: bool,
        begin: Network | None,
        save: Callable[[NetworkController], None] | None,
        name: str,
    ) -> None:
        setup = env.worlds.setup
        device = torch.device("cpu" if env.worlds.device.is_cpu else f"cuda:{env.worlds.device.ordinal}")
        torch.manual_seed(seed)
        sizes = len(setup.observations), len(setup.action.table)
        agent = Agent.of(*sizes, settings.hidden, settings.activation, settings.noise, device)
        parts = TorchHardParts(env.worlds, seed) if setup.options.clip is not None else None
        self.ppo = Ppo(env, agent, settings, parts=parts)
        self.setup, self.path, self.save, self.name, self.seed = setup, path, save, name, seed
        self.kept = Checkpoint(_text(setup.options), asdict(settings) | {"hidden": list(settings.hidden)})
        self.ppo.begin(seed)
        if begin is not None:
            if begin.sizes != (sizes[0], *settings.hidden, sizes[1]) or begin.activation != settings.activation:
                raise FootfallError(
                    f"begin: the network has layers of {list(begin.sizes)} ({begin.activation}); this environment and "
                    f"these settings ask for {[sizes[0], *settings.hidden, sizes[1]]} ({settings.activation})"
                )
            agent.take(begin)
            self.ppo.settling = SETTLING
            self.ppo.begin(seed)
        if resume:
            self._resume(device)
        self._before, self._began, self._saved = self.kept.seconds, time.monotonic(), time.monotonic()

    def _resume(self, device: Any) -> None:
        if self.path is None:
            raise FootfallError("resume: name the checkpoint to continue from")
        found = Checkpoint.load(self.path, device)
        for what, now, then in (
            ("environment", self.kept.options, found.options),
            ("settings", self.kept.settings, found.settings),
        ):
            if now != then:
                raise FootfallError(f"checkpoint {self.path}: its {what} differ; they were: {then}")
        self.kept = found
        self.ppo.agent.load(found.state["agent"])
        self.ppo.optimiser.load_state_dict(found.state["optimiser"])
        self.ppo.decisions = int(found.state["decisions"])
        torch.set_rng_state(found.state["random"].cpu())
        self.ppo.begin(self.seed + self.ppo.decisions)

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
        last = self.ppo.agent.network()
        history = tuple(Iteration(**row) for row in self.kept.history)
        return Trained(self._network(), last, history, self.kept.seconds, self.kept.best, stopped)

    def _elapsed(self) -> float:
        return self._before + time.monotonic() - self._began

    def _note(self, done: Iteration) -> None:
        kept = self.kept
        first = not kept.history
        kept.history.append(asdict(done))
        kept.smoothed = done.worth if first else (1.0 - SMOOTH) * kept.smoothed + SMOOTH * done.worth
        if len(kept.history) == 1 or (len(kept.history) > SETTLED and kept.smoothed > kept.best_worth):
            kept.best_worth = kept.smoothed if len(kept.history) > SETTLED else -float("inf")
            kept.best, kept.network = len(kept.history) - 1, self.ppo.agent.network().to_bytes()

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
        self.kept.seconds = self._elapsed()
        self.kept.state = {
            "agent": self.ppo.agent.state(),
            "optimiser": self.ppo.optimiser.state_dict(),
            "decisions": self.ppo.decisions,
            "random": torch.get_rng_state(),
        }
        if self.path is not None:
            self.kept.save(self.path)
        if self.save is not None:
            self.save(self.controller())


PLACE = ("device", "precision", "threads", "lanes", "arrays", "render_mode", "width", "height", "camera")
"""Options that a checkpoint may change."""


def _text(options: Options) -> str:
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
