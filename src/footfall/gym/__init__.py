"""footfall's walkers as Gymnasium environments: one world, or many side by side on a CPU or a GPU.

    import gymnasium as gym, footfall.gym

    gym.register_envs(footfall.gym)
    env = gym.make("footfall/PlanarWalk-v0")
    envs = gym.make_vec("footfall/Human28Walk-v0", num_envs=256)

Tables of observations, actions, rewards and endings: docs/environments.md, ``footfall.gym.describe``.
"""

from footfall.errors import FootfallError

try:
    import gymnasium  # noqa: F401
except ImportError as missing:
    raise FootfallError("footfall.gym needs Gymnasium: pip install 'footfall[gym]'") from missing

from footfall.gym.options import Options
from footfall.gym.registration import IDS, register
from footfall.gym.tables import describe
from footfall.gym.watching import record, watch

__all__ = ["IDS", "Options", "describe", "record", "watch"]

register()
