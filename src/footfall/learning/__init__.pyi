from footfall.learning.options import Options as Options
from footfall.learning.ppo import Ppo as Ppo
from footfall.learning.ppo import PpoSettings as PpoSettings
from footfall.learning.rewards import RewardTerm as RewardTerm
from footfall.learning.training import train_policy as train_policy
from footfall.methods.network.seen import SeenTypes as SeenTypes
from footfall.methods.network.terms import Observation as Observation
from footfall.methods.network.terms import ObservationTerm as ObservationTerm
