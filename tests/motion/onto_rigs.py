"""How motions come over onto the skeletons of other makers: ``python -m tests.motion.onto_rigs FOLDER MOTION …``
retargets each motion onto every skeleton in a folder of motion files, one file of each, and prints the verdicts."""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.motion import Motion, load_motion, retarget_to_rig
from footfall.motion.retargeting.benchmark import clips_in


def rigs_in(folder: Path) -> Iterator[tuple[str, Motion]]:
    """The files of a folder that can be read, the first of each skeleton: same names of joints, in one order."""
    seen = set()
    for path in clips_in(folder):
        try:
            motion = load_motion(path)
        except FootfallError as error:
            print(f"{path.name}: {error}")
            continue
        if motion.skeleton.names not in seen:
            seen.add(motion.skeleton.names)
            yield str(path.relative_to(folder)), motion


def main(folder: str, *motions: str) -> None:
    """Print a row for each skeleton and each motion, and the sums."""
    shown = {Path(file).stem: load_motion(file) for file in motions}
    counts = {name: {"good": 0, "BAD": 0, "refused": 0} for name in shown}
    slides: dict[str, list[float]] = {name: [] for name in shown}
    for name, rig in rigs_in(Path(folder)):
        for motion, source in shown.items():
            try:
                _, report = retarget_to_rig(source, rig)
            except FootfallError as error:
                counts[motion]["refused"] += 1
                print(f"{name} | {motion} | refused: {error}")
                continue
            counts[motion]["BAD" if report.fidelity.faults() else "good"] += 1
            slides[motion].append(report.after.slide)
            feet = f"feet {report.feet}, slide {100 * report.after.slide:.1f} cm"
            print(f"{name} | {motion} | {report.verdict()} | {feet}")
    for motion, count in counts.items():
        slide = 100 * np.median(slides[motion]) if slides[motion] else 0.0
        print(f"{motion}: {count}; feet slide {slide:.1f} cm a step in the median over skeletons")


if __name__ == "__main__":
    main(*sys.argv[1:])
