from footfall.studio.defaults import DEFAULT_CONTROLLER as DEFAULT_CONTROLLER
from footfall.studio.defaults import QUICK_CONTROLLER as QUICK_CONTROLLER
from footfall.studio.studio import Studio as Studio
