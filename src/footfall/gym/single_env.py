"""The environment of one world."""

from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from footfall.gym.arrays import fill_actions
from footfall.gym.options import DISABLED, Options
from footfall.gym.randomness import streams_of
from footfall.gym.rendering import Renderer
from footfall.gym.rewards import TERMS
from footfall.gym.worlds import EnvironmentWorlds


class WalkEnv(gym.Env[NDArray[np.float32], NDArray[np.float32]]):
    """A walker in one world; :class:`footfall.gym.vector_env.WalkVectorEnv` with one world answers the same numbers.

    Args:
        options: :class:`footfall.gym.options.Options`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}  # noqa: RUF012

    def __init__(self, **options: Any) -> None:
        self.options = Options.of(**options)
        self.worlds = EnvironmentWorlds(self.options, 1, mode=DISABLED)
        self.render_mode = self.options.render_mode
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": max(1, round(1.0 / self.worlds.period))}
        self.observation_space = gym.spaces.Box(self.worlds.low, self.worlds.high, dtype=np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (len(self.worlds.setup.action.table),), dtype=np.float32)
        self._renderer: Renderer | None = None
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; the same seed begins the same episodes."""
        super().reset(seed=seed)
        first = int(self.np_random.integers(0, 2**63)) if seed is None and not self._begun else seed
        self._begun = True
        self.worlds.restart(np.ones(1, dtype=bool), None if first is None else streams_of([first]))
        return self._observation(), {}

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One decision."""
        live = self.worlds.live
        fill_actions(
            live["action"], np.asarray(action, dtype=np.float32)[None], (1, len(self.worlds.setup.action.table))
        )
        self.worlds.step()
        terms = live["terms"].numpy()[0]
        info = {f"reward_{TERMS[k].name}": float(terms[k]) for k in self.worlds.setup.terms}
        ended = bool(live["terminated"].numpy()[0]), bool(live["truncated"].numpy()[0])
        return self._observation(), float(live["reward"].numpy()[0]), *ended, info

    def _observation(self) -> NDArray[np.float32]:
        return np.array(self.worlds.live["observation"].numpy()[0])

    def render(self) -> NDArray[np.uint8] | None:
        """[height, width, 3] the world as it is, if the render mode is "rgb_array"."""
        if self.render_mode is None:
            return None
        if self._renderer is None:
            size = self.options.width, self.options.height
            self._renderer = Renderer(self.worlds.setup.figure, self.worlds.setup.pool, size, self.options.camera)
        live = self.worlds.live
        seconds = float(live["step_count"].numpy()[0]) * self.worlds.simulation.dt
        return self._renderer.paint(live["qpos"].numpy()[0].astype(float), int(live["ground"].numpy()[0]), seconds)

    def close(self) -> None:
        """Let the threads go."""
        self.worlds.close()
