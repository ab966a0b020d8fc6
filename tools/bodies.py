"""What footfall finds in many models' files: a table with a row for each, or the line with which it is refused.

python -m tools.bodies FOLDER-OR-FILE …
"""

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

from footfall.errors import FootfallError
from footfall.figures import Figure


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="tools.bodies", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("paths", nargs="+", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    files = [file for path in given.paths for file in ([path] if path.is_file() else sorted(path.rglob("*")))]
    files = [file for file in files if file.suffix in (".xml", ".urdf")]
    print("| file | joints | mass | hips | hip, knee, ankle | trunk and arms | worth a look |")
    print("|---|---|---|---|---|---|---|")
    refused = []
    for file in files:
        try:
            print(_row(file, Figure.load(file)), flush=True)
        except FootfallError as error:
            refused.append((file, error))
    for file, refusal in refused:
        words = str(refusal).removeprefix(f"{file}: ").removeprefix(f"{file.name}: ")
        print(f"{file.name}: {words}", file=sys.stderr)


def _row(file: Path, figure: Figure) -> str:
    if not figure.legs:
        return f"| {file.name} | {len(figure.joints)} | | | read as it is: no legs | | |"
    leg = figure.legs["left"]
    parts = [" ".join(_bare(joint) for joint in place) or "none" for place in (leg.hip, leg.knee, leg.ankle)]
    others = [joint.name for joint in figure.joints if joint.kind == "hinge" and not joint.name.startswith("right_")]
    above = [_bare(name) for name in others if name not in (*leg.hip, *leg.knee, *leg.ankle)]
    warned = [finding.what for finding in (figure.adoption.findings if figure.adoption else ()) if finding.warns]
    hips = figure.default_qpos[1 if figure.root == "planar" else 2]
    mass = float(np.sum(figure.model.body_mass))
    cells = [
        file.name, str(len(figure.joints) - (1 if figure.root == "free" else 3)), f"{mass:.1f} kg", f"{hips:.2f} m",
        "; ".join(parts), " ".join(above), ", ".join(warned),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _bare(joint: str) -> str:
    return joint.removeprefix("left_")


if __name__ == "__main__":
    main()
