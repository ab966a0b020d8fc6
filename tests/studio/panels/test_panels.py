"""Panels on a running studio, without a browser."""

from collections.abc import Iterator
from dataclasses import fields
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.methods.pendulum import Walk
from footfall.motion import Motion
from footfall.studio import Studio
from footfall.studio.core.clip import read_clip
from footfall.studio.core.frames import motion_bytes
from tests.studio.controls import until
from tests.studio.numbers import number_of


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    studio = Studio("walk", port=0, shadows=False)
    studio.shared.join(0, lambda: None)
    yield studio
    studio.stop()


def turn(studio: Studio, control: Any, value: Any) -> None:
    """Set a control as a browser would, and wait until that was dealt with."""
    control.change(SimpleNamespace(number=0), value)
    studio.session.loop.call(lambda: None)


def test_every_parameter_of_a_closed_form_walk_has_a_control_that_acts(studio: Studio) -> None:
    panel = studio.layout.pendulum
    assert set(panel.sliders) == {f.name for f in fields(Walk)}
    turn(studio, panel._on, True)
    walker = until(lambda: studio.companion.walker)
    for box in (panel._human, panel._follows):
        turn(studio, box, False)
    turn(studio, panel._width, "as set below")
    for name, slider in panel.sliders.items():
        before = np.array(walker.walkers.gait.stride.__dict__[s]) if (s := _shows(name)) else None
        turn(studio, slider, slider.value + 2 * slider.step)
        assert getattr(walker.walkers.gait.walk, name) == pytest.approx(panel._value(name)), name
        if before is not None:
            assert not np.array_equal(before, walker.walkers.gait.stride.__dict__[s]), name
    turn(studio, panel._width, "least hip torque")
    assert float(walker.walkers.gait.step_width[0]) == pytest.approx(0.077, abs=0.02)
    turn(studio, panel._follows, True)
    assert walker.walkers.gait.walk.cop_start is None
    turn(studio, panel._on, False)
    assert studio.companion.walker is None
    turn(studio, panel._on, True)
    assert until(lambda: studio.companion.walker).walkers.gait.walk.tilt == pytest.approx(panel._value("tilt"))
    turn(studio, panel._on, False)


def _shows(name: str) -> str:
    return {"frequency": "duration", "double_support": "double_time", "cop_start": "ankle", "slope": "sin_slope"}.get(
        name, ""
    )


def test_what_the_model_refuses_is_told_and_the_old_walk_goes_on(studio: Studio) -> None:
    panel = studio.layout.pendulum
    turn(studio, panel._on, True)
    walker = until(lambda: studio.companion.walker)
    turn(studio, panel._human, False)
    turn(studio, panel.sliders["frequency"], 1.0)
    turn(studio, panel.sliders["speed"], 2.0)
    until(lambda: "That did not work" in studio.session.message)
    assert walker.walkers.gait.walk.speed == studio.companion.pendulum.asked.get("speed", 1.0) != 2.0
    turn(studio, panel._human, True)
    turn(studio, panel._on, False)
    until(lambda: studio.companion.walker is None)
    studio.session.message = ""


@pytest.mark.slow
def test_a_study_runs_beside_a_walker_that_walks_on(studio: Studio) -> None:
    basin = studio.layout.studies.sections["basin"]
    studio.session.loop.play(True)
    began = studio.session.world.time
    basin.start(count=3)
    seen = []
    until(lambda: seen.append(basin.bar.value) or not basin.running, 300)
    until(lambda: "data-testid='basin'" in basin.picture.content, what="the picture")
    assert "of 9 starts walk" in basin.picture.content
    assert "9.8 m/s²" in basin.picture.content
    assert max(seen) > 0.3
    assert not basin.use.visible
    assert studio.session.world.time > began + 1.0
    assert studio.session.world.fell_at is None


