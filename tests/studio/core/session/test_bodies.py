"""Bodies of a studio: built in, in the folder, uploaded, made here."""

from pathlib import Path

import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure, figure_names
from footfall.figures.scaling import figure_height, scaled_figure
from footfall.studio.core.library import Bodies

XML = Figure.load("planar-biped").xml


def test_every_name_has_a_source_that_leads_back_to_it(tmp_path: Path) -> None:
    (tmp_path / "robot").mkdir()
    for name in ("mine.xml", "robot/other.xml", "notes.txt"):
        (tmp_path / name).write_text(XML)
    bodies = Bodies(tmp_path)
    assert bodies.names == (*figure_names(), "mine.xml", "robot/other.xml")
    assert [bodies.name_of(bodies.source(name)) for name in bodies.names] == [*bodies.names]
    assert bodies.load("robot/other.xml").nq == Figure.load("planar-biped").nq
    with pytest.raises(FootfallError, match=r"mine\.xml"):
        bodies.source("../mine.xml")


def test_a_body_of_another_size_is_kept_once_and_comes_back(tmp_path: Path) -> None:
    bodies = Bodies(tmp_path)
    child = scaled_figure(Figure.load("human-12"), height=1.1, name="child")
    assert bodies.save(child) == bodies.save(child) == "child.xml"
    assert figure_height(bodies.load("child.xml")) == pytest.approx(1.1, rel=1e-6)
    with pytest.raises(FootfallError, match="another name"):
        bodies.save(scaled_figure(Figure.load("human-12"), height=1.2, name="child"))
    with pytest.raises(FootfallError, match="--folder"):
        Bodies(None).save(child)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("body.toml", b"x", r"\.xml"),
        ("body.xml", b"\xff\xfe", "not a text file"),
        ("body.xml", b"<mujoco><include file='/etc/passwd'/></mujoco>", "names other files"),
        ("body.xml", b"<mujoco><asset><mesh file='a.stl'/></asset></mujoco>", "names other files"),
        ("body.xml", b"<mujoco><worldbody/></mujoco>", "body.xml"),
        ("../body.xml", b"rubbish", "body.xml"),
        ("there.xml", b"<mujoco/>", "already"),
    ],
)
def test_a_bad_upload_is_refused_in_words_and_leaves_nothing(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "there.xml").write_text(XML)
    with pytest.raises(FootfallError, match=told) as refused:
        Bodies(folder).upload(name, content)
    assert str(tmp_path) not in str(refused.value)
    assert "/tmp" not in str(refused.value)
    assert [p.name for p in tmp_path.rglob("*.*")] == ["there.xml"]


def test_a_good_upload_is_there(tmp_path: Path) -> None:
    bodies = Bodies(tmp_path)
    for name in ("mine.xml", f"{'x' * 200}.xml"):
        kept = bodies.upload(name, XML.encode())
        assert kept in bodies.names
        assert kept.endswith(".xml")
