"""The C of the documentation compiles against an exported header."""

import re
from pathlib import Path

from footfall.control import load_controller
from footfall.embedded.program import c_program
from footfall.figures import Figure
from tests.embedded.in_c import compiled, needs_compiler

PAGE = Path(__file__).parents[2] / "docs" / "robots-c.md"
YOURS = """
static void read_sensors(double *qpos, double *qvel, double *contact) { qpos[0] = qvel[0] = contact[0] = 0.0; }
static void send_torques(const double *torque) { (void)torque; }
void change(my_walk_state *given);
"""


@needs_compiler
def test_the_examples_compile(tmp_path):
    loop, change = re.findall(r"^```c\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    program = c_program(load_controller("walk"), Figure.load("planar-biped"), "my_walk")
    (tmp_path / "my_walk.h").write_text(program.header, encoding="utf-8")
    include, _, rest = loop.partition("\n\n")
    changing = f"void change(my_walk_state *given) {{\nstatic my_walk_state state;\n{change}*given = state;\n}}"
    text = (
        f"{program.source}\n{include}\n{YOURS}\n{rest}\n{changing.replace('double numbers', 'static double numbers')}\n"
    )
    assert compiled(tmp_path, text, "example") is not None


def test_the_interface_is_as_documented():
    """Every name in the page's table is in the header."""
    header = c_program(load_controller("walk"), Figure.load("planar-biped"), "my_walk").header
    table = PAGE.read_text(encoding="utf-8").partition("| name |")[2].partition("\n\n")[0]
    names = {*re.findall(r"`(my_walk_\w+)", table), *(f"my_walk{end}" for end in re.findall(r"`…(_\w+)`", table))}
    assert len(names) > 10
    assert {name for name in names if name not in header} == set()
