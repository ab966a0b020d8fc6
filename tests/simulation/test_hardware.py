"""Between a law and the body: control rates, held and late torques, sensor noise."""

from dataclasses import fields

import numpy as np
import pytest
import warp as wp

from footfall.control import Law
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.simulation import Hardware, MujocoSimulation, PythonSimulation, Record, Simulation
from footfall.simulation.python_law import UNLIMITED, HeldDrive

ARM = """<mujoco model="arm"><option gravity="0 0 -9.81"/><worldbody><body name="upper" pos="0 0 2">
<joint name="shoulder" axis="0 -1 0"/><inertial pos="0 0 -0.2" mass="2" diaginertia="0.03 0.03 0.01"/>
<body name="lower" pos="0 0 -0.4"><joint name="elbow" axis="0 -1 0"/>
<inertial pos="0 0 -0.2" mass="1" diaginertia="0.02 0.02 0.01"/></body></body></worldbody></mujoco>"""
KP, KD, TARGET = np.array([40.0, 20.0]), np.array([4.0, 2.0]), np.array([0.5, -0.7])
ROW = np.concatenate([np.zeros(2), KP, KD, TARGET, np.full(2, UNLIMITED)])


HARDWARE = {f.name for f in fields(Hardware)}


def with_hardware(options):
    """Options of a simulation, those of the hardware as one value."""
    hardware = Hardware(**{name: value for name, value in options.items() if name in HARDWARE})
    return {name: value for name, value in options.items() if name not in HARDWARE} | {"hardware": hardware}


def held_arm(*, dt=0.001, kind=Simulation, worlds=1, **options):
    figure = Figure.load(ARM)
    record, more = Record(rate=1 / dt, worlds=worlds), with_hardware(options)
    simulation = kind(law=HeldDrive(figure), figure=figure, dt=dt, worlds=worlds, record=record, **more)
    simulation.set_parameters(ROW)
    return simulation


def python_arm(period, *, late=0, dt=0.001, **options):
    """The same arm under a Python loop that computes torques at a rate, ``late`` decisions before they act."""
    asked = [np.zeros(2)] * late

    def decide(sensed):
        asked.append(KP * (TARGET - sensed.qpos) - KD * sensed.qvel)
        return asked[len(asked) - 1 - late]

    return PythonSimulation(decide, Figure.load(ARM), period=period, dt=dt, record=Record(rate=1 / dt), **options)


@pytest.mark.parametrize("integrator", ["implicit", "explicit", "rk4"])
def test_a_control_rate_is_a_loop_that_decides_at_that_rate(integrator):
    held, loop = held_arm(control_rate=200.0, integrator=integrator), python_arm(0.005, integrator=integrator)
    held.run(0.5)
    loop.run(0.5)
    np.testing.assert_allclose(held.qpos, loop.qpos, atol=1e-9)
    torque = held.trace().torque[:, 0]
    np.testing.assert_array_equal(torque, np.repeat(torque[::5], 5, axis=0))
    assert (np.diff(torque[::5], axis=0) != 0.0).any(axis=1).all()


def test_a_delay_of_whole_decisions_shifts_them():
    late, loop = held_arm(control_rate=500.0, actuator_delay=0.004), python_arm(0.002, late=2)
    late.run(0.4)
    loop.run(0.4)
    np.testing.assert_allclose(late.qpos, loop.qpos, atol=1e-9)
    torque = late.trace().torque[:, 0]
    assert not torque[:4].any()
    assert torque[4:6].all()
    np.testing.assert_array_equal(torque[4::2], torque[5::2])


def test_a_delay_need_not_be_whole_decisions():
    late = held_arm(control_rate=250.0, actuator_delay=0.003)
    late.run(0.1)
    torque = late.trace().torque[:, 0]
    assert not torque[:3].any()
    np.testing.assert_array_equal(torque[3:-1], np.repeat(torque[3::4], 4, axis=0)[: len(torque) - 4])


def test_late_torques_are_held_over_the_stages_of_runge_and_kutta():
    one, other = (held_arm(control_rate=1000.0, actuator_delay=delay, integrator="rk4") for delay in (0.0, 0.001))
    loop = python_arm(0.001, late=1, integrator="rk4")
    for simulation in (one, other, loop):
        simulation.run(0.2)
    np.testing.assert_allclose(other.qpos, loop.qpos, atol=1e-9)
    assert np.abs(one.qpos - other.qpos).max() > 1e-4


def test_explicit_steps_at_the_rate_of_the_steps_are_those_without_a_rate():
    plain, held = (held_arm(integrator="explicit", control_rate=rate) for rate in (None, 1000.0))
    plain.run(0.3)
    held.run(0.3)
    np.testing.assert_allclose(held.qpos, plain.qpos, atol=1e-12)


