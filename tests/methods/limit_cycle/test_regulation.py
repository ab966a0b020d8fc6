"""Regulation variables: the same whichever way a figure faces, mirrored where it is mirrored."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle import Posture, RegulationVariable, regulation_variable
from footfall.methods.limit_cycle.regulation import COMPONENTS, VECTORS
from footfall.motion.quaternion import from_axis_angle, multiply, rotate

HUMAN = Figure.load("human")
NAMES = [f"{v}.{c}" for v in VECTORS for c in COMPONENTS]


def pose(seed):
    random = np.random.default_rng(seed)
    qpos = HUMAN.default_qpos.copy()
    qpos[7:] = random.uniform(-0.4, 0.4, HUMAN.nq - 7)
    qpos[3:7] = multiply(qpos[3:7], from_axis_angle(np.array([0.6, 0.8, 0.0]), 0.3))
    return qpos


def value(name, qpos, stance=0):
    return regulation_variable(name)(Posture(HUMAN, qpos[None], np.array([stance])))[0]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 99), st.floats(-3, 3), st.sampled_from(NAMES))
def test_turning_and_moving_the_world_changes_nothing(seed, angle, name):
    qpos = pose(seed)
    turn = from_axis_angle(np.array([0.0, 0.0, 1.0]), angle)
    moved = qpos.copy()
    moved[:3] = rotate(turn, qpos[:3]) + np.array([3.0, -2.0, 0.0])
    moved[3:7] = multiply(turn, qpos[3:7])
    assert value(name, moved) == pytest.approx(value(name, qpos), abs=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 99), st.sampled_from(NAMES))
def test_mirroring_turns_the_lateral_part_round_and_keeps_the_forward_one(seed, name):
    qpos = pose(seed)
    sign = -1.0 if name.endswith("lateral") else 1.0
    assert value(name, HUMAN.mirror_qpos(qpos), 1) == pytest.approx(sign * value(name, qpos, 0), abs=1e-9)


def test_a_leaning_body_leans():
    qpos = HUMAN.default_qpos.copy()
    qpos[3:7] = from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.2)
    assert value("up.forward", qpos) == pytest.approx(np.sin(0.2))
    assert value("pelvis-up.forward", qpos) == pytest.approx(np.sin(0.2))
    assert value("up.lateral", qpos) == pytest.approx(0.0, abs=1e-12)


def test_variables_of_ones_own_are_checked():
    bad = RegulationVariable("bad", lambda posture: np.zeros(3))
    with pytest.raises(FootfallError, match="'bad' gives shape"):
        bad(Posture(HUMAN, HUMAN.default_qpos[None], np.array([0])))
    with pytest.raises(FootfallError, match=r"did you mean 'up\.forward'"):
        regulation_variable("up.forwards")
