"""From a clip to fragments; the paper's own clips, where they are, cut as their authors cut them."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.clips import clip_repertoire, looped_frames
from footfall.motion import load_motion
from footfall.motion.ball_poses import ankles
from footfall.motion.conditioning.ground_fit import frames_of, level_feet
from footfall.motion.quaternion import from_axis_angle, multiply
from footfall.motion.synthesis.cuts import best_loop, cut_frames
from footfall.motion.synthesis.random_walks import random_walk
from footfall.study.imitation.clips import check_clip


def test_levelled_feet_are_flat_where_they_stand(biped):
    frames = np.tile(biped.default_qpos, (40, 1))
    tilted = frames.copy()
    for side in ("left", "right"):
        at = biped.joint(f"{side}_ankle").qpos
        tilted[:, at : at + 4] = multiply(
            frames[:, at : at + 4], from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(0.4))
        )
    tilted[:, 2] += 0.1
    np.testing.assert_allclose(level_feet(tilted, biped), frames, atol=2e-3)


def test_what_lies_leans_or_flies_is_refused(biped):
    frames = np.tile(biped.default_qpos, (60, 1))
    check_clip(frames, biped)
    lying, leaning, flying = frames.copy(), frames.copy(), frames.copy()
    lying[30:, 2] = 0.3
    leaning[20:40, 3:7] = [np.cos(0.6), 0.0, np.sin(0.6), 0.0]
    flying[20:40, 2] += 0.3
    for clip, words in ((lying, "falls"), (leaning, "leans"), (flying, "off the ground"), (frames[:5], "at least")):
        with pytest.raises(FootfallError, match=words):
            check_clip(clip, biped)


def test_a_spike_of_the_capture_and_a_short_flight_pass(biped):
    frames = np.tile(biped.default_qpos, (60, 1))
    spiked, running = frames.copy(), frames.copy()
    spiked[30:33, 2] = 0.3
    running[20:26, 2] += 0.1
    for clip in (spiked, running):
        check_clip(clip, biped)


def test_a_loop_repeats_two_steps():
    """Its poses come back, its way grows by the same piece each time, and it begins as the clip does."""
    human = Figure.load("human-28")
    frames = frames_of(random_walk(human, 5.0, 7), human)
    looped = looped_frames(frames, human, 12.0)
    assert 12.0 <= (len(looped) - 1) / 30.0 < 14.0
    np.testing.assert_array_equal(looped[:10], frames[:10])
    tail = looped[-200:]
    far = [np.abs(tail[k:, 7:] - tail[:-k, 7:]).max() for k in range(15, 80)]
    period = 15 + int(np.argmin(far))
    assert min(far) < 1e-9
    pieces = tail[period:, :2] - tail[:-period, :2]
    np.testing.assert_allclose(np.linalg.norm(pieces, axis=-1), np.linalg.norm(pieces[0]), atol=1e-9)
    with pytest.raises(FootfallError, match="no two steps in a row"):
        looped_frames(np.tile(frames[:1], (60, 1)), human, 12.0)


def test_the_slow_walk_is_cut_where_its_authors_cut_it(clips, biped):
    frames = frames_of(load_motion(clips / "wd2_WalkForwardSlow01.bvh"), biped)
    cuts = cut_frames(frames, biped)
    assert [cut.start for cut in cuts] == [0, 29, 42, 64, 86, 106, 128, 147, 169]
    assert cuts[0].kind == cuts[-1].kind == "stand"


def test_the_normal_walk_repeats_the_authors_forty_frames(clips, biped):
    frames = frames_of(load_motion(clips / "wd2_WalkSameSame01.bvh"), biped)
    cycle = best_loop(frames, biped, cut_frames(frames, biped))
    assert (cycle.first, cycle.last) == (77, 117)
    loop = clip_repertoire(frames, biped, loop=True)
    assert loop.fragments[-1].successor == len(loop.fragments) - 2
    assert ankles(loop.fragments[-1].frames, biped)[..., 2].min() > 0.02
