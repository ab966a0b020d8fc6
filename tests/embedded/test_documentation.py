"""The C of the documentation compiles against an exported header."""

import re
import shlex
import subprocess
from pathlib import Path

from footfall.cli.main import main
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


@needs_compiler
def test_the_guide_for_game_engines(tmp_path):
    """Its program compiles and runs with the file that its command writes, of a walker that compiles sooner; every
    function of its table is in the header."""
    guide = PAGE.with_name("game-engines.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^```sh\nfootfall (.*?)\n```$", guide, re.MULTILINE)
    words = command.replace("walk-3d", "walk").replace("walker.c", str(tmp_path / "walker.c"))
    assert main(shlex.split(words)) == 0
    (text,) = re.findall(r"^```c\n(.*?)^```$", guide, re.DOTALL | re.MULTILINE)
    (tmp_path / "game.c").write_text(text.replace("{0.0, 900.0, 0.0}", "{900.0, 0.0, 0.0}"), encoding="utf-8")
    build = [
        "cc",
        "-std=c99",
        "-O1",
        "-Wall",
        "-Wextra",
        "-pedantic",
        "-Werror",
        "game.c",
        "walker.c",
        "-lm",
        "-o",
        "game",
    ]
    subprocess.run(build, cwd=tmp_path, check=True)
    said = subprocess.run([str(tmp_path / "game")], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"fell at \d+\.\d+ 0\.00\n", said.stdout)
    header = (tmp_path / "walker.h").read_text(encoding="utf-8")
    functions = set(re.findall(r"^\| `(walker_\w+)\(", guide, re.MULTILINE))
    assert functions == set(re.findall(r"\b(walker_\w+)\([^)]*\);", header))
    assert len(functions) == 10


def test_the_interface_is_as_documented():
    """Every name in the page's table is in the header."""
    header = c_program(load_controller("walk"), Figure.load("planar-biped"), "my_walk").header
    table = PAGE.read_text(encoding="utf-8").partition("| name |")[2].partition("\n\n")[0]
    names = {*re.findall(r"`(my_walk_\w+)", table), *(f"my_walk{end}" for end in re.findall(r"`…(_\w+)`", table))}
    assert len(names) > 10
    assert {name for name in names if name not in header} == set()
