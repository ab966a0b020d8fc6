"""How footfall, its reproductions and the tools are built: imports run one way, files are short, nothing is dead, the
front door opens, and phrases that made readers stop stay away."""

import ast
import json
import re
from collections import Counter
from functools import cache
from importlib import import_module
from pathlib import Path

import footfall
from footfall.lazy import stub_homes
from tools.site.public_names import public_names

ROOT = Path(__file__).parents[1]
PACKAGES = {"footfall": ROOT / "src", "footfall_reproductions": ROOT / "reproductions" / "src", "tools": ROOT}
"""Package -> the folder that it lies in; each may import itself and those before it."""
FOLDERS = ("src", "reproductions", "tools", "tests", "examples")
MOST_LINES = 600

LAYERS = (
    {
        "clusters",
        "errors",
        "escaping",
        "kernels",
        "lazy",
        "plugins",
        "progress",
        "text_files",
        "toml_files",
    },
    {"figures", "terrain"},
    {"push"},
    {"motion"},
    {"pictures"},
    {"dynamics"},
    {"control"},
    {"simulation"},
    {"methods"},
    {"learning"},
    {"study"},
    {"gym"},
    {"cli", "studio", "live", "embedded"},
    {"__main__"},
)
"""From the bottom up; a package may import its own layer and those before it."""


def _name(file: Path, home: Path) -> str:
    return ".".join(file.relative_to(home).with_suffix("").parts).removesuffix(".__init__")


MODULES = {
    _name(file, home): file for package, home in PACKAGES.items() for file in sorted((home / package).rglob("*.py"))
}


@cache
def _tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def _typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@cache
def _homes(package: str) -> dict[str, str]:
    """Public name -> module of a package that loads its names lazily."""
    stub = MODULES[package].with_suffix(".pyi")
    return stub_homes(stub) if stub.exists() else {}


@cache
def _all_imports(module: str) -> set[str]:
    """Whatever a module imports, at its top, inside its functions or by the name of a module; not for type checking
    alone. Tables of entry points (``"module:name"``) are no imports: other packages add to them in the same way."""
    found: set[str] = set()
    by_name = "import_module" in MODULES[module].read_text(encoding="utf-8")

    def visit(node: ast.AST) -> None:
        if _typing_only(node) or (isinstance(node, ast.expr) and not by_name):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                lazy = _homes(node.module).get(alias.name) if node.module in MODULES else None
                found.add(inner if inner in MODULES else lazy or node.module)
        elif by_name and isinstance(node, ast.Constant) and node.value in MODULES:
            found.add(node.value)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(_tree(module))
    return found - {module}


def _imports(module: str) -> set[str]:
    """Modules of ours that a module imports."""
    return _all_imports(module) & set(MODULES)


