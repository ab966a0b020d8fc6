"""Files of an analysis, opened as others would."""

import json
import zipfile
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from footfall import FootfallError
from footfall.cli.main import main
from footfall.motion import load_motion, save_motion, trimmed
from footfall.motion.formats import c3d
from footfall.motion.formats.c3d_writer import write_c3d
from footfall.motion.formats.opensim import opensim_coordinates, read_storage
from footfall.motion.quaternion import dot
from footfall.study.gait_lab.analysis import analyse
from footfall.study.gait_lab.tables import save_analyses, write_workbook
from tests.study.gait_lab.walks import STRAIGHT, analysis, clip, motion, norms

EVERY_EVENT = [(side, kind) for side in ("left", "right") for kind in ("strike", "off")]


def test_a_page_needs_nothing_else(tmp_path):
    path = analysis().save(tmp_path / "walk.html")
    text = path.read_text(encoding="utf-8")
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "__DATA__" not in text
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert data["walks"][0]["name"] == "walk-3d"
    assert len(data["walks"][0]["curves"]["knee_flexion"]["left"]["mean"]) == 101
    assert "srcdoc" in analysis()._repr_html_()


def test_several_walks_in_one_page(tmp_path):
    path = save_analyses([analysis(), analysis()], tmp_path / "two.html")
    assert path.stat().st_size > analysis().save(tmp_path / "one.html").stat().st_size
    with pytest.raises(FootfallError, match="one walk"):
        save_analyses([analysis(), analysis()], tmp_path / "two.csv")


