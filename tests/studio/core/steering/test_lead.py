"""A spatial SIMBICON walker is led: to a heading, along points, and on from the past."""

import math

import pytest

from footfall.studio.core.geometry import heading_of
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session
from footfall.studio.core.steering import WalkerSteering

POINTS = ((5.0, 0.5), (9.0, 4.5), (8.0, 10.0))


@pytest.fixture
def session() -> Session:
    return Session("walk-3d")


@pytest.fixture
def steering(session: Session) -> WalkerSteering:
    return WalkerSteering(session, Companion(session))


def walk(session: Session, seconds: float) -> None:
    for _ in range(round(20 * seconds)):
        session.step(0.05)


@pytest.mark.slow
def test_it_turns_to_a_heading_and_holds_it(session: Session, steering: WalkerSteering) -> None:
    assert steering.can_turn
    walk(session, 2.0)
    for _ in range(3):
        steering.turn(math.radians(30.0))
    walk(session, 9.0)
    assert session.world.fell_at is None
    assert heading_of(session.world.state["qpos"][0]) == pytest.approx(math.radians(90.0), abs=0.25)


@pytest.mark.slow
def test_it_walks_along_points_and_all_the_way_round(session: Session, steering: WalkerSteering) -> None:
    for x, y in POINTS:
        steering.add_point(x, y)
    walk(session, 18.0)
    assert session.world.fell_at is None
    assert steering.reached == len(POINTS)
    steering.clear_path()
    assert steering.reached == 0


@pytest.mark.slow
def test_it_walks_on_from_the_past_without_a_sudden_turn(session: Session, steering: WalkerSteering) -> None:
    walk(session, 2.0)
    steering.hold_heading(math.radians(80.0))
    walk(session, 6.0)
    session.look_at(2.0)
    session.resume_here()
    assert abs(steering.lead.asked) < 0.2
    walk(session, 3.0)
    assert session.world.fell_at is None
    session.reset()
    assert steering.lead.goal is None
