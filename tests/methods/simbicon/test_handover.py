"""States that no other controller may take over from."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.sequence import law_memory, request, sequence_simulation
from footfall.methods.simbicon.table import GraphTable

WALK, RUN = load_controller("walk"), load_controller("run")
KEPT = WALK.changed(states=(replace(WALK.states[0], handover=False), *WALK.states[1:]))


def test_no_other_controller_is_entered_where_a_state_without_handover_ends():
    figure = Figure.load(WALK.figure)
    free, kept = (GraphTable((walk, RUN), figure) for walk in (WALK, KEPT))
    after = {state[2] for k, state in enumerate(free.states) if free.owners[k] == 0 and free.origins[k] == 0}
    for k in range(len(free.states)):
        if free.owners[k] == 0 and k in after:
            assert (kept.entries[k] == -1).all()
            assert (free.entries[k] >= 0).any()
        else:
            assert (kept.entries[k] == free.entries[k]).all()


@pytest.mark.slow
def test_a_request_waits_for_a_state_that_hands_over():
    """Asked for at 20 moments of a stride: only the states with a handover are left."""
    for walk in (WALK, KEPT):
        simulation = sequence_simulation([walk, RUN], worlds=20)
        simulation.run(2.0)
        request(simulation, "run", at=simulation.time + 0.04 * np.arange(20))
        table, left = simulation.law.table, set()
        before = law_memory(simulation, "state").astype(int)
        for _ in range(1400):
            simulation.step(1)
            now = law_memory(simulation, "state").astype(int)
            left |= {table.origins[k] for k, n in zip(before, now, strict=True) if table.owners[k] != table.owners[n]}
            before = now
        assert left == ({1} if walk is KEPT else {0, 1})


def test_handover_is_kept_in_files_and_checked():
    again = parse_controller(print_controller(KEPT))
    assert [s.handover for s in again.states] == [False] + [True] * (len(KEPT.states) - 1)
    with pytest.raises(FootfallError, match="handover"):
        parse_controller(print_controller(KEPT).replace("handover = false", "handover = 1"))
