"""Return maps, bifurcations and basins."""

import numpy as np
import pytest

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.study.stability import Bifurcation, FixedPoint, ReturnMap, _period, basin, basin_section, bifurcation
from footfall.study.sweeps.experiment import Experiment


@pytest.fixture(scope="module")
def gait() -> ReturnMap:
    return ReturnMap(Experiment("walk", settle=8.0), dt=0.0002)


@pytest.fixture(scope="module")
def point(gait: ReturnMap) -> FixedPoint:
    return gait.fixed_point()


def test_states_are_what_snapshots_were_made_of(gait: ReturnMap) -> None:
    x = np.random.default_rng(0).normal(0.0, 0.1, (5, gait.size))
    assert np.allclose(gait.states(gait.snapshots(x), in_mirror=False), x, atol=1e-12)
    assert gait.size == 17


def test_fixed_point_is_fixed_and_stable(gait: ReturnMap, point: FixedPoint) -> None:
    assert point.residual < 1e-6
    assert np.max(np.abs(gait(point.x)[0] - point.x)) == pytest.approx(point.residual)
    assert point.stable
    assert point.per == "step"
    assert point.period == pytest.approx(0.357, abs=0.005)


def test_multipliers_agree_with_the_decay_of_a_disturbance(gait: ReturnMap, point: FixedPoint) -> None:
    sizes, fitted = gait.decay(point)
    assert abs(fitted) == pytest.approx(abs(point.multipliers[0]), rel=0.05)
    assert np.all(np.diff(sizes[:6]) < 0)


def test_two_returns_are_the_map_twice(gait: ReturnMap, point: FixedPoint) -> None:
    x = point.x + 0.003 * np.random.default_rng(1).normal(size=(3, gait.size))
    path = gait.orbit(x, 2)
    assert np.allclose(path[1], gait(x), atol=1e-12)
    assert np.max(np.abs(gait(path[1]) - path[2])) < 0.01


def test_a_gait_that_falls_has_no_map() -> None:
    with pytest.raises(FootfallError, match="falls within"):
        ReturnMap(Experiment("walk", settle=6.0, set={"0.swing_hip.c_v": 0.0}))


@pytest.mark.parametrize(
    ("sequence", "period"),
    [([1.0] * 20, 1), ([1.0, 2.0] * 10, 2), ([1.0, 2.0, 3.0] * 8, 3), (list(np.sin(np.arange(30.0))), 0)],
)
def test_periods(sequence: list[float], period: int) -> None:
    assert _period(np.array(sequence), 0.01) == period
    assert _period(np.array([*sequence, np.nan]), 0.01) == -1


def test_stable_range_is_the_longest_unbroken_one() -> None:
    empty = np.zeros((7, 1))
    diagram = Bifurcation("c", np.arange(7.0), empty, empty, empty, np.array([1, -1, 1, 2, 0, -1, 1]))
    assert diagram.stable_range == (2.0, 4.0)


def test_the_walk_has_an_upper_and_a_lower_limit() -> None:
    diagram = bifurcation(Experiment("walk"), "swing_hip.c_v", [0.05, 0.2, 0.3, 0.6], settle=10.0, strikes=12, dt=0.001)
    assert diagram.period.tolist()[0] == -1
    assert diagram.period.tolist()[-1] == -1
    assert diagram.stable_range == (0.2, 0.3)
    assert np.all(diagram.step_time[1] > 0.3)


def test_basin_holds_its_own_gait_and_goes_into_the_file(gait: ReturnMap, point: FixedPoint) -> None:
    found = basin(gait, point, radii=(0.005, 0.1, 0.4), directions=20, seconds=4.0)
    assert found.share[0] == 1.0
    assert found.share[-1] < found.share[0]
    assert 0.0 < found.radius <= found.radii[-1]
    assert found.effective_radius <= found.radii[-1]
    written = load_controller("walk").changed(basin=found.as_dict())
    assert parse_controller(print_controller(written)).basin == found.as_dict()


def test_basin_section(gait: ReturnMap, point: FixedPoint) -> None:
    stood = basin_section(gait, point, ("torso_pitch", [-1.5, 0.0]), ("root_x.rate", [0.0]), seconds=3.0)
    assert stood.tolist() == [[False], [True]]
    with pytest.raises(FootfallError, match="did you mean"):
        basin_section(gait, point, ("torso_pich", [0.0]), ("root_x.rate", [0.0]))
