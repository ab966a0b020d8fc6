"""Flights: a jump made by formulas is cut where it flies, and the figure that follows it flies as high."""

import numpy as np
import pytest

from footfall.methods.tracking import TrackingController
from footfall.methods.tracking.clips import clip_repertoire
from footfall.motion.ball_poses import legs_of
from footfall.motion.conditioning.ground_fit import soles_of
from footfall.motion.conditioning.legs import raised_ankles
from footfall.motion.synthesis.cuts import flight_cuts, flying
from footfall.simulation import Record, Simulation
from footfall.study.imitation.clips import check_clip
from footfall.study.imitation.followers import FIRM
from footfall.study.imitation.gain_search import default_sets, split_set

FPS, GRAVITY = 30.0, 9.81
DEPTH, SPEED = 0.15, 1.6
"""Of the crouch, and of the take-off, metres and m/s."""
BENT, STRETCH = 0.1, 0.05
"""Metres that legs are bent by in standing, and seconds in which they stretch after the take-off."""
REST, CROUCH, PUSH, FLIGHT = 0.6, 0.5, 2 * DEPTH / SPEED, 2 * SPEED / GRAVITY
"""Seconds of standing, going down, pushing off and flying."""


def _motion(t):
    """The pelvis over its place in standing, t seconds after the start: down, up with a constant force, a parabola,
    and back. And how much shorter the legs are than stretched ones, which go on stretching after the take-off."""
    middle = REST + CROUCH + PUSH + FLIGHT / 2
    before = middle - np.abs(t - middle)
    share = np.clip((before - REST) / CROUCH, 0.0, 1.0)
    down = -DEPTH * share * share * (3.0 - 2.0 * share)
    pushed = np.clip(before - REST - CROUCH, 0.0, PUSH)
    flown = np.clip(before - REST - CROUCH - PUSH, 0.0, None)
    height = down + 0.5 * SPEED / PUSH * pushed**2 + SPEED * flown - 0.5 * GRAVITY * flown**2
    return height, BENT + np.maximum(-height, 0.0) - SPEED * STRETCH * (1.0 - np.exp(-flown / STRETCH))


@pytest.fixture(scope="module")
def jump(biped):
    """[T, nq] poses of a jump on the spot."""
    seconds = 2 * (REST + CROUCH + PUSH) + FLIGHT
    height, bend = _motion(np.arange(round(seconds * FPS) + 1) / FPS)
    frames = np.tile(biped.default_qpos, (len(height), 1))
    frames[:, 2] += height - BENT
    for leg in legs_of(biped):
        frames = raised_ankles(frames, leg, bend)
    return frames


def test_a_jump_is_cut_where_it_flies(biped, jump):
    check_clip(jump, biped)
    cuts = flight_cuts(jump, biped, soles_of(jump, biped).height)
    assert [cut.kind for cut in cuts] == ["stand", "flight", "stand"]
    leaves = REST + CROUCH + PUSH
    np.testing.assert_allclose([cuts[1].start / FPS, cuts[1].end / FPS], [leaves, leaves + FLIGHT], atol=2.1 / FPS)


def test_nothing_flies_that_stands_or_hangs(biped, jump):
    soles = soles_of(jump, biped).height
    hanging = jump.copy()
    hanging[:, 2] = biped.default_qpos[2] + 0.3
    assert flight_cuts(hanging, biped, soles + 0.3) is None
    stands = jump[: round(REST * FPS)]
    assert not flying(stands, biped, soles[: len(stands)]).any()


@pytest.mark.slow
def test_the_figure_flies_as_high_as_its_clip(biped, jump):
    gains, _ = split_set(default_sets()[0])
    tracking = {"kt": 120.0, "feedforward": 0.0, "clip_feedforward": 1.0, "ahead": True}
    repertoire = clip_repertoire(jump, biped, gains=gains).changed(**(FIRM | tracking))
    simulation = Simulation(TrackingController("jump", repertoire), record=Record(rate=300.0))
    simulation.run(REST + CROUCH + PUSH + FLIGHT + 0.2)
    trace = simulation.trace()
    apex = trace.qpos[:, 0, 2].max() - biped.default_qpos[2] + BENT
    assert abs(apex - SPEED**2 / (2 * GRAVITY)) < 0.04
    assert (~trace.contact[: trace.last[0], 0].any(axis=-1)).sum() / 300.0 > 0.05
