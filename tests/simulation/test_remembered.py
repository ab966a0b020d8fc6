"""Kernels that were built before are found without building them."""

import json
import time
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.control.law import Law
from footfall.control.registry import law_of
from footfall.figures import Figure
from footfall.simulation import Simulation, kernels
from footfall.simulation.kernels import _file, built_anew, digest_of
from footfall.simulation.rollout import Rollout

NUMBERS = count(time.time_ns())


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a new process: nothing is built yet; and nothing is remembered yet."""
    monkeypatch.setattr(kernels, "_built", {})
    made_from = [*kernels._made_from(), next(NUMBERS)]
    monkeypatch.setattr(kernels, "_made_from", lambda: made_from)


def is_empty(rollout: Rollout) -> bool:
    return "solve" not in str(rollout.kernel.adj.source)


def walked() -> tuple[Simulation, Any]:
    simulation = Simulation("walk", worlds=2)
    simulation.run(1.0)
    return simulation, simulation.snapshot()


def file_of(simulation: Simulation) -> Path:
    """Where the kernel of a simulation is remembered."""
    (key,) = (key for key, rollout in kernels._built.items() if rollout is simulation.rollout)
    digest = digest_of(simulation.law, key)
    assert digest is not None
    return _file(digest)


def test_a_remembered_kernel_does_the_same_to_the_last_bit(forgetful: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with built_anew():
        built, by_built = walked()
    assert not is_empty(built.rollout)
    walked()
    monkeypatch.setattr(kernels, "_built", {})
    recalled, by_recalled = walked()
    assert is_empty(recalled.rollout)
    assert by_built.keys() == by_recalled.keys()
    assert all(np.array_equal(by_built[name], by_recalled[name], equal_nan=True) for name in by_built)
    file_of(recalled).unlink()


def test_kernels_of_the_same_sizes_stay_apart(forgetful: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their empty kernels differ in nothing but a number."""

    def both() -> list[Simulation]:
        made = [Simulation("walk", integrator=name) for name in ("explicit", "semi-implicit")]
        for simulation in made:
            simulation.run(1.0)
        return made

    built = both()
    monkeypatch.setattr(kernels, "_built", {})
    recalled = both()
    assert all(is_empty(s.rollout) for s in recalled)
    one, two = ([s.snapshot()["qpos"] for s in made] for made in (built, recalled))
    assert np.array_equal(one, two)
    assert not np.array_equal(*one)
    for simulation in recalled:
        file_of(simulation).unlink()


@pytest.mark.parametrize("broken", [{"hash": "00" * 32}, {"binary": "/nowhere.o"}, {"more": 1}])
def test_what_cannot_be_loaded_is_built(
    forgetful: None, monkeypatch: pytest.MonkeyPatch, broken: dict[str, Any]
) -> None:
    first, before = walked()
    file = file_of(first)
    file.write_text(json.dumps(json.loads(file.read_text()) | broken))
    monkeypatch.setattr(kernels, "_built", {})
    again, after = walked()
    assert not is_empty(again.rollout)
    assert np.array_equal(before["qpos"], after["qpos"])
    assert json.loads(file.read_text()).keys() == {"binary", "meta", "hash"}
    file.unlink()


def test_what_it_is_made_from_must_be_known() -> None:
    graph = load_controller("walk")
    figure = Figure.load(graph.figure)
    law = law_of(graph, figure)

    class Own(type(law)):  # type: ignore[misc]
        """A law that does not come with footfall."""

    own: Law = Own(graph, figure)
    assert digest_of(law, law.kernel_key)
    assert digest_of(law, (law.kernel_key, 1.0)) != digest_of(law, (law.kernel_key, 2.0))
    assert digest_of(own, law.kernel_key) is None
    assert digest_of(law, (law.kernel_key, object())) is None
    with built_anew():
        assert digest_of(law, law.kernel_key) is None
