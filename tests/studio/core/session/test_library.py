"""The studio's controllers, and what it makes of bad files."""

from pathlib import Path

import pytest

from footfall.control import load_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.editing import with_hold
from footfall.studio.core.library import Document, Library
from footfall.studio.core.setting import Setting

TEXT = print_controller(load_controller("walk"))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff\xfe\x00", "not a text file"),
        (b"name = ", "not a TOML file"),
        (TEXT.replace('"walk"', '"../../walk"').encode(), "must be lower-case"),
        (TEXT.replace("planar-biped", "/etc/passwd.xml").encode(), "unknown figure"),
        (TEXT.replace("hold = 0.3", "hold = -1").encode(), "hold is -1"),
        (TEXT.replace("hold = 0.3", "hold = nan").encode(), "hold is nan"),
        (TEXT.replace("[[states]]", "[[stages]]").encode(), "stages"),
    ],
)
def test_bad_uploads_are_told_in_one_line_and_change_nothing(content: bytes, told: str) -> None:
    library = Library(None)
    before = dict(library.documents)
    with pytest.raises(FootfallError, match=told) as caught:
        library.upload("<b>x</b>/evil.toml", content)
    assert "\n" not in str(caught.value)
    assert library.documents == before


def test_a_saved_controller_comes_back(tmp_path: Path) -> None:
    library = Library(tmp_path)
    document = library.document("walk")
    document.edit(with_hold(document.controller, 0, 0.25))
    new, path = library.save(document, "my-walk")
    assert path == tmp_path / "my-walk.toml"
    assert load_controller(path) == document.controller.changed(name="my-walk", states=new.controller.states)
    assert not document.changed
    again = Library(tmp_path)
    assert again.document("my-walk").controller == new.controller
    assert "my-walk" in [g.name for g in again.together("walk")]


@pytest.mark.parametrize("name", ["../x", "A", "", "x/y", "x" * 65, ".hidden"])
def test_files_are_written_in_the_folder_alone(tmp_path: Path, name: str) -> None:
    with pytest.raises(FootfallError, match="must be lower-case"):
        Library(tmp_path).save(Document(load_controller("walk")), name)
    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_nothing_is_saved() -> None:
    with pytest.raises(FootfallError, match="no folder"):
        Library(None).save(Document(load_controller("walk")), "walk")


def test_a_broken_file_in_the_folder_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("name = 3")
    library = Library(tmp_path)
    assert len(library.skipped) == 1
    assert library.skipped[0].startswith("broken.toml")


def test_a_file_of_this_machine_may_name_a_body_s_file_and_an_upload_may_not(tmp_path: Path) -> None:
    body, file = tmp_path / "mine.xml", tmp_path / "on-mine.toml"
    body.write_text(Figure.load("planar-biped").xml)
    file.write_text(TEXT.replace('"walk"', '"on-mine"').replace("planar-biped", str(body)))
    library = Library(tmp_path)
    assert library.skipped == []
    assert library.document("on-mine").controller.figure == str(body)
    assert library.open(file, "planar-biped").controller.figure == "planar-biped"
    with pytest.raises(FootfallError, match="unknown figure"):
        library.upload("on-mine.toml", file.read_bytes())
    body.unlink()
    with pytest.raises(FootfallError, match=r"mine\.xml"):
        Library(None).open(file)


@pytest.mark.parametrize(
    "parts", [{"friction": -1.0}, {"gravity": float("nan")}, {"load": 1e9}, {"terrain": "/etc/hosts.csv"}]
)
def test_settings_are_checked(parts: dict[str, object]) -> None:
    with pytest.raises(FootfallError):
        Setting(**parts)  # type: ignore[arg-type]
