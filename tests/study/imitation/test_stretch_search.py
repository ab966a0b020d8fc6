"""TrackingGains that change along a clip."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.methods.tracking.controller import TrackingController, load_tracking, parse_tracking, print_tracking
from footfall.methods.tracking.repertoire import TrackingGains
from footfall.simulation import Simulation
from footfall.study.imitation.gain_search import StretchSearch, search_stretches

SECONDS = 6.0
GOOD = load_tracking("tracked-walk")
WEAK = replace(GOOD.repertoire.gains[0], c1_sag=0.0, c1_cor=0.0, c2_sag_behind=0.0, c2_sag_ahead=0.0, c2_cor=0.0)


def _once(gains: TrackingGains, rounds: int = 8) -> TrackingController:
    """The walk's fragments one after another, ``rounds`` times, and then no more."""
    own = GOOD.repertoire
    order, k = [], own.start
    for _ in range(rounds * len(own.fragments)):
        order.append(own.fragments[k])
        k = own.fragments[k].successor
    last = len(order) - 1
    fragments = tuple(replace(f, gains=0, successor=i + 1 if i < last else -1) for i, f in enumerate(order))
    return replace(GOOD, repertoire=replace(own, fragments=fragments, gains=(gains,), start=0))


@pytest.mark.slow
def test_a_stretch_gets_gains_that_keep_it_up() -> None:
    """Without feedback on the swing hip the walk falls; the known gains are put in before the fall, and only there."""
    weak = _once(WEAK)
    assert not Simulation(weak).run(SECONDS).survived[0]
    plan = StretchSearch(SECONDS, starts=2, noise=0.01, before=3, generations=0)
    found, tried = search_stretches(weak, GOOD.repertoire.gains, plan)
    assert tried == 2
    used = [fragment.gains for fragment in found.repertoire.fragments]
    assert used == sorted(used)
    assert found.repertoire.gains == (WEAK, GOOD.repertoire.gains[0])
    assert used[0] == 0
    assert Simulation(found).run(SECONDS).survived[0]
    again = parse_tracking(print_tracking(found))
    np.testing.assert_array_equal(again.repertoire.parameters(), found.repertoire.parameters())
    assert [fragment.gains for fragment in again.repertoire.fragments] == used


def test_what_stays_up_is_left_as_it_is() -> None:
    """No fall, no search."""
    good = _once(GOOD.repertoire.gains[0])
    found, tried = search_stretches(good, (), StretchSearch(SECONDS, starts=2, noise=0.01))
    assert found is good
    assert tried == 0
