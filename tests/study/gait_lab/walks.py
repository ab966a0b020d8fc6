"""Walks that the tests of the gait laboratory share."""

import os
from functools import cache
from pathlib import Path

import pytest

from footfall.motion import Motion
from footfall.simulation import Trace
from footfall.study.gait_lab.analysis import Analysis, analyse, simulated_walk

DATA = Path(os.environ["FOOTFALL_DATA"])
NORMS = DATA / "gait"


@cache
def trace() -> Trace:
    """Seven seconds of walk-3d with everything recorded."""
    return simulated_walk("walk-3d", 7.0)


@cache
def motion() -> Motion:
    """The same as a motion."""
    return trace().motion()


@cache
def analysis() -> Analysis:
    """Its analysis, without people."""
    return analyse(motion(), name="walk-3d")


def norms() -> Path:
    """The folder of people's tables."""
    if not NORMS.is_dir():
        pytest.skip(f"no people's tables in {NORMS}")
    return NORMS


def clip(name: str) -> Path:
    """A captured clip."""
    path = DATA / "mocap" / "others" / name
    if not path.is_file():
        pytest.skip(f"NO {path}: FOOTFALL_DATA names the folder of captured clips")
    return path


PLUG_IN_GAIT, OPENSIM = "BTKData/PiG_Motion-FlatFoot-One.c3d", "opensim-core/test_walking.c3d"
STRAIGHT, TURNING = (f"bandai/dataset-2_walk{kind}_004.bvh" for kind in ("_masculine", "-turn-right_normal"))
