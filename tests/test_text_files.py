"""Texts that cannot be read are refused in one line; files are written whole, and what kills leave is cleaned."""

import multiprocessing
import os
import re
import signal
from pathlib import Path

import pytest

import footfall
from footfall.errors import FootfallError
from footfall.text_files import is_file, parse_toml, read_text, write_whole


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


def _write_until_killed(path, begun):
    def content(part):
        part.write_bytes(b"half")
        begun.set()
        signal.pause()

    write_whole(path, content)


def _writers(*paths):
    """Processes that are in the middle of writing."""
    context = multiprocessing.get_context("fork")
    found = []
    for path in paths:
        begun = context.Event()
        process = context.Process(target=_write_until_killed, args=(path, begun))
        process.start()
        assert begun.wait(30)
        found.append(process)
    return found


@pytest.mark.skipif(os.name != "posix", reason="processes are asked for otherwise")
def test_the_next_write_deletes_what_a_kill_left_of_that_file_and_nothing_else(tmp_path):
    path, other = tmp_path / "walk.b.json", tmp_path / "walk.json"
    killed = _writers(path, path, other)
    alive = _writers(path)
    strangers = [tmp_path / name for name in (".walk.b.abc.part.json", ".walk.b.0123456789ab-1-x.part.json", "part")]
    for stranger in strangers:
        stranger.touch()
    for process in killed:
        process.kill()
        process.join()
    try:
        assert len(list(tmp_path.glob(".walk*.part.json"))) == 4 + 2
        write_whole(path, b"whole")
        left = set(tmp_path.iterdir()) - {path, *strangers}
        assert {str(alive[0].pid) in part.name or str(killed[2].pid) in part.name for part in left} == {True}
        assert len(left) == 2  # that of the process that still writes, and that of the other file
        write_whole(other, lambda part: part.write_bytes(b"whole"))
        assert len(set(tmp_path.iterdir()) - {path, other, *strangers}) == 1
    finally:
        alive[0].kill()
        alive[0].join()
    write_whole(path, b"again")
    assert path.read_bytes() == b"again"
    assert set(tmp_path.iterdir()) == {path, other, *strangers}


def test_bytes_and_writers_give_the_same_file(tmp_path):
    write_whole(tmp_path / "a.txt", b"walk")
    write_whole(tmp_path / "b.txt", lambda part: part.write_bytes(b"walk"))
    assert (tmp_path / "a.txt").read_bytes() == (tmp_path / "b.txt").read_bytes() == b"walk"


def test_a_writer_sees_the_suffix_and_its_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.npz"
    write_whole(path, b"old")

    def fail(part):
        assert part.suffix == ".npz"
        assert part.parent == tmp_path
        part.write_bytes(b"half")
        raise OSError(28, os.strerror(28))

    with pytest.raises(FootfallError, match="make room"):
        write_whole(path, fail)
    with pytest.raises(ZeroDivisionError):
        write_whole(path, lambda part: 1 / 0)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


def test_missing_folders_and_folders_as_files_are_refused(tmp_path):
    with pytest.raises(FootfallError, match="there is no folder"):
        write_whole(tmp_path / "no" / "a.txt", b"")
    with pytest.raises(FootfallError, match="that is a folder"):
        write_whole(tmp_path, b"")


def test_motion_and_pictures_write_through_one_function():
    """No module below ``motion`` or ``pictures`` replaces files by itself."""
    for folder in ("motion", "pictures"):
        for file in (Path(footfall.__file__).parent / folder).rglob("*.py"):
            assert not {"os.replace", "mkstemp", "NamedTemporaryFile"} & set(re.findall(r"[\w.]+", file.read_text())), (
                file
            )
