"""Laws of walking in closed form: integration, mirror images, feet that neither slide nor sink."""

import pytest

from footfall.methods.pendulum import Person, periodic_gait, record_walk
from footfall.push import Push
from footfall_reproductions.pendulum.laws import (
    CONDITIONS,
    combinations,
    feet_and_knees,
    integration_error,
    mirror_error,
    phase_jumps,
    walked,
)


def test_closed_form_is_what_integration_gives():
    assert integration_error(6) < 1e-9


def test_left_and_right_are_mirror_images():
    assert mirror_error() < 1e-12


@pytest.mark.parametrize("letter", CONDITIONS)
def test_feet_neither_slide_nor_sink(letter):
    _, height, changes = CONDITIONS[letter]
    measured = feet_and_knees(walked(height, changes, steps=4))
    assert measured["sink"] < 1e-9
    assert measured["slide"] < 1e-3
    assert 0 < measured["knee_least"] < measured["knee_most"] < 130


def test_combined_conditions_keep_their_feet():
    _, _, measured = combinations(8)
    assert measured
    assert all(m["slide"] < 1e-3 and m["sink"] < 1e-9 for m in measured)


def test_pushed_turning_feet_do_not_slide():
    walk = record_walk(periodic_gait(Person.of()), 5.0, pushes=[Push((30, 20, 0), 1.0, 0.4)], turns={1.0: 0.2})
    measured = feet_and_knees(walk)
    assert measured["slide"] < 2e-3
    assert measured["sink"] < 1e-9


def test_nothing_jumps_at_phase_changes():
    place, speed = phase_jumps()
    assert place < 1e-4
    assert speed < 0.1
