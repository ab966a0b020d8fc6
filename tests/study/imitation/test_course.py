"""Path, heading and places against a clip: closed forms on paths that are known."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from footfall.methods.tracking.controller import load_tracking
from footfall.methods.tracking.repertoire import Fragment, Repertoire
from footfall.motion.ball_poses import body_frames, turned_frames
from footfall.study.imitation.following import clip_course, course_of, phase_frames, smooth_path, way_length

FPS = 30.0


def frames_along(biped, places, facing=None):
    frames = np.tile(biped.default_qpos, (len(places), 1))
    frames[:, :2] = places
    if facing is not None:
        for k, angle in enumerate(facing):
            turned = turned_frames(frames[k : k + 1] - np.eye(1, biped.nq, 0) * frames[k, 0], 0.0)
            turned = turned_frames(turned, angle, about=frames[k, :2])
            frames[k, 3:7] = turned[0, 3:7]
    return frames


def circle(radius, seconds=6.0):
    angle = 2 * np.pi * np.arange(int(seconds * FPS)) / (seconds * FPS)
    return radius * np.stack([np.sin(angle), 1 - np.cos(angle)], axis=-1)


def compared(biped, own, clip):
    clock = np.arange(len(own), dtype=float)
    return course_of(biped, own, clip, clock, clip, fps=FPS, finished=True)


def test_a_clip_is_on_its_own_course(biped):
    clip = frames_along(biped, circle(2.0))
    found = compared(biped, clip, clip)
    assert found.distance_ratio == pytest.approx(1.0)
    assert found.duration == pytest.approx(1.0)
    for name in ("off_path", "heading_error", "root_error", "mpjpe_root", "mpjpe_global"):
        assert getattr(found, name) == pytest.approx(0.0, abs=1e-9)
    assert found.success


def test_a_circle_that_shrinks_goes_a_shorter_way_though_it_ends_where_it_should(biped):
    """From start to end both go nowhere: the path tells them apart, the distance does not."""
    clip, own = (frames_along(biped, circle(radius)) for radius in (2.0, 1.4))
    found = compared(biped, own, clip)
    assert found.distance_ratio == pytest.approx(0.7, abs=0.02)
    assert found.off_path * way_length(smooth_path(clip, FPS)) == pytest.approx(1.2, abs=0.15)


def test_a_shift_is_seen_in_the_world_and_not_with_the_pelvises_laid_together(biped):
    clip = frames_along(biped, circle(2.0))
    own = clip.copy()
    own[:, 1] += 0.3
    found = compared(biped, own, clip)
    assert found.mpjpe_root == pytest.approx(0.0, abs=1e-9)
    assert found.mpjpe_global == pytest.approx(300.0)
    assert found.root_error == pytest.approx(0.3)
    assert found.success
    own[:, 1] += 0.3
    assert not compared(biped, own, clip).success


def test_a_figure_that_faces_elsewhere_is_off_by_that_angle(biped):
    clip = frames_along(biped, circle(2.0))
    own = frames_along(biped, circle(2.0), np.full(len(clip), 0.2))
    assert compared(biped, own, clip).heading_error == pytest.approx(np.degrees(0.2))


def test_a_clip_has_its_frames_back_in_their_places_whatever_it_is_cut_into(biped):
    clip = frames_along(biped, circle(1.5))
    cuts = [0, 40, 90, len(clip) - 1]
    parts = [clip[a : b + 1] for a, b in pairwise(cuts)]
    kinds = ("left_swing", "right_swing", "left_swing")
    fragments = tuple(
        Fragment(kind, part, 0.0, successor=k + 1 if k < 2 else -1)
        for k, (kind, part) in enumerate(zip(kinds, parts, strict=True))
    )
    repertoire = Repertoire(fragments)
    np.testing.assert_allclose(clip_course(repertoire, 10**6), clip, atol=1e-12)
    state = np.concatenate([np.full(len(p) - 1, k) for k, p in enumerate(parts)])
    index = np.concatenate([np.arange(len(p) - 1) for p in parts])
    frames, clock = phase_frames(repertoire, state, index)
    np.testing.assert_allclose(frames, clip[:-1], atol=1e-12)
    np.testing.assert_array_equal(clock, np.arange(len(clip) - 1))


def test_a_step_that_ends_early_leaves_the_next_one_in_its_place(biped):
    """The place of a phase belongs to the clip: frames that were skipped are still gone."""
    clip = frames_along(biped, np.stack([0.02 * np.arange(60), np.zeros(60)], axis=-1))
    fragments = (
        Fragment("left_swing", clip[:31], 0.0, successor=1),
        Fragment("right_swing", clip[30:], 0.0),
    )
    state, index = np.array([0] * 20 + [1] * 20), np.concatenate([np.arange(20), np.arange(20)])
    frames, _ = phase_frames(Repertoire(fragments), state, index)
    assert frames[20, 0] == pytest.approx(clip[30, 0])


def test_a_loop_goes_on_as_it_does():
    repertoire = load_tracking("tracked-walk").repertoire
    once, twice = (clip_course(repertoire, n) for n in (200, 400))
    assert len(twice) == 400
    np.testing.assert_allclose(twice[:200], once, atol=1e-12)
    steps = np.linalg.norm(np.diff(twice[:, :2], axis=0), axis=1)
    assert steps.max() < 0.08


def test_bodies_are_where_joints_put_them(biped):
    frames = frames_along(biped, circle(1.0)[:3])
    places, turns = body_frames(frames, biped)
    moved = replace(biped.bodies[1]).position
    np.testing.assert_allclose(places[:, 1] - places[:, 0], np.tile(moved, (3, 1)), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(turns, axis=-1), 1.0)