@pytest.mark.slow
def test_pictures_and_tables(tmp_path):
    assert analysis().save(tmp_path / "walk.svg").stat().st_size > 10_000
    rows = analysis().save(tmp_path / "walk.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 102
    head, first = rows[0].split(","), rows[1].split(",")
    column = head.index("left_knee_flexion [°]")
    assert float(first[column]) == pytest.approx(analysis().means["knee_flexion"]["left"][0], abs=1e-5)
    answer = json.loads(analysis().save(tmp_path / "walk.json").read_text(encoding="utf-8"))
    width = analysis().parameters["step_width"]["both"].mean
    assert answer["parameters"]["step_width"]["both"]["mean"] == pytest.approx(width, abs=1e-5)


def test_a_workbook_opens(tmp_path):
    path = analysis().save(tmp_path / "walk.xlsx")
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(path)
    assert book.sheetnames[0] == "parameters"
    rows = list(book["parameters"].values)
    speed = next(row for row in rows if row[0] == "speed")
    assert speed[2] == pytest.approx(analysis().parameters["speed"]["left"].mean, abs=1e-6)


def test_sheets_are_well_formed_whatever_their_names(tmp_path):
    write_workbook(tmp_path / "x.xlsx", {"a/b:" + 40 * "c": [["<&>", 1.5, None]], "A_B_" + 40 * "c": [["\x01ok"]]})
    with zipfile.ZipFile(tmp_path / "x.xlsx") as archive:
        for name in archive.namelist():
            ElementTree.fromstring(archive.read(name))
        names = [
            s.get("name") or "" for s in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter() if s.get("name")
        ]
    assert len({name.lower() for name in names}) == 2
    assert max(map(len, names)) <= 31


def test_xarray(tmp_path):
    xarray = pytest.importorskip("xarray")
    data = analysis().to_xarray()
    assert data["knee_flexion"].sel(side="left").shape == (101,)
    assert data["step_width"].attrs["units"] == "m"
    analysis().save(tmp_path / "walk.nc")
    with xarray.open_dataset(tmp_path / "walk.nc", engine="h5netcdf") as again:
        np.testing.assert_allclose(again["hip_power"], data["hip_power"])


def numbers(report, path=""):
    """Every number of a report of :meth:`Analysis.to_dict` by its place."""
    if isinstance(report, dict | list | tuple):
        rows = report.items() if isinstance(report, dict) else enumerate(report)
        return {place: value for key, own in rows for place, value in numbers(own, f"{path}.{key}").items()}
    return {path: report} if isinstance(report, float | int) else {}


def test_c3d_gives_the_report_back(tmp_path):
    """All of it: parameters, angles, moments, powers, forces, margins, work, match and score, beside people too."""
    walk = analyse(motion(), name="walk-3d", norms=norms())
    found = analyse(walk.save(tmp_path / "walk.c3d"), norms=norms(), name="walk-3d")
    mine, theirs = numbers(walk.to_dict()), numbers(found.to_dict())
    assert len(mine) > 4000
    assert theirs == pytest.approx(mine, rel=1e-3, abs=1e-3, nan_ok=True)
    assert found.notes == walk.notes


def test_a_clip_comes_back_through_c3d(tmp_path):
    walk = analyse(clip(STRAIGHT), norms=norms())
    found = analyse(walk.save(tmp_path / "walk.c3d"), norms=norms())
    for name in ("gait_variable_score_deg", "match_percent", "parameters", "measures", "curves"):
        mine, theirs = (numbers(a.to_dict()[name]) for a in (walk, found))
        assert theirs == pytest.approx(mine, rel=1e-3, abs=1e-3, nan_ok=True)


def test_the_points_of_a_c3d_make_its_poses(tmp_path, monkeypatch):
    """Points that are off by a millimetre, as markers are, turn joints by what that is over a segment's length."""
    path = analysis().save(tmp_path / "walk.c3d")
    told, noise = c3d.read_markers(path), np.random.default_rng(2)
    moved = replace(told, positions=told.positions + noise.normal(0.0, 0.001, told.positions.shape))
    monkeypatch.setattr(c3d, "read_markers", lambda _: moved)
    alike = dot(load_motion(path).orientations(), motion().orientations())
    off = np.sqrt((4.0 * (1.0 - alike**2)).mean(axis=0))
    assert off.min() > 0.001
    assert off.max() < 2.3 * 0.001 / 0.1  # three points at right angles, 0.1 m apart: sqrt(19) / 2


def test_c3d_without_its_body_is_solved_as_markers(tmp_path, monkeypatch):
    """As by a program that knows Plug-in Gait's labels alone: inverse dynamics finds the ankle's moment."""
    path = analysis().save(tmp_path / "walk.c3d")
    bare = replace(c3d.read_markers(path), body=b"")
    monkeypatch.setattr(c3d, "read_markers", lambda _: bare)
    again = load_motion(path)
    events = [tuple(row[1:]) for row in again.source["events"]]
    assert events == [(side, kind) for _, side, kind in analysis().events.rows()]
    found = analyse(path)
    widths = [a.parameters["step_width"]["both"].mean for a in (found, analysis())]
    assert widths[0] == pytest.approx(widths[1], abs=0.004)
    mine, theirs = (a.means["ankle_plantarflexion_moment"]["both"][10:45] for a in (found, analysis()))
    np.testing.assert_allclose(mine, theirs, atol=0.08)
    force = found.means["grf_vertical"]["both"][10:45]
    np.testing.assert_allclose(force, analysis().means["grf_vertical"]["both"][10:45], atol=0.03)


def test_events_outside_the_frames_of_a_c3d_are_left_out_with_a_note(tmp_path):
    """As a file has them whose frames were cropped: the analysis is that of the file without them."""
    rows, end = analysis().events.rows(), motion().seconds
    outside = [(t, side, kind) for t in (-3.0, -0.1, end + 0.1, end + 50.0) for side, kind in EVERY_EVENT]
    found = {}
    for name, events in (("within", rows), ("cropped", [*rows, *outside])):
        write_c3d(motion(), tmp_path / f"{name}.c3d", events=events)
        found[name] = analyse(tmp_path / f"{name}.c3d")
    assert found["cropped"].events.rows() == found["within"].events.rows()
    assert found["cropped"].walk_measures == pytest.approx(found["within"].walk_measures, nan_ok=True)
    (note,) = set(found["cropped"].notes) - set(found["within"].notes)
    assert f"{len(outside)} of the file's {len(outside) + len(rows)} events lie outside its frames" in note


def test_a_part_of_a_clip_has_its_events_at_their_times(tmp_path):
    write_c3d(motion(), tmp_path / "walk.c3d", events=analysis().events.rows())
    clip = load_motion(tmp_path / "walk.c3d")
    whole = clip.source["events"]
    rng = np.random.default_rng(3)
    for start, end in np.sort(rng.uniform(0.0, clip.seconds, (20, 2)), axis=1):
        if end - start < 3.0 / clip.fps:
            continue
        part = trimmed(clip, start, end)
        begin = float(clip.times[np.searchsorted(clip.times, start - 1e-9)])
        wanted = [[t - begin, *rest] for t, *rest in whole if begin <= t <= begin + part.seconds]
        found = part.source["events"]
        assert all(any(abs(t - u) < 1e-5 and rest == more for u, *more in found) for t, *rest in wanted)
        assert all(0.0 <= t <= part.seconds for t, *_ in found)
        assert len(found) <= len(wanted) + 2  # one within half a frame of either end


def test_ezc3d_reads_our_c3d(tmp_path):
    ezc3d = pytest.importorskip("ezc3d")
    path = analysis().save(tmp_path / "walk.c3d")
    file = ezc3d.c3d(str(path), extract_forceplat_data=True)
    labels = file["parameters"]["POINT"]["LABELS"]["value"]
    knee = file["data"]["points"][:3, labels.index("LKJC")].T / 1000.0
    np.testing.assert_allclose(knee, motion().position("left_shank"), atol=1e-5)
    total = sum(plate["force"] for plate in file["data"]["platform"])
    assert total[2, 400:].mean() == pytest.approx(9.8 * analysis().mass, rel=0.03)


def test_opensim_coordinates_give_the_poses_back(tmp_path):
    walk = motion()
    save_motion(walk, tmp_path / "walk.mot")
    own = load_motion(tmp_path / "walk.mot")
    assert own.figure == "human-28"
    np.testing.assert_allclose(own.positions(), walk.positions(), atol=1e-6)
    text = (tmp_path / "walk.mot").read_text(encoding="utf-8").splitlines()
    (tmp_path / "theirs.sto").write_text("\n".join(["a gait model", *text[1:]]), encoding="utf-8")
    theirs = load_motion(tmp_path / "theirs.sto")
    legs = [walk.skeleton.index(f"{side}_{part}") for side in ("left", "right") for part in ("thigh", "shank", "foot")]
    np.testing.assert_allclose(theirs.positions()[:, legs], walk.positions()[:, legs], atol=2e-3)
    columns, degrees = read_storage(tmp_path / "walk.mot")
    assert degrees
    assert columns["knee_angle_r"].min() < -50.0
    np.testing.assert_allclose(columns["hip_flexion_l"], opensim_coordinates(walk)["hip_flexion_l"], atol=1e-6)


def test_trc_gives_the_markers_back(tmp_path):
    save_motion(motion(), tmp_path / "walk.trc")
    again = load_motion(tmp_path / "walk.trc")
    for ours, theirs in (("left_shank", "LeftLeg"), ("right_foot", "RightFoot")):
        mine, read = motion().position(ours), again.position(theirs)
        np.testing.assert_allclose(read[:, 2], mine[:, 2], atol=1e-3)
        away = [np.linalg.norm(path - path[0], axis=-1) for path in (mine, read)]
        np.testing.assert_allclose(*away, atol=2e-3)  # y is up in the file, so the heading may differ


def test_bad_opensim_files_are_refused(tmp_path):
    for text, words in (
        ("nothing", "endheader"),
        ("x\nendheader\ntime\tknee\n0\t1\n0.1\t2\n", "pelvis_tilt"),
        ("x\nendheader\ntime\tknee\n0\t1\t3\n", "3 values"),
        ("x\nendheader\ntime\tknee\n0\tone\n", "line 4"),
        ("x\nendheader\ntime\tground_force_vx\n0\t1\n0.1\t2\n", "forces"),
    ):
        path = tmp_path / "bad.mot"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FootfallError, match=words):
            load_motion(path)


def test_the_command(tmp_path, capsys):
    save_motion(motion(), tmp_path / "walk.npz")
    assert main(["analyse", str(tmp_path / "walk.npz"), "--json", "--out", str(tmp_path / "walk.html")]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["speed_mps"] == pytest.approx(1.06, abs=0.05)
    assert (tmp_path / "walk.html").is_file()
    assert main(["analyse", str(tmp_path / "walk.npz")]) == 0
    assert "step width" in capsys.readouterr().out
