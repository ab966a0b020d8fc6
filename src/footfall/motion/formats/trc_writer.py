"""TRC files, out: paths of points as text, in millimetres and OpenSim's axes (x ahead, y up, z to the right)."""

from pathlib import Path

import numpy as np

from footfall.motion.formats.c3d_writer import motion_points
from footfall.motion.formats.opensim import OPENSIM_AXES
from footfall.motion.motion import Motion


def write_trc(motion: Motion, path: Path) -> None:
    """Save a motion's markers, else its joints and end sites; an empty field is a marker that was not seen."""
    names, places = motion_points(motion)
    names = [name.replace("\t", " ").strip() or f"point{k + 1}" for k, name in enumerate(names)]
    rate, frames = motion.fps, len(motion)
    head = ["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"]
    head += ["OrigDataRate", "OrigDataStartFrame", "OrigNumFrames"]
    said = [f"{rate:.6g}", f"{rate:.6g}", str(frames), str(len(names)), "mm", f"{rate:.6g}", "1", str(frames)]
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{motion.figure or 'motion'}.trc",
        "\t".join(head),
        "\t".join(said),
        "\t".join(["Frame#", "Time", *(cell for name in names for cell in (name, "", ""))]).rstrip("\t"),
        "\t".join(["", "", *(f"{axis}{k}" for k in range(1, len(names) + 1) for axis in "XYZ")]),
        "",
    ]
    turned = 1000.0 * places @ OPENSIM_AXES.T
    for k, (time, row) in enumerate(zip(motion.times - motion.times[0], turned.reshape(frames, -1), strict=True)):
        cells = ["" if not np.isfinite(v) else f"{v:.5f}" for v in row]
        lines.append("\t".join([str(k + 1), f"{time:.6f}", *cells]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
