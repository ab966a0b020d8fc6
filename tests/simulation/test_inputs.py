"""Arguments of simulations: what would be read beyond its end, or fill the memory, is refused in one line."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.methods.simbicon.sequence import request, sequence_simulation, set_memory
from footfall.simulation import Hardware, Record, Simulation


def refused(words, make, *arguments, **options):
    with pytest.raises(FootfallError, match=words) as told:
        make(*arguments, **options)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("worlds is 0", {"worlds": 0}),
        ("worlds is 1.5", {"worlds": 1.5}),
        ("worlds is True", {"worlds": True}),
        ("GiB", {"worlds": 10**9}),
        ("worlds is", {"worlds": 2**40}),
        ("dt is 0", {"dt": 0.0}),
        ("dt is 1e-300", {"dt": 1e-300}),
        ("dt is nan", {"dt": float("nan")}),
        ("threads is 0", {"threads": 0}),
        ("threads is 1.5", {"threads": 1.5}),
        ("last_states is -1", {"last_states": -1}),
        ("last_states is 1000000000", {"last_states": 10**9}),
        ("sensor_delay is -0.1", {"hardware": Hardware(sensor_delay=-0.1)}),
        ("sensor_delay is 1000", {"hardware": Hardware(sensor_delay=1000.0)}),
        ("actuator_delay is nan", {"hardware": Hardware(actuator_delay=float("nan"))}),
        ("delays of 100000000 steps", {"hardware": Hardware(sensor_delay=1.0), "dt": 1e-8, "worlds": 1000}),
        ("qpos holds a number beyond", {"qpos": np.full(9, 1e300)}),
        ("qvel is not finite", {"qvel": np.full(9, np.nan)}),
        ("terrain 'slope", {"terrain": "slope:6,1e308"}),
    ],
)
def test_options_that_cannot_be(words, options):
    refused(words, Simulation, "walk", **options)


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("record rate is 0", {"rate": 0.0}),
        ("record rate is 1e-300", {"rate": 1e-300}),
        ("record rate is nan", {"rate": float("nan")}),
        ("record worlds is -1", {"worlds": -1}),
        ("record worlds is 2.5", {"worlds": 2.5}),
    ],
)
def test_records_that_cannot_be(words, options):
    refused(words, Record, **options)


def test_steps_are_counted_in_32_bits():
    simulation = Simulation("walk")
    refused("at most 2147483647", simulation.run, 1e12)
    refused("at most 2147483647", simulation.step, 2**31)
    refused("steps is -1", simulation.step, -1)
    refused("steps is 2.5", simulation.step, 2.5)
    refused("footsteps is -1", simulation.step, 1, footsteps=-1)
    refused("footsteps is given for 2 worlds", simulation.step, 1, footsteps=[1, 2])
    assert simulation.step_number == 0


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("memory", 1e6, "memory: state is 1e\\+06 in world 1"),
        ("memory", -1.0, "memory: state is -1 in world 1"),
        ("memory", np.nan, "memory: state is nan in world 1"),
        ("step_count", -5, "step_count is -5 in world 1"),
    ],
)
def test_a_snapshot_with_a_bad_number_changes_nothing(name, value, words):
    simulation = Simulation("walk", worlds=2)
    simulation.step(10)
    before, bad = simulation.snapshot(), simulation.snapshot()
    bad[name].reshape(2, -1)[1, 0] = value
    bad["qpos"][:] += 1.0
    refused(words, simulation.restore, bad)
    for key, values in simulation.snapshot().items():
        np.testing.assert_array_equal(values, before[key])


def test_a_snapshot_is_whole_and_has_the_worlds_that_are_asked_for():
    simulation = Simulation("walk", worlds=2)
    whole = simulation.snapshot()
    for name in whole:
        refused(f"snapshot has no '{name}'", simulation.restore, {k: v for k, v in whole.items() if k != name})
    for worlds in ([0, 2], [-1, 0], [0, 1, 1]):
        refused("one world of the snapshot, from 0 to 1", simulation.restore, whole, worlds)
    refused("shape", simulation.restore, {**whole, "status": whole["status"][:1]})


def test_recorded_worlds_run_at_one_time():
    simulation = Simulation("walk", worlds=2, record=Record(rate=1000.0))
    late = simulation.snapshot()
    late["step_count"][:] = 0, 5000
    refused("at different times", simulation.restore, late)


def test_rows_and_requests_that_lead_nowhere_are_refused():
    simulation = sequence_simulation(["walk", "run"])
    refused("unknown controller of the repertoire", request, simulation, "skipping")
    refused("memory: request is 2", set_memory, simulation, request=2.0)
    refused("memory: state is 99", set_memory, simulation, state=99)
    refused("next is", simulation.set_parameters, simulation.law.parameters + 100.0)


def test_libraries_of_tracked_motion_that_lead_out_of_themselves_are_refused():
    simulation = Simulation("tracked-walk")
    library = simulation.law.library
    simulation.set_library(library)
    refused("library has shape", simulation.set_library, library[:, :3])
    refused("library has shape", simulation.set_library, library[:1])
    refused("library: last frame", simulation.set_library, library[:-1])
    for column, name in enumerate(("first", "length", "kind")):
        bad = library.copy()
        bad[0, column] = 1e6
        refused(f"library: {name}", simulation.set_library, bad)
