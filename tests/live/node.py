"""Modules run in node, for tests."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import footfall.live

HERE = Path(__file__).parent


def find_node() -> str | None:
    """Where node is installed; None if it is not."""
    return shutil.which("node") or shutil.which("nodejs")


def run_modules(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Answers of ``run_module.mjs`` to requests, from one process."""
    node = find_node()
    assert node is not None
    script = Path(footfall.live.__file__).parent / "walker.js"
    module = requests[0]["folder"] + "/walker.mjs"
    Path(module).write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    text = "".join(json.dumps(r) + "\n" for r in requests)
    done = subprocess.run(
        [node, str(HERE / "run_module.mjs"), module],
        input=text,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
