"""Every clip of a folder written in other ways and retargeted: how far the results are apart.

Whole clips, from the repository's root:

    python -m tests.motion.rewriting ../shared/data/mocap

The tests do the same with a second or two of each clip.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import Motion, load_motion, retarget
from footfall.motion.editing import resampled, trimmed, without_rest_frame
from footfall.motion.formats.conventions import UNITS
from footfall.motion.quaternion import Array
from footfall.motion.retargeting.benchmark import clips_in
from footfall.motion.skeleton.landmarks import landmark_positions, limb_vectors
from footfall.motion.skeleton.roles import find_roles
from tests.motion.zero_poses import ZERO_POSES, nameless, rezeroed, shuffled, write_odd_bvh

Y_UP = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
Z_UP = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
Y_DOWN = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
X_UP = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])


def limb_angles(first: Motion, second: Motion) -> dict[str, Array]:
    """[T] degrees between limbs of two motions, by limb."""
    a, b = (limb_vectors(landmark_positions(motion)) for motion in (first, second))
    assert a.keys() == b.keys()
    found = {}
    for limb in a:
        cross = np.linalg.norm(np.cross(a[limb], b[limb]), axis=-1)
        found[limb] = np.rad2deg(np.arctan2(cross, np.sum(a[limb] * b[limb], axis=-1)))
    return found


def worst_angle(first: Motion, second: Motion, *, legs: bool = False) -> float:
    """Degrees between limbs (those of the legs alone) of two motions, the worst limb and frame."""
    angles = limb_angles(first, second)
    kept = [row for limb, row in angles.items() if not legs or "thigh" in limb or "shank" in limb]
    return float(max(row.max() for row in kept))


_FILES = (
    ("lying", Y_UP, "m", ""),
    ("bent", Z_UP, "mm", "travels"),
    ("a pose of the clip", X_UP, "inch", "still"),
    ("random", Y_DOWN, "cmu", "travels"),
    ("random", Z_UP, "cm", ""),
)
"""Zero pose, axes, unit and root of a BVH file."""
assert {way[0] for way in _FILES} == {*ZERO_POSES}
WAYS = len(_FILES) + 2


def rewritten(
    motion: Motion, folder: Path, ways: Sequence[int] = range(WAYS)
) -> Iterator[tuple[str, Motion, dict[str, str] | None]]:
    """(what was changed, the motion, a map for it or None), for each of the ``ways``."""
    for n in ways:
        if n < len(_FILES):
            kind, axes, unit, root = _FILES[n]
            odd = shuffled(rezeroed(motion, kind, seed=n), seed=n)
            path = write_odd_bvh(folder / "odd.bvh", odd, axes=axes, scale=1.0 / UNITS[unit], root=root)
            yield f"{kind}, {unit}, root {root or 'as it was'}", load_motion(path), None
            continue
        odd = shuffled(rezeroed(motion, "random", seed=9), seed=9)
        bare = nameless(odd)
        if n == len(_FILES):
            renamed = dict(zip(odd.skeleton.names, bare.skeleton.names, strict=True))
            known = find_roles(motion.skeleton)
            yield "no names, with a map", bare, {role: renamed[motion.skeleton.names[j]] for role, j in known.items()}
        else:
            yield "no names, by shape", bare, None


def differences(motion: Motion, target: Figure, folder: Path) -> dict[str, float]:
    """Degrees at worst between the result of a motion and those of the same motion written in other ways.

    Without names the legs alone are compared: which joint of a spine is the neck, no shape tells.
    """
    known, _ = retarget(motion, target)
    found = {}
    for label, odd, joints in rewritten(motion, folder):
        result, _ = retarget(odd, target, joints=joints)
        found[label] = worst_angle(known, result, legs="shape" in label)
    return found


def shortened(motion: Motion, seconds: float, fps: float) -> Motion:
    """The first seconds of a motion, without a rest pose, at a rate of ``fps`` at most."""
    motion = without_rest_frame(motion)
    motion = trimmed(motion, None, min(seconds, motion.seconds))
    return resampled(motion, fps) if motion.fps > fps * 1.01 and len(motion) > 1 else motion


def main(arguments: list[str] | None = None) -> int:
    """Rewrite and retarget every clip; 1 where one is more than a degree off."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--onto", default="human-28")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--fps", type=float, default=1e9)
    given = parser.parse_args(arguments)
    target, bad = Figure.load(given.onto), 0
    with tempfile.TemporaryDirectory() as folder:
        for path in clips_in(given.folder):
            start = time.perf_counter()
            try:
                motion = shortened(load_motion(path), given.seconds, given.fps)
                retarget(motion, target)
            except FootfallError as error:
                print(f"{path.name}: refused ({str(error)[:60]} …)")
                continue
            try:
                found = differences(motion, target, Path(folder))
            except FootfallError as error:
                bad += 1
                print(f"{path.name}: REFUSED REWRITTEN: {error}")
                continue
            worst = max(found, key=lambda label: found[label])
            bad += found[worst] >= 1.0
            mark = "BAD " if found[worst] >= 1.0 else ""
            print(f"{mark}{path.name}: {found[worst]:.3f}° ({worst}), {time.perf_counter() - start:.1f} s", flush=True)
            if mark:
                print("   ", {label: round(value, 2) for label, value in found.items()}, flush=True)
    print(f"{bad} clips are off by a degree or more, or refused")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
