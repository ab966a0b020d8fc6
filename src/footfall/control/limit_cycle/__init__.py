"""Limit-cycle control (Laszlo 1996): perturbations, regulation variables and the discrete system model.

The walks themselves are simulated by :mod:`footfall.simulation.limit_cycle`.
"""

from typing import TYPE_CHECKING

from footfall.lazy import lazy_names

if TYPE_CHECKING:
    from footfall.control.limit_cycle.balance_control import BalanceControl as BalanceControl
    from footfall.control.limit_cycle.balance_control import ControlDimension as ControlDimension
    from footfall.control.limit_cycle.balance_control import hip_control as hip_control
    from footfall.control.limit_cycle.cycle import Cycle as Cycle
    from footfall.control.limit_cycle.cycle import detect_cycle as detect_cycle
    from footfall.control.limit_cycle.guidance import GaitChange as GaitChange
    from footfall.control.limit_cycle.guidance import PathFollowing as PathFollowing
    from footfall.control.limit_cycle.guidance import SpeedControl as SpeedControl
    from footfall.control.limit_cycle.library import load_perturbation as load_perturbation
    from footfall.control.limit_cycle.library import perturbation_names as perturbation_names
    from footfall.control.limit_cycle.library import save_perturbation as save_perturbation
    from footfall.control.limit_cycle.perturbation import Perturbation as Perturbation
    from footfall.control.limit_cycle.perturbation import difference as difference
    from footfall.control.limit_cycle.perturbation import interpolated as interpolated
    from footfall.control.limit_cycle.posture import Posture as Posture
    from footfall.control.limit_cycle.regulation import RegulationVariable as RegulationVariable
    from footfall.control.limit_cycle.regulation import regulation_variable as regulation_variable
    from footfall.control.limit_cycle.script import Script as Script
    from footfall.control.limit_cycle.script import read_script as read_script
    from footfall.control.limit_cycle.system_model import SystemModel as SystemModel

_HOME = {
    "BalanceControl": "balance_control",
    "ControlDimension": "balance_control",
    "Cycle": "cycle",
    "GaitChange": "guidance",
    "PathFollowing": "guidance",
    "Perturbation": "perturbation",
    "Posture": "posture",
    "RegulationVariable": "regulation",
    "Script": "script",
    "SpeedControl": "guidance",
    "SystemModel": "system_model",
    "detect_cycle": "cycle",
    "difference": "perturbation",
    "hip_control": "balance_control",
    "interpolated": "perturbation",
    "load_perturbation": "library",
    "perturbation_names": "library",
    "read_script": "script",
    "regulation_variable": "regulation",
    "save_perturbation": "library",
}

__all__ = sorted(_HOME)

__getattr__, __dir__ = lazy_names(__name__, _HOME)
