"""Hostile names through everything that writes files for other programs: a name stays a text there."""

import ast
import json
import re
import shlex
import shutil
import subprocess
import zipfile
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from types import SimpleNamespace
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest

from footfall import FootfallError
from footfall.cli import completion
from footfall.control import load_controller, parse_controller
from footfall.embedded.program import c_name, c_program, runner_script
from footfall.escaping import csv_cell, file_stem, fish_string, markdown_cell, plain_line, shell_words
from footfall.figures import Figure
from footfall.figures.mjcf import mjcf_text
from footfall.live.description import write_module
from footfall.live.page import live_page
from footfall.motion import Motion, load_motion, save_motion
from footfall.motion.formats.conventions import tidy_names
from footfall.motion.formats.opensim import read_storage, write_storage
from footfall.pictures.page import empty_figure, save_figure
from footfall.pictures.player import figure_html, motion_html, write_player
from footfall.simulation.trace import table_html
from footfall.studio.core.drawings import matplotlib_svg, svg, table, tag
from footfall.studio.widgets import marked
from footfall.study.adaptation import report
from footfall.study.adaptation.many import COLUMNS, BodyTask, _write_tables
from footfall.study.gait_lab import page as gait_page
from footfall.study.gait_lab.tables import write_workbook

HOSTILE = {
    "comment": "*/ int PWNED; /*",
    "comment-split": "x *\\\n/ int PWNED; /*",
    "comment-trigraph": "x *??/\n/ int PWNED; /*",
    "string": '"; system("PWNED"); //',
    "string-trigraph": '??/"; system("PWNED"); //',
    "lines": "a\nPWNED\r\nPWNED\x0bPWNED\x85PWNED\u2028PWNED\u2029PWNED",
    "splice": "PWNED \\",
    "docstring": '"""\nPWNED\n"""\\',
    "script": "</script><script>PWNED()</script><!--",
    "attribute": "' onload='PWNED()' \" onload=\"PWNED()\" <b>",
    "markup-comment": "--> <PWNED/> <!-- ---",
    "template": "${PWNED} $PWNED $(PWNED) `PWNED` $name __DATA__ {PWNED} %s",
    "mathematics": r"$\frac{PWNED$ $ $\undefined$",
    "shell": "'; rm -rf PWNED; '",
    "formula": "=cmd|' /C PWNED'!A1",
    "markdown": "a | PWNED | `b` |",
    "controls": "\0\x07\x1b[31mPWNED\x7f\x9b\u202e",
    "path": "../../PWNED",
    "long": "PWNED " * 800,
}
hostile = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)


@cache
def _program():
    """The walk's program in C, of how many words it is, and of how many statements its script."""
    program = c_program(load_controller("walk"), Figure.load("planar-biped"), "exported")
    return program, len(_bare(program.source).split()), len(ast.parse(runner_script(program)).body)


def _bare(source: str) -> str:
    """C as a compiler sees it, without its comments and what its strings hold."""
    joined = re.sub(r"\\\n", "", source.replace("??/", "\\"))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', '""', joined, flags=re.DOTALL)


@hostile
def test_c(text, tmp_path, monkeypatch):
    """A controller's name, figure and about, names of joints, points and numbers; the file that a robot came from."""
    program, words, statements = _program()
    figure, law = program.control.figure, program.control.law
    monkeypatch.setattr(type(law), "memory_names", (text,))
    monkeypatch.setattr(type(law), "parameter_names", (text, *law.parameter_names))
    own = replace(load_controller("walk"), name=text, about=f"{text} {text}")
    control = replace(program.control, controller=own, figure=replace(figure, name=text))
    changed = type(program)(control, "exported")
    changed.joints = [replace(joint, name=joint.name + text) for joint in program.joints]
    changed.original = {}
    for part in (changed.source, changed.header):
        assert "PWNED" not in _bare(part)
        assert all(c == "\n" or c.isprintable() for c in part)
    assert len(_bare(changed.source).split()) == words
    script = ast.parse(runner_script(changed))
    assert not any(isinstance(node, ast.Name) and node.id == "PWNED" for node in ast.walk(script))
    assert len(script.body) == statements
    if (compiler := shutil.which("gcc") or shutil.which("cc")) is None:
        pytest.skip("NOT COMPILED: there is no gcc or cc")
    for name, part in (("exported.h", changed.header), ("exported.c", changed.source)):
        (tmp_path / name).write_text(part, encoding="utf-8")
    flags = ["-std=c99", "-trigraphs", "-Wall", "-Werror", "-fsyntax-only"]
    done = subprocess.run([compiler, *flags, "exported.c"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:1000]


@pytest.mark.parametrize("file", ['a"b', "a\\", "a\nb", "a\0", "a<b>", "$a"])
def test_a_file_name_that_c_cannot_include_is_refused(file):
    with pytest.raises(FootfallError, match="names in C begin with it"):
        c_name(file)


class _Structure(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[object] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, [name for name, _ in attrs]))

    def handle_comment(self, data):
        self.found.append("comment")


