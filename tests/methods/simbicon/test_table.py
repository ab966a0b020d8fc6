from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from footfall.control import load_controller
from footfall.control.rows import GraphField, MemoryLayout, ServoField, TargetField
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.graph import ServoGains, Target
from footfall.methods.simbicon.table import GraphTable
from tests.methods.simbicon.graphs import graphs

FIGURE = Figure.load("planar-biped")


@pytest.fixture(scope="module")
def table():
    return GraphTable(load_controller("walk"), FIGURE)


def test_every_named_parameter_stands_somewhere(table):
    for path in table.paths():
        cells = table.cells(path)
        assert cells, path
        assert all(0 <= index < len(table.row) and sign in (-1.0, 1.0) for index, sign in cells)


def test_paths_mean_what_they_say(table):
    assert table.value("swing_hip.c_v") == 0.2
    assert table.value("0.swing_hip.c_v") == 0.2
    assert table.value("1.swing_hip.c_d") == 2.2
    assert table.value("0.hold") == 0.3
    assert table.value("kp") == 300.0
    assert len(table.cells("left_knee.kp")) == 1
    assert len(table.cells("knee.kp")) == 2
    assert len(table.cells("kp")) == 7


def test_changes_reach_their_cells_alone(table):
    rows = np.tile(table.row, (3, 1))
    changed = table.applied(rows, {"1.swing_hip.c_d": [1.0, 2.0, 3.0], "speed": 0.5})
    places = {index for path in ("1.swing_hip.c_d", "speed") for index, _ in table.cells(path)}
    others = [i for i in range(len(table.row)) if i not in places]
    np.testing.assert_array_equal(changed[:, others], rows[:, others])
    for index, sign in table.cells("1.swing_hip.c_d"):
        np.testing.assert_array_equal(changed[:, index], sign * np.array([1.0, 2.0, 3.0]))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(graphs())
def test_a_symmetric_graph_is_written_out_for_both_sides(graph):
    table = GraphTable(graph, FIGURE)
    count = len(graph.states)
    assert len(table.states) == (2 * count if graph.symmetric else count)
    assert np.isfinite(table.row).all()
    swap = {"left": "right", "right": "left"}
    if graph.symmetric:
        for (one, targets, *_), (other, mirrored, *_) in zip(table.states[:count], table.states[count:], strict=True):
            assert other.stance == swap[one.stance]
            turned = {_other_side(name): target for name, target in targets.items()}
            assert turned == mirrored


def _other_side(name):
    pairs = {"left": "right", "right": "left"}
    side, _, rest = name.partition("_")
    return f"{pairs[side]}_{rest}" if side in pairs else name


@pytest.mark.parametrize("path", ["", "kq", "swing_hip.c_x", "7.hold", "swing_elbow.c_d", "0.swing_hip.kp.x"])
def test_unknown_paths_are_refused(table, path):
    with pytest.raises(FootfallError, match="walk"):
        table.cells(path)


def test_a_rows_fields_are_those_of_the_values_they_hold() -> None:
    for fields_of, value in ((TargetField, Target), (ServoField, ServoGains)):
        assert {f.name for f in fields(value)} <= {field.name.lower() for field in fields_of}


def test_a_row_is_filled_by_name_whatever_the_order_and_without_gaps(table) -> None:
    numbers = {"world": 0.0, "c_h": 4.0, "c_v": 3.0, "angle": 1.0, "c_hip": 5.0, "c_d": 2.0}
    assert TargetField.numbers(**numbers) == [1.0, 2.0, 3.0, 4.0, 5.0, 0.0]
    assert TargetField.values(TargetField.numbers(**numbers)) == numbers
    with pytest.raises(FootfallError, match="TargetField: 'c_h' is missing"):
        TargetField.numbers(**{name: x for name, x in numbers.items() if name != "c_h"})
    with pytest.raises(FootfallError, match="TargetField: 'c_x' is unknown"):
        TargetField.numbers(**numbers, c_x=1.0)
    row = GraphField.values(table.row)
    assert (row["hip_low"], row["hip_high"]) == table.graph.balance.hip_range
    assert (row["sensor_heel"], row["reaction_gain"], row["slower"]) == (1.0, 1.0, 1e9)


def test_a_memory_is_filled_by_name() -> None:
    layout = MemoryLayout((("state", 1), ("torque", 3), ("none", 0), ("clock", 1)))
    assert layout.names == ("state", "torque_0", "torque_1", "torque_2", "clock")
    assert (layout["torque"], layout["clock"], len(layout)) == (1, 4, 5)
    memory = layout.filled(clock=2.0, torque=[4.0, 5.0, 6.0], state=1.0, none=[])
    np.testing.assert_array_equal(memory, [1.0, 4.0, 5.0, 6.0, 2.0])
    np.testing.assert_array_equal(layout.filled(clock=2.0, torque=7.0, state=1.0, none=0.0)[1:4], 7.0)
    with pytest.raises(FootfallError, match="memory: 'clock' is missing"):
        layout.filled(torque=0.0, state=1.0, none=0.0)
    with pytest.raises(FootfallError, match="'torque' has 2 numbers; it has room for 3"):
        layout.filled(clock=2.0, torque=[1.0, 2.0], state=1.0, none=0.0)


def test_cells_of_a_spatial_graph_carry_the_mirror_images_signs() -> None:
    graph = load_controller(Path(__file__).with_name("hurried.toml"))
    table = GraphTable(graph, Figure.load("human"))
    row = table.applied(table.row[None], {"swing_hip_roll": 0.2, "swing_hip_roll.c_d": 0.7, "torso_roll": 0.1})[0]
    for k, (state, *_) in enumerate(table.states):
        side = "right" if state.stance == "left" else "left"
        sign = 1.0 if state.stance == "left" else -1.0
        target = table.target_of(row, k, f"{side}_hip_roll")
        assert (target.angle, target.c_d) == (sign * 0.2, 0.7)
        assert table.target_of(row, k, "torso_roll").angle == sign * 0.1
    special = table.applied(table.row[None], {"ankle_roll.kp": 5.0, "ankle.kp": 9.0, "kp": 1.0})[0]
    values = {name: special[table.cells(f"{name}.kp")[0][0]] for name in ("ankle_roll", "left_ankle_pitch", "knee")}
    assert values == {"ankle_roll": 5.0, "left_ankle_pitch": 9.0, "knee": 1.0}
