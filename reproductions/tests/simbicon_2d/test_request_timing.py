"""Sequences by phase: requests are counted in footsteps."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.sequence import parse_sequence, sequence_simulation
from footfall.study.sweeps.conditions import perturbed_starts
from footfall_reproductions.simbicon_2d.request_timing import perform_by_phase, phase_timing


@pytest.mark.slow
def test_a_sequence_by_phase_passes_where_it_was_found() -> None:
    """Requests are counted in footsteps: they meet the same phase from every start."""
    wanted = parse_sequence("walk 3, in-place-walk 3, stand 2, in-place-walk 3")
    script = phase_timing(wanted, draws=1, dts=(0.002,))
    assert [r.controller.name for r in script] == [r.controller.name for r in wanted]
    assert [r.footsteps > 0 for r in script] == [False, True, True, False]
    start = wanted[0].controller.start
    assert start is not None
    noise = np.array([0.0, 1e-6, 1e-6, 1e-3, 1e-3])
    figure = Figure.load("planar-biped")
    qpos, qvel = perturbed_starts(figure, np.array(start.qpos), np.array(start.qvel), noise, np.arange(5))
    simulation = sequence_simulation(wanted, worlds=len(qpos), qpos=qpos, qvel=qvel, dt=0.002)
    entered = perform_by_phase(simulation, script)
    assert entered.shape == (4, 5)
    assert entered.all()


def test_a_sequence_without_a_way_says_where() -> None:
    with pytest.raises(FootfallError, match="from walk to backwards-walk"):
        phase_timing(parse_sequence("walk 3, backwards-walk 4"), draws=1, dts=(0.002,))
