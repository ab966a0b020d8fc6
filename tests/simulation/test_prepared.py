"""A launch that is prepared once: the same numbers as the simulation's own steps."""

import numpy as np
import pytest

from footfall.simulation import Simulation
from footfall.simulation.prepared import PreparedWorlds


def _simulation(threads):
    simulation = Simulation("walk", worlds=3000, threads=threads, last_states=0)
    speeds = np.linspace(-0.2, 0.2, 3000)
    simulation.set({"speed": speeds})
    return simulation


@pytest.mark.parametrize("threads", [1, 3])
def test_prepared_worlds_are_the_simulations(threads):
    """In pieces, over threads, with a row of parameters for each world; the state is that of the simulation."""
    plain, simulation = _simulation(1), _simulation(threads)
    prepared = PreparedWorlds(simulation, 20)
    assert sum(count for _, count in prepared.shares) == 3000
    jobs = [prepared.launch(first, count, 20).launch for first, count in prepared.shares]
    prepared.run(jobs)
    prepared.run(jobs)
    plain.step(40)
    for name, values in plain.snapshot().items():
        np.testing.assert_array_equal(prepared.state[name].numpy().reshape(values.shape), values, err_msg=name)
        np.testing.assert_array_equal(simulation.snapshot()[name], values, err_msg=name)
    prepared.close()
