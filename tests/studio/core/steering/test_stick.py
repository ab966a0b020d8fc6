"""The stick of a gamepad: the walker goes where it points, the faster the further it is tilted."""

import math
from itertools import pairwise
from pathlib import Path

import pytest

from footfall.studio.core.background import Said
from footfall.studio.core.geometry import heading_of
from footfall.studio.core.library import SAME_EDIT_SECONDS
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session
from footfall.studio.core.steering import WalkerSteering

TILTS = [k / 10 for k in range(11)]


def steering_of(controller: str, folder: Path) -> tuple[Session, WalkerSteering]:
    session = Session(controller, folder)
    return session, WalkerSteering(session, Companion(session))


def tilt(steering: WalkerSteering, length: float, degrees: float = 0.0) -> None:
    angle = math.radians(degrees)
    steering.stick(length * math.cos(angle), length * math.sin(angle))


def asked(steering: WalkerSteering) -> float:
    """The speed that the walker is asked for."""
    speed = steering.speed
    assert speed is not None
    return speed


def test_the_heading_is_where_it_points_whatever_its_tilt(tmp_path: Path) -> None:
    _, steering = steering_of("steered-walk", tmp_path)
    for degrees in range(-175, 181, 25):
        for length in (0.05, 0.5, 1.0):
            tilt(steering, length, degrees)
            assert steering.heading == pytest.approx(math.radians(degrees))


def test_the_speed_grows_with_the_tilt_from_the_slowest_to_the_fastest(tmp_path: Path) -> None:
    _, steering = steering_of("steered-walk", tmp_path)
    speeds = []
    for length in TILTS:
        tilt(steering, length, 70.0)
        speeds.append(asked(steering))
    assert (speeds[0], speeds[-1]) == pytest.approx(steering.speeds)
    assert all(slow < fast for slow, fast in pairwise(speeds))
    tilt(steering, 40.0)
    assert asked(steering) == pytest.approx(steering.speeds[1]), "it is tilted by 1 at most"


def test_released_it_asks_for_the_slowest_walk_and_keeps_the_heading(tmp_path: Path) -> None:
    _, steering = steering_of("steered-walk", tmp_path)
    steering.stick(0.0, 0.0)
    assert steering.heading is None
    tilt(steering, 0.8, 120.0)
    steering.stick(0.0, 0.0)
    assert steering.heading == pytest.approx(math.radians(120.0))
    assert asked(steering) == pytest.approx(steering.speeds[0])


@pytest.mark.parametrize("length", [0.0, 1.0])
def test_a_path_is_given_up(tmp_path: Path, length: float) -> None:
    _, steering = steering_of("steered-walk", tmp_path)
    steering.add_point(3.0, 1.0)
    tilt(steering, length)
    assert steering.points == ()


def test_it_turns_the_walker(tmp_path: Path) -> None:
    session, steering = steering_of("steered-walk", tmp_path)
    for _ in range(80):
        tilt(steering, 0.6, 70.0)
        session.step(0.1)
    assert session.world.fell_at is None
    assert heading_of(session.world.state["qpos"][0]) == pytest.approx(math.radians(70.0), abs=0.3)


def test_a_planar_walker_takes_the_part_to_where_it_faces_as_its_speed(tmp_path: Path) -> None:
    session, steering = steering_of("walk", tmp_path)
    slowest, fastest = session.world.steady_speeds(session.controller)
    assert slowest < asked(steering) < fastest
    for degrees in (0.0, 60.0, 90.0, 180.0):
        tilt(steering, 1.0, degrees)
        part = max(0.0, math.cos(math.radians(degrees)))
        assert asked(steering) == pytest.approx(slowest + part * (fastest - slowest))
    tilt(steering, 0.7)
    steering.stick(0.0, 0.0)
    assert asked(steering) == pytest.approx(slowest)
    assert steering.heading is None


def test_a_stick_that_is_held_makes_one_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session, steering = steering_of("walk", tmp_path)
    clock = [0.0]
    monkeypatch.setattr(session.document, "_clock", lambda: clock[0])
    steering.set_speed(0.1)
    for k in range(60):
        clock[0] += SAME_EDIT_SECONDS * (k % 3)
        tilt(steering, abs(math.sin(k)))
    assert session.document.changed
    session.undo()
    assert asked(steering) == pytest.approx(0.1), "what was asked before the stick"
    session.undo()
    assert session.controller == session.document.saved
    assert not session.document.can_undo


def test_a_walker_that_takes_neither_is_said_once(tmp_path: Path) -> None:
    session, steering = steering_of("tracked-walk", tmp_path)
    said: list[str] = []
    session.events.on(Said, lambda event: said.append(f"{event.title}: {event.text}"))
    for k in range(20):
        tilt(steering, 1.0, 9.0 * k)
    assert len(said) == 2
    by_stick = list(said)
    steering.turn(0.5)
    steering.faster(0.1)
    assert said[2:] == by_stick, "in the words of the keys"


@pytest.mark.slow
def test_a_pose_control_graph_walks_on_under_it(tmp_path: Path) -> None:
    """Its speeds are those around its own: the bounds of that number would make it fall."""
    session, steering = steering_of("walk-3d", tmp_path)
    for k in range(20):
        tilt(steering, (1.0, 0.0)[k % 2], 40.0 * k)
        for _ in range(10):
            session.step(0.1)
    assert session.world.fell_at is None


@pytest.mark.slow
def test_a_walker_that_is_balanced_step_by_step_takes_the_heading_alone(tmp_path: Path) -> None:
    session, steering = steering_of("human-walk", tmp_path)
    for k in range(5):
        tilt(steering, 1.0, 35.0 * k)
        assert steering.heading == pytest.approx(math.radians(35.0 * k))
        for _ in range(30):
            session.step(0.1)
    assert session.world.fell_at is None
    assert session.world.balance is not None
    assert session.world.balance.drive.speed is None
