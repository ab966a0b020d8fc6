"""Streams of a motion graph: headings are met, feet that stand do not slide."""

import json

import numpy as np
import pytest

from footfall.cli.main import main
from footfall.cli.motion import parse_requests
from footfall.errors import FootfallError
from footfall.motion import MotionGraph, facing_angle, foot_quality, ground_path, load_motion, mirrored, save_motion
from footfall.motion.synthesis.graph import cut_fragments, joined_on_feet
from tests.motion.walks import clip, needs_mocap, walk


def heading_error(motion, wished, seconds=2.0):
    """Mean degrees between heading and wish over the last seconds."""
    late = motion.times > motion.times[-1] - seconds
    away = (facing_angle(motion)[late] - wished + np.pi) % (2 * np.pi) - np.pi
    return float(np.rad2deg(np.abs(away).mean()))


@pytest.fixture(scope="module")
def left_turner():
    """One clip that turns to the left alone."""
    return MotionGraph({"left": load_motion(clip("snu-paper/woddy2_walk_normal_left_90"))})


@pytest.mark.parametrize("degrees", [90, -90, 40, -140])
def test_straight_walks_are_bent_to_any_heading(degrees):
    graph = MotionGraph({"straight": walk(6.0, fps=30)}, mirror=False)
    motion, _ = graph.stream(14.0, heading=lambda t: 0.0 if t < 3 else np.deg2rad(degrees))
    assert heading_error(motion, np.deg2rad(degrees)) < 5
    feet, own = foot_quality(motion), foot_quality(walk(6.0, fps=30))
    assert feet.slide < own.slide + 0.02


def test_fragments_in_their_own_order_give_the_clip_back():
    motion = walk(4.0, fps=60)
    (pieces,) = cut_fragments("walk", motion)
    again = joined_on_feet(pieces)
    assert np.abs(again.positions() - motion.positions()[: len(again)]).max() < 1e-6


def test_a_bend_turns_about_the_foot_that_stands():
    pieces = [f for f in cut_fragments("walk", walk(4.0, fps=60))[0] if f.kind == "left_swing"][:1]
    straight, bent = joined_on_feet(pieces), joined_on_feet(pieces, [0.2])
    away = bent.position("RightFoot") - straight.position("RightFoot")
    assert np.abs(away).max() < 1e-9
    assert np.isclose(facing_angle(bent)[-1] - facing_angle(straight)[-1], 0.2)
    assert np.isclose(facing_angle(bent)[0], facing_angle(straight)[0])


def test_seams_do_not_jump():
    graph = MotionGraph({"slow": walk(5.0, fps=60), "fast": walk(5.0, fps=60, speed=1.6, period=0.9)})
    motion, path = graph.stream(8.0, speed=lambda t: 1.2 if t < 4 else 1.6)
    assert {graph.fragments[k].clip for k in path} == {"slow", "fast"}
    steps = np.linalg.norm(np.diff(motion.positions(), axis=0), axis=-1)
    assert steps.max() < 0.12


def test_mirrored_fragments_are_the_fragments_of_the_mirrored_clip():
    motion = walk(4.0, fps=30)
    first, second = cut_fragments("walk", motion, mirror=True)
    (third,) = cut_fragments("walk", mirrored(motion))
    assert [f.kind for f in second] == [f.kind for f in third]
    assert np.allclose([f.aside for f in second], [-f.aside for f in first])
    assert np.allclose([f.stance for f in second], [f.stance for f in third])


@needs_mocap
@pytest.mark.parametrize("degrees", [90, -90])
def test_a_turn_that_was_captured_to_one_side_is_met_on_both(left_turner, degrees):
    motion, _ = left_turner.stream(12.0, heading=lambda t: 0.0 if t < 4 else np.deg2rad(degrees), speed=1.0)
    assert heading_error(motion, np.deg2rad(degrees)) < 6
    own = foot_quality(load_motion(clip("snu-paper/woddy2_walk_normal_left_90"))).slide
    assert foot_quality(motion).slide < own + 0.02


@needs_mocap
def test_standing_stays_where_it_is(left_turner):
    motion, path = left_turner.stream(8.0, speed=0.0)
    assert all(left_turner.fragments[k].kind == "stand" for k in path)
    for side in ("Left", "Right"):
        ankle = motion.position(f"{side}Foot")[:, :2]
        assert np.linalg.norm(ankle - ankle[0], axis=-1).max() < 0.02
    assert foot_quality(motion).slide < 0.04


@needs_mocap
def test_walking_stops_when_asked_to(left_turner):
    motion, _ = left_turner.stream(12.0, speed=lambda t: 1.0 if t < 5 else 0.0)
    path = ground_path(motion)
    late, early = motion.times > 9, motion.times < 4
    assert np.linalg.norm(np.ptp(path[late], axis=0)) < 0.1
    assert np.linalg.norm(np.ptp(path[early], axis=0)) > 2.5
    assert foot_quality(motion).slide < 0.06


def test_wishes_hold_from_their_second_on():
    wish = parse_requests(["90@4", "0", "-45@8.5"], "heading")
    assert [wish(t) for t in (0, 3.9, 4, 8, 9)] == [0, 0, 90, 90, -45]
    assert parse_requests(["5@2"], "speed")(0) == 5
    for words in (["a"], ["1@b"], ["1@2", "3@2"], [], ["nan"]):
        with pytest.raises(FootfallError):
            parse_requests(words, "heading")


def test_the_command_meets_the_heading(tmp_path, capsys):
    save_motion(walk(5.0, fps=30), tmp_path / "walk.bvh")
    files = ["--out", str(tmp_path / "s.npz"), "--out", str(tmp_path / "s.png")]
    args = ["motion", "stream", str(tmp_path / "walk.bvh"), "--seconds", "8", "--heading=-60@2", "--json", *files]
    assert main(args) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows["heading_error_deg"] < 5
    assert heading_error(load_motion(tmp_path / "s.npz"), np.deg2rad(-60)) < 5
    assert main(["motion", "stream", str(tmp_path / "walk.bvh"), "--heading", "north"]) == 2
    assert "VALUE@SECONDS" in capsys.readouterr().err
