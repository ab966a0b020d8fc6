"""Targets that move with the phase of a walk cycle: the law against numpy, files, and cycles of walks by formula."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.captured_walk import HARMONICS, captured_walk, slot_curve
from footfall.methods.simbicon.error_learning import learner
from footfall.methods.simbicon.graph import TargetCycle
from footfall.methods.simbicon.table import GraphTable
from footfall.methods.simbicon.target_pose import target_qpos
from footfall.motion import Motion, retarget
from footfall.motion.synthesis.periodic import SAMPLES, cycle_of
from footfall.simulation import Record, Simulation
from tests.motion.walks import walk

FIGURE = Figure.load("human-28")
SPEED, PERIOD = 1.2, 1.1
DT = 0.0002


@pytest.fixture(scope="module")
def walked():
    return retarget(walk(speed=SPEED, period=PERIOD), FIGURE)[0]


@pytest.fixture(scope="module")
def cycle(walked):
    return cycle_of(walked, FIGURE)


@pytest.fixture(scope="module")
def graph(cycle):
    return captured_walk(cycle, FIGURE, name="again")


def test_a_cycle_has_the_walks_step_time_and_speed(walked, cycle):
    assert cycle.symmetric
    assert cycle.left == cycle.right == pytest.approx(PERIOD / 2, abs=0.02)
    scaled = walked.root_position[-1, 0] / walked.seconds
    assert cycle.velocity == pytest.approx((scaled, 0.0), abs=0.03)


def test_the_cycle_of_the_mirror_image_is_the_mirrored_cycle(walked):
    mirrored = Motion.from_qpos(FIGURE, walked.times, FIGURE.mirror_qpos(walked.channels["qpos"]))
    ours, theirs = (cycle_of(m, FIGURE, symmetric=False) for m in (walked, mirrored))
    assert (ours.left, ours.right) == pytest.approx((theirs.right, theirs.left), abs=1e-9)
    half = SAMPLES // 2
    for left, right in FIGURE.sides.joints:
        sign = FIGURE.mirror_dofs[1][FIGURE.joint(left).dof]
        np.testing.assert_allclose(np.roll(theirs.curve(right), half), sign * ours.curve(left), atol=1e-6)
    np.testing.assert_allclose(np.roll(theirs.curve("roll"), half), -ours.curve("roll"), atol=1e-6)


def test_backwards_is_forwards_with_time_turned_round(walked):
    back = Motion.from_qpos(FIGURE, walked.times, walked.channels["qpos"][::-1])
    forward, left = cycle_of(back, FIGURE).velocity
    assert forward == pytest.approx(-cycle_of(walked, FIGURE).velocity[0], abs=0.03)
    assert left == pytest.approx(0.0, abs=1e-9)


def test_targets_are_the_clips_curves_without_what_is_fast(cycle, graph):
    table = GraphTable(graph, FIGURE)
    knee = next(slot for slot in table.slots if slot.name == "right_knee")
    spectrum = np.fft.rfft(slot_curve(cycle, knee))
    spectrum[HARMONICS + 1 :] = 0.0
    wanted = np.fft.irfft(spectrum, SAMPLES)
    for k in (0, 20, 50):
        asked = target_qpos(table, 0, np.array(graph.start.qpos), {"phase": k / SAMPLES})
        assert asked[knee.qpos] == pytest.approx(wanted[k], abs=2e-3)


def test_the_usual_course_goes_from_behind_the_foot_to_ahead_of_it_and_is_mirrored(graph):
    course = graph.cycle
    assert course.left_d[0] < -0.1 < 0.1 < course.left_d[1]
    assert course.left_d == pytest.approx(course.right_d, abs=2e-3)
    assert course.left_d_side == pytest.approx(tuple(-x for x in course.right_d_side), abs=2e-3)


def test_the_law_follows_angle_velocity_and_course_of_the_phase():
    """Torques of a swing knee and a swing hip in the plane, against the servo's formula in numpy."""
    base = load_controller("walk")
    terms = {"left_knee": (0.1, -0.05, 0.02, 0.03), "right_knee": (0.1, -0.2, 0.05, 0.0), "right_hip": (0.0, 0.3)}
    cycle = TargetCycle(0.35, 0.4, left_d=(-0.2, 0.1), left_v=(0.3, -0.1), joints=terms)
    graph = base.changed(states=(replace(base.states[0], contact=True, hold=0.2),), cycle=cycle)
    simulation = Simulation(graph, dt=DT, integrator="explicit", record=Record(rate=1 / DT))
    simulation.run(0.2)
    trace, figure = simulation.trace(), simulation.figure
    left = (trace.stance[:, 0] == 0) & (trace.times < 0.15)
    times = trace.times[left]
    phase = 0.5 * times / cycle.left
    np.testing.assert_allclose(trace.signals["phase"][left, 0], phase, atol=1e-9)
    targets = graph.states[0].targets
    d, v = trace.signals["d"][left, 0], trace.signals["v"][left, 0]
    speed = trace.qvel[left, 0, 0] - graph.balance.speed
    np.testing.assert_allclose(v, speed - (0.3 + (-0.1 - 0.3) * times / cycle.left), atol=1e-9)
    k = np.arange(1, 3)
    turns = 2 * np.pi * np.outer(phase, k)
    for name, role in (("right_knee", "swing_knee"), ("right_hip", "swing_hip")):
        a, b = np.array([*terms[name], 0.0, 0.0][:4]).reshape(2, 2).T
        target = targets[role].angle + targets[role].c_d * d + targets[role].c_v * v
        target = target + np.cos(turns) @ a + np.sin(turns) @ b
        rate = np.pi / cycle.left * ((np.cos(turns) * k) @ b - (np.sin(turns) * k) @ a)
        joint, pitch = figure.joint(name), name == "right_hip"
        angle = trace.qpos[left, 0, joint.qpos] + pitch * trace.qpos[left, 0, 2]
        moved = trace.qvel[left, 0, joint.dof] + pitch * trace.qvel[left, 0, 2]
        torque = joint.kp * (target - angle) - joint.kd * (moved - rate)
        free = np.abs(trace.torque[left, 0, joint.dof]) < 0.99 * joint.torque_limit
        assert free.mean() > 0.5
        np.testing.assert_allclose(trace.torque[left, 0, joint.dof][free], torque[free], atol=1e-6)


