"""Worlds of an environment: they obey the simulation's laws, and depend neither on their number nor on their order."""

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="NO GYMNASIUM: footfall's environments were not tested")

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.learning.options import NEXT_STEP, SAME_STEP, Options
from footfall.learning.worlds import EnvironmentWorlds, streams_of
from footfall.simulation import Record, Simulation
from footfall.simulation.python_law import DRIVE, HeldDrive

PLANAR = {"figure": "planar-biped", "decide": 100.0}
WALK = {"controller": "walk", "action": "corrections", "noise": (0.0, 0.0)}


def worlds_of(count=1, mode=NEXT_STEP, most=0, seeds=None, **options):
    worlds = EnvironmentWorlds(Options.of(**options), count, mode=mode, most=most)
    worlds.restart(np.ones(count, dtype=bool), streams_of(np.arange(count) if seeds is None else seeds))
    return worlds


def actions_of(count, width, decisions, scale=0.3):
    """[decisions, count, width] the same for a world whatever their number is."""
    return np.stack(
        [np.random.default_rng(w).uniform(-scale, scale, (decisions, width)) for w in range(count)], axis=1
    ).astype(np.float32)


def played(worlds, actions):
    """Everything that comes out, a row for each decision."""
    out = {name: [] for name in ("observation", "reward", "terminated", "truncated", "qpos")}
    for action in actions:
        worlds.live["action"].assign(action[: worlds.count])
        worlds.step()
        for name, rows in out.items():
            rows.append(worlds.live[name].numpy().copy())
    return {name: np.array(rows) for name, rows in out.items()}


def test_results_do_not_depend_on_the_number_of_worlds():
    """Bit for bit: 1, 7 and 1000 worlds, through falls and new episodes, on random ground and under pushes."""
    options = PLANAR | {"terrain": "random-steps:0.1", "terrains": 5, "push": (50.0, 200.0), "speed": (0.5, 1.5)}
    actions = actions_of(1000, 6, 60)
    few, seven, many = (played(worlds_of(n, SAME_STEP, 50, **options), actions) for n in (1, 7, 1000))
    assert many["terminated"].any(axis=0).sum() > 500
    for name, values in many.items():
        np.testing.assert_array_equal(values[:, :7], seven[name], err_msg=name)
        np.testing.assert_array_equal(values[:, :1], few[name], err_msg=name)


def test_results_do_not_depend_on_threads():
    actions = actions_of(2000, 6, 3)
    one, three = (played(worlds_of(2000, **PLANAR, threads=n), actions) for n in (1, 3))
    np.testing.assert_array_equal(one["observation"], three["observation"])


@pytest.mark.parametrize("decide", [pytest.param(50.0, marks=pytest.mark.slow), "step"])
def test_worlds_side_by_side_are_the_same_worlds(decide):
    """Seven, in groups of four: through decisions at a rate and through footsteps, at which worlds pause."""
    ended = []
    for lanes in (1, 4):
        worlds = worlds_of(7, **WALK | {"noise": (0.01, 0.05)}, decide=decide, lanes=lanes)
        for _ in range(6):
            worlds.step()
        ended.append([worlds.live[name].numpy() for name in ("qpos", "reward", "step_count")])
    for one, four in zip(*ended, strict=True):
        np.testing.assert_allclose(one, four, rtol=0.0, atol=1e-9)


def test_zero_corrections_are_the_controller_itself():
    worlds = worlds_of(2, **WALK, dt=0.001)
    walk = Simulation("walk", efforts=False, last_states=0, dt=0.001)
    for _ in range(100):
        worlds.step()
    walk.step(2000)
    np.testing.assert_array_equal(worlds.live["qpos"].numpy()[1], walk.qpos[0])
    np.testing.assert_array_equal(worlds.live["memory"].numpy()[0], walk.memory[0])


