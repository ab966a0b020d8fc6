"""A controller whose law comes from another package: the studio knows nothing of it but its kind."""

import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from footfall.control import registry
from footfall.errors import FootfallError
from footfall.studio import Studio
from footfall.studio.core.frames import FORMATS, frame_of, motion_bytes, recent_motion
from footfall.studio.core.geometry import Kinematics
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session
from footfall.studio.core.steering import WalkerSteering
from footfall.studio.core.world import Can
from tests.studio.controls import until
from tests.studio.own_law import SWAY, Sway, SwayLaw

TEXT = 'name = "sway-stand"\nlaw = "sway"\nswing = 0.2\n'


@pytest.fixture(autouse=True, scope="module")
def registered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Two kinds that bring a controller by name, as another package's would."""
    library = tmp_path_factory.mktemp("library")
    (library / "sway-stand.toml").write_text(TEXT)
    caches: list[Any] = [registry._kind, registry._library]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry.BUILT_IN, "sway", "tests.studio.own_law:SWAY")
        patch.setitem(registry.BUILT_IN, "edited-sway", "tests.studio.own_law:EDITED_SWAY")
        patch.setattr(SWAY, "library", library, raising=False)
        for cache in caches:
            cache.cache_clear()
        yield
    for cache in caches:
        cache.cache_clear()


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session("sway-stand", tmp_path)


def advance(session: Session, seconds: float) -> None:
    for _ in range(round(60 * seconds)):
        session.step()


def test_it_is_watched_pushed_and_reset(session: Session) -> None:
    assert session.world.can == Can()
    advance(session, 0.5)
    frame = frame_of(session, Kinematics(session.world.figure))
    assert (frame.name, frame.number, frame.right) == ("sway-stand", 0, False)
    assert frame.ghost is None
    assert frame.reference is None
    assert frame.contact.any()
    steering = WalkerSteering(session, Companion(session))
    before = float(session.world.state["qvel"][0, 0])
    steering.push(1.0, 0.0)
    advance(session, 0.1)
    assert float(session.world.state["qvel"][0, 0]) > before + 0.1
    assert session.history.last(0.1).push[:, 0].max() == 300.0
    advance(session, 3.0)
    assert session.world.fell_at is not None
    session.reset()
    assert session.world.fell_at is None
    assert session.world.time == 0.0


def test_its_past_is_shown_and_gone_on_from(session: Session) -> None:
    advance(session, 1.2)
    later = session.world.state["qpos"].copy()
    assert set(session.history.last(9.0).state["right"]) == {False, True}
    assert np.isnan(session.history.last(9.0).target).all()
    session.look_at(0.6)
    frame = frame_of(session, Kinematics(session.world.figure))
    assert frame.past
    assert frame.ghost is None
    session.resume_here()
    session.loop.playing = False
    assert session.world.time == pytest.approx(0.6, abs=0.11)
    session.world.advance(1.2 - session.world.time)
    np.testing.assert_allclose(session.world.state["qpos"], later, atol=1e-9)


def test_terrain_friction_load_and_gravity_change_under_it(session: Session) -> None:
    advance(session, 0.2)
    before = session.world.state["qpos"].copy()
    session.change_setting(terrain="steps:0.02,1.2,20")
    session.change_setting(friction=0.3)
    session.change_setting(load=20.0)
    session.change_setting(gravity=3.0)
    np.testing.assert_array_equal(session.world.state["qpos"], before)
    advance(session, 0.2)
    assert session.world.simulation.grounds[0].friction == 0.3
    assert not session.world.diverged


@pytest.mark.parametrize(
    "suffix",
    [
        pytest.param(suffix, marks=pytest.mark.extra("pxr") if suffix == ".usdz" else ())
        for suffix, _ in FORMATS.values()
        if suffix not in (".mp4", ".html")
    ],
)
def test_it_is_exported(session: Session, suffix: str) -> None:
    advance(session, 0.5)
    assert len(motion_bytes(recent_motion(session, 0.4), suffix)) > 500


def test_it_is_chosen_uploaded_saved_and_compared(session: Session, tmp_path: Path) -> None:
    assert "sway-stand" in session.library.names
    document = session.library.upload("mine.toml", TEXT.replace("sway-stand", "mine").encode())
    assert document.controller == Sway("mine")
    session.save("another-sway")
    assert registry.load_controller(tmp_path / "another-sway.toml") == Sway("another-sway")
    assert session.world.where()[0] == "another-sway"
    session.world.compare(session.document.saved)
    advance(session, 0.2)
    np.testing.assert_array_equal(session.world.saved_qpos(), session.world.state["qpos"][0])


