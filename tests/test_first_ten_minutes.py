"""A newcomer's first ten minutes: the wheel in a new environment, list, run, picture, studio, sweep, notebook.

The packages that footfall needs are borrowed from this environment, so that no network is needed; ``make wheel-check``
installs them.
"""

import zipfile
from importlib.resources import files
from pathlib import Path

import pytest

from footfall.kernels.shipped import archive_name
from tools.wheel import build_wheel
from tools.wheel_check import FreshEnvironment, try_wheel

pytest.importorskip("build", reason="NO BUILD: the wheel was not built")
ROOT = Path(__file__).parents[1]
RUN = """
import sys, nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], 4)
NotebookClient(notebook, timeout=300).execute()
nbformat.write(notebook, "seen.ipynb")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    kernels = Path(str(files("footfall.kernels") / "compiled" / archive_name()))
    return build_wheel(tmp_path_factory.mktemp("dist"), kernels if kernels.is_file() else None)


@pytest.mark.slow
def test_a_wheel_holds_the_package_and_its_data_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    there = ("py.typed", "figures/library/human-28.xml", "live/page.html", "methods/simbicon/library/walk-3d.toml")
    missing = [name for name in there if f"footfall/{name}" not in names and (ROOT / "src/footfall" / name).exists()]
    assert missing == []
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"footfall"}
    archives = [name for name in names if name.startswith("footfall/kernels/compiled/")]
    assert archives == ([] if wheel.name.endswith("any.whl") else [f"footfall/kernels/compiled/{archive_name()}"])


@pytest.mark.slow
def test_the_first_ten_minutes(wheel, tmp_path):
    place = FreshEnvironment(tmp_path, wheel, borrow=True)
    found = try_wheel(place)
    print(f"first run {found['ratio']:.1f} times the CPU time of the second; wheel {wheel.stat().st_size / 1e6:.1f} MB")
    pytest.importorskip("nbclient", reason="NO NBCLIENT: the newcomer's notebook was not run")
    (tmp_path / "run_notebook.py").write_text(RUN, encoding="utf-8")
    place.run(["run_notebook.py", str(ROOT / "examples/notebooks/1-simbicon-in-ten-minutes.ipynb")])
    assert "image/png" in (tmp_path / "seen.ipynb").read_text(encoding="utf-8")


def test_code_that_ships_knows_no_folder_of_a_checkout():
    shipped = [*(ROOT / "src").rglob("*.py"), *(ROOT / "reproductions" / "src").rglob("*.py")]
    words = ('"shared"', "shared/data")
    found = [f"{path}: {word}" for path in shipped for word in words if word in path.read_text(encoding="utf-8")]
    assert found == []
