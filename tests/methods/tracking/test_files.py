"""Tracking controllers as files."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from footfall.control import controller_names, load_controller, print_controller, save_controller
from footfall.control.registry import load_walker
from footfall.errors import FootfallError
from footfall.methods.tracking import (
    TrackingController,
    load_tracking,
    parse_tracking,
    print_tracking,
)


def test_a_steered_controller_walks_straight_ahead_by_itself():
    alone = load_walker("steered-walk")
    assert alone.law == "tracking"
    fragments = alone.repertoire.fragments
    assert fragments[-1].successor >= 0  # round and round
    kinds = [fragment.kind for fragment in fragments[1:]]
    assert all({one, two} == {"left_swing", "right_swing"} for one, two in pairwise(kinds))
    assert fragments[fragments[-1].successor].kind != kinds[-1]
    loop = fragments[fragments[-1].successor :]
    assert sum(fragment.turn for fragment in loop) == pytest.approx(0.0, abs=1e-9)
    assert load_walker("tracked-walk").name == "tracked-walk"


def test_a_file_reads_back_as_it_was(standing, tmp_path):
    controller = standing.changed(c1_sag=0.07, feedforward=1.3, friction=2.0)
    path = tmp_path / "standing.toml"
    save_controller(controller, path)
    again = load_controller(path)
    assert again.repertoire.gains == controller.repertoire.gains
    assert again.repertoire.settings == controller.repertoire.settings
    assert again.repertoire.ground == controller.repertoire.ground
    np.testing.assert_allclose(
        again.repertoire.fragments[0].frames, controller.repertoire.fragments[0].frames, atol=1e-4
    )
    assert print_tracking(parse_tracking(print_tracking(again))) == print_tracking(again)


def test_numbers_of_numpy_are_written_as_plain_ones(standing):
    report = {"pace": np.float64(0.9), "fell": np.bool_(False), "steps": np.int64(3)}
    again = parse_tracking(print_tracking(replace(standing, report=report)))
    assert again.report == {"pace": 0.9, "fell": False, "steps": 3}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('law = "tracking"', 'law = "other"'), "law"),
        (('kind = "stand"', 'kind = "dance"'), "choose one of"),
        (("c1_sag = 0.05", "c1_sag = 'much'"), "must be a number"),
        (("c1_sag = 0.05", "c9 = 1"), "unknown key 'c9'"),
        (("successor = -1", "successor = 7"), "which is not there"),
        (("successor = -1", "successor = -2"), "which is not there"),
        (("successor = -1", "successor = 0.5"), "must be a whole number"),
        (("gains = 0", "gains = 1"), "fragment 0: gains is 1"),
        (("gains = 0", "gains = -1"), "fragment 0: gains is -1"),
        (('law = "tracking"', 'law = "tracking"\nstart = 1000000'), "start is 1000000"),
        (('law = "tracking"', 'law = "tracking"\nstart = "x"'), "start is 'x'"),
        (("[[gains]]", "[settings]\nframe_time = 0.0\n\n[[gains]]"), "frame_time is 0.0"),
        (("frames = [", "frames = [[1, 2], [3]], more = ["), "TOML"),
    ],
)
def test_bad_files_are_refused_in_words(standing, change, words):
    with pytest.raises(FootfallError, match=words):
        parse_tracking(print_tracking(standing).replace(*change))


def test_built_in_ones_have_names_of_their_own():
    assert "tracked-walk" in controller_names()
    assert load_tracking("tracked-walk").name == "tracked-walk"


@pytest.mark.parametrize(
    "line",
    [
        'law = "tracking"',
        "law = 'tracking'",
        'law="tracking"  # a comment',
        '  law   =   """tracking"""',
        '"law" = "tracking"',
    ],
)
@pytest.mark.parametrize("place", ["first", "last"])
def test_a_file_is_recognised_by_what_it_says_not_by_how(standing, line, place, tmp_path):
    text = print_tracking(standing).replace('law = "tracking"\n', "")
    head, _, rest = text.partition("\n\n")
    lines = [line, head] if place == "first" else [head, *["# a comment"] * 30, line]
    path = tmp_path / "standing.toml"
    path.write_text("\n".join(lines) + "\n\n" + rest)
    assert isinstance(load_controller(path), TrackingController)


def test_a_file_that_only_mentions_the_law_is_not_under_it(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(print_controller(load_controller("walk")) + '\n[basin]\nlaw = "tracking"\n# law = "tracking"\n')
    assert load_controller(path).law == "simbicon"
