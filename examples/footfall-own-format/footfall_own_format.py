"""A motion format of one's own: ``.poses``, a text file of a figure's coordinates.

    planar-biped
    0.00  0.463  0.898  0.051  …
    0.01  0.472  0.896  0.054  …

The first line names the figure; then come a time in seconds and the figure's ``qpos``, one line for each pose. The
entry point in ``pyproject.toml`` names this module for the suffix; footfall calls its ``read`` and ``write``.
"""

from pathlib import Path

import numpy as np

from footfall import Figure, FootfallError, Motion


def read(path: Path) -> Motion:
    """The motion in a file."""
    figure, *lines = path.read_text(encoding="utf-8").splitlines()
    rows = np.array([[float(word) for word in line.split()] for line in lines])
    return Motion.from_qpos(Figure.load(figure), rows[:, 0], rows[:, 1:], source={"file": str(path)})


def write(motion: Motion, path: Path) -> None:
    """Write a motion of a figure to a new file."""
    if "qpos" not in motion.channels:
        raise FootfallError(f"{path}: .poses holds a figure's coordinates; retarget the motion onto a figure first")
    rows = np.column_stack([motion.times, motion.channels["qpos"]])
    lines = [" ".join(repr(float(x)) for x in row) for row in rows]
    path.write_text("\n".join([motion.figure, *lines]) + "\n", encoding="utf-8")
