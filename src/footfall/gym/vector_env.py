"""The vector environment: native worlds side by side, one array for all of them."""

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.gym.arrays import as_array, check_library, fill_actions
from footfall.gym.options import AUTORESET, DISABLED, SAME_STEP, Options
from footfall.gym.randomness import streams_of
from footfall.gym.rendering import Renderer
from footfall.gym.rewards import TERMS
from footfall.gym.worlds import EnvironmentWorlds


class WalkVectorEnv(VectorEnv[Any, Any, Any]):
    """N worlds of a walker.

    Args:
        num_envs: N.
        max_episode_steps: decisions after which an episode is truncated; None for no end.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its value: "NextStep", "SameStep" or "Disabled".
        options: :class:`footfall.gym.options.Options`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        if mode not in AUTORESET:
            raise FootfallError(f"autoreset_mode is '{mode}'; choose one of: {', '.join(AUTORESET)}")
        if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or num_envs < 1:
            raise FootfallError(f"num_envs is {num_envs}; it must be a whole number of at least 1")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise FootfallError(f"max_episode_steps is {max_episode_steps}; it must be at least 1, or None for no end")
        self.options = Options.of(**options)
        check_library(self.options.arrays)
        self._mode = AUTORESET[mode]
        self.worlds = EnvironmentWorlds(self.options, int(num_envs), most=max_episode_steps or 0, mode=self._mode)
        self.num_envs, self.render_mode = int(num_envs), self.options.render_mode
        self.metadata = {
            "render_modes": ["rgb_array"],
            "render_fps": max(1, round(1.0 / self.worlds.period)),
            "autoreset_mode": AutoresetMode(mode),
        }
        low, high = self.worlds.low, self.worlds.high
        self.single_observation_space = gym.spaces.Box(low, high, dtype=np.float32)
        self.single_action_space = gym.spaces.Box(-1.0, 1.0, (len(self.worlds.setup.action.table),), dtype=np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._shape = (self.num_envs, len(self.worlds.setup.action.table))
        self._renderer: Renderer | None = None
        self._begun = False

    # -- episodes ------------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes.

        Args:
            seed: world i begins its random stream at seed + i; or a seed for each world, None to go on with its own.
            options: ``{"reset_mask": [N] bool}`` begins episodes in those worlds alone.
        """
        seed = int(seed) if isinstance(seed, np.integer) else seed
        super().reset(seed=seed if isinstance(seed, int) else None)
        mask = self._mask(options)
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int) else seed
        if seeds is None and not self._begun:
            seeds = [int(s) for s in self.np_random.integers(0, 2**63, self.num_envs)]
        self._begun = True
        self._restart(mask, seeds)
        return self._out("observation"), {}

    def _restart(self, mask: NDArray[np.bool_], seeds: list[int | None] | list[int] | None) -> None:
        streams = None
        if seeds is not None:
            if len(seeds) != self.num_envs:
                raise FootfallError(
                    f"seed has {len(seeds)} numbers; give one, or one for each of {self.num_envs} worlds"
                )
            own = self.worlds.live["random"].numpy()
            given = streams_of([0 if s is None else s for s in seeds])
            streams = np.where([s is None for s in seeds], own, given).astype(np.uint32)
        self.worlds.restart(mask, streams)

    def _mask(self, options: dict[str, Any] | None) -> NDArray[np.bool_]:
        for name in options or {}:
            if name != "reset_mask":
                raise FootfallError(f"reset: unknown option '{name}'; there is 'reset_mask' alone")
        mask = (options or {}).get("reset_mask")
        if mask is None:
            return np.ones(self.num_envs, dtype=bool)
        array = mask if isinstance(mask, np.ndarray) else np.asarray(mask)
        if array.shape != (self.num_envs,) or array.dtype != np.bool_ or not array.any():
            raise FootfallError(
                f"reset_mask: {array.shape} of {array.dtype}; give {self.num_envs} bools, at least one of them True"
            )
        if not self._begun and not array.all():
            raise FootfallError("reset_mask: reset all worlds before the first step")
        return array

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One decision of every world."""
        if not self._begun:
            raise FootfallError("step: reset the environment first")
        live = self.worlds.live
        if self._mode == DISABLED and self.options.arrays == "numpy" and live["due"].numpy().any():
            world = int(np.argmax(live["due"].numpy() != 0))
            raise FootfallError(f"step: world {world} has ended; reset it with options={{'reset_mask': …}}")
        fill_actions(live["action"], actions, self._shape)
        self.worlds.step()
        answer = tuple(self._out(name) for name in ("observation", "reward", "terminated", "truncated"))
        return (*answer, self._info(answer[2], answer[3]))

    def _out(self, name: str) -> Any:
        return as_array(self.worlds.live[name], self.options.arrays)

    def _info(self, terminated: Any, truncated: Any) -> dict[str, Any]:
        """The reward's terms, and the last observations where episodes began anew in this step."""
        terms = self._out("terms")
        if self.options.arrays != "numpy":
            return {"reward_terms": terms} | ({"final_obs": self._out("final")} if self._mode == SAME_STEP else {})
        info: dict[str, Any] = {}
        ended = terminated | truncated
        if self._mode == SAME_STEP and ended.any():
            last, final = self._out("final"), np.full(self.num_envs, None)
            for w in np.flatnonzero(ended):
                final[w] = last[w]
            info |= {"final_obs": final, "_final_obs": ended, "final_info": self._named(terms, ended)}
            info["_final_info"] = ended.copy()
        return info | self._named(terms, self.worlds.live["elapsed"].numpy() > 0)

    def _named(self, terms: NDArray[np.float64], where: NDArray[np.bool_]) -> dict[str, Any]:
        """Terms by name, each [N] with whether it is there."""
        named: dict[str, Any] = {}
        for k in self.worlds.setup.terms:
            name = f"reward_{TERMS[k].name}"
            named[name] = np.where(where, terms[:, k], 0.0)
            named[f"_{name}"] = where.copy()
        return named

    # -- pictures ------------------------------------------------------------------------------------------------------

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of every world, if the render mode is "rgb_array"."""
        if self.render_mode is None:
            return None
        if self._renderer is None:
            size = self.options.width, self.options.height
            self._renderer = Renderer(self.worlds.setup.figure, self.worlds.setup.pool, size, self.options.camera)
        live = self.worlds.live
        qpos, ground = live["qpos"].numpy().astype(float), live["ground"].numpy()
        seconds = live["step_count"].numpy() * self.worlds.simulation.dt
        return tuple(self._renderer.paint(qpos[w], int(ground[w]), float(seconds[w])) for w in range(self.num_envs))

    def close(self, **kwargs: Any) -> None:
        """Let the threads go."""
        self.worlds.close()
        super().close(**kwargs)