def test_a_correction_is_the_parameter_set():
    """Of a target in every state, of a joint's gains, and of any parameter of the controller."""
    worlds = worlds_of(3, **WALK, correct={"targets": 0.2, "gains": 0.5, "swing_hip.c_v": 0.1})
    names = [row.name for row in worlds.setup.action.table]
    chosen = (("left_knee target", 0.5), ("left_knee gains", -0.5), ("swing_hip.c_v", 1.0))
    actions = np.zeros((3, len(names)), dtype=np.float32)
    for w, (name, value) in enumerate(chosen):
        actions[w, names.index(name)] = value
    worlds.live["action"].assign(actions)
    for _ in range(5):
        worlds.step()
    law = worlds.setup.action.law
    row = law.parameters
    sets = [
        {k: row[k] + 0.2 * 0.5 for k, _ in law.cells("left_knee.angle")},
        {k: row[k] * (1.0 - 0.5 * 0.5) for part in ("kp", "kd") for k, _ in law.cells(f"left_knee.{part}")},
        {k: row[k] + sign * 0.1 for k, sign in law.cells("swing_hip.c_v")},
    ]
    for w, cells in enumerate(sets):
        changed = row.copy()
        for k, value in cells.items():
            changed[k] = value
        np.testing.assert_allclose(worlds.live["parameters"].numpy()[w], changed, rtol=0, atol=1e-12)


def test_torques_are_held_and_within_the_motors_limits():
    """A decision is so many steps of the simulation under the torques asked for."""
    figure = Figure.load("planar-biped")
    worlds = worlds_of(1, **PLANAR, noise=(0.0, 0.0), strength=0.1)
    action = np.array([[0.5, -1.0, 0.2, 0.1, 0.3, -5.0]], dtype=np.float32)
    worlds.live["action"].assign(action)
    worlds.step()
    row = HeldDrive(figure).parameters.reshape(len(DRIVE), -1)
    row[0, 3:] = 0.1 * figure.torque_limit[3:] * np.clip(action[0].astype(float), -1.0, 1.0)
    plain = Simulation(law=HeldDrive(figure), figure=figure, dt=0.002, efforts=False, last_states=0)
    plain.set_parameters(row.reshape(1, -1))
    plain.step(5)
    np.testing.assert_array_equal(worlds.live["qpos"].numpy(), plain.qpos)


def test_a_servo_gives_no_more_than_its_limit():
    figure = Figure.load("planar-biped")
    row = HeldDrive(figure).parameters.reshape(len(DRIVE), -1)
    row[1, 3:], row[2, 3:], row[3, 3:] = 300.0, 30.0, -0.5
    for limit in (20.0, 1e9):
        row[DRIVE.index("limit")] = limit
        held = Simulation(law=HeldDrive(figure), figure=figure, dt=0.002, record=Record(fields=("torque",)))
        held.set_parameters(row.reshape(1, -1))
        held.run(0.2)
        peak = np.abs(held.trace().torque).max()
        assert peak == 20.0 if limit == 20.0 else peak > 100.0


def test_decisions_of_footsteps_end_before_the_next_one():
    worlds = worlds_of(2, **WALK, decide="step")
    footsteps, seconds = [], []
    for _ in range(8):
        worlds.step()
        footsteps.append(int(worlds.live["tally"].numpy()[0, 0]))
        seconds.append(float(worlds.live["step_count"].numpy()[0]) * worlds.simulation.dt)
    assert footsteps == list(range(8))
    assert (np.diff(seconds) > 0.1).all()
    assert (np.diff(seconds) < 0.9).all()


def test_a_watched_decision_is_equal_to_the_bit():
    for extra in ({}, {"decide": "step"}):
        alone, seen = worlds_of(3, **WALK, **extra), worlds_of(3, **WALK, **extra)
        poses = []
        seen.seen = lambda seen=seen, poses=poses: poses.append(seen.live["qpos"].numpy()[0].copy())
        for _ in range(3):
            alone.step()
            seen.step()
        np.testing.assert_array_equal(alone.live["qpos"].numpy(), seen.live["qpos"].numpy())
        np.testing.assert_array_equal(alone.live["observation"].numpy(), seen.live["observation"].numpy())
        np.testing.assert_array_equal(poses[-1], seen.live["qpos"].numpy()[0])


