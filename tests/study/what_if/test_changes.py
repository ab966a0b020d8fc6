"""Changes of a walker's body, and the controller for both sides that adapts to them."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.table import GraphTable
from footfall.simulation import Record, Simulation
from footfall.study.what_if import (
    ChangedWalker,
    Load,
    Prosthesis,
    Shorter,
    Stiff,
    Weak,
    adapting_goal,
    parse_change,
    two_sided,
    what_if,
)


@pytest.fixture(scope="module")
def walker():
    figure = Figure.load("human-28")
    return ChangedWalker(figure, two_sided(load_graph("walk-3d"), figure))


def test_written_for_both_sides_a_walk_is_the_same_walk(walker):
    motions = []
    for graph in (load_graph("walk-3d"), walker.graph):
        simulation = Simulation(graph, figure=walker.figure, record=Record(rate=50.0))
        simulation.run(3.0)
        motions.append(simulation.trace().qpos)
    np.testing.assert_allclose(motions[0], motions[1], atol=1e-9)


def test_a_weak_joint_has_its_share_and_the_others_all(walker):
    before, after = (GraphTable(w.graph, w.figure) for w in (walker, Weak("left_ankle", 0.5).applied(walker)))
    for joint in ("ankle_pitch", "ankle_roll", "knee"):
        for part in ("kp", "kd", "torque_limit"):
            left, right = f"left_{joint}.{part}", f"right_{joint}.{part}"
            share = 1.0 if joint == "knee" else 0.5
            assert after.value(left) == pytest.approx(share * before.value(left))
            assert after.value(right) == before.value(right)


def test_a_shorter_leg_hangs_higher(walker):
    short = Shorter("left", 0.03).applied(walker).figure
    ends = {side: _sole_height(short, side) for side in ("left", "right")}
    assert ends["left"] - ends["right"] == pytest.approx(0.03, abs=1e-3)
    assert short.model.body_mass.sum() == pytest.approx(walker.figure.model.body_mass.sum())


def _sole_height(figure, side):
    import mujoco

    data = mujoco.MjData(figure.model)
    data.qpos[:] = figure.default_qpos
    mujoco.mj_forward(figure.model, data)
    return min(data.site(name).xpos[2] for name in figure.legs[side].sole)


def test_a_load_adds_its_mass_on_its_side(walker):
    before, after = (w.figure.body_parameters() for w in (walker, Load("right", 10.0).applied(walker)))
    assert after.mass.sum() - before.mass.sum() == pytest.approx(10.0)
    moment = after.mass[0, 0] * after.com[0, 0] - before.mass[0, 0] * before.com[0, 0]
    np.testing.assert_allclose(moment, 10.0 * (before.com[0, 0] - [0.0, 0.25, 0.0]), atol=1e-5)


def test_a_stiff_knee_has_its_range_and_starts_within(walker):
    stiff = Stiff("left_knee", 10.0).applied(walker)
    joint = stiff.figure.joint("left_knee")
    assert (joint.lower, joint.upper) == pytest.approx(
        (np.radians(-10), min(walker.figure.joint("left_knee").upper, np.radians(10))), abs=1e-5
    )
    assert joint.lower <= stiff.graph.start.qpos[joint.qpos] <= joint.upper
    assert stiff.figure.joint("right_knee").lower == walker.figure.joint("right_knee").lower


def test_nothing_is_searched_of_a_prosthetic_ankle(walker):
    foot = Prosthesis("left").applied(walker)
    assert {"left_ankle_pitch", "left_ankle_roll"} <= foot.fixed
    paths = adapting_goal(foot, 1.0, 0.5).numbers
    assert not any("left_ankle" in path for path in paths)
    assert any("right_ankle_pitch" in path for path in paths)
    assert all(state.targets["left_ankle_pitch"].angle == 0.0 for state in foot.graph.states)


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("weak", "left_ankle", "left_ankle:0.5"),
        ("weak", "left_ankle:1.5", "0 to 1"),
        ("stiff", "left_knee:x", "left_knee:10"),
        ("shorter", "middle:0.03", "left or right"),
        ("load", "left:-3", "above 0"),
        ("prosthesis", "left:3", "prosthesis left"),
    ],
)
def test_a_wrong_change_is_refused_in_words(option, text, said):
    with pytest.raises(FootfallError, match=said):
        parse_change(option, text)


def test_what_cannot_be_changed_is_said(walker):
    with pytest.raises(FootfallError, match="left_ankle"):
        Weak("left_ankel", 0.5).applied(walker)
    with pytest.raises(FootfallError, match="half the shank"):
        Shorter("left", 0.4).applied(walker)
    with pytest.raises(FootfallError, match="nothing is changed"):
        what_if("walk-3d")
    with pytest.raises(FootfallError, match="not a 3D walk"):
        what_if("walk", [Load("left", 5.0)])


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")
def test_a_study_has_the_walk_before_and_after(tmp_path):
    found = what_if("walk-3d", [Load("left", 10.0)], seconds=4.0, population=4, watch=6.0)
    assert found.trials["before"].up == found.trials["before"].tried == 20
    assert found.after.speed > 0.5
    path, body = found.save_controller(tmp_path / "loaded.toml")
    again = Simulation(str(path), dt=0.001)
    assert again.figure.model.body_mass.sum() == pytest.approx(Figure.load("human-28").model.body_mass.sum() + 10.0)
    assert body.exists()
