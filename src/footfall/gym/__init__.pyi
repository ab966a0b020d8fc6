from footfall.gym.options import Options as Options
from footfall.gym.registration import IDS as IDS
from footfall.gym.single_env import WalkEnv as WalkEnv
from footfall.gym.tables import describe as describe
from footfall.gym.vector_env import WalkVectorEnv as WalkVectorEnv
from footfall.gym.watching import record as record
from footfall.gym.watching import watch as watch