def test_pushes_change_the_motion_while_they_last():
    """A pushed world is the unpushed one until its first push, and pushes have the size that was asked for."""
    pushed, calm = worlds_of(4, **WALK, push=300.0), worlds_of(4, **WALK, push=0.0)
    force, window = pushed.live["force"].numpy().copy(), pushed.live["window"].numpy().copy()
    np.testing.assert_allclose(np.linalg.norm(force[:, 0], axis=1), 300.0)
    begins = window[:, 0, 0]
    for k in range(1, 100):
        pushed.step()
        calm.step()
        same = (pushed.live["qpos"].numpy() == calm.live["qpos"].numpy()).all(axis=1)
        for w in range(4):
            if k * pushed.period < begins[w] - 0.01:
                assert same[w]
            elif begins[w] + 0.05 < k * pushed.period < begins[w] + 0.2:
                assert not same[w]


def test_segments_are_pushed_one_after_the_other():
    """Each push is somewhere, one at a time, and there are all gaps that were asked for."""
    worlds = worlds_of(40, **WALK, push=40.0, push_place="segments", push_seconds=0.1, push_gap=(0.2, 0.3))
    segments = [body for body in worlds.setup.figure.bodies if body.mass > 0.0]
    drawn = set()
    for k in range(60):
        window, at = worlds.live["window"].numpy(), worlds.live["pushed"].numpy()
        assert window.shape == (40, len(segments), 2)
        assert ((window[:, :, 0] < 1e5).sum(axis=1) == 1).all()
        own = window[np.arange(40), at]
        np.testing.assert_allclose(own[:, 1] - own[:, 0], 0.1)
        np.testing.assert_allclose(np.linalg.norm(worlds.live["force"].numpy()[np.arange(40), at], axis=1), 40.0)
        fresh = own[:, 0] > k * worlds.period
        assert (own[fresh, 0] - k * worlds.period < 0.3 + worlds.period).all()
        drawn |= set(at.tolist())
        worlds.step()
    assert drawn == set(range(len(segments)))


def test_hardware_is_drawn_once_for_each_world():
    late = worlds_of(50, **PLANAR, hardware={"sensor_delay": (0.0, 0.02), "noise": {"joint_angle": (0.0, 0.1)}})
    delay, wrong = late.live["delay"].numpy()[:, 0], late.live["wrong"].numpy()[:, 0]
    assert set(delay.tolist()) == set(range(round(0.02 / late.simulation.dt) + 1))
    assert 0.0 <= wrong.min() < 0.02 < 0.08 < wrong.max() <= 0.1
    with pytest.raises(FootfallError, match="hardware"):
        worlds_of(1, **PLANAR, hardware={"delay": 0.1})


def test_goals_grounds_and_starts_are_drawn_anew_in_every_episode():
    worlds = worlds_of(200, **PLANAR, speed=(0.5, 1.5), terrain="random-steps:0.1", terrains=4)
    first = {name: worlds.live[name].numpy().copy() for name in ("goal", "ground", "qpos")}
    worlds.restart(np.ones(200, dtype=bool))
    again = {name: worlds.live[name].numpy() for name in first}
    goals = np.concatenate([first["goal"][:, 0], again["goal"][:, 0]])
    assert 0.5 <= goals.min() < 0.6 < 1.4 < goals.max() <= 1.5
    assert set(first["ground"]) == {0, 1, 2, 3}
    for name, values in first.items():
        assert (values != again[name]).reshape(200, -1).any(axis=1).mean() > 0.6, name


def test_a_reset_touches_its_own_worlds_alone():
    worlds = worlds_of(5, **PLANAR)
    worlds.step()
    before = {name: worlds.live[name].numpy().copy() for name in ("qpos", "qvel", "random", "observation", "elapsed")}
    chosen = np.array([False, True, False, False, True])
    worlds.restart(chosen)
    for name, values in before.items():
        same = (worlds.live[name].numpy() == values).reshape(5, -1).all(axis=1)
        np.testing.assert_array_equal(same, ~chosen, err_msg=name)
