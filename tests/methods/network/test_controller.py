"""Controllers with networks: their files, and what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.control.registry import kind_of, law_of, load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.controller import NetworkController, base_text
from footfall.methods.network.deciding import Block
from footfall.methods.network.law import Servos
from footfall.methods.network.multilayer import Network
from tests.methods.network.test_multilayer import network

LEGS = ("right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle")


def corrected(**changes) -> NetworkController:
    given = {
        "name": "sure-walk",
        "figure": "planar-biped",
        "network": network((4, 6, 7)),
        "observations": (Block(("height", "pitch"), limit=10.0), Block(("stance", "state_3"))),
        "base": "walk",
        "correct": {"targets": 0.3},
    }
    return NetworkController(**given | changes)


def served(**changes) -> NetworkController:
    given = {
        "name": "policy",
        "figure": "planar-biped",
        "network": network((13, 6)),
        "observations": (
            Block(("pitch_rate",), 0.25),
            Block(LEGS, offset=(0.1, -0.2, 0.1, 0.1, -0.2, 0.1)),
            Block(tuple(f"action_{k}" for k in range(6))),
        ),
        "servos": Servos(LEGS, scale=0.5, kp=300.0, kd=30.0),
    }
    return NetworkController(**given | changes)


@pytest.mark.parametrize("made", [corrected(), served()], ids=["corrections", "servos"])
def test_files_read_back(made: NetworkController):
    text = print_controller(made)
    found = parse_controller(text)
    assert print_controller(found) == text
    for name in ("name", "figure", "observations", "base", "correct", "servos", "rate", "start", "report"):
        assert getattr(found, name) == getattr(made, name)
    assert found.network.to_bytes() == made.network.to_bytes()


def test_network_may_lie_beside_the_file(tmp_path: Path):
    made = corrected()
    (tmp_path / "net.safetensors").write_bytes(made.network.to_bytes())
    lines = print_controller(made).splitlines()
    text = "\n".join('network = "net.safetensors"' if line.startswith("network =") else line for line in lines)
    (tmp_path / "walk.toml").write_text(text)
    assert load_controller(tmp_path / "walk.toml").network.to_bytes() == made.network.to_bytes()
    (tmp_path / "net.safetensors").unlink()
    with pytest.raises(FootfallError, match=r"walk\.toml: network file .*No such file"):
        load_controller(tmp_path / "walk.toml")


def test_base_is_a_name_or_a_text():
    walk = load_controller("walk")
    changed = replace(walk, name="mine", about="changed")
    assert base_text(walk) == "walk"
    made = parse_controller(print_controller(corrected(base=base_text(changed))))
    assert made.graph == changed
    assert made.start == changed.start


def test_kind_says_what_it_is():
    made, kind = corrected(), kind_of("network")
    assert kind.abilities(made).live
    assert kind.with_number(made, "goal_speed", 0.5).goal_speed == 0.5
    assert kind.describe(made).data["base"] == "walk"
    assert "sets targets" in kind.describe(served()).title


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"base": "no-such-walk"}, "base: unknown controller 'no-such-walk'"),
        ({"base": "tracked-walk"}, "networks correct controllers of SIMBICON"),
        ({"base": ""}, "either base"),
        ({"servos": Servos(LEGS)}, "either base"),
        ({"correct": {}}, "correct: it is empty"),
        ({"rate": 0.0}, "rate is 0"),
        ({"history": 0}, "history is 0"),
        ({"limit": -1.0}, "limit is -1"),
    ],
)
def test_bad_controllers_are_refused(changes: dict, words: str):
    with pytest.raises(FootfallError, match=words):
        corrected(**changes)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (corrected(network=network((3, 7))), "the network has 3 inputs; the observations are 4"),
        (corrected(network=network((4, 5))), "the network has 5 outputs; the actions are 7"),
        (corrected(observations=(Block(("height", "pitch", "stance", "state_9")),)), "unknown observation 'state_9'"),
        (corrected(correct={"targets": 0.3, "swing_hip.c_x": 1.0}), "swing_hip.c_x"),
        (served(servos=Servos(("right_hip", "tail"))), "the network has 6 outputs; the actions are 2"),
        (served(servos=Servos((*LEGS[:5], "tail"))), "unknown joint with a motor 'tail'"),
    ],
)
def test_networks_that_do_not_fit_are_refused(made: NetworkController, words: str):
    with pytest.raises(FootfallError, match=words):
        law_of(made, Figure.load("planar-biped"))


def test_bad_blocks_and_servos_are_refused():
    for make, words in (
        (lambda: Block(()), "names is empty"),
        (lambda: Block(("a", "b"), (1.0,)), "one for each of 2"),
        (lambda: Block(("a",), limit=-1.0), "limit is -1"),
        (lambda: Servos(("a", "a")), "each once"),
        (lambda: Servos(("a",), kp=-1.0), "kp is -1"),
    ):
        with pytest.raises(FootfallError, match=words):
            make()


def test_the_old_name_of_a_limit_is_refused_with_the_new_one():
    text = print_controller(corrected(limit=2.0))
    for old, words in (("limit = 2.0", "clip_frames, correct"), ("limit = 10.0", "limit, names, offset, scale")):
        assert text.count(old) == 1
        with pytest.raises(FootfallError, match=f"unknown key 'clip'.*{words}.*clip is now limit$") as found:
            parse_controller(text.replace(old, old.replace("limit", "clip")))
        assert "\n" not in str(found.value)


def test_library_of_another_network_is_taken_and_of_another_table_refused():
    law = law_of(corrected(), Figure.load("planar-biped"))
    other = law_of(corrected(network=network((4, 6, 7), seed=9)), Figure.load("planar-biped"))
    law.check_library(other.library)
    assert law.kernel_key == other.kernel_key
    assert law.key != other.key
    wrong = law.library.copy()
    wrong[0, law.decision.weights] += 1.0
    with pytest.raises(FootfallError, match="cannot be replaced"):
        law.check_library(wrong)
    with pytest.raises(FootfallError, match="numbers; the network's are"):
        law.check_library(np.zeros((1, 3)))


def test_wide_networks_are_refused():
    with pytest.raises(FootfallError, match="1 to 1024"):
        Network.of([np.zeros((2000, 1))], [np.zeros(2000)])