def test_a_row_without_a_cycle_is_as_wide_as_ever(graph):
    with_cycle, without = GraphTable(graph, FIGURE), GraphTable(graph.changed(cycle=None), FIGURE)
    assert without.layout.cycle_width == 0
    assert len(with_cycle.row) - len(without.row) == with_cycle.layout.cycle_width < 500


def test_files_hold_cycles(graph):
    text = print_controller(graph)
    assert parse_controller(text) == graph


def test_bad_cycles_are_refused_in_one_line(graph):
    text = print_controller(graph)
    wrong = [
        (text.replace("[cycle]\nleft = ", "[cycle]\nleft = -"), "above 0 seconds"),
        (text.replace("[cycle.joints]\n", "[cycle.joints]\nleft_wing = [0.0, 1.0]\n"), "left_wing"),
        (text.replace("[cycle.joints]\n", "[cycle.joints]\nwaist_extra = 3\n"), "list of numbers"),
        (text.replace('law = "simbicon"', 'law = "servo"'), "simbicon"),
    ]
    for changed, words in wrong:
        with pytest.raises(FootfallError, match=words):
            GraphTable(parse_controller(changed), FIGURE)
    with pytest.raises(FootfallError, match="one state"):
        graph.changed(states=(graph.states[0], replace(graph.states[0], name="more")))
    with pytest.raises(FootfallError, match="pairs"):
        graph.changed(cycle=TargetCycle(0.5, 0.5, joints={"left_knee": (0.1,)}))


def test_a_clip_without_steps_is_refused(walked):
    still = Motion.from_qpos(FIGURE, walked.times, np.tile(walked.channels["qpos"][:1], (len(walked), 1)))
    with pytest.raises(FootfallError, match="at least 2 are needed"):
        cycle_of(still, FIGURE)


def test_learned_torques_and_displacements_of_the_legs_are_kept_in_files(graph):
    known = learner(graph, bins=3, legs=True).feedforward
    assert set(known.shifts) < set(known.joints)
    assert {"left_knee", "right_hip_roll"} <= set(known.shifts)
    steps = {name: tuple(0.01 * k for k in range(6)) for name in known.shifts}
    learned = graph.changed(feedforward=replace(known, shifts=steps))
    assert parse_controller(print_controller(learned)).feedforward == learned.feedforward
    with pytest.raises(FootfallError, match="left_knee has 2 shifts; give 6"):
        graph.changed(feedforward=replace(known, shifts={"left_knee": (0.0, 1.0)}))
    with pytest.raises(FootfallError, match="left_toe has shifts and no torques"):
        graph.changed(feedforward=replace(known, shifts={"left_toe": (0.0,) * 6}))


def test_legs_learn_only_where_targets_are_smooth():
    with pytest.raises(FootfallError, match="'walk-3d': its legs cannot learn"):
        learner(load_controller("walk-3d"), bins=3, legs=True)
