"""OpenSim's own library reads what footfall writes, and footfall what OpenSim writes."""

import numpy as np
import pytest

from footfall.motion import load_motion, save_motion
from tests.study.gait_lab.walks import analysis, motion

opensim = pytest.importorskip("opensim", reason="NO OPENSIM: pip install opensim to let its reader open our files")
opensim.Logger.setLevelString("error")


def column(table, name):
    return table.getDependentColumn(name).to_numpy()


def test_opensim_reads_our_coordinates(tmp_path):
    path = analysis().save(tmp_path / "walk.mot")
    table = opensim.TimeSeriesTable(str(path))
    assert table.getTableMetaDataString("inDegrees") == "yes"
    np.testing.assert_allclose(table.getIndependentColumn(), motion().times, atol=1e-9)
    np.testing.assert_allclose(column(table, "pelvis_ty"), motion().root_position[:, 2], atol=1e-6)
    flexion = -column(table, "knee_angle_l")  # extension is positive in OpenSim's gait models
    beyond = analysis().signals["left_knee_flexion"] - flexion
    np.testing.assert_allclose(beyond, np.median(beyond), atol=1.0)  # a straight joint and a straight leg differ


def test_opensim_reads_our_forces(tmp_path):
    table = opensim.TimeSeriesTable(str(analysis().save(tmp_path / "walk.sto")))
    up = sum(column(table, f"ground_force_{k}_vy") for k in (1, 2))
    assert up[400:].mean() == pytest.approx(9.8 * analysis().mass, rel=0.02)


def test_opensim_reads_our_markers(tmp_path):
    table = opensim.TimeSeriesTableVec3(str(analysis().save(tmp_path / "walk.trc")))
    assert table.getTableMetaDataString("Units") == "mm"
    assert "part" not in table.getTableMetaDataString("header")
    knee = motion().position("left_shank")
    k = table.getColumnLabels().index("LKJC")
    for row in (0, 300, 900):
        x, up, right = table.getRowAtIndex(row).getElt(0, k).to_numpy() / 1000.0
        np.testing.assert_allclose([x, -right, up], knee[row], atol=1e-5)


def test_what_opensim_writes_is_read(tmp_path):
    save_motion(motion(), tmp_path / "walk.mot")
    table = opensim.TimeSeriesTable(str(tmp_path / "walk.mot"))
    opensim.STOFileAdapter.write(table, str(tmp_path / "theirs.sto"))
    theirs = load_motion(tmp_path / "theirs.sto")
    legs = [motion().skeleton.index(f"{s}_{p}") for s in ("left", "right") for p in ("thigh", "shank", "foot")]
    np.testing.assert_allclose(theirs.positions()[:, legs], motion().positions()[:, legs], atol=2e-3)
