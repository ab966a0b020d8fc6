"""footfall's walkers as Gymnasium environments: one world, or many side by side on a CPU or a GPU.

    import gymnasium as gym, footfall.gym

    gym.register_envs(footfall.gym)
    env = gym.make("footfall/PlanarWalk-v0")
    envs = gym.make_vec("footfall/Human28Walk-v0", num_envs=256)

Tables of observations, actions, rewards and endings: docs/environments.md, ``footfall.gym.describe``.
"""

from footfall.errors import FootfallError
from footfall.lazy import lazy_names

try:
    import gymnasium
except ImportError as missing:
    raise FootfallError("footfall.gym needs Gymnasium: pip install 'footfall[gym]'") from missing

from footfall.gym.registration import register

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

register()
