"""Strict limits, and pushes on a settled gait."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.cli.main import main
from footfall.errors import FootfallError
from footfall.study.robustness.push_map import PushMap, even_points, push_map, save_push_map
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import SettledGait, push_limit, strict_threshold, ten_push_limit


@given(st.lists(st.lists(st.booleans(), min_size=3, max_size=3), min_size=1, max_size=12))
def test_strict_threshold_is_the_largest_with_everything_below_it(rows: list[list[bool]]) -> None:
    sizes = np.arange(1.0, len(rows) + 1.0)
    limit = strict_threshold(sizes, rows)
    below = [all(r) for s, r in zip(sizes, rows) if s <= limit]
    assert all(below)
    if limit < sizes[-1]:
        assert not all(rows[int(limit)])


def test_strict_threshold_needs_rising_sizes() -> None:
    with pytest.raises(FootfallError, match="rise"):
        strict_threshold([2.0, 1.0], [True, True])


@pytest.fixture(scope="module")
def gait() -> SettledGait:
    return SettledGait(Experiment("walk", recovery=2.0), replicas=2)


def test_both_halves_of_a_symmetric_stride_are_alike(gait: SettledGait) -> None:
    force, phase = np.meshgrid([-700.0, -500.0, 300.0, 600.0], np.arange(5) / 10.0, indexing="ij")
    left = gait.push(force.ravel(), phase.ravel())
    right = gait.push(force.ravel(), phase.ravel() + 0.5)
    assert np.mean(left[0] == right[0]) > 0.9


def test_small_pushes_pass_and_huge_ones_do_not(gait: SettledGait) -> None:
    stood, after = gait.push([0.0, 50.0, 4000.0], 0.3, [0, 1, 1])
    assert stood.tolist() == [True, True, False]
    assert np.isnan(after[0])
    assert 0.0 < after[2] < 2.0


def test_limits_end_with_the_first_failure(gait: SettledGait) -> None:
    limit = push_limit(gait, phases=4, step=100.0, largest=2000.0)
    assert not limit.open
    assert 200.0 <= limit.limit <= 900.0
    assert limit.limit == strict_threshold(limit.sizes, limit.passed)
    assert push_limit(gait, phases=2, step=50.0, largest=100.0).open


def test_ten_pushes_are_weaker_evidence_than_all_phases() -> None:
    experiment = Experiment("walk")
    limit = ten_push_limit(experiment, count=3, every=2.0, step=200.0, largest=2000.0)
    assert 200.0 <= limit.limit < 2000.0


def test_candidates_are_pushed_with_their_own_numbers() -> None:
    experiment = Experiment("walk", recovery=2.0, settle=3.0)
    gains = np.array([0.2, 0.01])
    gait = SettledGait(experiment, 2, 0.0, {"0.swing_hip.c_v": gains})
    assert np.isfinite(gait.strike).tolist() == [True, False]
    assert gait.push(50.0, [0.0, 0.0], [0, 1])[0].tolist() == [True, False]


def test_small_maps_are_the_beginning_of_large_ones() -> None:
    assert np.array_equal(even_points(50), even_points(500)[:50])
    points = even_points(2000)
    for a in range(4):
        for b in range(a):
            counts, *_ = np.histogram2d(points[:, a], points[:, b], bins=20, range=[[0, 1], [0, 1]])
            assert counts.min() >= 1


def test_worlds_that_are_pushed_again_answer_as_new_ones(gait: SettledGait) -> None:
    force, phase = np.array([900.0, -300.0, 50.0]), np.array([0.2, 0.7, 0.5])
    before = gait.push(force, phase)
    gait.push(-force, 1.0 - phase, 1)
    again = gait.push(force, phase)
    assert before[0].tolist() == again[0].tolist()
    np.testing.assert_array_equal(before[1], again[1])


@pytest.mark.slow
def test_map_round_trip_and_float32(tmp_path: Path) -> None:
    experiment = Experiment("walk", recovery=2.0, settle=3.0)
    pushes = push_map(experiment, 120, replicas=2)
    pushes.save(tmp_path / "m.npz")
    loaded = PushMap.load(tmp_path / "m.npz")
    assert np.array_equal(loaded.survived, pushes.survived)
    assert loaded.controller == "walk"
    single = push_map(Experiment("walk", recovery=2.0, settle=3.0, precision="float32"), 120, replicas=2)
    assert np.mean(single.survived == pushes.survived) > 0.95
    (tmp_path / "bad.npz").write_bytes(b"x")
    with pytest.raises(FootfallError, match="not a push map"):
        PushMap.load(tmp_path / "bad.npz")


def test_a_rose_pushes_to_all_sides_and_is_drawn(tmp_path: Path) -> None:
    pushes = push_map(Experiment("walk", recovery=1.0, settle=3.0), 100, largest=900.0, rose=True, replicas=1)
    assert pushes.force.min() >= 0.0
    assert np.histogram(pushes.direction, 8, (0.0, 360.0))[0].min() > 0
    soft = pushes.force < 150.0
    assert pushes.survived[soft].mean() > pushes.survived[~soft].mean()
    assert save_push_map(pushes, tmp_path / "rose.png").stat().st_size > 10_000


def test_push_maps_need_little() -> None:
    code = (
        "import sys, footfall.study.robustness.push_map\n"
        "print([m for m in ('scipy', 'xarray', 'rich', 'tyro', 'matplotlib', 'cma', 'h5netcdf') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "[]"


def test_a_push_map_is_a_command(capsys, tmp_path):
    out = tmp_path / "map.npz"
    assert main(["robustness", "walk", "--push-map", "120", "--largest", "300", "--out", str(out), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["worlds"] == 120
    assert answer["survived"] == int(PushMap.load(out).survived.sum())
    assert main(["robustness", "walk", "--push-map", "120", "--out", str(tmp_path / "map.txt")]) == 2
