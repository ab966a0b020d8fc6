"""The notebooks in examples run from top to bottom, and are kept with their outputs (``python -m tools.notebooks``)."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="NO NBFORMAT: the notebooks were not run")
nbclient = pytest.importorskip("nbclient", reason="NO NBCLIENT: the notebooks were not run")

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*/*.ipynb"))
SHOWN = {"1": 3, "2": 4, "3": 4, "4": 1}
"""First letter of a notebook -> pictures and players that it shows at least; those of the course show one."""


def least(path):
    return 1 if path.parent.name == "course" else SHOWN[path.name[0]]


def shown(notebook):
    """The pictures and players among a notebook's outputs; no output is an error."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    return [o for o in outputs if "image/png" in o.get("data", {}) or "text/html" in o.get("data", {})]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_its_outputs(path):
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    assert len(shown(notebook)) >= least(path)
    assert path.stat().st_size < 2e6


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path):
    pytest.importorskip("ipykernel", reason="NO IPYKERNEL: the notebooks were not run")
    notebook = nbformat.read(path, 4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert len(shown(notebook)) >= least(path)


SOLVED = {
    "01-pendulum": "def best_gain(T):\n    return 1 / (rate * np.tanh(rate * T))",
    "02-state-machine": 'mine = {"0.hold": 0.25, "0.swing_hip.angle": 0.2, "0.swing_knee.angle": -0.7}',
    "03-open-loop": "hip, hold = 0.6, 0.35",
    "04-feedback": 'mine = {"0.swing_hip.c_v": 0.2, "1.swing_hip.c_d": 1.0}',
    "05-torso": "lean = 0.194",
    "06-return-map": (
        "def predicted(disturbance, steps):\n"
        "    return np.linalg.matrix_power(point.jacobian, steps) @ disturbance"
    ),
    "07-closed-form": "def footholds(speed, frequency, count):\n    return speed / frequency * np.arange(1, count + 1)",
    "08-basins": "mine = 0.24",
    "09-space": "good, bad = 3.3, 3.7",
    "10-people": "mine = 1.1",
}
"""A notebook of the course -> what a student could write in its cell marked "yours"."""


@pytest.mark.slow
@pytest.mark.parametrize("path", [p for p in NOTEBOOKS if p.parent.name == "course"], ids=lambda path: path.stem)
def test_an_exercise_of_the_course_can_be_solved_and_is_not_at_the_start(path):
    cells = [c.source.removesuffix(";") for c in nbformat.read(path, 4).cells if c.cell_type == "code"]
    names = {}
    for cell in cells[:-1]:
        exec(SOLVED[path.stem] if "# yours" in cell else cell, names)
    body, _, call = cells[-1].rpartition("\n")
    exec(body, names)
    assert eval(call, names) == "solved"
    exec(next(cell for cell in cells if "# yours" in cell), names)
    assert eval(call, names) != "solved"
