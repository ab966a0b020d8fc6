"""What means and peaks are of: contacts that platforms measured whole, steady cycles, and angles that people reach."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.cli.analyse import _print
from footfall.motion import load_motion
from footfall.motion.quaternion import from_axis_angle, multiply, rotate
from footfall.study.gait_lab.analysis import analyse
from footfall.study.gait_lab.ground_forces import foot_forces
from footfall.study.gait_lab.joint_limits import limit_notes
from footfall.study.gait_lab.page import page_html
from footfall.study.gait_lab.plate_contacts import PlateContact, outside, plate_contacts
from footfall.study.gait_lab.steadiness import Steadiness, measure_steadiness, steady_cycles
from footfall.study.measures.cycles import Cycle, GaitEvents
from footfall.study.measures.people import JOINT_LIMITS, PANELS
from footfall.study.measures.table import MEASURES, measure_walks
from footfall.study.measures.walks import Walks
from tests.study.gait_lab.walks import OPENSIM, PLUG_IN_GAIT, STRAIGHT, TURNING, analysis, clip, motion, trace

UP = np.array([0.0, 0.0, 1.0])
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def moved_plates(walk, shift=0.0, plates=(0, 1), grown=0.0):
    """A walk whose platforms are said to be elsewhere along x, or larger by so many metres on all sides."""
    corners = np.array(walk.source["plate_corners"], dtype=float)
    for plate in plates:
        middle = corners[plate].mean(axis=0)
        corners[plate] += grown * np.sign(corners[plate] - middle) + [shift, 0.0]
    return replace(walk, source={**walk.source, "plate_corners": corners.tolist()})


def test_metres_outside_an_outline_have_a_sign_whichever_way_it_runs():
    points = np.array([[0.5, 0.5], [0.5, 0.9], [1.2, 0.5], [0.5, -0.3]])
    for corners in (SQUARE, SQUARE[::-1]):
        np.testing.assert_allclose(outside(points, corners), [-0.5, -0.1, 0.2, 0.3], atol=1e-12)


def test_a_contact_measured_in_part_counts_in_no_mean():
    """The left foot of the clip reaches over an edge: means, peaks and work are the right foot's alone."""
    found = analyse(clip(PLUG_IN_GAIT))
    assert [(c.side, bool(c.fault)) for c in found.contacts] == [("right", False), ("left", True)]
    loads = [name for name in found.curves if PANELS[name].group != "angles"]
    assert "grf_vertical" in loads
    assert all(set(found.curves[name]) == {"right"} for name in loads)
    assert set(found.curves["knee_flexion"]) == {"left", "right"}
    assert found.walk_measures["first_peak"] == pytest.approx(found.humps["right"][0][1])
    assert np.nanmax(found.signals["left_grf_vertical"]) > 0.5, "what was measured is still there"
    told = found.to_dict()["platform_contacts"]
    assert [row["left_out"] is None for row in told] == [True, False]


def test_a_captured_step_keeps_its_numbers_where_its_contact_was_whole():
    """Exclusion of the left foot changes nothing of the right one's."""
    found = analyse(clip(OPENSIM))
    force = foot_forces(found.motion, found.events)["right"].force[:, 2] / (9.81 * found.mass)
    assert found.curves["grf_vertical"]["right"].max() == pytest.approx(force.max(), rel=0.01)


def test_without_a_whole_contact_loads_are_absent(capsys, tmp_path):
    walk = moved_plates(load_motion(clip(PLUG_IN_GAIT)), shift=1.0)
    found = analyse(walk, name="beside")
    assert all(c.fault for c in found.contacts)
    assert not [name for name in found.curves if PANELS[name].group != "angles"]
    assert "first_peak" not in found.walk_measures
    assert found.humps == {}
    assert found.pressure == {}
    assert sum("absent" in note for note in found.notes) == 1
    assert sum("contacts with force platforms are left out" in note for note in found.notes) == 1
    _print([found])
    assert "vertical force, " not in capsys.readouterr().out
    assert page_html([found])
    for name in ("beside.json", "beside.csv", "beside.xlsx", "beside.png"):
        assert found.save(tmp_path / name).stat().st_size