def test_what_it_cannot_do_is_said_in_one_line(session: Session) -> None:
    steering = WalkerSteering(session, Companion(session))
    steering.turn(0.5)
    assert "cannot turn" in session.message
    steering.faster(0.1)
    assert "No speed" in session.message
    assert steering.speed is None
    steering.request_number(0)
    with pytest.raises(FootfallError, match="cannot switch"):
        steering.request("walk")
    with pytest.raises(FootfallError, match="not balanced step by step"):
        steering.drive(turn=5.0)
    with pytest.raises(FootfallError, match="no states"):
        session.world.state_pose("sway-stand", 0, np.zeros(9))


def test_numbers_that_its_kind_names_are_edited_while_it_runs(tmp_path: Path) -> None:
    session = Session(Sway("mine", law="edited-sway"), tmp_path)
    advance(session, 0.2)
    simulation = session.world.simulation
    kind = registry.kind_of(session.controller)
    session.edit(lambda c: kind.with_number(c, "swing", 0.6), "swing")
    assert session.world.simulation is simulation
    assert kind.differences(session.controller, session.document.saved) == [("swing", "0.2", "0.6")]
    advance(session, 0.4)
    knee = session.world.figure.joint("right_knee").qpos
    assert session.history.last(0.3).qpos[:, knee].min() < -0.6
    session.undo()
    assert session.controller == session.document.saved


def test_a_speed_that_its_kind_names_is_asked_for_like_every_other(tmp_path: Path) -> None:
    session = Session(Sway("mine", law="edited-sway"), tmp_path)
    steering = WalkerSteering(session, Companion(session))
    assert session.world.can == Can(speed=True)
    assert steering.speeds == (0.0, 20.0)
    steering.set_speed(8.0)
    steering.faster(0.5)
    assert steering.speed == 8.5
    assert session.controller == Sway("mine", speed=8.5, law="edited-sway")
    assert session.world.law.parameters[1] == 8.5
    steering.set_speed(50.0)
    assert steering.speed == 20.0


def test_a_law_without_a_key_is_watched_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SwayLaw, "key", None)
    session = Session("sway-stand", tmp_path)
    assert not session.world.can.compare
    advance(session, 0.2)
    session.reset()
    session.change_setting(friction=0.5)
    advance(session, 0.2)
    assert session.world.time == pytest.approx(0.2)


class _Complaints(logging.Handler):
    """Errors that the studio logged."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def test_every_panel_shows_it(tmp_path: Path) -> None:
    complaints = _Complaints()
    logging.getLogger("footfall.studio").addHandler(complaints)
    studio = Studio("walk", port=0, folder=tmp_path, shadows=False)
    try:
        _look_at_panels(studio)
    finally:
        studio.stop()
        logging.getLogger("footfall.studio").removeHandler(complaints)
    assert complaints.lines == []


def _look_at_panels(studio: Studio) -> None:
    session, layout = studio.session, studio.layout
    session.open("sway-stand")
    until(lambda: session.document.name == "sway-stand", what="the controller")
    until(lambda: session.world.time > 0.3, what="it to move")
    session.loop.call(lambda: session.play(False))
    assert layout.editor._nothing.visible
    assert not layout.editor.states.posing.visible
    assert not layout.show._ghost.visible
    assert not layout.gaits._speed.visible
    assert "cannot take a speed or turn" in layout.gaits._missing.item.props["html"]
    assert "cannot switch" in layout.gaits._note.content
    assert not any(folder.visible for folder in layout.steer._folders)
    assert "keeps its balance" in layout.balance._other.item.props["html"]
    assert layout.studies._note.visible
    layout.studies.sections["rose"].start()
    assert "No study" in session.message
    for kind in ("Angles and targets", "Torques", "Balance: d and v", "Speed and height"):
        layout.plots._kind.change(SimpleNamespace(number=0), kind)
        session.loop.call(lambda: session.step(0.1))
    assert session.loop.call(layout.export.motion).seconds > 0.2
    session.open("walk")
    until(lambda: session.document.name == "walk", what="the planar walk")
    session.loop.call(lambda: None)
    assert not layout.editor._nothing.visible
    assert layout.gaits._speed.visible
