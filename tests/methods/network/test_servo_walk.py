"""Policies of others: ONNX files with a table of what they observe, in the convention of legged_gym and its kin."""

import runpy
from pathlib import Path

import mujoco
import numpy as np
import pytest

from footfall.control.registry import load_controller, parse_controller, print_controller, save_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.deciding import Block
from footfall.methods.network.law import Servos
from footfall.methods.network.multilayer import load_onnx, save_onnx
from footfall.simulation import Simulation
from footfall.study.robustness.report import robustness_reports
from footfall.study.sweeps.experiment import Experiment
from tests.methods.network.test_multilayer import network

onnx = pytest.importorskip("onnx", reason="NO ONNX: policies of others were not run; pip install 'footfall[onnx]'")

EXAMPLE = Path(__file__).parents[3] / "examples" / "learned" / "servo-walk.toml"
PERIOD = 0.02


class TheirRobot:
    """The policy as its own project runs it: observations by hand from the state, answers by onnx itself.

    Attributes:
        order: the policy's joints. default: their default pose. last: its last action.
    """

    def __init__(self, file: Path, figure: Figure, order: tuple[str, ...], default: np.ndarray) -> None:
        from onnx.reference import ReferenceEvaluator

        self.policy, self.figure, self.default = ReferenceEvaluator(str(file)), figure, default
        self.qpos = [figure.joint(name).qpos for name in order]
        self.qvel = [figure.joint(name).dof for name in order]
        self.last = np.zeros(len(order))

    def decide(self, qpos: np.ndarray, qvel: np.ndarray, command: float) -> np.ndarray:
        if self.figure.root == "planar":
            turning, gravity = [-qvel[2]], [-np.sin(qpos[2]), -np.cos(qpos[2])]
        else:
            back, down = np.zeros(4), np.zeros(3)
            mujoco.mju_negQuat(back, qpos[3:7])
            mujoco.mju_rotVecQuat(down, np.array([0.0, 0.0, -1.0]), back)
            turning, gravity = qvel[3:6], down
        joints, rates = qpos[self.qpos] - self.default, qvel[self.qvel]
        seen = np.concatenate([0.25 * np.array(turning), gravity, [2.0 * command], joints, 0.05 * rates, self.last])
        (answer,) = self.policy.run(None, {"observation": seen[None].astype(np.float32)})
        self.last = answer[0].astype(float)
        return self.last


def compared(controller: NetworkController, file: Path, decisions: int) -> Simulation:
    """A run in which every action of the fused law is held against the policy in its own project."""
    simulation = Simulation(controller, dt=0.002)
    servos, figure = controller.servos, simulation.figure
    theirs = TheirRobot(file, figure, servos.joints, np.array(servos.default))
    at = simulation.law.memory_layout["network_action"]
    for _ in range(decisions):
        expected = theirs.decide(simulation.qpos[0], simulation.qvel[0], controller.goal_speed)
        simulation.run(PERIOD)
        assert simulation.memory[0, at : at + len(servos.joints)] == pytest.approx(expected, abs=2e-4)
        theirs.last = simulation.memory[0, at : at + len(servos.joints)].copy()
    return simulation


def test_example_walks_as_its_policy_says():
    """The planar walker: every action as onnx computes it, and a walk at the speed that is asked for."""
    simulation = compared(load_controller(EXAMPLE), EXAMPLE.with_suffix(".onnx"), 25)
    outcome = simulation.run(9.5)
    assert not outcome.fell[0]
    assert 0.8 < simulation.qpos[0, 0] / 10.0 < 1.2


@pytest.mark.parametrize(
    ("old", "new", "data", "words"),
    [
        ("", "", None, r"servo-walk\.toml: network file .*servo-walk\.onnx: No such file"),
        ("", "", b"not onnx", r"servo-walk\.toml: network file .*servo-walk\.onnx: not an ONNX file"),
        ('"pitch_rate"', '"pitch_rat"', b"", "unknown observation 'pitch_rat': did you mean 'pitch_rate'"),
        ('["up_x", "up_z"]', '["up_x"]', b"", "the network has 22 inputs; the observations are 21"),
        ('joints = ["left_hip", ', 'joints = ["tail", ', b"", "unknown joint with a motor 'tail'"),
        ("offset = [0.2, ", "offset = [", b"", "observations 3: offset has 5 numbers"),
        ('"planar-biped"', '"human-28"', b"", "qpos has 9 numbers; figure 'human-28' has 35"),
    ],
)
def test_bad_tables_and_files_are_refused_in_one_line(tmp_path: Path, old: str, new: str, data: bytes, words: str):
    """By every command that takes a controller's file; ``b""`` stands for the example's own policy."""
    path, text = tmp_path / EXAMPLE.name, EXAMPLE.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    if data is not None:
        path.with_suffix(".onnx").write_bytes(data or EXAMPLE.with_suffix(".onnx").read_bytes())
    with pytest.raises(FootfallError, match=words) as caught:
        Simulation(path)
    assert "\n" not in str(caught.value)


def test_a_printed_controller_has_its_network_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The text of the file alone does not do, and says what would."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FootfallError, match=r"not part of the text; `footfall show FILE --toml` prints"):
        parse_controller(EXAMPLE.read_text(encoding="utf-8"))
    text = print_controller(load_controller(EXAMPLE))
    assert parse_controller(text).network.to_bytes() == load_controller(EXAMPLE).network.to_bytes()


@pytest.mark.slow
def test_table_of_a_figure_in_space(tmp_path: Path):
    """A random policy of the human, its file made with onnx, its joints in another order."""
    figure = Figure.load("human-28")
    order = tuple(sorted(j.name for j in figure.joints if j.actuated))
    default = np.linspace(-0.1, 0.1, len(order))
    save_onnx(network((7 + 3 * len(order), 16, len(order)), "elu"), tmp_path / "policy.onnx")
    blocks = (
        Block(("turn_rate_x", "turn_rate_y", "turn_rate_z"), 0.25),
        Block(("up_x", "up_y", "up_z"), -1.0),
        Block(("goal_speed",), 2.0),
        Block(order, offset=tuple(default)),
        Block(tuple(f"{name}_rate" for name in order), 0.05),
        Block(tuple(f"action_{k}" for k in range(len(order)))),
    )
    servos = Servos(order, tuple(default), 0.25)
    made = NetworkController(
        "theirs", "human-28", load_onnx(tmp_path / "policy.onnx"), blocks, servos=servos, limit=100.0, goal_speed=0.7
    )
    save_controller(made, tmp_path / "theirs.toml")
    compared(load_controller(tmp_path / "theirs.toml"), tmp_path / "policy.onnx", 8)


@pytest.mark.slow
def test_example_goes_through_the_battery():
    """By the path of its file, like any controller; it was trained under pushes of up to 150 N for 0.2 s."""
    (report,) = robustness_reports([Experiment(str(EXAMPLE))], only=["push_forward"], replicas=1, phases=4, step=50.0)
    (margin,) = report.margins
    assert margin.value >= 150.0


@pytest.mark.slow
def test_the_example_that_trains_writes_a_controller(tmp_path: Path):
    """One update of PPO, in the policy's own convention; the files run."""
    pytest.importorskip("onnx", reason="NO ONNX: nothing was trained; pip install 'footfall[onnx]'")
    script = runpy.run_path(str(EXAMPLE.parents[1] / "servo_walk.py"))
    script["main"].__globals__["DECISIONS"] = 1
    script["main"](1, tmp_path / "mine.onnx")
    compared(load_controller(tmp_path / "mine.toml"), tmp_path / "mine.onnx", 3)
