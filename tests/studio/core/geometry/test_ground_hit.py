"""Clicks meet the ground; the steps' values are drawn."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footfall.studio.core.drawings import step_plot
from footfall.studio.core.drive import StepValues
from footfall.studio.core.geometry import ground_hit
from footfall.terrain import parse_terrain

places = st.tuples(st.floats(-15, 15), st.floats(-15, 15))


@given(
    places, places, st.floats(0.5, 6.0), st.sampled_from(["flat", "slope:5", "steps:0.1,1,20", "random-steps:0.1,0.8"])
)
def test_a_ray_to_a_place_on_the_ground_meets_the_ground_on_its_way(place, eye, height, name) -> None:
    terrain = parse_terrain(name)
    x, y = place
    target = np.array([x, y, float(terrain.height(x, y))])
    origin = np.array([*eye, height + 3.0])
    hit = ground_hit(terrain, origin, target - origin)
    assert hit is not None
    way, whole = hit - origin, target - origin
    assert np.linalg.norm(np.cross(way, whole)) < 1e-6 * np.linalg.norm(whole) ** 2
    assert np.linalg.norm(way) <= np.linalg.norm(whole) + 0.06
    if name == "flat":
        np.testing.assert_allclose(hit, target, atol=1e-6)


def test_a_ray_into_the_sky_meets_nothing() -> None:
    terrain = parse_terrain("flat")
    assert ground_hit(terrain, np.array([0.0, 0.0, 2.0]), np.array([1.0, 0.0, 0.1])) is None
    assert ground_hit(terrain, np.array([0.0, 0.0, -1.0]), np.array([1.0, 0.0, 0.0])) is None


def test_steps_are_drawn_with_their_targets() -> None:
    steps = [StepValues(n, 0.4 * n, (0.3, 0.0), (0.3 + 0.01 * (-1) ** n, 0.0)) for n in range(1, 60)]
    drawn = step_plot(steps, ("<up> forward", "up lateral"))
    assert drawn.count("<circle") == 80
    assert "<up>" not in drawn
    assert "<circle" not in step_plot([], ("a", "b"))
