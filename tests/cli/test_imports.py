"""What must start at once loads nothing heavy."""

import subprocess
import sys

import pytest

HEAVY = ("warp", "mujoco", "matplotlib", "scipy", "xarray", "pandas", "websockets", "PIL", "imageio", "cma")


def _loaded(code: str) -> set[str]:
    program = f"import sys\n{code}\nprint('\\n'.join(sorted(sys.modules)), file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return {name.split(".")[0] for name in run.stderr.split()}


@pytest.mark.parametrize(
    "code",
    [
        "import footfall",
        "import footfall.simulation, footfall.control, footfall.dynamics, footfall.figures, footfall.motion",
        "import footfall.study, footfall.learning, footfall.live, footfall.embedded, footfall.methods.network",
        "from footfall.cli.main import main\nassert main(['show']) == 0",
        "from footfall.cli.main import main\nassert main(['--help']) == 0",
    ],
    ids=["footfall", "sub-packages", "more sub-packages", "show", "help"],
)
def test_nothing_heavy_is_loaded(code):
    assert _loaded(code) & set(HEAVY) == set()


def test_the_engine_needs_numpy_warp_and_mujoco_alone():
    code = "import footfall.simulation.bench, footfall.simulation.mujoco_engine, footfall.methods.simbicon.law"
    extra = {"scipy", "matplotlib", "tyro", "rich", "xarray", "pandas", "imageio", "PIL", "cma"}
    assert _loaded(code) & extra == set()
