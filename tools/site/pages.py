"""Pages for Sphinx: the generated ones, the order of them all, and links that leave ``docs``.

Pages are plain Markdown that reads well without Sphinx. So the order of pages is in no file of its own: a page of
``SECTIONS`` lists pages, ``- [Title](page.md): …``, and that list is the navigation.
"""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from footfall.text_files import write_whole
from tools.site.api_pages import api_pages
from tools.site.command_pages import command_pages
from tools.site.example_pages import example_pages, page_of
from tools.site.toctree import toctree

SECTIONS = ("index", "first-hour", "guides", "papers", "reference", "inside")
"""Pages whose lists are the navigation."""
GENERATED = {
    "reference": {
        "Commands": "generated/commands/index",
        "Python API": "generated/api/index",
        "Examples": "generated/examples/index",
        "Changes": "generated/changes",
        "Contributing": "generated/contributing",
    }
}
"""Section -> generated pages that come first in it."""
ROOT_PAGES = {"changes": "CHANGELOG.md", "contributing": "CONTRIBUTING.md"}
"""Generated page -> the file beside ``docs`` that it shows."""
_ENTRY = re.compile(r"^- \[([^\]]+)\]\(([\w/-]+)\.md\)", re.MULTILINE)
_LINK = re.compile(r"\]\((\.\./[^)#]+)(#[^)]*)?\)")


def listed(text: str) -> list[tuple[str, str]]:
    """The pages that a section's text lists: titles and names."""
    return _ENTRY.findall(text)


def _write_generated(app: Sphinx) -> None:
    docs = Path(app.srcdir)
    made = {f"{page}.md": _from_root(docs.parent / file) for page, file in ROOT_PAGES.items()}
    made |= _in_folder("commands", command_pages(), "md")
    made |= _in_folder("api", api_pages(), "rst")
    made |= _in_folder("examples", example_pages(docs.parent / "examples"), "md")
    folder = docs / "generated"
    for name, text in made.items():
        path = folder / name
        if not path.is_file() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())
    for path in (p for p in folder.rglob("*.*") if str(p.relative_to(folder)) not in made):
        path.unlink()


def _from_root(file: Path) -> str:
    """A file beside ``docs`` with its links as seen from docs/generated."""
    text = re.sub(r"\]\((?![a-z]+:|#)([^)]+)\)", r"](../../\1)", file.read_text("utf-8"))
    return text.replace("](../../docs/", "](../")


def _in_folder(folder: str, pages: Mapping[str, str], suffix: str) -> dict[str, str]:
    return {f"{folder}/{name}.{suffix}": text for name, text in pages.items()}


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    """A page as Sphinx reads it: with its navigation, and with links to examples that stay on the website."""
    text = _LINK.sub(lambda match: _onto_website(match.group(0), match.group(1)), source[0])
    if name in SECTIONS:
        made = GENERATED.get(name, {})
        entries = [*made.items(), *listed(text)]
        text = text.replace("- [", "".join(f"- [{title}](/{page})\n" for title, page in made.items()) + "- [", 1)
        text += toctree(*(f"{title} <{page}>" for title, page in entries))
    source[0] = text


def _onto_website(link: str, target: str) -> str:
    page = page_of(target)
    return f"](/generated/examples/{page}.md)" if page else link


def _copy_live_figures(app: Sphinx, problem: Exception | None) -> None:
    live = Path(app.srcdir) / "live"
    if problem is None and live.is_dir():
        shutil.copytree(live, Path(app.outdir) / "live", dirs_exist_ok=True)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect to Sphinx's events."""
    app.connect("builder-inited", _write_generated)
    app.connect("source-read", _read)
    app.connect("build-finished", _copy_live_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
