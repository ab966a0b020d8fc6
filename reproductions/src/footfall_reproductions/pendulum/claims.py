"""Claims of Faraji and Ijspeert 2018 beside their figures: mass, transients, and the thigh that swings early."""

import numpy as np

from footfall.methods.pendulum.gait import periodic_gait
from footfall.methods.pendulum.model import Person
from footfall.methods.pendulum.trajectory import record_walk, sample_gait
from footfall.methods.pendulum.walk import Walk, human_walk
from footfall.methods.pendulum.walker_motion import walk_motion
from footfall.motion.gait.angles import leg_angles
from footfall_reproductions.row import Row

TRANSIENTS = {
    "speed": {"speed": 1.4},
    "slower": {"speed": 0.5},
    "frequency": {"frequency": 2.1},
    "double-support": {"double_support": 0.25},
}
"""What changes in the middle of the paper's walk (1 m/s, 1.7 steps/s)."""


def scaling() -> list[Row]:
    """Sections 4.3, 5.2 and 6.2."""
    return [_mass(), *(_transient(name) for name in TRANSIENTS), *_thigh()]


def _mass() -> Row:
    times = np.linspace(0.0, 2.0, 201)
    angles = []
    for mass in (35.0, 70.0, 123.0):
        found = leg_angles(walk_motion(sample_gait(periodic_gait(Person.of(1.7, mass)), times)))
        angles.append(np.stack([found[name] for name in sorted(found)]))
    gap = max(float(np.abs(one - angles[1]).max()) for one in angles)
    return Row(
        "mass-independence",
        "largest difference of any leg angle between walkers of 35, 70 and 123 kg; holds below 1e-9",
        "independent",
        gap,
        "rad",
        gap < 1e-9,
        "all masses scale together",
    )


def _transient(name: str) -> Row:
    body = Person.of()
    before, after = periodic_gait(body), periodic_gait(body, Walk(**TRANSIENTS[name]))
    walk = record_walk(before, 12.0, changes={3.0: after})
    error = float(walk.state["error"][-1, 0])
    words = ", ".join(f"{k} {v:g}" for k, v in TRANSIENTS[name].items())
    return Row(
        f"transient-{name}",
        f"a sudden change to {words} while walking: distance from the new gait 9 s later; holds below 0.01 without a "
        "step beyond reach",
        "stable",
        error,
        "m + m/s",
        bool(walk.recovered[0]),
    )


def _thigh() -> list[Row]:
    """Figure 6: the thigh already swings forward in double support."""
    found = []
    for speed in (2.0, 4.0, 6.0):
        body = Person.of(1.76, 68.0)
        gait = periodic_gait(body, human_walk(body, speed / 3.6))
        step, double = float(gait.stride.duration[0]), float(gait.stride.double_time[0])
        # In even steps the left leg swings: its thigh, from the step's start to the end of double support.
        times = 2 * step + np.linspace(0.0, double, 21)
        hip = leg_angles(walk_motion(sample_gait(gait, times)))["left_hip"]
        forward = float(np.degrees(hip[-1] - hip[0]))
        found.append(
            Row(
                f"figure-6-{speed:g}-km-h",
                f"{speed:g} km/h: how far the trailing thigh swings forward in double support; holds above 0",
                "already starts swinging forward",
                round(forward, 2),
                "degrees",
                forward > 0.0,
            )
        )
    return found
