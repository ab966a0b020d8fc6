"""The environments: one world, or native worlds side by side with one array for all of them; and an episode to watch.

Arrays are those of the chosen library, without a copy where memory can be shared (DLPack); footfall's own painter draws
pictures of a world.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import warp as wp
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.learning.options import AUTORESET, DISABLED, SAME_STEP, Options
from footfall.learning.worlds import EnvironmentWorlds, streams_of
from footfall.motion import GroundProfile, Motion
from footfall.motion.skeleton.figure_skeleton import poses_from_qpos
from footfall.pictures import save
from footfall.pictures.painter import Painter
from footfall.pictures.scene import Camera, scene_of
from footfall.push import Push


def check_library(library: str) -> None:
    """Refuse a library that is not installed."""
    try:
        import_module(library)
    except ImportError:
        raise FootfallError(f"arrays is '{library}', which is not installed; choose 'numpy' or 'warp'") from None


class _Walking:
    """What environments of one world and of many share: worlds, the spaces of one of them, and pictures."""

    def _make(self, options: Options, count: int, most: int, mode: int) -> tuple[Any, Any]:
        """Make the worlds; answers the space of an observation and of an action."""
        self.options, self.render_mode = options, options.render_mode
        self.worlds = EnvironmentWorlds(options, count, most=most, mode=mode, measured=True)
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": max(1, round(1.0 / self.worlds.period))}
        self._shape = count, len(self.worlds.setup.action.table)
        self._begun = False
        seen = gym.spaces.Box(self.worlds.low, self.worlds.high, dtype=np.float32)
        return seen, gym.spaces.Box(-1.0, 1.0, self._shape[1:], dtype=np.float32)

    def __getstate__(self) -> dict[str, Any]:
        """All but what pictures keep and views; the worlds go on from the state that they are in."""
        return {name: value for name, value in vars(self).items() if name not in ("_scenes", "_views")}

    @cached_property
    def _views(self) -> dict[str, Any]:
        """The worlds' arrays by name, on a CPU their memory as NumPy's: a view takes longer to make than a decision."""
        arrays = self.worlds.live | self.worlds.measures
        return {name: array.numpy() for name, array in arrays.items()} if self.worlds.device.is_cpu else arrays

    def _read(self, name: str) -> NDArray[Any]:
        """Its present values; copy them to keep them."""
        array = self._views[name]
        return array if isinstance(array, np.ndarray) else np.asarray(array.numpy())

    def _act(self, actions: Any) -> None:
        """Take actions [N, A] of NumPy or lists, or on the device of what speaks DLPack (torch, jax, Warp, CuPy)."""
        target, given = self.worlds.live["action"], actions
        if hasattr(actions, "__dlpack__") and not isinstance(actions, np.ndarray | wp.array):
            given = wp.from_dlpack(actions.detach() if hasattr(actions, "detach") else actions)
        if not isinstance(given, wp.array):
            given = np.asarray(given, dtype=np.float32)
        if tuple(given.shape) != self._shape:
            wanted = f"give {self._shape}: a row for each world, a column for each number"
            raise FootfallError(f"actions have shape {tuple(given.shape)}; {wanted}")
        if isinstance(given, wp.array):
            if given.dtype != wp.float32:
                raise FootfallError(f"actions are of type {given.dtype.__name__}; on a device give float32")
            wp.copy(target, given)
        elif not np.isfinite(given).all():
            world = int(np.argmin(np.isfinite(given).all(axis=1)))
            raise FootfallError(f"actions are not finite in world {world}; give numbers from -1 to 1")
        elif self.worlds.device.is_cpu:
            self._read("action")[:] = given
        else:
            target.assign(np.ascontiguousarray(given))

    @cached_property
    def _scenes(self) -> dict[int, Any]:
        """The figure's skeleton and its scene, by the terrain that it stands on."""
        return {}

    def _paint(self, qpos: NDArray[np.float64], terrain: int, seconds: float) -> NDArray[np.uint8]:
        """[height, width, 3] a pose [nq] on a terrain, at a time."""
        figure, options = self.worlds.setup.figure, self.options
        if terrain not in self._scenes:
            ground = GroundProfile.of(self.worlds.setup.terrains[terrain])
            motion = Motion.from_qpos(figure, np.zeros(1), figure.default_qpos[None], ground=ground)
            self._scenes[terrain] = motion.skeleton, scene_of(motion)
        skeleton, scene = self._scenes[terrain]
        positions, orientations = skeleton.forward(*poses_from_qpos(figure, qpos[None]))
        now = replace(
            scene, positions=positions, orientations=orientations, root=positions[:, 0], times=np.array([seconds])
        )
        vars(now)["tall"] = scene.tall
        return np.array(Painter(now, Camera(now, (options.width, options.height), options.camera)).paint(0))

    def _pictures(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of every world, if the render mode is "rgb_array"."""
        if self.render_mode is None:
            return None
        live = {name: self.worlds.live[name].numpy() for name in ("qpos", "ground", "step_count")}
        seconds = live["step_count"] * self.worlds.simulation.dt
        rows = zip(live["qpos"].astype(float), live["ground"], seconds, strict=True)
        return tuple(self._paint(qpos, int(ground), float(time)) for qpos, ground, time in rows)


class WalkEnv(_Walking, gym.Env[NDArray[np.float32], NDArray[np.float32]]):
    """A walker in one world; :class:`footfall.gym.environments.WalkVectorEnv` with one world answers the same numbers.

    Args:
        options: :class:`footfall.learning.options.Options`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}  # noqa: RUF012

    def __init__(self, **options: Any) -> None:
        self.observation_space, self.action_space = self._make(Options.of(**options), 1, 0, DISABLED)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin an episode; the same seed begins the same episodes."""
        super().reset(seed=seed)
        first = int(self.np_random.integers(0, 2**63)) if seed is None and not self._begun else seed
        self._begun = True
        self.worlds.restart(np.ones(1, dtype=bool), None if first is None else streams_of([first]))
        return self._read("observation")[0].copy(), {}

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One decision."""
        self._act(np.asarray(action, dtype=np.float32)[None])
        self.worlds.step()
        terms = self._read("terms")[0]
        setup = self.worlds.setup
        info = {f"reward_{setup.plan.rewards[k].name}": float(terms[k]) for k in setup.plan.counted}
        info |= {name: float(self._read(name)[0]) for name in self.worlds.measures}
        ended = bool(self._read("terminated")[0]), bool(self._read("truncated")[0])
        return self._read("observation")[0].copy(), float(self._read("reward")[0]), *ended, info

    def render(self) -> NDArray[np.uint8] | None:
        """[height, width, 3] a picture of the world, if the render mode is "rgb_array"."""
        pictures = self._pictures()
        return None if pictures is None else pictures[0]

    def close(self) -> None:
        """Let the threads go."""
        self.worlds.close()


