"""A new user's path, on a fresh clone: the commands of docs/first-hour.md, one after the other, as they are written."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "first-hour.md"
WRITTEN = (
    "walk.html walk.png pushed.png pushed.pdf fall.mp4 body.png graph.png mine.toml thrifty.toml history.png "
    "walks.toml sweep.nc sweep.png walk.gif turn.glb turn.bvh my-character.bvh turn-on-me.bvh turn-on-me.png live.html"
)


def _clone(folder):
    """A clone whose ``.venv`` finds the installed dependencies, so that no network is needed."""
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", folder], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    packages = next((folder / ".venv" / "lib").glob("python*/site-packages"))
    (packages / "footfall.pth").write_text(f"{folder / 'src'}\n{sysconfig.get_paths()['purelib']}\n")
    command = folder / ".venv" / "bin" / "footfall"
    command.write_text(f"#!{folder / '.venv' / 'bin' / 'python'}\nimport sys\nfrom footfall.cli.main import main\n"
                       "sys.exit(main())\n")  # fmt: skip
    command.chmod(0o755)
    (folder / ".venv" / ".installed").touch()


def _blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def _shape(line):
    """A line without its numbers."""
    return re.sub(r"\s+", " ", re.sub(r"[-+]?\d[\d.,e+-]*", "#", line)).strip()


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git repository: no fresh clone can be made")
def test_the_first_hour(tmp_path):
    folder = tmp_path / "footfall"
    _clone(folder)
    python = "\n".join(_blocks("python"))
    shown = "".join(f"\nassert {name}._repr_html_()" for name in ("outcome", "trace", "motion"))
    (folder / "notebook.py").write_text(python + shown + "\n", encoding="utf-8")
    script = "\n".join(["set -eo pipefail", f"cd {folder}", *_blocks("sh"), "python notebook.py"])
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=environment, timeout=1200)
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    for name in WRITTEN.split():
        assert (folder / name).stat().st_size > 300, name
    printed = {_shape(line) for line in run.stdout.splitlines()}
    for block in _blocks("console"):
        for line in block.splitlines():
            assert _shape(line) in printed, line
    assert "Warp" not in run.stdout + run.stderr
    assert "Traceback" not in run.stderr
