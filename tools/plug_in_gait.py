"""How close footfall's angles, moments and powers are to those of Plug-in Gait in the same C3D file, over the stances.

python -m tools.plug_in_gait PiG_Motion-FlatFoot-One.c3d

A row for each curve and side: root mean square difference and correlation.
"""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.motion.formats.c3d import read_parameters
from footfall.study.gait_lab.analysis import Analysis, analyse

CURVES = {
    "hip_flexion": ("HipAngles", 0, 1.0),
    "hip_adduction": ("HipAngles", 1, 1.0),
    "hip_rotation": ("HipAngles", 2, 1.0),
    "knee_flexion": ("KneeAngles", 0, 1.0),
    "ankle_dorsiflexion": ("AnkleAngles", 0, 1.0),
    "pelvis_tilt": ("PelvisAngles", 0, 1.0),
    "pelvis_obliquity": ("PelvisAngles", 1, 1.0),
    "pelvis_rotation": ("PelvisAngles", 2, 1.0),
    "hip_extension_moment": ("HipMoment", 0, 1e-3),
    "knee_extension_moment": ("KneeMoment", 0, 1e-3),
    "ankle_plantarflexion_moment": ("AnkleMoment", 0, 1e-3),
    "hip_power": ("HipPower", 2, 1.0),
    "knee_power": ("KneePower", 2, 1.0),
    "ankle_power": ("AnklePower", 2, 1.0),
}
"""Name of a signal -> Plug-in Gait's label without its side, its column, and the factor to footfall's unit."""


def vicon(path: Path, label: str) -> NDArray[np.float64]:
    """[T, 3] a computed point of a C3D file of 32-bit Intel floats, as Vicon wrote it."""
    content = path.read_bytes()
    parameters = read_parameters(content, (content[0] - 1) * 512, content[(content[0] - 1) * 512 + 3])
    labels = parameters.texts("POINT", "LABELS")
    points, analogue = np.frombuffer(content[2:6], "<u2")
    start = int(np.frombuffer(content[16:18], "<u2")[0])
    table = np.frombuffer(content[(start - 1) * 512 :], "<f4")
    words = 4 * int(points) + int(analogue)
    rows = table[: len(table) // words * words].reshape(-1, words)
    k = labels.index(label)
    return rows[:, 4 * k : 4 * k + 3].astype(float)


def differences(path: Path, walk: Analysis, name: str, side: str) -> tuple[float, float]:
    """Root mean square difference and correlation of a curve over a side's stances."""
    label, column, factor = CURVES[name]
    mine = walk.signals[f"{side}_{name}"]
    theirs = vicon(path, f"{side[0].upper()}{label}")[: len(mine), column] * factor
    times = walk.motion.times
    spans = zip(walk.events.strikes[side], walk.events.offs[side], strict=False)
    stance = np.any([(times > strike) & (times < off) for strike, off in spans], axis=0) & np.isfinite(mine)
    return float(np.sqrt(((mine - theirs)[stance] ** 2).mean())), float(np.corrcoef(mine[stance], theirs[stance])[0, 1])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="tools.plug_in_gait", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("path", type=Path)
    path = parser.parse_args().path
    walk = analyse(path)
    for name in CURVES:
        for side in ("right", "left"):
            error, correlation = differences(path, walk, name, side)
            print(f"{name:28} {side:6} {error:6.3f} {correlation:7.3f}")


if __name__ == "__main__":
    main()
