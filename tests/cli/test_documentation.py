"""Every code block of README and docs runs, with shorter durations and fewer worlds; links lead somewhere."""

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import tomllib
from importlib import import_module, util
from inspect import signature
from pathlib import Path

import pytest
import tyro

from footfall.cli.commands import command_names, load_command
from footfall.control import parse_controller
from tests.test_first_hour import FIRST_HOUR

ROOT = Path(__file__).parents[2]
TUTORIALS = sorted(f"docs/tutorials/{p.name}" for p in (ROOT / "docs" / "tutorials").glob("*.md"))
PAGES = ["README.md", "reproductions/README.md", *sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
PAGES += TUTORIALS
SLOW = {"README.md"} | {
    f"docs/{name}.md"
    for name in (
        "animate",
        "bodies",
        "build-robots",
        "clusters",
        "data",
        "data-driven",
        "environments",
        "gait-analysis",
        "gait-measurements",
        "imitate",
        "improving-simbicon",
        "limit-cycles",
        "live",
        "motion",
        "pendulum",
        "robots",
        "robots-c",
        "simbicon-2d",
        "simbicon-3d",
        "simulation",
        "studies",
        "study",
        "tutorials/analyse-gait",
        "tutorials/write-a-law",
    )
}
"""Pages whose commands take longest."""
MANY_WORLDS = {f"docs/{name}.md" for name in ("gait-measurements", "studies", "study")}
"""Of these, pages that simulate for longer than their kernels take to optimise."""
AS_WRITTEN = {"docs/simulation.md"}
"""Pages whose Python checks numbers, and so runs with the durations that are written there."""
LANGUAGES = {"sh", "python", "toml", "yaml", "text", "console", "c", "html"}

PARSED = {
    "adapt": "minutes",
    "imitate": "minutes",
    "motion benchmark": "a folder of captured clips",
    "motion stream": "captured clips of turns",
    "reproduce": "minutes",
    "steer": "captured clips of turns",
    "studio": "it serves until it is stopped",
    "what-if": "minutes",
    "train": "minutes",
}
"""Commands whose arguments are checked here without running them; other tests run them."""
PARSED_WITH = {("run", "bench"), ("optimize", "goal"), ("robustness", "rose"), ("robustness", "segments")}
"""Commands that take minutes with an option."""
SCRIPTS = ("human-walk-trials",)

SHORT = {
    "run": {"seconds": 0.5},
    "analyse": {"seconds": 5.0},
    "sweep": {"seconds": 0.5, "settle": 2.0, "recovery": 0.5},
    "robustness": {"only": ("torque_limit",), "replicas": 1, "phases": 2},
    "stability": {"branch": 0, "directions": 4, "dt": 0.0005, "settle": 6.0},
    "optimize": {"population": 4, "generations": 1, "vary": ("kd=29:31",), "keep": (), "minimize": ("torque",),
                 "maximize": (), "toward": ()},
    "train": {"seconds": 6.0},
    "limit-cycle": {"footsteps": 3},
    "pendulum": {"seconds": 1.0, "fps": 10.0},
}  # fmt: skip

PYTHON = [
    (r"\.run\((\d+\.\d+)\)", ".run(0.5)"),
    (r"\b1000\b", "8"),
    (r"\.walk\(60\)", ".walk(3)"),
    (r", 31\)", ", 3)"),
    (r"walkers=9\b", "walkers=2"),
    (r"np\.arange\(0\.1, 0\.51, 0\.05\)", "np.array([0.25, 0.3])"),
    (r"start=5\.0\b", "start=0.1"),
    (r"start=1\.0, end=3\.0", "start=0.1, end=0.4"),
    (r'"push\.start": 5\.0', '"push.start": 0.5'),
    (r"record_walk\(gait, 8\.0", "record_walk(gait, 3.0"),
]


def _blocks(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def _prose(page):
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def named_files(tmp_path_factory):
    """The clips and the character that the pages name, by file name."""
    from footfall import save
    from footfall.control import load_controller, save_controller
    from footfall.methods.pendulum import Person, periodic_gait, record_walk, walk_motion

    folder = tmp_path_factory.mktemp("named")
    motion = walk_motion(record_walk(periodic_gait(Person.of()), 6.0, fps=30))
    for name in ("clip.bvh", "walk.npz", "human.npz"):
        save(motion, folder / name)
    save_controller(load_controller("steered-walk"), folder / "me.toml")
    return folder


@pytest.fixture
def place(named_files, tmp_path, monkeypatch):
    """A folder with the clips and the character that the pages name."""
    shutil.copytree(named_files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=pytest.mark.slow if p in SLOW else ()) for p in PAGES if p not in FIRST_HOUR]
)
def test_every_code_block_runs(page, place, request):
    if page in MANY_WORLDS:
        request.getfixturevalue("long_kernels")
    scope = {"__name__": "page"}
    for language, code in _blocks(page):
        assert language in LANGUAGES, f"{page}: a block without a language:\n{code}"
        if language == "python":
            for pattern, shorter in () if page in AS_WRITTEN else PYTHON:
                code = re.sub(pattern, shorter, code)
            (place / "page.py").write_text(code, encoding="utf-8")
            exec(compile(code, str(place / "page.py"), "exec"), scope)
        elif language == "toml":
            _toml(code)
        elif language == "yaml":
            yaml = pytest.importorskip("yaml")
            assert all(isinstance(part, dict) for part in yaml.safe_load_all(code))
        elif language == "sh":
            for line in code.splitlines():
                _command(line.partition("  #")[0].strip())


