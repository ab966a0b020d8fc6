"""Versions of an edited controller."""

from footfall.control import load_controller
from footfall.methods.simbicon.editing import with_hold
from footfall.studio.core.library import Document

WALK = load_controller("walk")


def test_undo_and_redo_travel_the_same_way_in_both_directions() -> None:
    document = Document(WALK)
    versions = [WALK]
    for hold in (0.1, 0.2, 0.3, 0.4):
        document.edit(with_hold(document.controller, 0, hold))
        versions.append(document.controller)
    for version in reversed(versions[:-1]):
        assert document.undo()
        assert document.controller == version
    assert not document.undo()
    for version in versions[1:]:
        assert document.redo()
        assert document.controller == version
    assert not document.redo()


def test_a_dragged_slider_is_one_version_and_an_edit_forgets_what_was_undone() -> None:
    now = [0.0]
    document = Document(WALK, clock=lambda: now[0])
    for k in range(10):
        now[0] += 0.05
        document.edit(with_hold(WALK, 0, 0.3 + 0.01 * (k + 1)), "0 hold")
    assert document.undo()
    assert document.controller == WALK
    assert not document.can_undo
    document.edit(with_hold(WALK, 1, 0.5))
    assert not document.can_redo


def test_an_edit_that_changes_nothing_is_no_version() -> None:
    document = Document(WALK)
    assert not document.edit(with_hold(WALK, 0, WALK.states[0].hold))
    assert not document.can_undo
    assert not document.changed
