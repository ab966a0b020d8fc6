"""footfall's walkers as Gymnasium environments: one world, or many side by side on a CPU or a GPU.

    import gymnasium as gym, footfall.gym

    gym.register_envs(footfall.gym)
    env = gym.make("footfall/PlanarWalk-v0")
    envs = gym.make_vec("footfall/Human28Walk-v0", num_envs=256)

Tables of observations, actions, rewards and endings: docs/environment-tables.md, ``footfall.gym.describe``.
"""

from importlib.util import find_spec
from typing import Any

from footfall.errors import FootfallError
from footfall.lazy import lazy_names

_get, __dir__, __all__ = lazy_names(__name__, __file__)
_IS_HERE = find_spec("gymnasium") is not None


def __getattr__(name: str) -> Any:
    """A public name. Without Gymnasium there is none; policies practise clips without it
    (:mod:`footfall.study.imitation.network_follower`)."""
    if not _IS_HERE and not name.startswith("__"):
        raise FootfallError("footfall.gym needs Gymnasium: pip install 'footfall[gym]'")
    return _get(name)


if _IS_HERE:
    from footfall.gym.registration import register

    register()
