"""Texts that cannot be read are refused in one line."""

from pathlib import Path

import pytest

from footfall.errors import FootfallError
from footfall.text_files import is_file, parse_toml, read_text


@pytest.mark.parametrize("text", ["a = ", "a = " + "9" * 5000, "a = " + "[" * 5000, "a = 1\na = 2", "\0"])
def test_what_is_no_toml_is_refused_in_one_line_with_its_place(text):
    with pytest.raises(FootfallError, match=r"^mine: not a TOML file: ") as told:
        parse_toml(text, "mine")
    assert "\n" not in str(told.value)


def test_files_that_are_not_there_or_no_text_are_refused(tmp_path):
    (tmp_path / "odd").write_bytes(b"\xff\xfe\xfa")
    for path in (tmp_path / "odd", tmp_path / "none", tmp_path):
        with pytest.raises(FootfallError, match="cannot be read"):
            read_text(path)


def test_a_name_that_is_too_long_is_no_file(tmp_path):
    assert not is_file(Path("x" * 5000))
    assert not is_file(tmp_path)
    (tmp_path / "here").write_text("")
    assert is_file(tmp_path / "here")


def test_an_error_is_one_line():
    assert str(FootfallError("a\n  b")) == "a b"
    assert str(FootfallError("a  b")) == "a  b"
