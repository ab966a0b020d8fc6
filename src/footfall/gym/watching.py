"""Watching a policy: an episode as a page, a film, a picture or a motion file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.gym.environments import WalkEnv, WalkVectorEnv
from footfall.learning.worlds import EnvironmentWorlds
from footfall.motion import GroundProfile, Motion
from footfall.pictures import save
from footfall.push import Push


def watch(
    env: Any,
    policy: Callable[[Any], Any] | None = None,
    out: str | Path = "film.html",
    *,
    seconds: float = 20.0,
    seed: int | None = 0,
    **options: Any,
) -> Path:
    """Save an episode under a policy as what the suffix says: .html plays it, .mp4 and .gif are films, .npz, .bvh and
    others motion (see :func:`footfall.pictures.save`).

    Args:
        env: an environment of footfall's, wrapped or not; of a vector environment the first world.
        policy: observation -> action, of one world or of all as the environment has them; None for actions of zeros.
        out: the file.
        seconds: how long at most; less where the episode ends.
        seed: of the episode; None to go on with the environment's own.
        options: those of :func:`footfall.pictures.save`.
    """
    return save(record(env, policy, seconds=seconds, seed=seed), out, **options)


def record(
    env: Any, policy: Callable[[Any], Any] | None = None, *, seconds: float = 20.0, seed: int | None = 0
) -> Motion:
    """An episode under a policy as a motion; arguments as :func:`watch` takes them."""
    inner = env.unwrapped
    if not isinstance(inner, WalkEnv | WalkVectorEnv):
        raise FootfallError(f"watch: {inner} is not one of footfall's environments")
    if not seconds > 0:
        raise FootfallError(f"seconds is {seconds}; it must be above 0")
    film = _Film(inner.worlds)
    act = policy or (lambda observation: np.zeros(env.action_space.shape, dtype=np.float32))
    observation, _ = env.reset(seed=seed)
    film.sample()
    inner.worlds.seen = film.sample
    try:
        ended = False
        while not ended and film.times[-1] < seconds:
            observation, _, terminated, truncated, _ = env.step(act(observation))
            ended = bool(np.ravel(np.asarray(terminated) | np.asarray(truncated))[0])
    finally:
        inner.worlds.seen = None
    return film.motion()


class _Film:
    """Poses of the first world as it runs."""

    def __init__(self, worlds: EnvironmentWorlds) -> None:
        self.worlds = worlds
        self.times: list[float] = []
        self.qpos: list[Any] = []
        self.push: list[Any] = []

    def sample(self) -> None:
        """Keep the state, if time has passed."""
        live, dt = self.worlds.live, self.worlds.simulation.dt
        now = float(live["step_count"].numpy()[0]) * dt
        if self.times and now <= self.times[-1]:
            return
        self.times.append(now)
        self.qpos.append(live["qpos"].numpy()[0].astype(float))
        if self.worlds.options.push is not None:
            start, end = live["window"].numpy()[0, 0]
            self.push.append(live["force"].numpy()[0, 0].astype(float) * (start <= now < end))

    def motion(self) -> Motion:
        """All of it."""
        setup = self.worlds.setup
        terrain = setup.terrains[int(self.worlds.live["ground"].numpy()[0])]
        body, place = Push(0.0, 0.0, 0.0).place_on(setup.figure)
        source = {"controller": getattr(setup.controller, "name", ""), "action": setup.options.action}
        if self.push:
            source |= {"push_joint": setup.figure.bodies[body].name, "push_place": list(place)}
        return Motion.from_qpos(
            setup.figure,
            np.array(self.times),
            np.array(self.qpos),
            channels={"push": np.array(self.push)} if self.push else {},
            ground=GroundProfile.of(terrain),
            source=source,
        )
