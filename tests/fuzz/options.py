"""Options of simulations as a file, so that they can be fuzzed: what a program may hand to footfall's classes."""

from pathlib import Path
from typing import Any

import numpy as np

from footfall.kernels.building import NotCompiledError, without_compiling
from footfall.methods.limit_cycle import load_perturbation
from footfall.methods.limit_cycle.script import read_script
from footfall.methods.simbicon.sequence import parse_sequence
from footfall.push import Push
from footfall.simulation import Hardware, Record, Simulation
from footfall.study.gaits.goal import load_goal
from footfall.text_files import parse_toml, read_text
from tests.fuzz.outcomes import REFUSED, SKIPPED, TAKEN

__all__ = ["OPTIONS", "simulate", "use_goal", "use_perturbation", "use_script", "use_sequence"]

OPTIONS = """steps = 20
footsteps = 3

[options]
worlds = 2
dt = 0.001
threads = 1
last_states = 8

[hardware]
sensor_delay = 0.0
actuator_delay = 0.0

[record]
rate = 500.0
worlds = 2

[set]
kp = 300.0
speed = 0.1
"0.hold" = 0.3
"1.swing_hip.c_d" = [2.2, 2.0]
left_knee = 0.1

[push]
force = [[100.0, 0.0, 0.0], [50.0, 0.0, 0.0]]
start = [0.005, 0.01]
duration = 0.1

[start]
qpos = [0.0, 0.9, 0.05, -0.2, -0.2, 0.36, 0.3, -0.6, 0.24]
qvel = [0.98, -0.2, 0.2, -1.4, 0.1, 0.7, -3.2, 3.1, 3.5]

[snapshot]
memory = [[1, 0.1, -1, 0, 0, 0], [0, 0.2, -1, 0, 0, 0]]
step_count = [20, 20]
status = [0, 0]
stance = [0, 1]
contact = [0, 3]
end_step = [0, 0]
chosen = [1, 0]
"""


def simulate(path: Path) -> str:
    """Run a walk with the options of a file, put it into another state, and run on."""
    given = parse_toml(read_text(path), "options")
    record, push, start = (given.get(name, {}) for name in ("record", "push", "start"))
    try:
        with without_compiling():
            simulation = Simulation(
                "walk",
                set=given.get("set", {}),
                record=Record(**record) if record else None,
                pushes=[Push(**push)] if push else (),
                hardware=Hardware(**given.get("hardware", {})),
                **given.get("options", {}),
                **start,
            )
            simulation.step(min(given.get("steps", 20), 1000))
            restored(simulation, given.get("snapshot", {}))
            simulation.step(20)
    except NotCompiledError:
        return SKIPPED
    except (TypeError, ValueError, OverflowError):  # arguments that are missing, lists of lists of unequal lengths
        return REFUSED
    simulation.outcome().summary(0)
    if simulation.record is not None and simulation.worlds and simulation.record.worlds:
        simulation.trace()
    return TAKEN


def restored(simulation: Simulation, values: dict[str, Any]) -> None:
    """Put a simulation into the state that it is in, but for some values."""
    snapshot = simulation.snapshot()
    for name, new in values.items():
        if name in snapshot:
            old = snapshot[name]
            wide = np.array(new, dtype=float)
            snapshot[name] = wide if wide.shape != old.shape else wide.astype(old.dtype)
    chosen = values.get("chosen")
    simulation.restore(snapshot, chosen if chosen and len(chosen) == simulation.worlds else None)


def use_sequence(path: Path) -> str:
    """A sequence of controllers."""
    parse_sequence(path)
    return TAKEN


def use_script(path: Path) -> str:
    """A script of trials."""
    read_script(path)
    return TAKEN


def use_perturbation(path: Path) -> str:
    """A perturbation of a graph."""
    load_perturbation(path)
    return TAKEN


def use_goal(path: Path) -> str:
    """What a search for a gait is to reach."""
    load_goal(path)
    return TAKEN
