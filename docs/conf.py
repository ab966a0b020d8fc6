"""Sphinx's settings: ``make docs`` builds the website in build/site, without a network."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from footfall import __version__  # noqa: E402

project, author = "footfall", "the authors of footfall"
release = version = __version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "tools.site.mathml",
    "tools.site.pages",
    "tools.site.signatures",
    "tools.site.texts",
]
exclude_patterns = ["live", "images"]
smartquotes = False
suppress_warnings = ["ref.python"]  # names of types that several classes have as members

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
napoleon_numpy_docstring = napoleon_attr_annotations = False

html_theme = "pydata_sphinx_theme"
html_title = "footfall"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(ROOT / "docs" / "_static" / "search.js")
html_sidebars = {"gallery": [], "get-started": [], "index": []}  # pages without others below them
html_math_renderer = "mathml"
html_copy_source = html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "show_toc_level": 2,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navbar_end": ["theme-switcher"],
    "footer_start": [],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = "$ "
