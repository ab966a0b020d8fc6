"""Sheets of figures and graphs of poses: what they show, and that words are not on top of each other."""

import itertools

import numpy as np
import pytest

from footfall.control import controller_names, kind_of, load_controller
from footfall.figures import Figure
from footfall.figures.standing import standing_figure
from footfall.pictures.figure_sheet import figure_sheet, spread_labels
from footfall.pictures.pose_graph import StateLink, pose_graph, rows_of
from tests.pictures.boxy_robot import write_boxy_robot


def _texts(page):
    return [text for ax in page.axes for text in ax.texts if text.get_text()]


@pytest.mark.parametrize("name", ["human-28", "planar-biped", "robo-bird", "mocap-biped", "boxy"])
def test_a_sheet_names_every_place_of_joints_and_no_words_overlap(name, tmp_path):
    figure = Figure.load(write_boxy_robot(tmp_path) if name == "boxy" else name)
    page = figure_sheet(figure, words=["one more line"])
    page.canvas.draw()
    texts = _texts(page)
    shown = {text.get_text() for text in texts}
    assert {joint.part for joint in standing_figure(figure).joints} <= shown
    assert "one more line" in shown
    boxes = [text.get_window_extent() for text in texts]
    for (a, one), (b, other) in itertools.combinations(zip(texts, boxes), 2):
        assert not one.padded(-1.0).overlaps(other.padded(-1.0)), (a.get_text(), b.get_text())
    page_box = page.bbox.padded(1.0)
    assert all(page_box.x0 <= box.x0 and box.x1 <= page_box.x1 for box in boxes)


def test_a_figure_stands_as_long_as_its_bones(tmp_path):
    stance = standing_figure(Figure.load(write_boxy_robot(tmp_path)))
    assert stance.leg_length == pytest.approx(0.76)
    assert stance.hip_height == pytest.approx(0.84)
    assert stance.soles == {"left": pytest.approx((0.24, 0.1)), "right": pytest.approx((0.24, 0.1))}
    assert stance.com[1] == pytest.approx(0.0, abs=1e-9)
    human = standing_figure(Figure.load("human-28"))
    assert human.com == pytest.approx(human.coms.T @ [b.mass for b in human.figure.bodies] / human.mass)
    for joint in human.joints:
        assert joint.tilt == pytest.approx(0.0, abs=1e-6)
        assert abs(joint.axis[["roll", "pitch", "yaw"].index(joint.joint.plane)]) == pytest.approx(1.0)


def test_labels_are_spread_as_little_as_needed():
    rng = np.random.default_rng(3)
    for _ in range(20):
        wanted = rng.uniform(0.0, 2.0, rng.integers(1, 9))
        places = spread_labels(wanted, 0.1, 0.0, 2.0)
        assert np.diff(np.sort(places)).min(initial=1.0) >= 0.1 - 1e-9
        assert (np.argsort(places) == np.argsort(wanted)).all()
        assert places.min() >= -1e-9
        assert places.max() <= 2.0 + 1e-9
    apart = np.array([0.1, 0.9, 0.5])
    np.testing.assert_allclose(spread_labels(apart, 0.1, 0.0, 1.0), apart)
    np.testing.assert_allclose(spread_labels(np.array([0.5, 0.5]), 0.2, 0.0, 1.0), [0.4, 0.6])


def test_rows_follow_the_chain_of_states():
    ring = [StateLink(k, (k + 1) % 3, "") for k in range(3)]
    assert rows_of(3, ring) == [[0, 1, 2]]
    detour = [*ring, StateLink(3, 4, ""), StateLink(4, 0, ""), StateLink(1, 3, "", aside=True)]
    assert rows_of(5, detour) == [[0, 1, 2], [3, 4]]
    assert rows_of(2, [StateLink(0, 1, "")]) == [[0, 1]]
    long = rows_of(8, [StateLink(k, (k + 1) % 8, "") for k in range(8)])
    assert [len(row) for row in long] == [4, 4]


@pytest.mark.parametrize("name", ["walk", "walk-3d", "stand", "back-flip", "human-walk"])
def test_a_graph_has_a_pose_for_each_state_and_an_arrow_for_each_way_out(name):
    graph = load_controller(name)
    found = kind_of(graph).describe(graph, draw=True)
    page = pose_graph(found.poses, found.links, found.labels, found.notes, title=found.caption)
    shown = [text.get_text() for text in _texts(page)]
    assert all(label in shown for label in found.labels)
    ways = sum((graph.successor(i) is not None) + bool(s.disturbed) for i, s in enumerate(graph.states))
    assert len(found.links) == ways * len(found.poses) // len(graph.states)
    assert all(0 <= link.end < len(found.poses) for link in found.links)


@pytest.mark.parametrize("name", controller_names())
def test_every_controller_is_described(name):
    graph = load_controller(name)
    found = kind_of(graph).describe(graph)
    assert found.title.startswith(f"{name}: ")
    assert found.table or found.sections
