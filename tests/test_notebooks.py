"""The notebooks in examples run from top to bottom, and are kept with their outputs (``python -m tools.notebooks``)."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="NO NBFORMAT: the notebooks were not run")
nbclient = pytest.importorskip("nbclient", reason="NO NBCLIENT: the notebooks were not run")

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))
SHOWN = {"1": 3, "2": 4, "3": 4, "4": 1}
"""First letter of a notebook -> pictures and players that it shows at least."""


def shown(notebook):
    """The pictures and players among a notebook's outputs; no output is an error."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    return [o for o in outputs if "image/png" in o.get("data", {}) or "text/html" in o.get("data", {})]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_its_outputs(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    assert len(shown(notebook)) >= SHOWN[path.name[0]]
    assert path.stat().st_size < 2e6


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path):
    pytest.importorskip("ipykernel", reason="NO IPYKERNEL: the notebooks were not run")
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert len(shown(notebook)) >= SHOWN[path.name[0]]
