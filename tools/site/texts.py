"""The texts of all pages in one script, from which a search shows excerpts where pages are read from disk."""

import json
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from footfall.text_files import write_whole


def _write_texts(app: Sphinx, error: Exception | None) -> None:
    if error is None and app.builder.format == "html":
        texts = {name: " ".join(app.env.get_doctree(name).astext().split()) for name in sorted(app.env.found_docs)}
        script = f"window.textsOfPages = {json.dumps(texts)};\n"
        write_whole(Path(app.outdir, "_static", "texts.js"), script.encode())


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the texts when the site is built."""
    app.connect("build-finished", _write_texts)
    return {"parallel_read_safe": True}
