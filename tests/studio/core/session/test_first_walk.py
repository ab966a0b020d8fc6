"""The default controller: known at once where it was compiled before, else compiled beside a quick one."""

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
from footfall.studio import DEFAULT_CONTROLLER, QUICK_CONTROLLER
from footfall.studio.core import making
from footfall.studio.core.making import compile_awaited, world_of
from footfall.studio.core.session import Session
from tests.studio.controls import until

LATER = "run"
"""A controller that stands for the default one, with a kernel that needs no half minute."""


@pytest.fixture(autouse=True)
def default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "DEFAULT_CONTROLLER", LATER)


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    """A session whose default controller was never compiled."""

    def load(*_: Any) -> None:
        if not kernel_building._PATIENT.get():
            raise NotCompiledError("not compiled yet")

    with monkeypatch.context() as at_first:
        at_first.setattr(simulation, "load_kernel", load)
        made = Session(None, tmp_path)
    made.loop.start()
    yield made
    made.loop.stop()


def test_the_default_controllers_are_built_in() -> None:
    assert {DEFAULT_CONTROLLER, QUICK_CONTROLLER} <= set(controller_names())


def test_what_was_compiled_before_walks_at_once(tmp_path: Path) -> None:
    Session(LATER, tmp_path)
    made = Session(None, tmp_path)
    assert (made.document.name, made.awaited) == (LATER, "")


def test_what_is_compiled_beside_takes_over(started: Session) -> None:
    assert (started.document.name, started.awaited) == (QUICK_CONTROLLER, LATER)
    compile_awaited(started)
    until(lambda: started.message.startswith("Now walking"), what="the awaited controller")
    assert (started.document.name, started.awaited) == (LATER, "")


def test_it_does_not_take_over_from_somebody_who_edits(started: Session) -> None:
    def edit() -> None:
        compile_awaited(started)
        started.edit(lambda g: with_hold(g, 0, 0.31))

    started.loop.call(edit)
    until(lambda: started.message != "", what="the awaited controller")
    assert started.document.name == QUICK_CONTROLLER
    assert started.controller.states[0].hold == 0.31
    assert "is ready" in started.message


def test_a_controller_that_is_asked_for_is_waited_for(tmp_path: Path) -> None:
    assert Session("walk", tmp_path).awaited == ""


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
