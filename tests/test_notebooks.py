"""The notebooks in examples run from top to bottom, and are kept without outputs."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="NO NBFORMAT: the notebooks were not run")
nbclient = pytest.importorskip("nbclient", reason="NO NBCLIENT: the notebooks were not run")

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))
SHOWN = {"1": 3, "2": 4, "3": 4, "4": 1}
"""First letter of a notebook -> pictures and players that it shows at least."""


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_no_outputs(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.outputs == []
            assert cell.execution_count is None


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path):
    pytest.importorskip("ipykernel", reason="NO IPYKERNEL: the notebooks were not run")
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    shown = [o for o in outputs if "image/png" in o.get("data", {}) or "text/html" in o.get("data", {})]
    assert len(shown) >= SHOWN[path.name[0]]
