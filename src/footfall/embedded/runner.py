"""A script that walks a figure's file in MuJoCo with an exported controller, without footfall."""

from importlib.resources import files
from string import Template

from footfall.embedded.program import CProgram


def runner_script(program: CProgram) -> str:
    """The text of ``run_NAME.py``, which needs MuJoCo, numpy and a C compiler."""
    text = (files("footfall.embedded") / "runner.py.txt").read_text(encoding="utf-8")
    return Template(text).substitute(program.words)
