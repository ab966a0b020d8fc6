"""3LP: human-like walking in closed form (Faraji and Ijspeert 2018), for one walker or a hundred thousand.

A :class:`Person` of any height and mass and a :class:`Walk` (speed, frequency, double support, ground, style) give a
:class:`Gait`; :func:`record_walk` lets it walk, with pushes, changes and turns, and :func:`walk_motion` makes a
motion of it. :class:`Crowd` walks many at once on a device. Nothing is integrated: each state follows from the last
in closed form.
"""

from typing import TYPE_CHECKING

from footfall.lazy import lazy_names

if TYPE_CHECKING:
    from footfall.pendulum.crowd import Crowd
    from footfall.pendulum.gait import Gait, periodic_gait
    from footfall.pendulum.model import ThreeLinearPendulums
    from footfall.pendulum.person import Person
    from footfall.pendulum.torques import TorqueProfile, torque_profile
    from footfall.pendulum.trajectory import Trajectory, record_walk, sample_gait
    from footfall.pendulum.transition import gradual_change
    from footfall.pendulum.walk import LEAST_HIP_TORQUE, Walk, human_walk
    from footfall.pendulum.walker_motion import reference_clip, walk_motion, walker_skeleton
    from footfall.pendulum.walkers import Footstep, Walkers

_HOME = {
    "Person": "person",
    "Crowd": "crowd",
    "Footstep": "walkers",
    "Gait": "gait",
    "LEAST_HIP_TORQUE": "walk",
    "ThreeLinearPendulums": "model",
    "TorqueProfile": "torques",
    "Trajectory": "trajectory",
    "Walk": "walk",
    "Walkers": "walkers",
    "gradual_change": "transition",
    "human_walk": "walk",
    "periodic_gait": "gait",
    "record_walk": "trajectory",
    "reference_clip": "walker_motion",
    "sample_gait": "trajectory",
    "torque_profile": "torques",
    "walk_motion": "walker_motion",
    "walker_skeleton": "walker_motion",
}

__all__ = [
    "LEAST_HIP_TORQUE",
    "Crowd",
    "Footstep",
    "Gait",
    "Person",
    "ThreeLinearPendulums",
    "TorqueProfile",
    "Trajectory",
    "Walk",
    "Walkers",
    "gradual_change",
    "human_walk",
    "periodic_gait",
    "record_walk",
    "reference_clip",
    "sample_gait",
    "torque_profile",
    "walk_motion",
    "walker_skeleton",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