def test_two_feet_on_one_platform_are_no_whole_contact():
    """Platforms that are said to be large enough for both feet have both on them in double support."""
    walk = moved_plates(load_motion(clip(PLUG_IN_GAIT)), plates=(0,), grown=0.6)
    events = analyse(walk).events
    first, second = plate_contacts(walk, events)
    assert first.fault == "the left foot stands on force platform 1 too"
    assert "beyond force platform 2" in second.fault


@pytest.mark.parametrize(("wait", "when"), [(0.2, "before"), (-0.2, "after")])
def test_a_foot_that_stands_before_its_platform_feels_it_is_no_whole_contact(wait, when):
    """The right foot of the clip is whole; events that begin earlier, or end later, than its force say that it came
    onto the platform, or left it, while it stood."""
    walk = load_motion(clip(PLUG_IN_GAIT))
    events = analyse(walk).events
    assert plate_contacts(walk, events)[0] == PlateContact("right", (0,), *walk.source["plate_contacts"][0][1:])
    (strike, *later), (off, *_) = events.strikes["right"], events.offs["right"]
    shifted = GaitEvents(
        {**events.strikes, "right": np.array([strike - max(wait, 0.0), *later])},
        {**events.offs, "right": np.array([off - min(wait, 0.0)])},
    )
    assert plate_contacts(walk, shifted)[0].fault == f"the right foot stands 0.20 s {when} force platform 1 carries it"


def test_a_centre_of_pressure_at_the_edge_is_no_whole_contact():
    """A sole may be known to lie inside where the pressure under it does not."""
    walk = load_motion(clip(PLUG_IN_GAIT))
    plates = dict(walk.channels)
    moment = plates["plate_moment"].copy()
    moment[:, 0, 1] += 0.14 * plates["plate_force"][:, 0, 2]
    pushed = replace(walk, channels={**plates, "plate_moment": moment})
    faults = [c.fault for c in plate_contacts(pushed, analyse(walk).events) if c.plates == (0,)]
    assert faults == ["the centre of pressure under the right foot reaches the edge of force platform 1"]


def test_angles_within_limits_are_not_warned_of_and_beyond_them_are():
    inside = {n: {s: np.array([[low, high]]) for s in ("left", "right")} for n, (low, high) in JOINT_LIMITS.items()}
    assert limit_notes(inside) == []
    for name, (low, high) in JOINT_LIMITS.items():
        for value in (low - 1.0, high + 1.0):
            (note,) = limit_notes(inside | {name: {"left": np.array([[0.0, value]])}})
            assert f"left {PANELS[name].title} {value:.0f}°" in note
            assert "right" not in note
            assert "usually" in note


@pytest.mark.parametrize("name", [STRAIGHT, TURNING])
def test_a_rest_pose_that_does_not_stand_turns_no_foot_around(name):
    """Its legs lie along one line, so that heels and toes are known by the walk alone."""
    found = analyse(clip(name))
    assert not [note for note in found.notes if note.startswith("warning")]
    ranges = {side: (rows.min(), rows.max()) for side, rows in found.curves["ankle_dorsiflexion"].items()}
    np.testing.assert_allclose(ranges["left"], ranges["right"], atol=8.0)


def test_captured_people_and_simulated_walks_have_angles_of_people():
    for found in (analyse(clip(PLUG_IN_GAIT)), analyse(clip(OPENSIM)), analysis()):
        assert not [note for note in found.notes if note.startswith("warning")]


def cycles_of(count):
    """As many cycles of each foot, in order of time."""
    nan = float("nan")
    return [
        Cycle("left" if k % 2 == 0 else "right", k / 2, k / 2 + 1.0, k / 2 + 0.6, nan, nan) for k in range(2 * count)
    ]


