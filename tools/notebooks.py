"""The notebooks of examples with their outputs, run from top to bottom: ``python -m tools.notebooks``.

What changes from run to run without a change of code (times of cells) is left out.
"""

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"


def with_outputs(path: Path) -> Any:
    """A notebook that was run in an empty folder."""
    nbclient, nbformat = import_module("nbclient"), import_module("nbformat")
    notebook: Any = nbformat.read(path, 4)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    return notebook


def main() -> None:
    """Run every notebook and write it with its outputs."""
    nbformat = import_module("nbformat")
    for path in sorted(EXAMPLES.glob("*/*.ipynb")):
        nbformat.write(with_outputs(path), path)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
