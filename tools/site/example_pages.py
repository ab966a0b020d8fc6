"""Pages of the files in ``examples``, so that links to them lead somewhere on the website too."""

import json
import re
from pathlib import Path

from tools.site.toctree import toctree

_LANGUAGES = {".py": "python", ".toml": "toml", ".xml": "xml"}
_LINK = re.compile(r"\]\((?![a-z]+:)([^)#]+)\)")


def example_pages(examples: Path) -> dict[str, str]:
    """Page name -> Markdown: scripts, notebooks, packages with their README and their code, and ``index``."""
    pages = {script.stem: _script(script) for script in sorted(examples.glob("*.py"))}
    pages |= {notebook.stem: _notebook(notebook) for notebook in sorted(examples.glob("*/*.ipynb"))}
    pages |= {readme.parent.name: _package(readme) for readme in sorted(examples.glob("*/README.md"))}
    return {"index": _moved((examples / "README.md").read_text("utf-8")) + toctree(*pages)} | pages


def page_of(target: str) -> str | None:
    """The page of what a link from ``docs`` leads to, as in ``../examples/own_law.py``."""
    if re.match(r"(?:\.\./)+examples(/README\.md|/?)$", target):
        return "index"
    match = re.match(r"(?:\.\./)+examples/(?:(?:notebooks|course)/)?([\w-]+)(\.py|\.ipynb|/README\.md|/?)$", target)
    if match is None or match.group(1) in ("learned", "notebooks", "course"):
        return None
    return match.group(1)


def _script(script: Path) -> str:
    code = script.read_text(encoding="utf-8")
    return f"# {script.name}\n\n`python examples/{script.name}`\n\n```python\n{code}```\n"


def _notebook(notebook: Path) -> str:
    folder = notebook.parent.name
    parts = [f"`examples/{folder}/{notebook.name}`"]
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"]).rstrip()
        parts.append(_moved(text, f"{folder}/") if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    title, *rest = parts[1:]
    return "\n\n".join([title, parts[0], *rest]) + "\n"


def _package(readme: Path) -> str:
    text = _moved(readme.read_text("utf-8"), f"{readme.parent.name}/")
    if not readme.parent.name.startswith("footfall-"):
        return text
    files = [p for p in sorted(readme.parent.rglob("*")) if p.suffix in _LANGUAGES and "egg-info" not in str(p)]
    return "\n".join([text, *(f"## {path.relative_to(readme.parent)}\n\n{_code(path)}" for path in files)])


def _code(path: Path) -> str:
    return f"```{_LANGUAGES[path.suffix]}\n{path.read_text('utf-8').rstrip()}\n```\n"


def _moved(text: str, folder: str = "") -> str:
    """Text of a file in ``examples/folder`` with its links as seen from docs/generated/examples."""
    return _LINK.sub(lambda match: f"]({_target(match.group(1), folder)})", text)


def _target(link: str, folder: str) -> str:
    if into_docs := re.match(r"(?:\.\./)+docs/(.*)", link):
        return f"../../{into_docs.group(1)}"
    if page := re.match(r"(?:\.\./)*(?:(?:notebooks|course)/)?([\w-]+)(?:\.py|\.ipynb|/README\.md|/)$", link):
        return f"{page.group(1)}.md"
    return f"../../../examples/{folder}{link}"
