"""A new user's path, on a fresh clone: the commands of the first tutorials, in order, as they are written."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from footfall.kernels.building import QUICK

ROOT = Path(__file__).parents[1]
FIRST_HOUR = [
    "docs/get-started.md",
    "docs/tutorials/push-it.md",
    "docs/tutorials/author-a-gait.md",
    "docs/tutorials/optimise-it.md",
    "docs/tutorials/sweep-it.md",
    "docs/tutorials/in-python.md",
    "docs/tutorials/import-a-clip.md",
    "docs/tutorials/export-to-blender.md",
    "docs/tutorials/show-it.md",
]
"""Pages in the order in which they are followed: later ones use files of earlier ones."""
WRITTEN = (
    "walk.html walk.png human.html from-python.html pushed.png pushed.pdf fall.mp4 pushed-3d.html body.png graph.png "
    "mine.toml thrifty.toml history.png walks.toml sweep.nc sweep.png walk.gif clip.bvh on-human.npz both.html "
    "both.png angles.png turn.glb turn.bvh my-character.bvh turn-on-me.bvh turn-on-me.png live.html"
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


def _blocks(*languages):
    """The blocks of all pages in order, each with its language."""
    pages = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in FIRST_HOUR)
    found = re.findall(r"^```(\w+)\n(.*?)^```$", pages, re.DOTALL | re.MULTILINE)
    return [(language, block) for language, block in found if language in languages]


def _shape(line):
    """A line without its numbers."""
    return re.sub(r"\s+", " ", re.sub(r"[-+]?\d[\d.,e+-]*", "#", line)).strip()


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git repository: no fresh clone can be made")
def test_the_first_hour(tmp_path):
    folder = tmp_path / "footfall"
    _clone(folder)
    script = ["set -eo pipefail", f"cd {folder}"]
    for number, (language, block) in enumerate(_blocks("sh", "python")):
        if language == "python":
            shown = [name for name in ("outcome", "trace", "motion") if f"\n{name} =" in block]
            block += "".join(f"assert {name}._repr_html_()\n" for name in shown)
            (folder / f"block-{number}.py").write_text(block, encoding="utf-8")
            block = f"python block-{number}.py"
        script.append(block)
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV", QUICK)}
    run = subprocess.run(
        ["bash", "-c", "\n".join(script)], capture_output=True, text=True, env=environment, timeout=1200
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    for name in WRITTEN.split():
        assert (folder / name).stat().st_size > 300, name
    printed = {_shape(line) for line in run.stdout.splitlines()}
    for _, block in _blocks("console"):
        for line in block.splitlines():
            assert _shape(line) in printed, line
    assert "Warp" not in run.stdout + run.stderr
    assert "Traceback" not in run.stderr