def test_mujoco_holds_torques_too():
    native, other = (held_arm(kind=kind, control_rate=200.0) for kind in (Simulation, MujocoSimulation))
    native.run(0.3)
    other.run(0.3)
    np.testing.assert_allclose(other.qpos, native.qpos, atol=1e-9)


NOISE = {"joint_angle": 0.02, "joint_speed": 0.5}
ROBOT = {"control_rate": 250.0, "actuator_delay": 0.006, "sensor_delay": 0.003, "noise": NOISE}


def test_worlds_do_not_depend_on_their_number_threads_or_how_time_is_cut():
    whole, parts, few = (held_arm(worlds=n, threads=t, **ROBOT) for n, t in ((5, 2), (5, 1), (2, 1)))
    whole.run(0.3)
    few.run(0.3)
    for steps in (1, 2, 5, 92, 200):
        parts.step(steps)
    np.testing.assert_array_equal(whole.qpos, parts.qpos)
    np.testing.assert_array_equal(whole.qpos[:2], few.qpos)
    assert len(np.unique(whole.qpos[:, 0])) == 5
    for name in ("torque", "qpos", "stance"):
        np.testing.assert_array_equal(getattr(whole.trace(), name), getattr(parts.trace(), name))


def test_a_snapshot_holds_what_is_held_and_late():
    simulation = held_arm(worlds=2, **ROBOT)
    simulation.run(0.1)
    kept = simulation.snapshot()
    simulation.run(0.1)
    once = simulation.qpos
    simulation.restore(kept)
    simulation.run(0.1)
    np.testing.assert_array_equal(simulation.qpos, once)
    plain = held_arm(worlds=2)
    plain.run(0.1)
    simulation.restore(plain.snapshot())
    np.testing.assert_array_equal(simulation.snapshot()["past_qpos"], np.tile(plain.qpos[:, None], (1, 7, 1)))
    assert not simulation.snapshot()["past_torque"].any()
    longer = held_arm(worlds=2, **ROBOT | {"actuator_delay": 0.05})
    with pytest.raises(FootfallError, match="the same delays"):
        longer.restore(kept)


def test_rates_may_differ_between_worlds():
    rates = [1000.0, 250.0, 100.0]
    many = held_arm(worlds=3, control_rate=rates)
    many.run(0.2)
    for world, rate in enumerate(rates):
        one = held_arm(control_rate=rate)
        one.run(0.2)
        np.testing.assert_array_equal(one.qpos[0], many.qpos[world])


class Sensing(Law):
    """No torques; its signals are what it senses."""

    key = "sensing"
    memory = np.zeros(1)
    parameters = np.zeros(1)

    def __init__(self, figure):
        self.count = figure.nq + figure.nv

    @property
    def signals(self):
        return tuple(f"s{k}" for k in range(2 * self.count))

    def build(self, types):
        Sense, Memory, Command, real = types.Sense, types.Memory, types.Command, types.real
        nq, nv, count = types.compiled.nq, types.compiled.nv, self.count

        @wp.func
        def sensing(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            command: wp.ref[Command],
        ):
            for k in range(nq):
                command.signals[k] = sense.qpos[k]
                command.signals[count + k] = sense.seen_qpos[k]
            for k in range(nv):
                command.signals[nq + k] = sense.qvel[k]
                command.signals[count + nq + k] = sense.seen_qvel[k]
            command.stance = -1

        return sensing


BODY = """<mujoco model="body"><option gravity="0 0 0"/><worldbody><body name="trunk"><freejoint/>
<inertial pos="0 0 0" mass="10" diaginertia="1 1 1"/>
<body name="leg"><joint name="hip" axis="0 -1 0"/><inertial pos="0 0 -0.2" mass="2" diaginertia="0.03 0.03 0.01"/>
<body name="ball" pos="0 0 -0.4"><joint name="ankle" type="ball"/>
<inertial pos="0 0 -0.1" mass="1" diaginertia="0.02 0.02 0.01"/></body></body></body></worldbody></mujoco>"""


def sensed(worlds=400, steps=40, **options):
    """True states and what the law sensed of them, each [steps, worlds, nq + nv], and what it saw."""
    figure = Figure.load(BODY)
    law = Sensing(figure)
    record, more = Record(rate=1000.0, worlds=worlds), with_hardware(options)
    simulation = Simulation(law=law, figure=figure, worlds=worlds, record=record, **more)
    simulation.step(steps)
    trace = simulation.trace()
    felt = np.stack([trace.signals[name] for name in law.signals], axis=-1)
    true = np.concatenate([trace.qpos, trace.qvel], axis=-1)
    return true, felt[..., : law.count], felt[..., law.count :]


def turned(quaternions, others):
    """[…, 3] rotation vectors from one to the other, for small ones."""
    a, b = quaternions, others
    vector = a[..., :1] * b[..., 1:] - b[..., :1] * a[..., 1:] - np.cross(a[..., 1:], b[..., 1:])
    return 2.0 * vector


