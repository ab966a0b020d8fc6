"""Packs replay as they were recorded; what was changed in one is found, and damaged ones are refused in one line."""

import csv
import io
import json
import shutil
import zipfile
from hashlib import sha256

import pytest

from footfall.cli.main import main
from footfall.control import load_controller, save_controller
from footfall.embedded.pack import write_pack
from footfall.figures import Figure
from footfall.methods.network import multilayer
from tests.cli.commands import refused, said
from tests.embedded.in_c import needs_compiler
from tests.embedded.test_runner import without_footfall
from tests.methods.network.test_controller import corrected

pytestmark = needs_compiler
STEP = 'timestep="0.0005"'


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    """The pack of the planar walk on a body in a file, with half a second of it."""
    path = tmp_path_factory.mktemp("packed") / "my-walk.zip"
    xml = Figure.load("planar-biped").xml
    assert STEP in xml
    path.with_name("biped.xml").write_text(xml.replace(STEP, 'timestep="0.001"'), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("footfall.embedded.pack.SECONDS", 0.5)
        assert main(["export", "walk", "--figure", str(path.with_name("biped.xml")), "--out", str(path)]) == 0
    return path


@pytest.fixture
def folder(packed, tmp_path):
    """The same as a folder."""
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "my-walk")
    return tmp_path / "my-walk"