@pytest.mark.slow
def test_a_search_shows_how_far_it_is_and_what_it_found_walks_here(studio: Studio) -> None:
    session, search = studio.session, studio.layout.studies.sections["optimise"]
    turn(studio, search.fields["generations"], 2)
    search.start(population=4)
    told = []
    until(lambda: told.append(search._words.item.props["html"]) or not search.running, 300)
    until(lambda: search.use.visible, what="the controller")
    assert any("generation" in words for words in told)
    assert "torque" in search.picture.content
    search.use.press(SimpleNamespace(number=0))
    until(lambda: session.document.name == "walk-optimised", what="what was found")
    assert "walk-optimised" in studio.gui.find("gait/controller").options
    search.use.press(SimpleNamespace(number=0))
    until(lambda: session.document.name == "walk-optimised-2", what="what was found, once more")
    session.open("walk")
    until(lambda: session.document.name == "walk", what="the planar walk")
    session.message = ""


def test_a_study_that_is_stopped_says_nothing_and_one_that_dies_does(studio: Studio) -> None:
    rose = studio.layout.studies.sections["rose"]
    before = rose.picture.content
    rose.start(directions=4, sizes=6)
    first = rose.job.process
    rose.start(directions=4, sizes=6)
    assert first.wait(10) < 0
    second = rose.job.process
    rose.stop()
    assert second.wait(10) < 0
    assert not rose.running
    assert rose.picture.content == before
    assert studio.session.message == ""
    rose.start(directions=4, sizes=6)
    rose.job.process.kill()
    until(lambda: "without a result" in studio.session.message)
    studio.session.message = ""
    rose.start(directions=-1)
    until(lambda: "at least one of each" in studio.session.message, 120)
    assert not rose.bar.visible
    studio.session.message = ""


def marching() -> bytes:
    """An .npz of a figure that slides along at 1 m/s for 2 s, turning its hips."""
    figure = Figure.load("planar-biped")
    times = np.linspace(0.0, 2.0, 61)
    qpos = np.tile(figure.default_qpos, (len(times), 1))
    qpos[:, 0], qpos[:, 3], qpos[:, 6] = times, np.sin(times), -np.sin(times)
    return motion_bytes(Motion.from_qpos(figure, times, qpos), ".npz")


def test_a_clip_plays_in_step_with_the_studio_and_goes_back_with_it(studio: Studio) -> None:
    panel = studio.layout.clips
    studio.session.loop.call(studio.session.reset)
    studio.session.loop.play(False)
    studio.session.loop.call(lambda: panel.enter(read_clip("march.npz", marching())))

    def drawn() -> np.ndarray:
        studio.session.loop.call(lambda: None)  # done in the turn after the one that drew what came before
        return np.asarray(panel._view.places)

    for _ in range(90):
        studio.session.loop.call(studio.session.step)
    then, at = studio.session.world.time, drawn()
    position, _ = panel.clip.pose(panel.time(then))
    place = [studio.session.world.simulation.qpos[0, 0] - 0.8, 1.0, 0.0]
    shaped = panel._view.bodies
    np.testing.assert_allclose(at, (position + place)[shaped], atol=1e-6)
    for _ in range(45):
        studio.session.loop.call(studio.session.step)
    assert np.abs(drawn() - at).max() > 0.01
    studio.session.loop.call(lambda: studio.session.look_at(studio.session.history.end - 0.75))
    seen = studio.frame().time
    moved = panel.clip.pose(panel.time(seen))[0] + [studio.frame().qpos[0] - 0.8, 1.0, 0.0]
    np.testing.assert_allclose(drawn(), moved[shaped], atol=1e-6)
    studio.session.loop.call(lambda: studio.session.look_at(studio.session.history.end))
    now = panel.time(studio.session.world.time)
    turn(studio, panel.speed, 0.0)
    studio.session.loop.call(studio.session.step)
    assert panel.time(studio.session.world.time) == pytest.approx(now)
    turn(studio, panel.speed, 2.0)
    before = studio.session.world.time
    studio.session.loop.call(studio.session.step)
    assert panel.time(studio.session.world.time) == pytest.approx(now + 2.0 * (studio.session.world.time - before))
    turn(studio, panel.speed, 1.0)


