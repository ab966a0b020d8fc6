"""What the documentation shows runs as it stands."""

import re
from pathlib import Path

import pytest

from footfall.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "docs/your-own-law.md", "docs/architecture.md"]
BLOCKS = [
    (page, i, code)
    for page in PAGES
    for i, code in enumerate(re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL))
]


@pytest.mark.parametrize("page", ["README.md", "docs/your-own-law.md"])
def test_python_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    together = "\n".join(code for name, _, code in BLOCKS if name == page).replace("1000", "20")
    (tmp_path / "page.py").write_text(together)
    scope = {"__name__": "page"}
    exec(compile(together, str(tmp_path / "page.py"), "exec"), scope)


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_links_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for command in re.findall(r"^    footfall (\S+)", text, re.MULTILINE):
        assert command in COMMANDS
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((ROOT / page).parent / target).exists(), target