def _toml(code):
    data = tomllib.loads(code)
    if "states" in data:
        parse_controller(code, "documentation")


def _command(line):
    line, _, into = line.partition(" > ")
    words = shlex.split(line)
    if not words or words[0] in ("source", "pip", "cd"):
        return
    if words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), line
    elif words[0] == "python":
        if words[1] == "-m":
            assert words[2] == "footfall" or util.find_spec(words[2]) is not None, line
        else:
            assert (ROOT / words[1]).is_file(), line
    elif words[0] == "sed":
        subprocess.run(words, check=True)
    else:
        assert words[0] == "footfall", line
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            _run(words[1:])
        if into:
            Path(into).write_text(printed.getvalue(), encoding="utf-8")


def _run(words):
    name, *rest = words
    assert name in command_names(), words
    command = load_command(name)
    if isinstance(command, dict):
        assert rest[0] in command, words
        name, command, rest = f"{name} {rest[0]}", command[rest[0]], rest[1:]
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            given = tyro.cli(_given(command), args=rest)
    except SystemExit:
        pytest.fail(f"footfall {shlex.join(words)}: {said.getvalue()}")
    elsewhere = bool(given.get("jobs"))  # tests/clusters
    parsed = name in PARSED and given.get("method") != "feedback-error"
    parsed |= any(name == long and given.get(option) for long, option in PARSED_WITH)
    parsed |= given.get("controller") in SCRIPTS
    device = given.get("device") or getattr(given.get("pushed"), "device", "cpu")
    if parsed or elsewhere or device != "cpu":
        return
    if given.get("push_map"):
        given["push_map"] = 100
    elif given.get("transitions"):
        given["phases"] = 1
    else:
        given |= {k: v for k, v in SHORT.get(name, {}).items() if k in signature(command).parameters}
    for key in ("over", "set_"):
        if isinstance(given.get(key), tuple):
            given[key] = tuple(re.sub(r":\d+$", ":3", text) for text in given[key])
        elif isinstance(given.get(key), str):
            given[key] = re.sub(r":\d+$", ":3", given[key])
    if isinstance(given.get("samples"), int) and given["samples"] > 1:
        given["samples"] = 2
    if name == "run" and given.get("push"):  # within the short run
        given["push"] = tuple(re.sub(r"@[\d.]+", "@0.1", text) for text in given["push"])
    if given.get("sequence"):
        given["sequence"] = re.sub(r" \d+", " 0.3", given["sequence"])
    if given.get("footsteps") and given.get("gait"):
        given["gait"] = tuple(re.sub(r"@.*", "@0:0,2:1", text) for text in given["gait"])
    assert command(**given) in (0, None), words


def _given(command):
    """A function with a command's signature that returns its arguments by name."""
    import functools

    @functools.wraps(command)
    def bind(*args, **kwargs):
        bound = signature(command).bind(*args, **kwargs)
        return dict(bound.arguments)

    return bind


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\((?![a-z]+:)([^)#]*)(?:#([^)]*))?\)", _prose(page)):
        place = (ROOT / page).parent / target if target else ROOT / page
        assert place.exists(), target
        if anchor:
            assert anchor in _anchors(place), f"{target}#{anchor}"


def _anchors(path):
    """The anchors of a page's headings, as forges and the website make them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_the_text_exist(page):
    """``footfall NAME`` in running text names a command, and ``--option`` beside it one of its options."""
    text = _prose(page)
    for words in re.findall(r"`footfall ([a-z][a-z-]*)([^`]*)`", text):
        assert words[0] in command_names(), words
    for name in re.findall(r"`(footfall(?:\.\w+)+)`", text):
        module, _, attribute = name.rpartition(".")
        assert util.find_spec(name) is not None if _is_module(name) else hasattr(import_module(module), attribute), name


def _is_module(name):
    try:
        return util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
