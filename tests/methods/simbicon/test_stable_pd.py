"""Stable PD: the paper's form tends to plain PD for small steps, the exact form walks the same at any step."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.errors import FootfallError
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.simulation import Simulation


def stable_walk(stable: Literal["", "previous", "exact"]) -> PoseControlGraph:
    walk = load_controller("walk")
    return replace(walk, servo=replace(walk.servo, stable=stable))


def test_the_papers_form_tends_to_plain_pd() -> None:
    apart = []
    for dt in (1e-4, 2.5e-5):
        ends = [
            Simulation(stable_walk(stable), dt=dt, integrator="explicit").run(0.2).qpos[0]
            for stable in ("", "previous")
        ]
        apart.append(np.abs(ends[0] - ends[1]).max())
    assert apart[1] < apart[0] < 0.02


def test_the_exact_form_walks_the_same_at_every_step() -> None:
    distances = [Simulation(stable_walk("exact"), dt=dt).run(10.0).distance[0] for dt in (5e-4, 1e-3, 2e-3, 4e-3)]
    assert np.ptp(distances) < 0.02 * np.mean(distances)


def test_the_exact_form_needs_the_implicit_integrator() -> None:
    with pytest.raises(FootfallError, match="implicit integrator"):
        Simulation(stable_walk("exact"), integrator="explicit", dt=1e-4)
