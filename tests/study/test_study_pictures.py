"""Pictures of studies: nothing dropped, every axis named with its unit, ticks that can be read."""

from dataclasses import replace

import numpy as np
import pytest
import xarray

from footfall.control import load_controller
from footfall.study.robustness.report import Margin, RobustnessReport, plot_robustness
from footfall.study.search.cma_search import Found, plot_search
from footfall.study.sweeps.factors import factor_unit
from footfall.study.sweeps.sweep import plot_sweep
from footfall.study.trials.pushing import PushLimit


def _limit(most: float, sign: float = 1.0) -> PushLimit:
    sizes = sign * np.arange(100.0, 1001.0, 100.0)
    passed = (np.abs(sizes)[:, None, None] <= most) & np.ones((1, 8, 1), dtype=bool)
    fields = {"sizes": sizes, "passed": passed}
    return PushLimit(**{name: fields.get(name) for name in PushLimit.__dataclass_fields__})


def _report(forward: float, backward: float) -> RobustnessReport:
    pushes = {"push_forward": _limit(forward), "push_backward": _limit(backward, -1.0)}
    margins = tuple(Margin(name, "N", name, 100.0) for name in pushes)
    return RobustnessReport("walk", "planar-biped", "torso", "top", margins, pushes)


@pytest.mark.parametrize(("forward", "backward"), [(200.0, 900.0), (900.0, 200.0)])
def test_every_push_limit_lies_inside_its_panel(forward, backward):
    figure = plot_robustness([_report(forward, backward)])
    panels = [ax for half in figure.subfigs for ax in half.axes if ax.get_xlabel() == "phase of the stride"]
    assert len(panels) == 2
    for ax, most in zip(panels, (forward, backward)):
        drawn = ax.lines[0].get_ydata()
        np.testing.assert_allclose(drawn, most)
        low, high = ax.get_ylim()
        assert low <= drawn.min()
        assert drawn.max() <= high
    assert panels[0].get_ylabel() == "largest push survived [N]"


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("push.force", "N"),
        ("push.angle", "°"),
        ("swing_hip.c_d", "rad/m"),
        ("1.swing_hip.c_v", "rad s/m"),
        ("0.hold", "s"),
        ("left_knee.kp", "N m/rad"),
        ("torque_limit", "N m"),
        ("ground.friction", ""),
    ],
)
def test_factors_have_units(name, unit):
    assert factor_unit(name) == unit


def _sweep(survived) -> xarray.Dataset:
    coords = {"push.force": np.arange(3.0), "0.hold": np.arange(4.0)}
    data = {"survived": (("push.force", "0.hold"), survived), "speed": (("push.force", "0.hold"), np.ones((3, 4)))}
    made = xarray.Dataset(data, coords)
    made["speed"].attrs["units"] = "m/s"
    return made


def test_a_map_of_yes_and_no_has_two_colours_and_named_axes():
    answer = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 1]], dtype=bool)
    figure = plot_sweep(_sweep(answer))
    (ax,) = figure.axes
    assert ax.get_xlabel() == "0.hold [s]"
    assert ax.get_ylabel() == "push.force [N]"
    mesh = ax.collections[0]
    colours = {tuple(c) for c in mesh.to_rgba(mesh.get_array()).reshape(-1, 4)}
    assert len(colours) == 2
    brightness = [0.2 * r + 0.7 * g + 0.1 * b for r, g, b, _ in colours]
    assert abs(brightness[0] - brightness[1]) > 0.25
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["survived", "fell or diverged"]


def test_the_title_of_a_map_stands_clear_of_its_legend():
    figure = plot_sweep(_sweep(np.eye(3, 4, dtype=bool)))
    figure.canvas.draw()
    (ax,) = figure.axes
    titles = [text for text in ax.get_children() if getattr(text, "get_text", str)() == ax.get_title(loc="left")]
    assert titles
    assert not any(text.get_window_extent().overlaps(ax.get_legend().get_window_extent()) for text in titles)


def test_a_number_has_a_scale_with_its_unit():
    figure = plot_sweep(_sweep(np.ones((3, 4), dtype=bool)), "speed")
    assert [ax.get_ylabel() for ax in figure.axes] == ["push.force [N]", "speed [m/s]"]


@pytest.mark.parametrize("shrink", [1.0, 0.99, 0.9])
def test_the_history_of_a_search_has_ticks_that_can_be_read(shrink):
    history = [
        {"start": 0, "best": 5.0 / (g + 1), "lowest": 5.0 / (g + 1), "median": 6.0 / (g + 1), "sigma": 0.3 * shrink**g}
        for g in range(60)
    ]
    graph = replace(load_controller("walk"))
    figure = plot_search(Found(graph, {}, {"speed": 1.2}, {"speed": 1.0}, 1.0, True, history))
    figure.canvas.draw()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = axis.get_view_interval()
            major = [t for t in axis.get_majorticklocs() if low <= t <= high]
            assert 2 <= len(major) <= 10, (ax.get_ylabel(), major)
            boxes = [t.get_window_extent() for t in axis.get_majorticklabels() if t.get_text() and t.get_visible()]
            shown = [b for t, b in zip(axis.get_majorticklocs(), boxes) if low <= t <= high]
            assert not any(a.overlaps(b) for k, a in enumerate(shown) for b in shown[k + 1 :])
            assert all(t.get_text() == "" for t in axis.get_minorticklabels())
    assert all(t == round(t) for t in figure.axes[-1].xaxis.get_majorticklocs())
