"""Hostile texts in the page of a reproduction stay texts."""

import re

import pytest

from footfall_reproductions.page import write_page
from footfall_reproductions.row import Row


def _tags(text, folder):
    row = Row("row", text, text, text, text, True, text, text, text, text, text, changed=text)
    path = write_page(folder / "page.html", {"simbicon-2d": [row]}, {"simbicon-2d": [text]}, [text], [text])
    return re.findall(r"<\w+", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text",
    ["</script><script>alert(1)</script>", "' onload='x' \" onload=\"x\" <b>", "--> <x>", "${x}", "\x1b\x07"],
)
def test_a_page_has_the_elements_of_plain_texts(text, tmp_path):
    assert _tags(text, tmp_path) == _tags("plain", tmp_path)