def test_a_bad_clip_is_told_and_the_one_that_plays_stays(studio: Studio) -> None:
    panel = studio.layout.clips
    studio.session.loop.call(lambda: panel.enter(read_clip("march.npz", marching())))
    clip = panel.clip
    button = studio.gui.find("motion/load-a-motion-clip")
    button.call(SimpleNamespace(number=0), ("bad.bvh", b"HIERARCHY\nrubbish"))
    until(lambda: "'bad.bvh'" in studio.session.message)
    assert panel.clip is clip
    turn(studio, panel.onto, True)
    until(lambda: panel.shown is not clip)
    assert panel.shown.motion.figure == "planar-biped"
    turn(studio, panel.onto, False)
    until(lambda: panel.shown is clip)
    studio.session.loop.call(panel.remove)
    studio.session.loop.call(studio.session.step)
    assert panel.clip is None
    studio.session.message = ""


def test_a_tracked_character_has_sliders_for_its_gains_and_a_steered_one_its_styles(studio: Studio) -> None:
    session, layout = studio.session, studio.layout
    session.open("tracked-walk")
    until(lambda: session.document.name == "tracked-walk", what="the tracked walk")
    session.loop.call(lambda: None)
    editor, before = layout.editor, number_of(session.controller, "c1_cor")
    assert not editor.states.posing.visible
    assert editor.numbers.sliders["c1_cor"].value == pytest.approx(before, abs=1e-3)
    turn(studio, editor.numbers.sliders["c1_cor"], before + 0.1)
    assert number_of(session.controller, "c1_cor") == pytest.approx(before + 0.1, abs=1e-4)
    assert layout.gaits._speed.disabled
    studio.session.loop.call(lambda: session.step(0.5))
    assert studio.stage.clip.visible
    session.loop.call(session.undo)
    assert editor.numbers.sliders["c1_cor"].value == pytest.approx(before, abs=1e-3)
    session.open("steered-walk")
    until(lambda: session.world.clip, what="the steered walk")
    session.loop.call(lambda: None)
    assert set(layout.gaits._buttons) == {"normal", "march", "lean"}
    assert not editor._compare.visible
    turn(studio, layout.gaits._speed, 0.5)
    assert session.world.drive.speed == 0.5
    session.loop.call(lambda: studio.steering.request("march"))
    assert layout.gaits._buttons["march"].on
    session.open("walk")
    until(lambda: session.document.name == "walk", what="the planar walk")
    session.loop.call(lambda: None)
    assert editor.states.posing.visible
    assert not studio.stage.clip.visible
    assert session.setting.friction == pytest.approx(0.65)


@pytest.mark.slow
def test_a_balanced_walker_without_the_joints_for_turning_has_no_turn_buttons(studio: Studio) -> None:
    session, steer = studio.session, studio.layout.steer
    session.message = ""
    session.open("human-12-walk")
    until(lambda: session.world.can.balance, what="the human of 12 joints")
    session.loop.call(lambda: None)
    assert "did not work" not in session.message
    assert not session.world.can.turn
    assert not steer._turn.visible
    assert steer._heading.disabled
    assert steer._postures["bent-knee"].disabled
    assert studio.layout.balance._folder.visible
    session.open("walk")
    until(lambda: session.document.name == "walk", what="the planar walk")


def test_the_gait_laboratory_shows_the_last_cycles_and_one_of_them(studio: Studio) -> None:
    panel = studio.layout.cycles
    studio.session.act(lambda: studio.session.play(True))
    report = until(lambda: panel.report if panel.report and len(panel.report.cycles) >= 3 else None)
    until(lambda: "polyline" in panel._curves.content and "cadence" in panel._table.content, what="the drawing")
    assert {cycle.side for cycle in report.cycles} == {"left", "right"}
    turn(studio, panel.follow, False)
    begins = until(lambda: panel.report).cycles[1].start
    turn(studio, panel.cycle, 2)
    assert "cycle" in panel._note.content
    assert studio.session.looking == pytest.approx(begins, abs=0.02)
    turn(studio, panel.people, "/no/such/folder")
    until(lambda: "no folder" in panel._note.content)
    turn(studio, panel.people, "")
    turn(studio, panel.cycle, 0)


def test_a_state_that_another_page_took_away_is_not_chosen(studio: Studio) -> None:
    """A choice that waits its turn may be of a state that an edit before it removes."""
    states = studio.layout.editor.states
    before = studio.session.selected
    for label in ("no such state", states._state.options[-1]):
        studio.session.loop.call(lambda label=label: states._choose(label))
        assert studio.session.selected == (before if label == "no such state" else len(states._state.options) - 1)