class WalkVectorEnv(_Walking, VectorEnv[Any, Any, Any]):
    """N worlds of a walker.

    Args:
        num_envs: N.
        max_episode_steps: decisions after which an episode is truncated; None for no end.
        autoreset_mode: Gymnasium's ``AutoresetMode`` or its value: "NextStep", "SameStep" or "Disabled".
        options: :class:`footfall.learning.options.Options`.
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
        made = Options.of(**options)
        check_library(made.arrays)
        self.num_envs, self._mode = int(num_envs), AUTORESET[mode]
        spaces = self._make(made, self.num_envs, max_episode_steps or 0, self._mode)
        self.metadata |= {"autoreset_mode": AutoresetMode(mode)}
        self.single_observation_space, self.single_action_space = spaces
        self.observation_space, self.action_space = (batch_space(space, self.num_envs) for space in spaces)

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
                raise FootfallError(f"reset: unknown option '{name}'; only 'reset_mask' is known")
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
        if self._mode == DISABLED and self.options.arrays == "numpy" and self._read("due").any():
            world = int(np.argmax(self._read("due") != 0))
            raise FootfallError(f"step: world {world} has ended; reset it with options={{'reset_mask': …}}")
        self._act(actions)
        self.worlds.step()
        answer = tuple(self._out(name) for name in ("observation", "reward", "terminated", "truncated"))
        return (*answer, self._info(answer[2], answer[3]))

    def _out(self, name: str) -> Any:
        """A copy of an array as the library's that was asked for: NumPy's on the CPU, others' on the worlds' device."""
        if self.options.arrays == "numpy":
            return self._read(name).copy()
        copy = wp.clone(self.worlds.live.get(name, self.worlds.measures.get(name)))
        return {"torch": wp.to_torch, "jax": wp.to_jax}.get(self.options.arrays, lambda same: same)(copy)

    def _info(self, terminated: Any, truncated: Any) -> dict[str, Any]:
        """The reward's terms and measures of the decision, and the last observations where episodes began anew in this
        step."""
        terms = self._out("terms")
        measures = {name: self._out(name) for name in self.worlds.measures}
        if self.options.arrays != "numpy":
            final = {"final_obs": self._out("final")} if self._mode == SAME_STEP else {}
            return {"reward_terms": terms} | measures | final
        plan = self.worlds.setup.plan
        columns = {f"reward_{plan.rewards[k].name}": terms[:, k] for k in plan.counted}
        columns |= measures
        info: dict[str, Any] = {}
        ended = terminated | truncated
        if self._mode == SAME_STEP and ended.any():
            last, observed = self._out("final"), np.full(self.num_envs, None)
            for w in np.flatnonzero(ended):
                observed[w] = last[w]
            info |= {"final_obs": observed, "_final_obs": ended, "final_info": _named(columns, ended)}
            info["_final_info"] = ended.copy()
        return info | _named(columns, self._read("elapsed") > 0)

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of every world, if the render mode is "rgb_array"."""
        return self._pictures()

    def close(self, **kwargs: Any) -> None:
        """Let the threads go."""
        self.worlds.close()
        super().close(**kwargs)


def _named(columns: Mapping[str, NDArray[np.float64]], where: NDArray[np.bool_]) -> dict[str, Any]:
    """Numbers [N] by name, each with whether it is there."""
    named: dict[str, Any] = {}
    for name, numbers in columns.items():
        named[name] = np.where(where, numbers, 0.0)
        named[f"_{name}"] = where.copy()
    return named


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
