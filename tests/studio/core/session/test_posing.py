"""Hands on the pose of a state: the angles that they ask for hold, however often and in whatever order they come."""

import itertools
import threading

import pytest

from footfall.methods.simbicon.table import _written
from footfall.studio.core.geometry import Kinematics
from footfall.studio.core.session import Session
from footfall.studio.messages import PoseTurned


@pytest.fixture
def session() -> Session:
    session = Session("walk")
    session.posing = True
    session.hands.turnings(Kinematics(session.world.figure))
    return session


def knee(session: Session) -> float:
    return float(session.states[0].targets["swing_knee"].angle)


def asked(session: Session, n: int, angle: float, gesture: int = 0, held: bool = True) -> PoseTurned:
    return PoseTurned(session.hands.of, gesture, n, held, ("right_knee",), (angle,))


def test_what_comes_again_turns_nothing_further(session: Session) -> None:
    session.loop.start()
    for n in range(10):
        session.hands.turn(1, asked(session, n, -0.8))
        session.hands.turn(1, asked(session, n, -0.8))
    session.loop.call(lambda: None)
    assert knee(session) == -0.8
    session.loop.stop()


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_the_newest_counts_in_whatever_order_messages_come(session: Session, order: tuple[int, ...]) -> None:
    for n in order:
        session.hands.turn(1, asked(session, n, -0.6 - 0.1 * n))
    session.loop.start()
    session.loop.call(lambda: None)
    assert knee(session) == pytest.approx(-0.9)
    session.loop.stop()


def test_what_comes_while_the_server_is_busy_ends_at_the_newest_angle_in_one_version(session: Session) -> None:
    session.loop.start()
    free, first = threading.Event(), knee(session)
    session.loop.submit(lambda: free.wait(30))
    for n in range(20):
        session.hands.turn(1, asked(session, n, -0.6 - 0.01 * n, held=n < 19))
    free.set()
    session.loop.call(lambda: None)
    assert knee(session) == pytest.approx(-0.79)
    session.loop.call(session.undo)
    assert knee(session) == first
    session.hands.turn(1, asked(session, 5, -0.3))
    session.hands.turn(1, asked(session, 19, -0.3))
    session.loop.call(lambda: None)
    assert knee(session) == first, "an old message came after the undo"
    session.loop.stop()


def test_what_was_meant_for_another_state_is_left_alone(session: Session) -> None:
    late = asked(session, 0, -0.3)
    before = session.controller
    session.select(1)
    session.loop.start()
    session.hands.turn(1, late)
    session.loop.call(lambda: None)
    assert session.controller == before
    session.loop.stop()


def test_the_root_keeps_its_height_while_a_joint_is_held(session: Session) -> None:
    session.loop.start()
    kinematics, qpos = Kinematics(session.world.figure), session.world.state["qpos"][0]
    high = session.hands.pose(kinematics, qpos)[1]
    turned = {"left_knee": -1.2, "right_knee": -1.9, "left_ankle": 0.4, "right_ankle": 0.4}
    for held in (True, False):
        session.hands.turn(
            1, PoseTurned(session.hands.of, 0, int(not held), held, tuple(turned), tuple(turned.values()))
        )
        session.loop.call(lambda: None)
        assert (session.hands.pose(kinematics, qpos)[1] == high) == held
    session.hands.turn(2, PoseTurned(session.hands.of, 0, 0, True, (), ()))
    session.loop.call(lambda: session.hands.leave(2))
    assert session.hands._holding == set(), "a page that has gone holds nothing"
    session.loop.stop()


def test_an_edit_writes_out_only_the_controller_that_changed(session: Session) -> None:
    assert len(session.world.controllers) > 5
    session.loop.start()
    before = _written.cache_info().misses
    session.hands.turn(1, asked(session, 0, -0.8))
    session.loop.call(lambda: None)
    assert _written.cache_info().misses == before + 1
    session.loop.stop()
