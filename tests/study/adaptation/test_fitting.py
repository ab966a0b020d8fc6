"""Controllers on bodies that lack what they drive, or have more, or bend the other way."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control.registry import save_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.builtin import builtin_mjcf
from footfall.figures.standing import hip_height
from footfall.methods.simbicon.files import parse_graph, print_graph
from footfall.methods.simbicon.table import GraphTable
from footfall.study.adaptation.fitting import fit_controller, lowest_sole
from footfall.study.adaptation.scaling import mirrored_leg
from footfall.study.adaptation.wanted import free_choice
from footfall.study.measures.body import standing_trunk_lean
from footfall.study.search.free_numbers import FreeNumbers
from footfall.study.trials.starts import load_any_graph
from tests.study.adaptation.bodies import edited, similar

ARMS = ("left_upper_arm", "right_upper_arm")
ANKLES = tuple(f"{side}_ankle_{plane}" for side in ("left", "right") for plane in ("pitch", "roll"))


def test_on_its_own_body_nothing_changes():
    graph = load_any_graph("plain-walk-sketch")
    fitted = fit_controller(graph, "human-28")
    assert fitted.notes == ()
    own, new = (GraphTable(g, fitted.figure) for g in (graph, fitted.controller))
    limits = [i for slot in own.layout.slots for i, _ in own.cells(f"{slot}.torque_limit")]
    np.testing.assert_allclose(np.delete(new.row, limits), np.delete(own.row, limits), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(fitted.controller.start.qpos, graph.start.qpos, atol=1e-5)
    np.testing.assert_allclose(fitted.controller.start.qvel, graph.start.qvel, atol=1e-5)


def test_a_controller_without_its_figure_beside_it_is_carried_to_the_named_file(tmp_path):
    body = tmp_path / "body" / "thin.xml"
    body.parent.mkdir()
    body.write_text(builtin_mjcf(Figure.load(load_any_graph("walk").figure).name))
    kept = tmp_path / "kept.toml"
    save_controller(replace(load_any_graph("walk"), figure="thin.xml"), kept)
    fitted = fit_controller(kept, body)
    assert fitted.scales == fit_controller("walk", body).scales
    with pytest.raises(FootfallError, match=r"thin\.xml does not exist"):
        fit_controller(kept, "human-28")


@pytest.mark.parametrize("name", ["plain-walk-sketch", "walk-3d", "run-3d", "stand-3d", "tai-chi-3d", "hop-sketch"])
def test_every_kind_of_gait_fits_a_child(name):
    child = similar("human-28", 0.6, 0.25)
    fitted = fit_controller(name, child, figure_name="child.xml")
    table = GraphTable(fitted.controller, child)
    assert np.isfinite(table.row).all()
    again = parse_graph(print_graph(fitted.controller))
    assert again == fitted.controller
    assert lowest_sole(child, np.array(fitted.controller.start.qpos)) == pytest.approx(
        0.6 * lowest_sole(fitted.source, np.array(load_any_graph(name).start.qpos)), abs=1e-5
    )


def test_what_a_body_lacks_is_left_out_and_said():
    body = edited("human-28", without=ARMS)
    fitted = fit_controller("plain-walk-sketch", body)
    assert not any("shoulder" in role for state in fitted.controller.states for role in state.targets)
    assert any("no shoulder pitch" in note for note in fitted.notes)
    GraphTable(fitted.controller, body)


def test_a_body_without_ankles_measures_balance_from_its_heels():
    body = edited("human-28", welded=ANKLES)
    fitted = fit_controller("plain-walk-sketch", body)
    assert fitted.controller.balance.reference == "heel"
    assert any("no ankle" in note for note in fitted.notes)
    assert not any("ankle" in role for state in fitted.controller.states for role in state.targets)
    GraphTable(fitted.controller, body)


@pytest.mark.parametrize("bend", [0.0, 0.3, 1.2])
def test_a_mirrored_knee_keeps_the_foot_where_it_was(bend):
    thigh, shank, hip, ankle = 0.4, 0.5, 0.3, 0.1

    def foot(hip, knee, ankle):
        place = thigh * np.exp(1j * hip) + shank * np.exp(1j * (hip + knee))
        return place, hip + knee + ankle

    hip_shift, ankle_shift = mirrored_leg(bend, thigh, shank)
    (place, turn), (other, also) = foot(hip, -bend, ankle), foot(hip + hip_shift, bend, ankle + ankle_shift)
    assert abs(place) == pytest.approx(abs(other))
    assert np.angle(place) == pytest.approx(np.angle(other))
    assert turn == pytest.approx(also)


def test_knees_that_bend_the_other_way_get_mirrored_targets():
    body = edited("human-28", backward_knees=True)
    fitted = fit_controller("plain-walk-sketch", body)
    for mine, other in zip(load_any_graph("plain-walk-sketch").states, fitted.controller.states, strict=True):
        assert other.targets["swing_knee"].angle == pytest.approx(-mine.targets["swing_knee"].angle)
        assert other.targets["swing_hip"].angle < mine.targets["swing_hip"].angle
    knee = body.joint("left_knee").qpos
    assert fitted.controller.start.qpos[knee] > 0.0


def test_limits_are_the_motors_own_and_else_scaled():
    weak = similar("human-28", 0.5, 0.1)
    table = GraphTable(fit_controller("plain-walk-sketch", weak).controller, weak)
    assert table.value("left_knee.torque_limit") == pytest.approx(weak.torque_limit[weak.joint("left_knee").dof])
    spec = weak.spec()
    for actuator in spec.actuators:
        actuator.forcelimited = 0
    free = Figure.load(spec.to_xml())
    fitted = fit_controller("plain-walk-sketch", free)
    assert GraphTable(fitted.controller, free).value("left_knee.torque_limit") == pytest.approx(300 * 0.05, rel=1e-3)
    assert any("no torque limits" in note for note in fitted.notes)


def test_a_trunk_whose_weight_is_behind_leans_forward():
    spec = Figure.load("human-28").spec()
    model = Figure.load("human-28").model
    for body in spec.bodies:
        if body.name in ("torso", "pelvis"):
            body.ipos = np.array(model.body_ipos[body.id]) - [0.05, 0.0, 0.0]
            body.mass, body.inertia = model.body_mass[body.id], model.body_inertia[body.id]
            body.iquat, body.explicitinertial = model.body_iquat[body.id], True
    heavy = Figure.load(spec.to_xml())
    behind = standing_trunk_lean(Figure.load("human-28")) - standing_trunk_lean(heavy)
    assert behind > 0.05
    first = fit_controller("plain-walk-sketch", heavy).controller.states[0]
    assert first.targets["torso"].angle == pytest.approx(0.03 - behind, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "figure", "error"),
    [
        ("walk-3d", "planar-biped", "use a controller for planar figures, such as walk or run"),
        ("walk", "human-28", "use a controller for spatial figures, such as plain-walk-sketch or walk-3d"),
        ("plain-walk-sketch", "mocap-biped", "no hips that pitch by motors of their own"),
        ("tracked-walk", "human-28", "is not a pose control graph"),
    ],
)
def test_pairs_that_cannot_be_are_refused(name, figure, error):
    with pytest.raises(FootfallError, match=error):
        fit_controller(name, figure)


def test_hip_heights_scale():
    assert hip_height(similar("human-28", 0.3, 1.0)) == pytest.approx(
        0.3 * hip_height(Figure.load("human-28")), rel=1e-5
    )


@pytest.mark.parametrize("name", ["plain-walk-sketch", "walk-3d", "stand-3d"])
def test_a_search_begins_with_the_fitted_controller(name):
    """States of a recovery or a stand keep feedback of their own."""
    fitted = fit_controller(name, "human-28")
    free = FreeNumbers(free_choice(fitted.controller, fitted.figure), fitted.controller, fitted.figure)
    begun = free.values(np.zeros((1, len(free))))
    for path, value in begun.items():
        if path.endswith((".c_d", ".c_v")):
            assert value[0] == pytest.approx(free.table.value(path), abs=1e-4), path
