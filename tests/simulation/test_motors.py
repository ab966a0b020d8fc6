"""Motors: the torque-speed line against its closed form, and what it must not touch."""

from dataclasses import fields

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation import Hardware, MujocoSimulation, Record, Simulation
from footfall.simulation.hardware import motor_table
from footfall.simulation.python_law import UNLIMITED, HeldDrive

WHEEL = """<mujoco model="wheel"><option gravity="0 0 0"/>{custom}<worldbody><body name="wheel">
<joint name="axle" axis="0 -1 0" armature="0.5" {more}/><inertial pos="0 0 0" mass="1" diaginertia="0.5 0.5 0.5"/>
</body></worldbody><actuator><motor joint="axle" ctrllimited="true" ctrlrange="-10 10"/></actuator></mujoco>"""
STALL, SPEED, INERTIA = 10.0, 20.0, 1.0


HARDWARE = {f.name for f in fields(Hardware)}


def with_hardware(options):
    """Options of a simulation, those of the hardware as one value."""
    hardware = Hardware(**{name: value for name, value in options.items() if name in HARDWARE})
    return {name: value for name, value in options.items() if name not in HARDWARE} | {"hardware": hardware}


def wheel(torque, *, kind=Simulation, more="", custom="", kp=0.0, dt=0.001, **options):
    figure = Figure.load(WHEEL.format(more=more, custom=custom))
    record, more = Record(rate=1 / dt, worlds=8), with_hardware(options)
    simulation = kind(law=HeldDrive(figure), figure=figure, dt=dt, record=record, **more)
    simulation.set_parameters(np.array([torque, kp, 0.0, 0.0, UNLIMITED]))
    return simulation


@pytest.mark.parametrize("kind", [Simulation, MujocoSimulation])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_motor_at_full_torque_nears_its_speed_without_load(kind, sign):
    simulation = wheel(sign * 100.0, kind=kind, motor_speed=SPEED)
    simulation.run(6.0)
    trace = simulation.trace()
    wanted = SPEED * (1.0 - np.exp(-trace.times * STALL / (INERTIA * SPEED)))
    np.testing.assert_allclose(sign * trace.qvel[:, 0, 0], wanted, atol=0.003)


def test_up_to_the_knee_a_motor_gives_all():
    simulation = wheel(100.0, motor_speed=SPEED, motor_knee=0.6)
    simulation.run(6.0)
    trace = simulation.trace()
    knee, at = 0.6 * SPEED, 0.6 * SPEED * INERTIA / STALL
    slowing = STALL / (INERTIA * (SPEED - knee))
    wanted = np.where(
        trace.times < at,
        trace.times * STALL / INERTIA,
        SPEED - (SPEED - knee) * np.exp(-slowing * (trace.times - at)),
    )
    np.testing.assert_allclose(trace.qvel[:, 0, 0], wanted, atol=0.01)


def test_the_line_is_in_the_direction_of_the_motion_alone():
    fast = wheel(-100.0, motor_speed=SPEED, qvel=[30.0])
    fast.run(0.5)
    np.testing.assert_allclose(fast.qvel, 30.0 - 0.5 * STALL / INERTIA, atol=1e-9)
    beyond = wheel(100.0, motor_speed=SPEED, qvel=[30.0])
    beyond.run(0.5)
    np.testing.assert_allclose(beyond.qvel, 30.0, atol=1e-9)


def test_a_torque_below_the_line_is_given_whole():
    weak, plain = wheel(3.0, motor_speed=SPEED), wheel(3.0)
    weak.run(1.0)
    plain.run(1.0)
    np.testing.assert_array_equal(weak.qvel, plain.qvel)


def test_stops_springs_and_friction_are_no_motors():
    more = 'limited="true" range="-57.3 57.3" stiffness="4" frictionloss="2"'
    weak, plain = (wheel(0.0, more=more, qvel=[5.0], **o) for o in ({"motor_speed": 0.01, "motor_torque": 0.01}, {}))
    weak.run(1.0)
    plain.run(1.0)
    np.testing.assert_array_equal(weak.trace().qpos, plain.trace().qpos)
    assert plain.trace().qpos.max() > 0.9  # it meets its stop, and comes back more slowly than it came
    assert -4.0 < plain.trace().qvel.min() < 0.0


def test_the_file_may_hold_the_speed_and_the_argument_overrules_it():
    custom = '<custom><numeric name="motor_speed" data="20"/></custom>'
    own, given = wheel(100.0, custom=custom), wheel(100.0, motor_speed=20.0)
    other = wheel(100.0, custom=custom, motor_speed={"axle": 5.0})
    for simulation in (own, given, other):
        simulation.run(3.0)
    np.testing.assert_array_equal(own.qvel, given.qvel)
    assert other.qvel[0, 0] < 5.0


def test_motors_may_differ_between_worlds():
    many = wheel(100.0, worlds=2, motor_speed=[10.0, 20.0], motor_torque=5.0)
    many.run(1.0)
    for world, speed in enumerate((10.0, 20.0)):
        one = wheel(100.0, motor_speed=speed, motor_torque=5.0)
        one.run(1.0)
        np.testing.assert_array_equal(one.qvel[0], many.qvel[world])


def test_steps_may_be_long_on_the_line():
    simulation = wheel(1e4, motor_speed=0.02, motor_torque=1000.0, dt=0.01)
    simulation.run(1.0)
    np.testing.assert_allclose(simulation.qvel, 0.02, atol=1e-6)


def test_held_torques_meet_the_line_at_every_step():
    simulation = wheel(100.0, motor_speed=SPEED, control_rate=50.0)
    simulation.run(2.0)
    trace = simulation.trace()
    line = STALL * (1.0 - trace.qvel[:, 0, 0] / SPEED)
    np.testing.assert_allclose(trace.torque[:, 0, 0], line, atol=1e-9)


def test_roles_name_both_sides():
    figure = Figure.load("human-28")
    table = motor_table(figure, 1, {"knee": 20.0}, None, 0.0).reshape(3, figure.nv)
    knees = [figure.joint(f"{side}_knee").dof for side in ("left", "right")]
    np.testing.assert_array_equal(table[2, knees], 20.0)
    assert (np.delete(table[2], knees) > 1e9).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"motor_speed": 0.0}, "motor_speed of joint 'axle' is 0"),
        ({"motor_speed": {"axel": 1.0}}, "did you mean 'axle'"),
        ({"motor_speed": 5.0, "motor_knee": 1.0}, "motor_knee is 1"),
        ({"motor_speed": [1.0, 2.0]}, "motor_speed is given for 2 worlds"),
        ({"custom": '<custom><numeric name="motor_speed" data="1 2"/></custom>'}, "'motor_speed' has 2 numbers"),
    ],
)
def test_impossible_motors_are_refused(options, words):
    with pytest.raises(FootfallError, match=words):
        wheel(1.0, **options)


def test_a_line_needs_a_torque_at_rest_and_a_law_of_torques():
    with pytest.raises(FootfallError, match="of figure 'human' has no torque limit; give"):
        Simulation("human-walk", hardware=Hardware(motor_speed=20.0))
    with pytest.raises(FootfallError, match="prescribes accelerations"):
        Simulation("tracked-walk", hardware=Hardware(motor_torque=20.0))
