import os
import re
from pathlib import Path

import pytest

import footfall
from footfall.errors import FootfallError
from footfall.text_files import write_whole

SOURCE = Path(footfall.__file__).parent


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
        for file in (SOURCE / folder).rglob("*.py"):
            assert not {"os.replace", "mkstemp", "NamedTemporaryFile"} & set(re.findall(r"[\w.]+", file.read_text())), (
                file
            )