@cache
def _motion() -> Motion:
    figure = Figure.load("planar-biped")
    times = np.linspace(0.0, 0.2, 5)
    return Motion.from_qpos(figure, times, np.tile(figure.default_qpos, (5, 1)), source={"controller": "walk"})


def _named_motion(text: str) -> Motion:
    motion = _motion()
    names = tuple(f"{name}{text}" for name in motion.skeleton.names)
    source = {"controller": text, "file": text}
    return replace(motion, skeleton=replace(motion.skeleton, names=names), figure=text, source=source, figure_xml="")


def _player(text, folder):
    write_player(_named_motion(text), folder / "player.html", title=text)
    return (folder / "player.html").read_text(encoding="utf-8")


def _adapt_report(text, folder):
    answer = {
        "controller": text, "length_ratio": 1.0, "mass_ratio": 1.0, "notes": [text], "generations": 1, "stage": text,
        "scaled": {"footsteps": 1, "seconds_up": 1.0}, "search_seconds": 1.0, "speed_mps": 1.0, "wanted_speed_mps": 1.0,
        "step_time_s": 1.0, "trials": [{"engine": text, "rows": [{"dt": 1.0, "noise": 0.0, "up": 1, "tried": 1}]}],
    }  # fmt: skip
    load = dict.fromkeys(("peak_nm", "rms_nm", "at_limit", "peak_w", "mean_w"), 1.0)
    loads = [load | {"joint": text, "limit_nm": None, "from_file": True}]
    body = SimpleNamespace(figure=SimpleNamespace(name=text))
    adapted = SimpleNamespace(as_dict=lambda: answer, history=[], fitted=body)
    plot = report.empty_figure(2.0, 1.0)
    plot.text(0.0, 0.0, text.replace("\n", " "))
    return report._page(adapted, loads, {"torques": plot}, film=True)


