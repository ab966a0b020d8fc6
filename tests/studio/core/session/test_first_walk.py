"""The first walk: at once where it was compiled before; else the walker stands while that is done."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.control import controller_names
from footfall.kernels import building as kernel_building
from footfall.kernels.building import NotCompiledError
from footfall.methods.simbicon.editing import with_hold
from footfall.simulation import kernels, simulation
from footfall.studio import DEFAULT_CONTROLLER
from footfall.studio.core import making
from footfall.studio.core.making import load_soon, world_of
from footfall.studio.core.session import Session
from tests.studio.controls import until

FIRST = "run"
"""A controller that stands for the default one, with a kernel that needs no half minute."""


@pytest.fixture(autouse=True)
def default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "DEFAULT_CONTROLLER", FIRST)


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session whose default controller was never compiled."""

    def load(*_: Any) -> None:
        if not kernel_building._PATIENT.get():
            raise NotCompiledError("not compiled yet")

    with monkeypatch.context() as at_first:
        at_first.setattr(simulation, "load_kernel", load)
        made = Session(None, tmp_path, stand=True)
    made.loop.start()
    yield made
    made.loop.stop()


def test_the_default_controller_is_built_in() -> None:
    assert DEFAULT_CONTROLLER in controller_names()


@pytest.mark.parametrize("controller", [None, "walk"])
def test_what_was_compiled_before_walks_at_once(tmp_path: Path, controller: str | None) -> None:
    Session(controller or FIRST, tmp_path)
    made = Session(controller, tmp_path, stand=True)
    assert (made.document.name, made.world.standing) == (controller or FIRST, False)


def test_what_was_not_stands_until_it_is(started: Session) -> None:
    world, pose = started.world, started.world.state["qpos"].copy()
    assert (started.document.name, world.standing) == (FIRST, True)
    for act in (lambda: started.step(0.5), started.reset, lambda: started.world.push((100.0, 0.0, 0.0), 0.1)):
        started.loop.call(act)
    assert started.world is world
    assert world.time == 0.0
    np.testing.assert_array_equal(world.state["qpos"], pose)
    load_soon(started)
    assert [task.words.partition(" ")[0] for task in started.tasks] == ["Compiling"]
    until(lambda: started.message.startswith("Now walking"), what="the walk")
    assert (started.document.name, started.world.standing) == (FIRST, False)
    started.loop.call(lambda: started.step(0.5))
    assert started.world.time > 0.4


def test_what_was_edited_meanwhile_walks(started: Session) -> None:
    started.loop.call(lambda: started.edit(lambda g: with_hold(g, 0, 0.31)))
    load_soon(started)
    started.loop.call(started.cancel_tasks)
    until(lambda: started.message.startswith("Now walking"), what="the walk")
    assert started.world.controllers[0].states[0].hold == started.controller.states[0].hold == 0.31
    assert not started.world.standing


def test_it_does_not_take_over_from_another_controller(started: Session) -> None:
    started.open("walk")
    until(lambda: started.document.name == "walk", what="the other walk")
    before = started.world
    load_soon(started)
    started.loop.call(lambda: started.step(0.1))
    assert started.world is before
    assert not before.standing


def test_a_fall_is_the_same_where_what_follows_it_was_not_loaded_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "_ragdolls", {})
    first, again = Session("walk", tmp_path), Session("walk", tmp_path)
    assert not kernels._ragdolls
    again.world = world_of(again.library, again.document, again.setting)
    assert kernels._ragdolls
    for session in (first, again):
        session.world.push((-900.0, 0.0, 0.0), 0.3)
        session.step(2.0)
        assert session.world.fell_at is not None
    for name in ("qpos", "qvel"):
        np.testing.assert_array_equal(first.world.state[name], again.world.state[name])
