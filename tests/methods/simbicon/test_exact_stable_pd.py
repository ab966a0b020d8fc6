"""Exact stable PD in a running walk: torque limits, hips with gains of their own, and delays."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.methods.simbicon.graph import Servo
from footfall.simulation import Hardware, Push, Record, Simulation


def exact(**servo):
    walk = load_controller("walk")
    return walk.changed(servo=Servo(stable="exact", **servo))


def test_no_torque_leaves_its_limit():
    push = Push([[-400.0, 0.0, 0.0], [400.0, 0.0, 0.0]], 1.0, 0.2)
    simulation = Simulation(
        exact(), worlds=2, pushes=[push], set={"torque_limit": 90.0}, record=Record(rate=1000, worlds=2)
    )
    simulation.run(2.0)
    trace = simulation.trace()
    largest = np.abs(trace.torque[:, :, 3:]).max()
    assert largest == pytest.approx(90.0)
    assert largest <= 90.0


def test_the_swing_hip_has_its_own_stiffness():
    """The stance hip gives what is left over: its own gains must not matter while it is the stance hip."""
    walk = exact()
    base = Simulation(walk, record=Record(rate=1000)).law
    first = walk.states[walk.start.state if walk.start else 0].stance
    other = f"{first}_hip"
    runs = []
    for kp in (base.figure.joint(other).kp, 3.0 * base.figure.joint(other).kp):
        simulation = Simulation(walk, set={f"{other}.kp": kp}, record=Record(rate=1000))
        simulation.step(50)
        runs.append(simulation.qpos)
    np.testing.assert_array_equal(runs[0], runs[1])


def test_a_late_torque_is_not_corrected_by_the_stiffness_of_now():
    """Until the first torque arrives none acts, although the servos are stiff already."""
    simulation = Simulation(exact(), hardware=Hardware(actuator_delay=0.004), dt=0.001, record=Record(rate=1000))
    simulation.step(100)
    torque = simulation.trace().torque[:, 0]
    hips = [simulation.figure.joint(name).dof for name in ("left_hip", "right_hip")]
    assert (torque[:4] == 0.0).all()
    assert np.abs(torque[5:20, hips]).min() > 0.0
