"""A session without a page: what a studio does, and what it shows of the present and of the past."""

import json
import math
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.control import load_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure, figure_names
from footfall.methods.simbicon.editing import add_state, graph_differences, with_hold, with_target
from footfall.studio.core.background import DocumentChanged, Rewound, Said, WorldChanged
from footfall.studio.core.frames import Moment, frame_of, live_page_bytes, motion_bytes, recent_motion, shown_end
from footfall.studio.core.geometry import Kinematics
from footfall.studio.core.library import Library
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session
from footfall.studio.core.setting import Setting
from footfall.studio.core.steering import WalkerSteering
from tests.studio.controls import until

TEXT = print_controller(load_controller("walk"))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session whose loop does not run: this thread owns it."""
    return Session("walk", tmp_path)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Session]:
    session = Session("walk", tmp_path)
    session.loop.start()
    yield session
    session.loop.stop()


def advance(session: Session, seconds: float) -> None:
    for _ in range(round(60 * seconds)):
        session.step()


def shown(session: Session) -> Moment:
    return frame_of(session, Kinematics(session.world.figure))


# -- controllers -------------------------------------------------------------------------------------------------------


def test_a_misspelt_role_is_refused_when_the_controller_is_loaded(tmp_path: Path) -> None:
    bad = TEXT.replace('"walk"', '"mine"').replace("swing_knee", "swing_kne")
    library = Library(None)
    with pytest.raises(FootfallError, match="swing_kne"):
        library.upload("mine.toml", bad.encode())
    assert "mine" not in library.documents
    (tmp_path / "mine.toml").write_text(bad)
    session = Session("walk", tmp_path)
    assert "mine" not in [c.name for c in session.world.controllers]
    (told,) = session.library.skipped
    assert "mine.toml" in told
    assert "\n" not in told


def test_saving_under_a_new_name_does_not_restart_the_walk(session: Session) -> None:
    advance(session, 1.0)
    session.edit(lambda g: with_hold(g, 0, 0.28))
    before, place = session.world.time, session.world.where()[1:]
    qpos = session.world.state["qpos"].copy()
    session.save("my-walk")
    assert session.world.time == before
    np.testing.assert_array_equal(session.world.state["qpos"], qpos)
    assert session.world.where() == ("my-walk", *place)
    assert session.document.name == "my-walk"
    assert session.controller.states[0].hold == 0.28
    assert session.library.document("walk").controller.states[0].hold == 0.3
    advance(session, 1.0)
    assert session.world.fell_at is None
    assert set(session.history.last(9.0).state["name"]) == {"walk", "my-walk"}


def test_changes_are_listed_in_degrees_like_the_sliders() -> None:
    walk = load_controller("walk")
    ((what, old, new),) = graph_differences(with_target(walk, 0, "swing_knee", angle=-math.radians(70.0)), walk)
    assert (what, new) == ("0 swing knee angle", "-70.0°")
    assert old.endswith("°")


@pytest.mark.slow
def test_a_change_that_needs_another_kernel_is_compiled_while_it_walks_on(
    running: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiling, done = threading.Event(), threading.Event()
    build = type(running.world).prepare

    def slowly(world: Any, **change: Any) -> None:
        compiling.set()
        done.wait(30)
        build(world, **change)

    monkeypatch.setattr(type(running.world), "prepare", slowly)
    while not running.world.needs_kernel(add_state(running.controller, 0)):
        running.loop.call(lambda: running.edit(lambda g: add_state(g, 0)))
    count = len(running.controller.states)
    running.loop.play(True)
    running.loop.call(lambda: running.edit(lambda g: add_state(g, 0)))
    assert compiling.wait(10)
    before = running.world.time
    until(lambda: running.world.time > before + 0.3, what="the walker to walk on")
    assert len(running.controller.states) == count
    (task,) = running.tasks
    assert "Compiling" in task.words
    done.set()
    until(lambda: len(running.controller.states) == count + 1, what="the edit")


def test_what_is_compiled_can_be_cancelled(running: Session) -> None:
    begun, done = threading.Event(), threading.Event()
    entered: list[int] = []

    def slowly() -> int:
        begun.set()
        done.wait(30)
        return 1

    running.in_background("test", slowly, entered.append, words="Compiling")
    assert begun.wait(10)
    assert [task.words for task in running.tasks] == ["Compiling"]
    running.cancel_tasks()
    assert running.tasks == ()
    done.set()
    running.in_background("test", lambda: 2, entered.append, words="Compiling")
    until(lambda: entered, what="the second one")
    assert entered == [2]


def test_the_same_error_is_not_shown_at_every_move_of_the_mouse(session: Session) -> None:
    said: list[str] = []
    session.events.on(Said, lambda event: said.append(event.text))
    for text in ("a", "a", "b", "a"):
        session.fail(FootfallError(text))
    assert said == ["a", "b", "a"]


def test_gravity_is_that_of_the_figures() -> None:
    for name in figure_names():
        assert Figure.load(name).model.opt.gravity[2] == pytest.approx(-Setting().gravity), name


def test_undo_says_whether_there_is_anything_to_undo(session: Session) -> None:
    assert not session.document.can_undo
    session.edit(lambda g: with_hold(g, 0, 0.2))
    assert session.document.can_undo
    assert not session.document.can_redo
    session.undo()
    assert not session.document.can_undo
    assert session.document.can_redo


# -- the past ----------------------------------------------------------------------------------------------------------


def test_editing_does_not_rewrite_the_targets_of_the_past(session: Session) -> None:
    advance(session, 1.0)
    before = session.history.last(0.8).target.copy()
    session.edit(lambda g: with_target(g, 0, "swing_knee", angle=-1.6))
    seen = session.history.last(0.8)
    np.testing.assert_array_equal(seen.target, before)
    advance(session, 1.0)
    knees = [session.world.figure.joint(f"{side}_knee").qpos for side in ("left", "right")]
    assert session.history.last(0.8).target[:, knees].min() == pytest.approx(-1.6)
    assert before[:, knees].min() > -1.2


def test_the_past_is_shown_as_it_was(session: Session) -> None:
    frames = []
    for _ in range(240):
        session.step()
        if abs(session.world.time * 20 - round(session.world.time * 20)) < 1e-6:  # where samples and frames coincide
            frames.append(shown(session))
    assert len(frames) > 10
    for then in frames[3:-1:5]:
        session.look_at(then.time)
        now = shown(session)
        assert now.past
        assert now.time == pytest.approx(then.time)
        assert (now.number, now.right, now.name) == (then.number, then.right, then.name)
        assert abs(now.steps - then.steps) <= 1
        assert now.speed == pytest.approx(then.speed, abs=0.05)
        np.testing.assert_allclose(now.qpos, then.qpos, atol=1e-9)
        kinematics = Kinematics(session.world.figure)
        terrain, ground = session.world.simulation.terrains[0], session.world.simulation.grounds[0]
        one, two = (
            kinematics.ground_forces(kinematics.place(f.qpos, f.qvel), f.anchors, then.contact, terrain, ground)[1]
            for f in (now, then)
        )
        np.testing.assert_allclose(one, two, atol=40.0)


def test_walking_on_from_the_past_removes_later_footprints(session: Session) -> None:
    told: list[float] = []
    session.events.on(Rewound, lambda event: told.append(event.time))
    advance(session, 4.0)
    steps = session.tracks.steps()
    session.look_at(2.0)
    assert 0 < session.tracks.steps(2.0) < steps
    session.play(True)
    assert told == [session.world.time]
    assert 1.85 < session.world.time <= 2.0
    assert session.tracks.steps() == session.tracks.steps(2.0)
    assert all(p.time <= session.world.time for p in session.tracks.footprints)
    assert session.history.end <= session.world.time
    assert session.looking is None


def test_footprints_and_trail_do_not_depend_on_the_frames_that_are_drawn(tmp_path: Path) -> None:
    often, seldom = Session("walk", tmp_path), Session("walk", tmp_path)
    for _ in range(180):
        often.step(1 / 60)
    for _ in range(12):
        seldom.step(0.25)
    one, two = (s.tracks.last(99) for s in (often, seldom))
    assert len(one) == len(two) > 5
    for a, b in zip(one, two, strict=True):
        np.testing.assert_allclose(a.heel, b.heel, atol=1e-9)
    np.testing.assert_allclose(often.tracks.trail(50), seldom.tracks.trail(50), atol=1e-9)


def test_nothing_pulls_at_a_walker_that_does_not_touch_the_ground_yet(session: Session) -> None:
    frame, kinematics = shown(session), Kinematics(session.world.figure)
    placed = kinematics.place(frame.qpos, frame.qvel)
    simulation = session.world.simulation
    _, forces = kinematics.ground_forces(
        placed, frame.anchors, frame.contact, simulation.terrains[0], simulation.grounds[0]
    )
    weight = 9.8 * sum(float(b.mass) for b in session.world.figure.bodies)
    assert np.linalg.norm(forces, axis=1).max() < 5 * weight


def test_after_a_fall_there_is_no_speed_and_plots_end_with_it(session: Session) -> None:
    advance(session, 1.0)
    session.world.push((-1500.0, 0.0, 0.0), 0.3)
    advance(session, 3.0)
    fell = session.world.fell_at
    assert fell is not None
    frame = shown(session)
    assert frame.fallen
    assert frame.speed is None
    assert frame.ghost is None
    assert shown_end(session) == fell
    session.look_at(fell - 0.5)
    frame = shown(session)
    assert not frame.fallen
    assert frame.speed is not None
    assert shown_end(session) == pytest.approx(fell - 0.5)
    session.play(True)
    assert session.world.fell_at is None
    session.loop.playing = False


# -- exports, terrain, the walker beside -------------------------------------------------------------------------------


@pytest.mark.parametrize("at_origin", [True, False])
def test_an_export_begins_at_time_0_and_where_one_wants(session: Session, at_origin: bool) -> None:
    advance(session, 4.0)
    motion = recent_motion(session, 1.0, at_origin=at_origin)
    assert motion.times[0] == 0.0
    assert motion.seconds == pytest.approx(1.0, abs=0.02)
    x = motion.root_position[0, 0]
    assert x == pytest.approx(0.0 if at_origin else session.history.last(1.0).qpos[0, 0], abs=1e-9)
    assert motion.channels["qpos"][0, 0] == pytest.approx(x)
    assert len(motion_bytes(motion, ".bvh")) > 1000


def test_reset_keeps_the_walker_beside(session: Session) -> None:
    companion = Companion(session)
    advance(session, 2.0)
    companion.switch(True)
    companion.pendulum.ask(speed=1.3)
    advance(session, 1.0)
    session.reset()
    assert companion.walker is not None
    assert companion.walker.asked["speed"] == 1.3
    assert abs(companion.walker.place()[0]) < 0.5


def test_events_tell_of_other_worlds_and_documents(session: Session) -> None:
    told: list[object] = []
    session.events.on(WorldChanged, told.append)
    session.events.on(DocumentChanged, told.append)
    session.select(1)
    assert [type(event) for event in told] == [DocumentChanged]
    session.save("mine")
    assert told[1] == WorldChanged(False)


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
def test_terrain_begins_along_the_heading(tmp_path: Path) -> None:
    session = Session("human-walk", tmp_path)
    session.loop.start()
    try:
        _turn_and_climb(session)
    finally:
        session.loop.stop()


def _turn_and_climb(session: Session) -> None:
    steering = WalkerSteering(session, Companion(session))
    call: Callable[[Callable[[], Any]], Any] = session.loop.call
    call(lambda: advance(session, 2.0))
    call(lambda: steering.hold_heading(math.radians(60.0)))
    call(lambda: advance(session, 8.0))
    from footfall.studio.core.geometry import heading_of

    heading = heading_of(session.world.state["qpos"][0])
    assert heading > math.radians(30.0)
    call(lambda: session.change_setting(terrain="steps:0.02,1.2,20"))
    until(lambda: session.setting.terrain.startswith("steps"), what="the terrain")
    terrain, place = session.world.simulation.terrains[0], session.world.state["qpos"][0][:2]
    ahead = np.array([math.cos(heading), math.sin(heading)])
    heights = [float(terrain.height(*(place + s * ahead))) for s in (0.0, 1.0, 10.0, 20.0)]
    assert heights[0] == pytest.approx(0.0, abs=0.01)
    assert heights[0] <= heights[1] < heights[2] < heights[3]
    assert float(terrain.height(*(place - 10.0 * ahead))) == pytest.approx(0.0, abs=0.01)


def test_the_core_needs_no_page() -> None:
    import subprocess

    script = (
        "import sys; import footfall.studio.core.frames;"
        "import footfall.studio.core.steering;"
        "assert 'websockets' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_the_edited_controller_becomes_a_live_page(session: Session) -> None:
    session.edit(lambda g: with_hold(g, 0, 0.31))
    text = live_page_bytes(session.controller, session.setting, fixed=True).decode()
    (character,) = json.loads(text.partition('id="data">')[2].partition("</script>")[0])["characters"]
    assert character["gaits"][0]["parameters"]["0.hold"]["value"] == 0.31
