"""The speed that is asked for, or shown, is the one that the walker has."""

import pytest

from footfall.studio.core.frames import speed_of
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session
from footfall.studio.core.steering import WalkerSteering


@pytest.fixture
def steering() -> WalkerSteering:
    session = Session("walk")
    return WalkerSteering(session, Companion(session))


def go_on(steering: WalkerSteering, seconds: float) -> float:
    """Walk for a while; the speed over the last four seconds."""
    session = steering._session
    for _ in range(round(4 * seconds)):
        session.step(0.25)
    return speed_of(session, session.world.time, 4.0) or 0.0


def test_the_speed_of_an_untouched_walk_is_shown(steering: WalkerSteering) -> None:
    assert steering.pace.shown == 0.0, "it has not walked yet"
    really = go_on(steering, 12.0)
    assert steering.pace.shown == pytest.approx(really, abs=0.05)
    assert steering.speed == 0.0, "its law is asked for nothing else"


@pytest.mark.parametrize("wanted", [0.95, 1.05])
def test_a_speed_that_is_asked_for_comes_true_in_one_version(steering: WalkerSteering, wanted: float) -> None:
    go_on(steering, 8.0)
    steering.set_speed(wanted)
    assert steering.pace.shown == pytest.approx(wanted, abs=0.006)
    assert go_on(steering, 24.0) == pytest.approx(wanted, abs=0.05)
    assert steering.pace.shown == pytest.approx(wanted, abs=0.05)
    steering._session.undo()
    assert not steering._session.document.can_undo, "the search for it is one version"
    go_on(steering, 8.0)
    assert steering.speed == 0.0, "what was taken back is not asked for again"


def test_a_speed_that_it_cannot_walk_at_is_not_shown_and_it_stays_up(steering: WalkerSteering) -> None:
    go_on(steering, 8.0)
    steering.set_speed(1.3)
    really = go_on(steering, 24.0)
    assert steering._session.world.fell_at is None
    assert steering.pace.shown == pytest.approx(really, abs=0.05)
    assert really < 1.25
