"""Worlds: a figure, a law, a terrain and disturbances, run on a device."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.simulation.disturbance import Push, parse_push
    from footfall.simulation.mujoco_engine import MujocoSimulation
    from footfall.simulation.outcome import Outcome
    from footfall.simulation.python_law import Drive, PythonSimulation, Sensed
    from footfall.simulation.simulation import Simulation
    from footfall.simulation.trace import Record, Trace

_HOME = {
    "Drive": "python_law",
    "MujocoSimulation": "mujoco_engine",
    "Outcome": "outcome",
    "Push": "disturbance",
    "PythonSimulation": "python_law",
    "Record": "trace",
    "Sensed": "python_law",
    "Simulation": "simulation",
    "Trace": "trace",
    "parse_push": "disturbance",
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


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"footfall.simulation.{_HOME[name]}"), name)
    raise AttributeError(f"module 'footfall.simulation' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
