from footfall.gym.environments import WalkEnv as WalkEnv
from footfall.gym.environments import WalkVectorEnv as WalkVectorEnv
from footfall.gym.environments import record as record
from footfall.gym.environments import watch as watch
from footfall.gym.registration import IDS as IDS
from footfall.gym.tables import describe as describe
from footfall.learning.options import Options as Options
