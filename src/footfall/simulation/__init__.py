"""Worlds: a figure, a law, a terrain and disturbances, run on a device."""

from typing import TYPE_CHECKING

from footfall.lazy import lazy_names

if TYPE_CHECKING:
    from footfall.push import Push, parse_push
    from footfall.simulation.mujoco_engine import MujocoSimulation
    from footfall.simulation.outcome import Outcome
    from footfall.simulation.python_law import Drive, PythonSimulation, Sensed
    from footfall.simulation.simulation import Simulation
    from footfall.simulation.trace import Record, Trace

_HOME = {
    "Drive": "python_law",
    "MujocoSimulation": "mujoco_engine",
    "Outcome": "outcome",
    "Push": "footfall.push",
    "PythonSimulation": "python_law",
    "Record": "trace",
    "Sensed": "python_law",
    "Simulation": "simulation",
    "Trace": "trace",
    "parse_push": "footfall.push",
}

__all__ = [
    "Drive",
    "MujocoSimulation",
    "Outcome",
    "Push",
    "PythonSimulation",
    "Record",
    "Sensed",
    "Simulation",
    "Trace",
    "parse_push",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