def _gait_page(text, folder):
    walk = SimpleNamespace(name=text, motion=SimpleNamespace(seconds=1.0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gait_page, "_facts", lambda analysis: analysis.name)
        patch.setattr(gait_page, "_data", lambda analyses: {text: [a.name for a in analyses]})
        return gait_page.page_html([walk]) + gait_page.notebook_html(walk)


def _live(text, folder):
    return live_page([replace(load_controller("walk"), name=text, about=text)], title=text)


def _drawing(text, folder):
    inner = tag("text", text, fill=text, title=text)
    tables = table([(text, text)], "x") + table_html([text], [[text]])
    return svg(1, 1, [inner], "x", text) + tables + marked(text.replace("*", ""))


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The elements and attributes of what some function makes with a plain name."""
    return cache(lambda made: _Structure(made("plain", tmp_path_factory.mktemp("plain"))).found)


@hostile
@pytest.mark.parametrize("made", [_player, _adapt_report, _gait_page, _live, _drawing])
def test_pages(made, text, tmp_path, plain):
    """The elements and attributes of a page are those that it has with a plain name."""
    page = made(text, tmp_path)
    assert _Structure(page).found == plain(made)
    for data in re.findall(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL):
        json.loads(data)


@hostile
def test_a_frame_in_a_notebook_holds_the_page_as_it_is(text, plain):
    found: list[dict[str, str]] = []
    parser = _Structure("")
    parser.handle_starttag = lambda tag, attrs: found.append(dict(attrs))
    parser.feed(motion_html(_named_motion(text)))
    assert len(found) == 1
    assert _Structure(found[0]["srcdoc"]).found == plain(_player)


@hostile
def test_the_files_of_a_module(text, tmp_path):
    controller = replace(load_controller("walk"), name=text, about=text)
    write_module([controller], tmp_path / "own")
    (described,) = (tmp_path / "own").glob("*.json")
    assert json.loads(described.read_text(encoding="utf-8"))["name"] == text
    named = text.replace("/", "").replace("\0", "")[:60]
    write_module([controller], tmp_path / "named", name=named)
    page = (tmp_path / "named" / "example.html").read_text(encoding="utf-8")
    assert [name for name, _ in _Structure(page).found] == ["meta", "meta", "title", "canvas", "script"]
    assert "PWNED" not in re.sub(r'"[^"\\]*"', "", page.partition("<script")[2])
    assert not list(tmp_path.parent.glob("*PWNED*"))


@hostile
def test_pictures(text, tmp_path):
    figure = empty_figure(3.0, 2.0)
    axes = figure.subplots()
    axes.semilogy([1, 2], [1, 1000], label=text[:40])
    axes.set_xticks([1, 2], [text[:40], "b"])
    axes.set_title(text[:40])
    axes.legend()
    for suffix in (".svg",) if text.isprintable() and "$" not in text else (".svg", ".pdf", ".png"):
        save_figure(figure, tmp_path / f"x{suffix}")
    drawn = "".join(ElementTree.parse(tmp_path / "x.svg").getroot().itertext())
    assert "mathdefault" not in drawn
    assert plain_line(text[:40]).strip().split()[0] in drawn
    ElementTree.fromstring(matplotlib_svg(figure, "x"))
    assert figure_html(figure).startswith("<img")


@hostile
@pytest.mark.parametrize("suffix", [".bvh", ".csv", ".npz", ".glb", ".usda", ".c3d", ".trc"])
def test_motion_files(text, suffix, tmp_path):
    if suffix == ".usda":
        pytest.importorskip("pxr")
    motion = _named_motion(text)
    path = tmp_path / f"x{suffix}"
    save_motion(motion, path)
    if suffix in (".bvh", ".trc"):
        assert not any(line.strip().startswith("PWNED") for line in path.read_text(encoding="utf-8").split("\n"))
    if suffix == ".usda":
        assert "PWNED()" not in path.read_text(encoding="utf-8")
    elif re.search("[\0\x0b\r]", text) and suffix in (".csv", ".npz", ".glb"):
        with pytest.raises(FootfallError, match=r"holds the character U\+00"):
            load_motion(path)
    elif suffix not in (".c3d", ".trc"):
        back = load_motion(path)
        assert (len(back), len(back.skeleton)) == (len(motion), len(motion.skeleton))


@hostile
def test_tables(text, tmp_path):
    write_storage(tmp_path / "x.sto", text, np.arange(3.0), {text: np.arange(3.0), "b": np.arange(3.0)})
    assert len(read_storage(tmp_path / "x.sto")[0]) == 3
    write_workbook(tmp_path / "x.xlsx", {text: [[text, f"={text}", f"{{={text}}}", f"+{text}", f"@{text}"]]})
    with zipfile.ZipFile(tmp_path / "x.xlsx") as book:
        sheets = [ElementTree.fromstring(book.read(name)) for name in book.namelist() if name.endswith(".xml")]
    assert not any(part.tag.endswith("}f") for sheet in sheets for part in sheet.iter())
    _write_tables([dict.fromkeys(COLUMNS, text)], tmp_path)
    lines = (tmp_path / "results.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3
    assert lines[2].count("|") == lines[0].count("|")
    assert len((tmp_path / "results.csv").read_text(encoding="utf-8").splitlines()) == 2
    assert not str(csv_cell(text)).startswith(("=", "+", "-", "@"))
    assert "\n" not in markdown_cell(text)


@hostile
def test_bodies(text):
    """MJCF is read back with the names that it was written with."""
    model = Figure.load("planar-biped").model
    back = mujoco.MjSpec.from_string(mjcf_text(model, text, comment=text))
    assert back.modelname.split() == plain_line(text).split()
    assert len(back.bodies) == model.nbody


@hostile
def test_shells(text, monkeypatch):
    assert shlex.split(shell_words("footfall", "run", text)) == ["footfall", "run", plain_line(text)]
    assert re.fullmatch(r"'(\\[\\']|[^\\'\n])*'", fish_string(text))
    assert re.fullmatch(r"[^/\\\0\n]+", file_stem(text))
    label = BodyTask("figure", name=text).label
    assert label == file_stem(label)
    monkeypatch.setattr(completion, "_values", lambda name, kind: (text, "plain"))
    for shell in ("bash", "fish"):
        assert text == "../../PWNED" or "PWNED" not in completion.completion_script(shell)


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x7f", "\n", "\u2028"])
def test_names_with_control_characters_are_refused_where_they_are_read(character):
    escaped = f"\\u{ord(character):04X}"
    with pytest.raises(FootfallError, match=rf"^mine: name holds the character U\+{ord(character):04X}; leave it out$"):
        parse_controller(f'name = "a{escaped}b"', "mine")
    assert tidy_names([f"a{character}b"])[0] == ("a b",)
    assert character not in str(FootfallError(f"a{character}b"))
    if character == "\n":
        xml = Figure.load("planar-biped").xml
        with pytest.raises(FootfallError, match="control character or the end of a line"):
            Figure.load(xml.replace("</worldbody>", '<site name="a&#10;b"/></worldbody>'))
