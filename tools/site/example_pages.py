"""Pages of the files in ``examples``, so that links to them lead somewhere on the website too."""

import re
from pathlib import Path

__all__ = ["example_pages", "page_of"]

_LANGUAGES = {".py": "python", ".toml": "toml", ".xml": "xml"}


def example_pages(examples: Path) -> dict[str, str]:
    """Page name -> Markdown: scripts, and packages with their README and their code."""
    pages = {script.stem: _script(script) for script in sorted(examples.glob("*.py"))}
    pages |= {readme.parent.name: _package(readme) for readme in sorted(examples.glob("*/README.md"))}
    rows = "".join(f"- [{_title(text)}]({name}.md)\n" for name, text in pages.items())
    return {"index": f"# Examples\n\nThe files of the folder `examples`, to read and to copy from.\n\n{rows}"} | pages


def page_of(target: str) -> str | None:
    """The page of what a link from ``docs`` leads to, as in ``../examples/own_law.py``."""
    match = re.match(r"(?:\.\./)+examples/([\w-]+)(\.py|/README\.md|/?)$", target)
    return match.group(1) if match else None


def _script(script: Path) -> str:
    code = script.read_text(encoding="utf-8")
    return f"# {script.name}\n\n`python examples/{script.name}`\n\n```python\n{code}```\n"


def _package(readme: Path) -> str:
    text = re.sub(r"\]\((?!https?:)([^)]*)\)", lambda m: f"]({_from_generated(m.group(1))})", readme.read_text("utf-8"))
    files = [p for p in sorted(readme.parent.rglob("*")) if p.suffix in _LANGUAGES and "egg-info" not in str(p)]
    if readme.parent.name.startswith("footfall-"):
        blocks = (
            f"## {path.relative_to(readme.parent)}\n\n```{_LANGUAGES[path.suffix]}\n{path.read_text('utf-8')}```\n"
            for path in files
        )
        return "\n".join([text, *blocks])
    return text


def _from_generated(target: str) -> str:
    """A README's link into ``docs``, seen from docs/generated/examples."""
    return re.sub(r"^(?:\.\./)+docs/", "../../", target)


def _title(text: str) -> str:
    return re.sub(r"[#`]", "", text.splitlines()[0]).strip()
