"""Limit-cycle control of simulated walkers (Laszlo 1996): balanced walks, reuse of models, the thesis's scripts."""

from footfall.simulation.limit_cycle.balanced_walk import THESIS_GROUND, BalancedWalk
from footfall.simulation.limit_cycle.model_reuse import LastModel, ModelReuse, ModelTable
from footfall.simulation.limit_cycle.script_run import ScriptTrial, run_script
from footfall.simulation.limit_cycle.walk_record import TakenStep, WalkRecord

__all__ = [
    "THESIS_GROUND",
    "BalancedWalk",
    "LastModel",
    "ModelReuse",
    "ModelTable",
    "ScriptTrial",
    "TakenStep",
    "WalkRecord",
    "run_script",
]
