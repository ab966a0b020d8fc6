"""Motions for tests: a person of capsule bones walking by formula, random trees of joints, and the captured clips."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from footfall.motion import EndSite, Motion, Skeleton
from footfall.motion.quaternion import from_axis_angle, multiply, normalised

MOCAP = Path(__file__).parents[3] / "shared" / "data" / "mocap"

needs_mocap = pytest.mark.skipif(
    not MOCAP.is_dir(), reason=f"NO MOTION CAPTURE: {MOCAP} is absent, so nothing here was checked on captured motion"
)


def clip(name: str) -> Path:
    return MOCAP / f"{name}.bvh"


def readme_rows() -> list[dict[str, float | str]]:
    """The table of clips in the data's README: file, frames, path, mean and peak speed, net turn, steps a second."""
    rows: list[dict[str, float | str]] = []
    folder = ""
    for line in (MOCAP / "README.md").read_text(encoding="utf-8").splitlines():
        if match := re.match(r"## (\w+)/", line):
            folder = match[1]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0].endswith(".bvh") and len(cells) > 12:
            rows.append(
                {
                    "file": f"{folder}/{cells[0][:-4]}",
                    "frames": float(cells[2]),
                    "path": float(cells[5]),
                    "mean": float(cells[6]),
                    "peak": float(cells[7]),
                    "turn": float(cells[9]),
                    "steps": float(cells[11]) if cells[11] not in ("-", "") else np.nan,
                }
            )
    return rows


def person() -> Skeleton:
    """A person with Mixamo's names, x forward, arms hanging."""
    rows = [
        ("Hips", -1, (0, 0, 0.95)),
        ("Spine", 0, (0, 0, 0.1)),
        ("Spine1", 1, (0, 0, 0.2)),
        ("Head", 2, (0, 0, 0.3)),
        *((f"{s}Arm", 2, (0, y * 0.2, 0.2)) for s, y in (("Left", 1), ("Right", -1))),
        ("LeftForeArm", 4, (0, 0, -0.28)),
        ("RightForeArm", 5, (0, 0, -0.28)),
        *((f"{s}UpLeg", 0, (0, y * 0.1, 0)) for s, y in (("Left", 1), ("Right", -1))),
        ("LeftLeg", 8, (0, 0, -0.43)),
        ("RightLeg", 9, (0, 0, -0.43)),
        ("LeftFoot", 10, (0, 0, -0.43)),
        ("RightFoot", 11, (0, 0, -0.43)),
        ("LeftToeBase", 12, (0.13, 0, -0.07)),
        ("RightToeBase", 13, (0.13, 0, -0.07)),
    ]
    ends = (
        EndSite("", 3, (0.0, 0.0, 0.2)),
        EndSite("", 6, (0.0, 0.0, -0.2)),
        EndSite("", 7, (0.0, 0.0, -0.2)),
        EndSite("", 14, (0.06, 0.0, 0.0)),
        EndSite("", 15, (0.06, 0.0, 0.0)),
    )
    names, parents, offsets = zip(*rows, strict=True)
    return Skeleton(names, parents, np.array(offsets, dtype=float), ends=ends)


def walk(seconds: float = 6.0, fps: float = 60.0, speed: float = 1.2, period: float = 1.1) -> Motion:
    """A walk in which the ankle that stands does not move: feet placed by formula, legs by the law of cosines."""
    skeleton = person()
    times = np.arange(round(seconds * fps) + 1) / fps
    root = np.stack([speed * times, 0 * times, 0.82 + 0 * times], axis=-1)
    rotations = np.tile(skeleton.rest, (len(times), 1, 1))
    for side, lead in (("Left", 0.0), ("Right", 0.5)):
        cycle = times / period + lead
        step, phase = np.floor(cycle), cycle % 1.0
        swing = np.clip((phase - 0.6) / 0.4, 0.0, 1.0)
        ahead = 0.5 - 0.5 * np.cos(np.pi * swing)
        foot = speed * period * (step - lead + 0.3 + ahead) + 0.02
        height = 0.07 + 0.12 * np.sin(np.pi * swing) ** 2
        away = np.stack([foot - root[:, 0], height - root[:, 2]], axis=-1)
        reach = np.minimum(np.linalg.norm(away, axis=-1), 0.8599)
        bend = 2 * np.arccos(reach / 0.86)
        aim = np.arctan2(away[:, 0], -away[:, 1])
        thigh = aim + bend / 2
        y = np.array([0.0, 1.0, 0.0])
        rotations[:, skeleton.index(f"{side}UpLeg")] = from_axis_angle(y, -thigh)
        rotations[:, skeleton.index(f"{side}Leg")] = from_axis_angle(y, bend)
        rotations[:, skeleton.index(f"{side}Foot")] = from_axis_angle(y, thigh - bend)
        rotations[:, skeleton.index(f"{side}Arm")] = from_axis_angle(y, 0.8 * thigh)
    return Motion(skeleton, times, root, rotations)


def turn_of(axes: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """The product [T, 4] of turns by angles [T, K] about ``axes`` [K, 3]."""
    turn = np.zeros((len(angles), 4))
    turn[:, 0] = 1.0
    for axis, angle in zip(axes, angles.T):
        turn = multiply(turn, from_axis_angle(axis, angle))
    return turn


@st.composite
def motions(draw: st.DrawFn) -> Motion:
    """Random trees of joints that move at random."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    joints, frames = draw(st.integers(1, 9)), draw(st.integers(1, 12))
    parents = (-1, *(int(rng.integers(0, j)) for j in range(1, joints)))
    leaves = [j for j in range(joints) if j not in parents]
    skeleton = Skeleton(
        tuple(f"joint{j}" for j in range(joints)),
        parents,
        rng.normal(scale=0.4, size=(joints, 3)),
        rest=normalised(rng.normal(size=(joints, 4))) if draw(st.booleans()) else np.empty(0),
        ends=tuple(EndSite("", j, tuple(float(v) for v in rng.normal(scale=0.2, size=3))) for j in leaves),  # type: ignore[arg-type]
    )
    return Motion(
        skeleton,
        np.cumsum(np.full(frames, 0.02)) - 0.02,
        rng.normal(size=(frames, 3)),
        normalised(rng.normal(size=(frames, joints, 4))),
    )


def turned_about_z(motion: Motion, angle: float) -> Motion:
    """The motion turned about the vertical, root only."""
    from dataclasses import replace

    q = from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(angle))
    rotations = motion.rotations.copy()
    rotations[:, 0] = multiply(q, rotations[:, 0])
    c, s = np.cos(angle), np.sin(angle)
    root = motion.root_position @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
    return replace(motion, root_position=root, rotations=rotations)
