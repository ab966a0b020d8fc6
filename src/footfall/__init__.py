"""footfall: physically simulated bipeds that walk.

    import footfall as ff

    simulation = ff.Simulation("walk", pushes=[ff.Push(-300, start=5.0, duration=0.1)], record=ff.Record())
    print(simulation.run(20.0).summary())
    ff.save(simulation.trace().motion(), "walk.html")

These are the names that people start with; the sub-packages hold the rest. Importing the package loads nothing heavy:
a name is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from footfall.lazy import lazy_names

if TYPE_CHECKING:
    from footfall.control.files import controller_names, load_controller, save_controller
    from footfall.control.graph import PoseControlGraph
    from footfall.control.law import Law
    from footfall.dynamics.contact import Ground
    from footfall.errors import FootfallError
    from footfall.figures.builtin import figure_names
    from footfall.figures.figure import Figure
    from footfall.motion.formats.files import load_motion
    from footfall.motion.motion import Motion
    from footfall.motion.retargeting.retarget import retarget
    from footfall.pictures.files import save
    from footfall.push import Push, parse_push
    from footfall.simulation.mujoco_engine import MujocoSimulation
    from footfall.simulation.outcome import Outcome
    from footfall.simulation.python_law import Drive, PythonSimulation
    from footfall.simulation.simulation import Simulation
    from footfall.simulation.trace import Record, Trace
    from footfall.study.sweeps.experiment import Experiment
    from footfall.study.sweeps.factors import Draw, Grid
    from footfall.study.sweeps.sweep import Sweep, load_sweep
    from footfall.terrain.parsing import parse_terrain, terrain_names
    from footfall.terrain.terrain import Terrain

__version__ = "0.1.0"

_HOME = {
    "Draw": "study.sweeps.factors",
    "Drive": "simulation.python_law",
    "Experiment": "study.sweeps.experiment",
    "Figure": "figures.figure",
    "FootfallError": "errors",
    "Grid": "study.sweeps.factors",
    "Ground": "dynamics.contact",
    "Law": "control.law",
    "Motion": "motion.motion",
    "MujocoSimulation": "simulation.mujoco_engine",
    "Outcome": "simulation.outcome",
    "PoseControlGraph": "control.graph",
    "Push": "push",
    "PythonSimulation": "simulation.python_law",
    "Record": "simulation.trace",
    "Simulation": "simulation.simulation",
    "Sweep": "study.sweeps.sweep",
    "Terrain": "terrain.terrain",
    "Trace": "simulation.trace",
    "controller_names": "control.files",
    "figure_names": "figures.builtin",
    "load_controller": "control.files",
    "load_motion": "motion.formats.files",
    "load_sweep": "study.sweeps.sweep",
    "parse_push": "push",
    "parse_terrain": "terrain.parsing",
    "retarget": "motion.retargeting.retarget",
    "save": "pictures.files",
    "save_controller": "control.files",
    "terrain_names": "terrain.parsing",
}

_PACKAGES = (
    "control",
    "dynamics",
    "figures",
    "motion",
    "pendulum",
    "pictures",
    "simulation",
    "studio",
    "study",
    "terrain",
)

__all__ = [
    "Draw",
    "Drive",
    "Experiment",
    "Figure",
    "FootfallError",
    "Grid",
    "Ground",
    "Law",
    "Motion",
    "MujocoSimulation",
    "Outcome",
    "PoseControlGraph",
    "Push",
    "PythonSimulation",
    "Record",
    "Simulation",
    "Sweep",
    "Terrain",
    "Trace",
    "__version__",
    "controller_names",
    "figure_names",
    "load_controller",
    "load_motion",
    "load_sweep",
    "parse_push",
    "parse_terrain",
    "retarget",
    "save",
    "save_controller",
    "terrain_names",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME, _PACKAGES)
