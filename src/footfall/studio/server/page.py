"""The studio's page: one file, made of the viewport that all of footfall's pages share and the studio's own scripts."""

from functools import cache
from importlib.resources import files

from footfall.pictures.web_page import viewport_data, viewport_page
from footfall.studio.page import SCRIPTS


@cache
def page_text() -> str:
    """The text of the page."""
    return viewport_page(
        files("footfall.studio.page"),
        "studio",
        SCRIPTS,
        title="footfall studio",
        data=viewport_data(),
        connects=True,
    )