def test_only_steady_cycles_count_where_each_foot_has_two():
    cycles = cycles_of(3)
    turns, speeds = np.array([0.0, 0.0, 5.0, -5.0, 30.0, -40.0]), np.full(6, 1.2)
    kept, (note,) = steady_cycles(cycles, Steadiness(turns, speeds))
    assert kept == cycles[:4]
    assert note.startswith("it turns by up to 40 degrees in a stride and its speed changes by 0 %")
    assert note.endswith("means are over its 4 steady cycles of 6")
    kept, (note,) = steady_cycles(cycles, Steadiness(turns, np.array([1.2, 1.2, 1.2, 1.0, 1.2, 1.2])))
    assert kept == cycles
    assert "speed changes by 17 %" in note
    assert note.endswith("fewer than two cycles of each foot are steady, so means are over all of them")
    assert steady_cycles(cycles, Steadiness(np.zeros(6), speeds)) == (cycles, [])
    in_place = Steadiness(np.zeros(6), np.linspace(0.01, 0.1, 6))
    assert steady_cycles(cycles, in_place) == (cycles, [])


def test_a_walk_that_is_turned_turns_by_as_much_in_every_stride():
    """Turned at a constant rate about the vertical, every stride turns by that rate times its time; where the path is
    kept, speeds are too."""
    walk = replace(motion(), channels={}, labels={}, figure="", figure_xml="")
    cycles, rate = analysis().cycles, 0.3
    turn = from_axis_angle(UP, rate * walk.times)
    rotations = walk.rotations.copy()
    rotations[:, 0] = multiply(turn, rotations[:, 0])
    before, after = measure_steadiness(walk, cycles), measure_steadiness(replace(walk, rotations=rotations), cycles)
    expected = [np.degrees(rate * c.duration) for c in cycles]
    np.testing.assert_allclose(after.turns - before.turns, expected, atol=0.3)
    np.testing.assert_allclose(after.speeds, before.speeds, rtol=0.02)
    assert before.steady.all()
    assert not after.steady.any()
    elsewhere = replace(walk, root_position=rotate(from_axis_angle(UP, np.array(1.0)), walk.root_position))
    np.testing.assert_allclose(measure_steadiness(elsewhere, cycles).speeds, before.speeds, rtol=1e-9)


def test_a_clip_that_turns_says_so_and_one_that_goes_straight_does_not():
    (note,) = [n for n in analyse(clip(TURNING)).notes if n.startswith("it turns")]
    assert "112 degrees in a stride" in note
    assert "29 %" in note
    straight = analyse(clip(STRAIGHT))
    assert not [n for n in straight.notes if n.startswith("it turns")]
    assert straight.to_dict()["steadiness"]["steady_cycles"] == len(straight.cycles)


def test_leg_clearance_is_the_tables_row_and_in_every_report(capsys):
    found = analysis()
    (row,) = measure_walks(Walks(trace(), np.zeros(1), 1.0), ["leg_clearance"])["leg_clearance"]
    assert found.leg_clearance == pytest.approx(row, abs=0.002)
    told = found.to_dict()["leg_clearance"]
    assert told["value"] == pytest.approx(found.leg_clearance, abs=1e-6)
    assert told["unit"] == MEASURES["leg_clearance"].unit == "m"
    assert "below 0" in told["definition"]
    _print([found])
    (line,) = [text for text in capsys.readouterr().out.splitlines() if text.startswith("leg clearance")]
    assert f"{found.leg_clearance:.3f} m" in line
    assert "below 0" in line
    assert "leg clearance" in page_html([found])


def test_a_captured_walk_has_no_leg_clearance():
    found = analyse(clip(STRAIGHT))
    assert np.isnan(found.leg_clearance)
    assert found.to_dict()["leg_clearance"] is None
