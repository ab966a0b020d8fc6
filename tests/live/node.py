"""Modules run in node, for tests."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import footfall.live

HERE = Path(__file__).parent
RUNTIME = Path(footfall.live.__file__).parent / "runtime"


def find_node() -> str | None:
    """Where node is installed; None if it is not."""
    return shutil.which("node") or shutil.which("nodejs")


def run_modules(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of ``run_module.mjs`` to requests, from one process."""
    return run_script(HERE / "run_module.mjs", requests)


def run_script(script: Path, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of a script to requests, one JSON object a line each way; it is given the folder of the runtime."""
    node = find_node()
    assert node is not None
    text = "".join(json.dumps(r) + "\n" for r in requests)
    done = subprocess.run(
        [node, str(script), str(RUNTIME)], input=text, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