def summed(folder):
    """Sums anew, as someone writes them who has changed a file."""
    names = sorted(path.name for path in folder.iterdir() if path.name != "SHA256SUMS")
    lines = [f"{sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "SHA256SUMS").write_text("".join(lines))


def change(folder, name, old, new):
    """Replace a text of a file, once, and sum anew."""
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    summed(folder)


def checked(capsys, pack, *words):
    """Exit status, and what the command answers."""
    status = main(["check", str(pack), "--json", *words])
    return status, json.loads(capsys.readouterr().out)


def test_a_pack_replays(packed, capsys):
    status, answer = checked(capsys, packed)
    assert (status, answer["same"]) == (0, True)
    assert [row["difference"] for row in answer["replays"].values()] == [None] * 3
    assert answer["golden"]["up"]
    assert answer["golden"]["seconds"] == pytest.approx(0.5)
    assert answer["steps"] == 500
    assert answer["golden"]["metres"] > 0.3
    text = said(capsys, "check", packed, "--engine", "c")
    assert "the pack's C answers the golden run's states with its torques" in text


def test_what_a_pack_says(folder):
    """Joints in the C's order with their places in the file, limits and gains; a column for each number."""
    about, figure = json.loads((folder / "pack.json").read_text()), Figure.load("planar-biped")
    joints = [joint for joint in figure.joints if joint.actuated]
    assert [joint["name"] for joint in about["joints"]] == [joint.name for joint in joints]
    assert [joint["qpos"] for joint in about["joints"]] == [joint.qpos for joint in joints]
    assert all(joint["kp"] > 0 and joint["kd"] > 0 and joint["torque_limit"] == 1000.0 for joint in about["joints"])
    assert (len(about["qpos"]), len(about["qvel"])) == (figure.nq, figure.nv)
    head = next(csv.reader(io.StringIO((folder / "golden.csv").read_text())))
    assert len(head) == len(set(head)) == 1 + figure.nq + figure.nv + len(about["contacts"]) + 3 * len(joints)


def test_the_script_needs_no_footfall(folder):
    done = without_footfall(folder / "check.py", "--mujoco")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == [
        "the C answers the golden run's states with its torques",
        "MuJoCo steps as the golden run does",
    ]
    assert not (folder / "__pycache__").exists()
    (folder / "golden.csv").unlink()
    done = without_footfall(folder / "check.py")
    assert done.returncode == 2
    assert done.stderr == "check.py: golden.csv is missing from the pack\n"


def test_the_first_difference_is_named(folder, capsys):
    """A torque of the golden run; time, quantity, joint, what was expected and what came."""
    lines = (folder / "golden.csv").read_text().splitlines()
    head = lines[0].split(",")
    column, row = head.index("torque left_knee"), lines[300].split(",")
    right, row[column] = float(row[column]), repr(float(row[column]) + 0.1)
    lines[300] = ",".join(row)
    (folder / "golden.csv").write_text("\n".join(lines) + "\n")
    summed(folder)
    status, answer = checked(capsys, folder)
    assert (status, answer["same"]) == (1, False)
    for found in answer["replays"].values():
        first = found["difference"]
        assert first["time"] == pytest.approx(float(row[0]))
        assert (first["quantity"], first["name"]) == ("torque", "left_knee")
        assert first["expected"] == pytest.approx(right + 0.1)
        assert first["got"] == pytest.approx(right, abs=1e-6)
    assert main(["check", str(folder), "--engine", "c"]) == 1
    assert f"C differs first at {float(row[0]):g} s: torque of left_knee: expected" in capsys.readouterr().out
    done = without_footfall(folder / "check.py")
    assert done.returncode == 1
    assert "torque of left_knee" in done.stdout


@pytest.mark.parametrize(
    ("name", "old", "new", "differs"),
    [
        ("my-walk.toml", "c_d = 2.2", "c_d = 2.3", {"native"}),
        ("biped.xml", 'timestep="0.001"', 'timestep="0.0011"', {"mujoco"}),
        ("biped.xml", 'mass="', 'mass="1', {"mujoco"}),
        ("pack.json", '"torque_limit": 1000.0', '"torque_limit": 900.0', {"native", "c"}),
        ("pack.json", '"left_knee"', '"right_knee"', None),
    ],
)
def test_what_was_changed_in_a_pack_is_found(folder, capsys, name, old, new, differs):
    change(folder, name, old, new)
    if differs is None:
        assert "columns" in refused(capsys, "check", folder)
        return
    for engine in ("native", "c", "mujoco"):
        assert checked(capsys, folder, "--engine", engine)[0] == (engine in differs), engine


def test_damaged_packs_are_refused_in_one_line(folder, packed, tmp_path, capsys):
    good = {path.name: path.read_bytes() for path in folder.iterdir()}

    def again(**changed):
        shutil.rmtree(folder)
        folder.mkdir()
        for name, content in good.items():
            (folder / name).write_bytes(content)
        return folder

    (folder / "my-walk.c").write_bytes(good["my-walk.c"] + b" ")
    assert "my-walk.c is not the file that was packed" in refused(capsys, "check", folder)
    (again() / "check.py").unlink()
    assert "check.py is missing from the pack" in refused(capsys, "check", folder)
    (again() / "SHA256SUMS").unlink()
    assert "it has no SHA256SUMS" in refused(capsys, "check", folder)
    (folder / "SHA256SUMS").write_text(f"{'0' * 64}  ../secret\n")
    assert "is not a sum and the name of a file" in refused(capsys, "check", folder)
    for name, old, new, error in (
        ("pack.json", '"format"', '"form"', "pack.json cannot be read: KeyError"),
        ("pack.json", "footfall pack 1", "footfall pack 9", "its format is 'footfall pack 9'"),
        ("pack.json", "{", "[", "pack.json cannot be read"),
        ("golden.csv", "\n0.0,", "\nnan,", "golden.csv, line 2: it must be"),
        ("golden.csv", "time,", "clock,", "its columns are not those of pack.json"),
        ("my-walk.c", "my_walk_init(", "my_walk_begin(", "has no functions and tables of 'my_walk'"),
        ("my-walk.c", "#include <math.h>", "#include <maths.h>", "my-walk.c does not compile"),
    ):
        change(again(), name, old, new)
        assert error in refused(capsys, "check", folder, "--engine", "c")
    assert "there is no such pack" in refused(capsys, "check", tmp_path / "none.zip")
    (tmp_path / "text.zip").write_text("no pack")
    assert "not a .zip file" in refused(capsys, "check", tmp_path / "text.zip")
    (tmp_path / "cut.zip").write_bytes(packed.read_bytes()[:-3000])
    assert "not a .zip file" in refused(capsys, "check", tmp_path / "cut.zip")
    for name in ("../out.txt", "/tmp/out.txt", "a/b", "..", "C:\\x"):
        with zipfile.ZipFile(tmp_path / "sly.zip", "w") as archive:
            archive.writestr(zipfile.ZipInfo(name), "text")
        assert "is no plain file name" in refused(capsys, "check", tmp_path / "sly.zip")
    assert not (tmp_path.parent / "out.txt").exists()


def test_where_packs_can_be_written(folder, tmp_path, capsys):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").write_text("mine")
    walk, figure = load_controller("walk"), Figure.load("planar-biped")
    for out, error in (("other", "holds other files"), ("none/my.zip", "in a folder that is there")):
        with pytest.raises(Exception, match=error):
            write_pack(walk, figure, tmp_path / out)
    assert "leave out --with-physics" in refused(
        capsys, "export", "walk", "--with-physics", "--out", tmp_path / "my.zip"
    )
    assert "looks at the ground ahead" in refused(capsys, "export", "sure-footed-walk", "--out", tmp_path / "my.zip")
    assert "leave out --figure" in refused(capsys, "check", folder, "--engine", "c", "--figure", "g1.xml")
    assert "g1.xml does not exist" in refused(capsys, "check", folder, "--figure", "g1.xml")


@pytest.mark.slow
def test_the_same_walk_is_packed_as_the_same_bytes(packed, tmp_path, monkeypatch):
    monkeypatch.setattr("footfall.embedded.pack.SECONDS", 0.5)
    body = packed.with_name("biped.xml")
    assert main(["export", "walk", "--figure", str(body), "--out", str(tmp_path / "my-walk.zip")]) == 0
    assert (tmp_path / "my-walk.zip").read_bytes() == packed.read_bytes()
    write_pack(load_controller("walk"), Figure.load(body), tmp_path / "my-walk")
    with zipfile.ZipFile(packed) as archive:
        whole = {name: archive.read(name) for name in archive.namelist()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "my-walk").iterdir()} == whole


@pytest.mark.slow
def test_a_network_s_pack_has_its_onnx_file(tmp_path, capsys):
    pytest.importorskip("onnx")
    save_controller(corrected(), tmp_path / "sure.toml")
    assert main(["export", str(tmp_path / "sure.toml"), "--out", str(tmp_path / "sure.zip")]) == 0
    assert main(["check", str(tmp_path / "sure.zip")]) == 0
    with zipfile.ZipFile(tmp_path / "sure.zip") as archive:
        archive.extractall(tmp_path / "sure")
    network = multilayer.load_onnx(tmp_path / "sure" / "sure.onnx")
    about = json.loads((tmp_path / "sure" / "pack.json").read_text())
    assert network.sizes[0] == sum(len(block["names"]) for block in about["observation"]["blocks"])
