"""A law of one's own on pose control graphs: its files, its walk and its page are those of any graph."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from footfall.control import Abilities, kind_of, parse_controller, print_controller, registry
from footfall.control.registry import load_controller
from footfall.figures import Figure
from footfall.live.character import characters_of
from footfall.methods.simbicon import PoseControlGraph
from footfall.methods.simbicon.kind import GraphKind
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.simulation import Simulation


class Timid(SimbiconLaw):
    """SIMBICON's law with weak motors."""

    @property
    def parameters(self) -> NDArray[np.float64]:
        return self.applied(super().parameters[None], {"torque_limit": 200.0})[0]


class OwnKind(GraphKind):
    """SIMBICON's law under another name, or weak where the controller's name says so."""

    laws = ("own-graphs",)
    usual = Abilities(edit=True, live=True, feedback=True)

    def law(self, controller: PoseControlGraph, figure: Figure) -> SimbiconLaw:
        return (Timid if controller.name == "timid" else SimbiconLaw)(controller, figure)


KIND = OwnKind()


@pytest.fixture
def own() -> Iterator[PoseControlGraph]:
    """The walk under that law."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(registry.BUILT_IN, "own-graphs", f"{__name__}:KIND")
        yield load_controller("walk").changed(name="own", law="own-graphs")
        registry._kind.cache_clear()


def test_it_reads_prints_and_walks_as_a_graph(own: PoseControlGraph) -> None:
    assert parse_controller(print_controller(own)) == own
    assert kind_of(own) is KIND
    mine, usual = (Simulation(controller) for controller in (own, "walk"))
    assert np.array_equal(mine.run(1.0).distance, usual.run(1.0).distance)


def test_its_page_has_the_states(own: PoseControlGraph) -> None:
    (character,) = characters_of([own])
    (gait,) = character.gaits
    assert gait.knobs.labels == ("0", "1")
    assert "0.swing_hip.c_v" in {p.path for p in gait.knobs.parameters}
    assert 'law = "own-graphs"' in KIND.template(own, gait.knobs)


def test_a_law_that_changes_the_numbers_shows_them(own: PoseControlGraph) -> None:
    timid = own.changed(name="timid")
    law = KIND.law(timid, Figure.load("planar-biped"))
    values = {p.path: p.value for p in KIND.knobs(KIND.law(timid, law.figure), timid, 0).parameters}
    assert values["knee.torque_limit"] == 200.0
    assert values["0.hold"] == 0.3


def test_a_page_shows_what_a_controller_uses() -> None:
    """A planar walk has no heading; feedback of 0, limits that are none and parts that are off stay folded."""
    (character,) = characters_of([load_controller("walk"), load_controller("run")])
    for gait in character.gaits:
        found = {p.path: p.used for p in gait.knobs.parameters}
        assert not set(found) & {"heading", "heading_rate", "side_speed", "hip_roll_limit", "sideways"}
        assert found["speed"]
        assert found["0.swing_hip.c_v"]
        assert found["limit_kp"] == (gait.controller.name == "run")
        assert not any(found[path] for path in ("slower", "0.stance_knee.c_v", "torso.torque_limit", "sight_ahead"))
        assert sum(found.values()) < 40
    (seeing,) = characters_of([load_controller("walk-3d")])
    assert {"heading", "sideways", "hip_roll_limit"} <= {p.path for p in seeing.gaits[0].knobs.parameters if p.used}