def test_noise_has_the_sizes_asked_for_and_is_white():
    sizes = {
        "joint_angle": 0.01,
        "joint_speed": 0.2,
        "orientation": 0.03,
        "angular_velocity": 0.4,
        "linear_velocity": 0.05,
    }
    true, felt, seen = sensed(noise=sizes)
    np.testing.assert_array_equal(felt, seen)
    error = felt - true
    np.testing.assert_array_equal(error[..., :3], 0.0)
    parts = {
        "orientation": turned(true[..., 3:7], felt[..., 3:7]),
        "joint_angle": np.concatenate([error[..., 7:8], turned(true[..., 8:12], felt[..., 8:12])], axis=-1),
        "linear_velocity": error[..., 12:15],
        "angular_velocity": error[..., 15:18],
        "joint_speed": error[..., 18:],
    }
    for name, values in parts.items():
        each = values.reshape(-1, values.shape[-1]) / sizes[name]
        np.testing.assert_allclose(each.mean(axis=0), 0.0, atol=0.04)
        np.testing.assert_allclose(each.std(axis=0), 1.0, atol=0.03)
        np.testing.assert_allclose(np.mean(each**4, axis=0), 3.0, atol=0.3)
        np.testing.assert_allclose(np.mean(values[1:] * values[:-1]) / sizes[name] ** 2, 0.0, atol=0.03)
    each = np.concatenate([v / sizes[n] for n, v in parts.items()], axis=-1).reshape(-1, 17)
    np.testing.assert_allclose(np.corrcoef(each.T), np.eye(17), atol=0.04)
    np.testing.assert_allclose(np.linalg.norm(felt[..., 3:7], axis=-1), 1.0, atol=1e-9)


def test_noise_of_zero_is_no_noise():
    true, felt, _ = sensed(worlds=3, noise={"joint_angle": 0.0, "orientation": 0.0})
    np.testing.assert_array_equal(felt, true)
    true, felt, _ = sensed(worlds=3, noise={"orientation": [0.0, 0.1, 0.0]})
    np.testing.assert_array_equal(felt[:, [0, 2]], true[:, [0, 2]])
    assert (felt[:, 1, 4:7] != true[:, 1, 4:7]).all()


def test_what_is_seen_late_has_the_errors_of_its_own_time():
    _, felt, seen = sensed(worlds=2, noise={"joint_angle": 0.1, "orientation": 0.1}, sensor_delay=0.005)
    np.testing.assert_array_equal(seen[5:], felt[:-5])


def test_seeds_are_one_for_all_or_one_for_each_world():
    def errors(**options):
        true, felt, _ = sensed(worlds=2, noise={"joint_angle": 0.1}, **options)
        return (felt - true)[:, :, 7]

    first, again, other = errors(), errors(noise_seed=0), errors(noise_seed=1)
    np.testing.assert_array_equal(first, again)
    assert (first != other).all()
    assert (first[:, 0] != first[:, 1]).all()
    own = errors(noise_seed=[5, 5])
    np.testing.assert_array_equal(own[:, 0], own[:, 1])


def test_a_walk_keeps_its_time_whatever_the_steps_between_decisions():
    plain = Simulation("walk", dt=0.0005).run(4.0)
    held = Simulation("walk", dt=0.00025, worlds=2, hardware=Hardware(control_rate=[4000.0, 2000.0])).run(4.0)
    assert held.survived.all()
    np.testing.assert_allclose(held.step_time, plain.step_time[0], rtol=0.02)
    np.testing.assert_allclose(held.distance, plain.distance[0], rtol=0.05)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"control_rate": 300.0}, "control_rate is 300, every 3.333 steps of 0.001 s; .*: 333.333 or 250"),
        ({"control_rate": 5000.0}, "control_rate is 5000; it must be from 1 to 1000"),
        ({"control_rate": float("nan")}, "control_rate is nan"),
        ({"control_rate": -5.0}, "control_rate is -5"),
        ({"control_rate": [500.0, 250.0]}, "control_rate is given for 2 worlds"),
        ({"noise": {"joint_angel": 0.1}}, "did you mean 'joint_angle'"),
        ({"noise": {"joint_angle": -0.1}}, "noise of joint_angle is -0.1; it must be at least 0 rad"),
        ({"noise": {"joint_angle": 0.1}, "noise_seed": -1}, "noise_seed is -1"),
        ({"noise": {"joint_angle": 0.1}, "noise_seed": 0.5}, "noise_seed is 0.5"),
    ],
)
def test_what_no_robot_has_is_refused(options, words):
    with pytest.raises(FootfallError, match=words) as told:
        held_arm(**options)
    assert "\n" not in str(told.value)
