"""Builds footfall's wheel with kernels compiled for machines such as this one: ``python -m tools.wheel``.

The kernels are compiled for every x86-64 of the last ten years or every 64-bit ARM (``footfall.kernels.shipped``). The
wheel has the platform of the installed Warp.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from footfall.errors import FootfallError
from footfall.kernels.shipped import archive_name
from footfall.text_files import write_whole
from tools.kernels import ship
from tools.wheel_hook import KERNELS

ROOT = Path(__file__).parents[1]
MOST_BYTES = 8_000_000
"""The largest wheel that may be published."""


def build_wheel(out: Path, kernels: Path | None) -> Path:
    """Build the wheel into a folder; its path.

    Args:
        out: the folder.
        kernels: an archive of compiled kernels; None for a wheel without them, for any platform.
    """
    environment = {name: value for name, value in os.environ.items() if name != KERNELS}
    if kernels is not None:
        environment[KERNELS] = str(kernels.resolve())
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, str(ROOT)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode:
            raise FootfallError(f"the wheel was not built:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        (built,) = Path(folder).glob("*.whl")
        size = built.stat().st_size
        if size > MOST_BYTES:
            raise FootfallError(f"{built.name} has {size / 1e6:.1f} MB; at most {MOST_BYTES / 1e6:.0f} MB are allowed")
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / built.name, built.read_bytes())
        return out / built.name


def main() -> int:
    """Compile the kernels, build the wheel, print its name and size."""
    parser = argparse.ArgumentParser(prog="python -m tools.wheel", description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the wheel")
    parser.add_argument("--kernels", type=Path, help="an archive that python -m tools.kernels FILE made")
    parser.add_argument("--pure", action="store_true", help="no kernels: a wheel for any platform")
    asked = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory() as folder:
            kernels = asked.kernels
            if kernels is None and not asked.pure:
                kernels = Path(folder, archive_name())
                print(f"{len(ship(kernels))} kernels compiled")
            wheel = build_wheel(asked.out, None if asked.pure else kernels)
        print(f"{wheel}: {wheel.stat().st_size / 1e6:.2f} MB")
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
