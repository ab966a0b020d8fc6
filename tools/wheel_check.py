"""Tries a wheel in a fresh environment, away from the repository: ``python -m tools.wheel_check dist/footfall-….whl``.

The environment gets the wheel and, by pip, what it needs (``--borrow`` takes that from the environment that runs this,
without a network). Then a newcomer's first minutes: list, run, a picture, a sweep, the studio's page, Python.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
import venv
from collections.abc import Sequence
from pathlib import Path

PYTHON = """
import footfall, numpy as np
assert footfall.Simulation("walk", worlds=8, set={"swing_hip.c_v": np.linspace(0.15, 0.25, 8)}).run(5.0).survived.all()
"""


class FreshEnvironment:
    """A virtual environment with a wheel in it, and a home and cache of its own.

    Args:
        folder: where; it is made.
        wheel: what is installed.
        borrow: whether the packages that it needs are those of the environment that runs this.
        extras: of the wheel, where they are not borrowed.
    """

    def __init__(self, folder: Path, wheel: Path, *, borrow: bool = False, extras: str = "studio") -> None:
        self.folder = folder
        venv.create(folder / "environment", with_pip=False)
        scripts = "Scripts" if os.name == "nt" else "bin"
        self.programs = folder / "environment" / scripts
        pip = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet"]
        if borrow:
            subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
            site = Path(self.run(["-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]).strip())
            (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
        else:
            subprocess.run([*pip, f"{wheel}[{extras}]"], check=True)

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.programs / ("python.exe" if os.name == "nt" else "python")

    @property
    def variables(self) -> dict[str, str]:
        """The variables that its programs see: none that lead back to a checkout, and an empty cache of kernels."""
        apart = re.compile("PYTHON|VIRTUAL_ENV|FOOTFALL_|WARP_|PYTEST")
        kept = {name: value for name, value in os.environ.items() if not apart.match(name)}
        return kept | {"WARP_CACHE_PATH": str(self.folder / "cache")}

    def run(self, arguments: Sequence[str], *, errors: bool = False) -> str:
        """What Python prints with these arguments, in the environment's folder; with ``errors`` what it says too."""
        command = [str(self.python), *arguments]
        done = subprocess.run(command, cwd=self.folder, env=self.variables, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(arguments)}: {done.stdout[-1500:]}{done.stderr[-1500:]}")
        return done.stdout + (done.stderr if errors else "")

    def footfall(self, line: str) -> str:
        """What a command of footfall's prints."""
        return self.run(["-m", "footfall", *line.split()], errors=True)

    def served_page(self, controller: str = "walk", patience: float = 120.0) -> str:
        """The studio's page, as a browser gets it first."""
        command = [str(self.python), "-m", "footfall", "studio", controller, "--port", "0", "--no-browser"]
        place = {"cwd": self.folder, "env": self.variables, "text": True}
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **place) as studio:  # type: ignore[call-overload]
            try:
                until = time.monotonic() + patience
                for line in studio.stdout:
                    if found := re.search(r"http://\S+?:\d+", line):
                        with urllib.request.urlopen(found[0].rstrip("./"), timeout=patience) as answer:
                            return str(answer.read().decode())
                    if time.monotonic() > until:
                        break
            finally:
                studio.terminate()
        raise SystemExit("studio: it printed no address")


def try_wheel(place: FreshEnvironment) -> dict[str, float]:
    """A newcomer's first minutes; what was measured."""
    home = place.run(["-c", "import footfall; print(footfall.__file__)"]).strip()
    assert home.startswith(str(place.folder.resolve())), f"footfall comes from {home}, not from the wheel"
    assert "walk-3d" in place.footfall("show")
    first, again = (_cpu_seconds(place) for _ in range(2))
    said = place.footfall("run walk --seconds 5 --out walk.png --out walk.html")
    assert "stayed up" in said, said
    assert (place.folder / "walk.png").stat().st_size > 5000
    place.footfall("sweep walk --over swing_hip.c_v=0.1:0.3:5 --seconds 5 --out sweep.nc --out sweep.png")
    assert (place.folder / "sweep.png").stat().st_size > 5000
    assert "footfall" in place.served_page()
    place.run(["-c", PYTHON])
    return {"first_run_cpu_s": first, "second_run_cpu_s": again, "ratio": first / again}


def _cpu_seconds(place: FreshEnvironment) -> float:
    """CPU seconds of ``footfall run walk`` in a process of its own."""
    code = (
        "import time; from footfall.cli.main import main; main(['run', 'walk', '--seconds', '5']); "
        "print('cpu', time.process_time())"
    )
    return float(place.run(["-c", code]).rpartition("cpu")[2])


def main() -> int:
    """Try a wheel and print what was measured."""
    parser = argparse.ArgumentParser(prog="python -m tools.wheel_check", description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--borrow", action="store_true", help="packages of this environment, instead of pip's")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = try_wheel(FreshEnvironment(Path(folder), asked.wheel.resolve(), borrow=asked.borrow))
    print(json.dumps({"wheel": asked.wheel.name, "megabytes": asked.wheel.stat().st_size / 1e6} | found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
