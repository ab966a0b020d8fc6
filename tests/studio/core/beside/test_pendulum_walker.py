"""The 3LP walker of the studio."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.methods.pendulum import Person, human_walk, periodic_gait, record_walk, walk_motion
from footfall.studio.core.pendulum_walker import PendulumWalker


def test_it_walks_as_a_recorded_walk_does() -> None:
    walker = PendulumWalker()
    for _ in range(60):
        walker.advance(1 / 60)
    body = Person.of(1.7, 70.0)
    motion = walk_motion(record_walk(periodic_gait(body, human_walk(body, 1.0)), 1.0, fps=60.0))
    position, _ = walker.pose()
    np.testing.assert_allclose(position, motion.positions()[-1], atol=1e-9)


def test_looking_at_it_does_not_move_it() -> None:
    walker = PendulumWalker()
    walker.advance(0.4)
    first, second = walker.pose(), walker.pose()
    np.testing.assert_array_equal(first[0], second[0])
    assert walker.walkers.time == pytest.approx(0.4)


def test_it_turns_by_what_is_asked_with_each_step() -> None:
    walker = PendulumWalker()
    walker.turn_by(0.2)
    for _ in range(240):
        walker.advance(1 / 60)
    footsteps = walker.walkers.footsteps
    assert footsteps is not None
    headings = [step.heading for step in footsteps[0]]
    np.testing.assert_allclose(np.diff(headings)[2:], 0.2)
    assert not walker.fell


def test_an_impossible_walk_is_refused_and_the_old_one_goes_on() -> None:
    walker = PendulumWalker()
    walker.ask(speed=1.2)
    with pytest.raises(FootfallError):
        walker.ask(speed=9.0)
    assert walker.asked == {"speed": 1.2}
    walker.advance(2.0)
    assert not walker.fell


def test_a_push_moves_it() -> None:
    plain, pushed = PendulumWalker(), PendulumWalker()
    pushed.push(60.0, 0.0, 0.4)
    for walker in (plain, pushed):
        for _ in range(30):
            walker.advance(1 / 60)
    assert pushed.pose()[0][0, 0] > plain.pose()[0][0, 0] + 0.005


def test_a_push_comes_within_the_part_of_a_step_that_was_asked_for() -> None:
    plain, pushed = PendulumWalker(), PendulumWalker()
    duration = float(plain.walkers.stride.duration[0])
    for walker in (plain, pushed):
        walker.advance(0.7 * duration)
    pushed.push_within_a_step(50.0, 0.0, 0.2, 0.4)
    speeds = []
    for _ in range(10):
        for walker in (plain, pushed):
            walker.advance(0.1 * duration)
        speeds.append(float(pushed.walkers.state.step.x.pv[0] - plain.walkers.state.step.x.pv[0]))
    np.testing.assert_allclose(speeds[:5], 0.0, atol=1e-9)
    assert 0 < speeds[5] < speeds[6]
    with pytest.raises(FootfallError, match="end after it begins"):
        pushed.push_within_a_step(50.0, 0.0, 0.6, 0.4)
