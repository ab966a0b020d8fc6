from footfall.studio.defaults import DEFAULT_CONTROLLER as DEFAULT_CONTROLLER
from footfall.studio.studio import Studio as Studio
