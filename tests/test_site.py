"""The documentation's website: every page is in its navigation, it builds without a warning, no link is broken, it asks
no other machine for anything, and its search works from disk."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest

from footfall.cli.commands import OWN
from tools.browser import Browser, find_chromium

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
NO_SPHINX = "NO SPHINX: pip install footfall[docs]; the documentation's website was not built"
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}
"""What a page loads, beside style sheets."""


def pages():
    """Every page that is written by hand, by name."""
    return {str(p.relative_to(DOCS).with_suffix("")) for p in (*DOCS.glob("*.md"), *DOCS.glob("tutorials/*.md"))}


@pytest.mark.skipif(find_spec("sphinx") is None, reason=NO_SPHINX)
def test_every_page_is_listed_once_in_the_navigation():
    from tools.site.pages import SECTIONS, listed

    assert set(SECTIONS) <= pages()
    entries = [page for section in SECTIONS for _, page in listed((DOCS / f"{section}.md").read_text("utf-8"))]
    assert len(entries) == len(set(entries)), sorted(e for e in entries if entries.count(e) > 1)
    assert set(entries) == pages() - {"index"}


@pytest.mark.skipif(find_spec("sphinx") is None, reason=NO_SPHINX)
def test_the_command_reference_has_every_option():
    from tools.site.command_pages import command_pages

    made = command_pages(("run", "motion"))
    assert "`--push STR`" in made["run"]
    assert "`--engine {native,mujoco}`" in made["run"]
    assert "| `--seconds FLOAT` | how long to simulate. | `20.0` |" in made["run"]
    assert "## footfall motion info" in made["motion"]
    assert set(OWN) <= set(re.findall(r"`footfall ([\w-]+)`\]", command_pages()["index"]))


@pytest.mark.skipif(find_spec("sphinx") is None, reason=NO_SPHINX)
def test_signatures_have_short_names_of_arrays():
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from sphinx.util.typing import stringify_annotation

    from tools.site.signatures import shortened

    assert shortened(stringify_annotation(ArrayLike | None, "smart")) == "ArrayLike | None"
    assert shortened(stringify_annotation(NDArray[np.float64], "smart")) == "NDArray[numpy.float64]"
    assert shortened(None) is None


class Parts(HTMLParser):
    """The ids of a page, where its links lead, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids |= {given[key] for key in ("id", "name") if given.get(key)}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        self.loaded += [given[a] for t, a in LOADED if t == tag and given.get(a)]
        if tag == "link" and given.get("rel") in ("stylesheet", "preload", "icon") and given.get("href"):
            self.loaded.append(given["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The website, as ``make docs`` builds it but for the live figures."""
    if find_spec("sphinx") is None:
        pytest.skip(NO_SPHINX)
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-d",
        folder / "doctrees",
        DOCS,
        folder / "html",
    ]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stderr[-4000:]
    return folder / "html"


@pytest.mark.slow
def test_the_website_builds_without_warnings_and_no_link_is_broken(site):
    found = [path for path in site.rglob("*.html") if path.relative_to(site).parts[0] not in ("live", "_static")]
    parts = {path: Parts(path) for path in found}
    assert {f"{name}.html" for name in pages()} <= {str(path.relative_to(site)) for path in parts}
    broken = []
    for path, part in parts.items():
        for link in (*part.links, *part.loaded):
            if re.match(r"[a-z]+:", link) or link.startswith("live/"):  # live figures: tests/live/test_docs.py
                continue
            place, _, anchor = unquote(link).partition("#")
            target = (path.parent / place.partition("?")[0]).resolve() if place else path
            if not target.exists():
                broken.append(f"{path.name}: {link}")
            elif anchor and target in parts and anchor not in parts[target].ids:
                broken.append(f"{path.name}: {link} (no such place in the page)")
    assert not broken
    assert not [
        f"{path.name}: {x}" for path, part in parts.items() for x in part.loaded if re.match(r"(https?:)?//", x)
    ]


@pytest.mark.slow
def test_the_api_reference_has_names_with_their_types(site):
    text = re.sub(r"<[^>]+>", "", (site / "generated" / "api" / "footfall.simulation.html").read_text("utf-8"))
    assert re.search(r"class\s+footfall\.simulation\.Simulation", text)
    assert "qpos: ArrayLike | None" in text
    assert "N worlds, run side by side." in text
    assert "<math" in (site / "simulation.html").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.skipif(find_chromium() is None, reason="NO BROWSER: chromium is not installed, so search was not tried")
def test_search_works_from_disk(site):
    """Guides come before entries of the API, and results show where the word stands."""
    with Browser(900, 560) as browser:
        page = browser.open(f"file://{site}/search.html?q=friction")
        page.wait(
            "/finished/.test(document.getElementById('search-results')?.textContent)", 90, "the end of the search"
        )
        page.wait("document.querySelectorAll('#search-results .context').length > 5", what="excerpts")
        shown = page.js("document.getElementById('search-results').innerHTML")
        excerpts = page.js("[...document.querySelectorAll('#search-results .context')].map(x => x.textContent)")
    found = re.findall(r'<a href="([\w/.-]+)\.html', shown)
    assert {"simulation", "controller-files"} <= set(found)
    api = [name.startswith("generated/api/") for name in found]
    assert api == sorted(api)
    assert sum("friction" in text.lower() for text in excerpts) > len(excerpts) / 2


def test_the_citation_has_the_version_of_the_package():
    from footfall import __version__

    assert f"\nversion: {__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