def test_no_import_circle():
    graph = {module: _imports(module) for module in MODULES}
    done: set[str] = set()

    def walk(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " > ".join([*path[path.index(module) :], module])
        if module not in done:
            for other in sorted(graph[module]):
                walk(other, (*path, module))
            done.add(module)

    for module in graph:
        walk(module, ())


def test_imports_run_one_way():
    level = {name: k for k, names in enumerate(LAYERS) for name in names}
    for module in MODULES:
        if not module.startswith("footfall."):
            continue
        own = module.split(".")[1]
        for other in _imports(module):
            if other != "footfall":
                assert level[other.split(".")[1]] <= level[own], f"{module} imports {other}"


def test_no_room_reaches_up_by_a_name():
    """A module's name in a text is loaded by those alone who load others: packages, registries and the command line."""
    loaders = {"lazy", "control", "cli", "kernels", "simulation"}
    level = {name: k for k, names in enumerate(LAYERS) for name in names}
    for module, file in MODULES.items():
        own = module.split(".")[1] if module.startswith("footfall.") else "lazy"
        if own in loaders or "import_module" not in file.read_text(encoding="utf-8"):
            continue
        texts = (node.value for node in ast.walk(_tree(module)) if isinstance(node, ast.Constant))
        named = [text for text in texts if isinstance(text, str) and re.match(r"footfall\.\w+\.[\w.:]+$", text)]
        assert [text for text in named if level[text.split(".")[1]] > level[own]] == [], module


def test_footfall_knows_neither_its_reproductions_nor_its_tools():
    """Nor does any package know the tests; reproductions know no tools; footfall's own tests need footfall alone."""
    order = [*PACKAGES, "tests", "examples"]
    for module in MODULES:
        own = order.index(module.split(".")[0])
        beyond = {name for name in _all_imports(module) if name.split(".")[0] in order[own + 1 :]}
        assert beyond == set(), module
    own_tests = [file for file in (ROOT / "tests").rglob("*.py") if file != Path(__file__)]
    assert [file for file in own_tests if "footfall_reproductions" in file.read_text(encoding="utf-8")] == []


def test_no_file_is_long():
    long = {
        str(file.relative_to(ROOT)): count
        for folder in FOLDERS
        for file in (ROOT / folder).rglob("*.py")
        if (count := len(file.read_text(encoding="utf-8").splitlines())) > MOST_LINES
    }
    assert long == {}


def test_nothing_is_dead():
    """Every function, method and class is named somewhere else too."""
    files = [p for folder in (*FOLDERS, "docs") for p in (ROOT / folder).rglob("*")]
    texts = [p.read_text(encoding="utf-8") for p in files if p.suffix in (".py", ".md", ".html", ".js", ".ts")]
    count = Counter(word for text in texts for word in re.findall(r"\w+", text))
    framework = re.compile(r"__|visit_|do_")
    dead = [
        f"{module}: {node.name}"
        for module in MODULES
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not framework.match(node.name) and count[node.name] < 2
    ]
    assert dead == []


def test_the_front_door_opens():
    assert set(dir(footfall)) >= {*footfall.__all__, "simulation", "study", "motion"}
    for name in footfall.__all__:
        assert getattr(footfall, name) is not None
    assert footfall.Simulation is footfall.simulation.Simulation
    assert footfall.Push is footfall.simulation.Push


def test_every_lazy_package_says_where_its_names_are():
    for module in MODULES:
        if "lazy_names(__name__" in MODULES[module].read_text(encoding="utf-8"):
            package = import_module(module)
            assert set(package.__all__) <= set(dir(package))
            assert all(getattr(package, name) is not None for name in package.__all__)


def _shown() -> dict[str, str]:
    """What README, documents, examples and notebooks say, by file."""
    folders = (ROOT / "docs", ROOT / "examples")
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(p for folder in folders for p in folder.rglob("*"))]
    files = [p for p in files if "generated" not in p.parts]
    texts = {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8") for p in files if p.suffix in (".md", ".py")}
    for notebook in (p for p in files if p.suffix == ".ipynb"):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        texts[str(notebook.relative_to(ROOT))] = "\n".join("".join(cell["source"]) for cell in cells)
    return texts


DOTTED = re.compile(r"""(?<![\w."'/:-])(?:footfall|ff)((?:\.(?!toml|yaml)[A-Za-z]\w*)+)""")
IMPORTED = re.compile(r"\bfrom (footfall(?:\.\w+)*) import +(\([^)]*\)|[^\n#;`]+)")


def _named_paths(text: str) -> set[str]:
    """Names of footfall that a text imports, or writes out with their dots; those in quotes are entry points."""
    paths = {f"footfall{dotted}" for dotted in DOTTED.findall(text)}
    for found in IMPORTED.finditer(text):
        names = re.sub(r"#.*", "", found[2]).strip("() \n").split(",")
        paths |= {f"{found[1]}.{name.split()[0]}" for name in names if name.strip()}
    return paths


@cache
def _public() -> dict[str, dict[str, str]]:
    return public_names()


def _is_public(path: str) -> bool:
    public, where = _public(), "footfall"
    for name in path.removesuffix(".__version__").split(".")[1:]:
        inner = f"{where}.{name}"
        if inner not in public and not any(package.startswith(f"{inner}.") for package in public):
            return name in public.get(where, {})
        where = inner
    return where in public or where.rpartition(".")[2] in public["footfall"]


def test_what_documents_and_examples_import_is_public():
    """Public: the names in a package's ``__init__.pyi``, and in the ``__all__`` of modules that such a stub names."""
    named = {(file, path) for file, text in _shown().items() for path in _named_paths(text)}
    assert len(named) > 100
    assert sorted((file, path) for file, path in named if not _is_public(path)) == []


def test_public_names_are_what_they_say():
    """Each exists, and none is hidden by a module of its name, which Python puts in its place once it is loaded."""
    for package, homes in _public().items():
        module = import_module(package)
        assert homes, package
        assert [name for name in homes if getattr(module, name, None) is None] == [], package
        assert [name for name, home in homes.items() if home != package and f"{package}.{name}" in MODULES] == []


MOST = {"lines": 100_050, "files": 423, "long functions": 4}
"""How large the package may be. A change that adds a capability first looks for the one it can become an instance of;
what raises a number here says which capability it bought. Toes and clavicles of rigs, by the same rules in files and in
pages, and feet that lie: 270 lines, 2 files. Learning to get up, from falls and poses on the way: 400 lines, 1 file. A
course in ten lessons, graded: 490, 3. Whether a character follows its clip, and a stand after it: 330, 1. Closed loops,
gears and differentials of robots: 350, 1; their exported C judged in the robot's own file: 150, 1. Packs that prove
a robot's walk, and their replay: 640, 3. Punches on segments as a command: 190, 1. A person who is steered:
720, 2. Ways up from the ground as clips, in place of rewards for rising, and gaits under orders: 30, 1 file. Robots
trained and tested with what their sensors say, led by headings, and what pushes cost them: 170."""
TANGLED, LONG, ARGUMENTS = 25, 100, 12
"""Most branches, lines and arguments of a function; a command may have more arguments: they are its options."""
BRANCHES = (ast.If, ast.For, ast.While, ast.IfExp, ast.BoolOp, ast.ExceptHandler, ast.comprehension)


def _of_footfall() -> dict[str, ast.Module]:
    return {module: _tree(module) for module in MODULES if module.partition(".")[0] == "footfall"}


def test_the_house_has_a_size():
    texts = [MODULES[module].read_text(encoding="utf-8") for module in _of_footfall()]
    assert sum(text.count("\n") for text in texts) <= MOST["lines"]
    assert len(texts) <= MOST["files"]


def test_no_function_needs_a_scroll():
    functions = {
        f"{module}: {node.name}": node
        for module, tree in _of_footfall().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    branches = {where: 1 + sum(isinstance(x, BRANCHES) for x in ast.walk(node)) for where, node in functions.items()}
    assert {where: count for where, count in branches.items() if count > TANGLED} == {}
    long = [where for where, node in functions.items() if (node.end_lineno or 0) - node.lineno + 1 > LONG]
    assert len(long) <= MOST["long functions"], long
    arguments = {
        where: count
        for where, node in functions.items()
        if (count := len(node.args.args) + len(node.args.kwonlyargs) + len(node.args.posonlyargs)) > ARGUMENTS
        and not where.startswith("footfall.cli.")
    }
    assert arguments == {}


def test_a_public_name_is_defined_once():
    """Two things never share a name, and one thing is never written twice; a command is named as what it runs."""
    homes: dict[str, list[str]] = {}
    for module, tree in _of_footfall().items():
        if module.startswith("footfall.cli."):
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_modules_that_docstrings_name_exist():
    named = {
        (module, found[1])
        for module in MODULES
        for found in re.finditer(r":mod:`([\w.]+)`", MODULES[module].read_text(encoding="utf-8"))
    }
    known = set(MODULES) | {package.rpartition(".")[0] for package in MODULES}
    homes = {module: module if MODULES[module].stem == "__init__" else module.rpartition(".")[0] for module in MODULES}
    where = {(module, homes[module] + name if name.startswith(".") else name) for module, name in named}
    assert {(module, name) for module, name in where if name not in known} == set()


PHRASES = {
    r"\bin words\b": "as text, or nothing",
    r"\b(what )?c(a|o)mes? of it\b": "the outcome",
    r"\bwhat walks\b": "the walker, the articulated figure",
    r"\bwho walks\b(?! alike| ``)": "the walker",
    r"\blaid together\b": "relative to the pelvis",
    r"\b(tell|tells|told) a fall\b|\bfalls? (is|are) told\b": "report a fall",
    r"\bof a good result also\b": "a good result also names",
    r"\bclip is (-|[0-9{])": "limit: a clip is a motion",
    r"\b(the (root|pelvis|body|clip|joint)('s|s')) places?\b(?! in (the|a) )": "position",
    r"\bfinite place\b": "finite position",
}
"""Pattern -> what is written instead."""


def test_phrases_that_left_stay_away():
    """They made readers stop: no docstring, message or help has one, nor the fixed parts of an f-string."""
    words = re.compile("|".join(f"(?:{phrase})" for phrase in PHRASES), re.IGNORECASE)
    found = [
        f"{module}:{node.lineno}: '{match.group()}'; write: {better}"
        for module in MODULES
        if not module.startswith("tools")
        for node in ast.walk(_tree(module))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if words.search(plain := " ".join(node.value.split()))
        for phrase, better in PHRASES.items()
        if (match := re.search(phrase, plain, re.IGNORECASE))
    ]
    assert found == []
