"""Worlds that have fallen and continue as ragdolls, beside those that still walk."""

from typing import TYPE_CHECKING

from footfall.dynamics.ground import terrain_table
from footfall.simulation import inputs
from footfall.simulation.kernels import load_kernel, ragdoll_kernel
from footfall.simulation.launching import launch_ragdolls
from footfall.simulation.ragdoll import Ragdoll
from footfall.simulation.recorder import Recorder
from footfall.simulation.rollout import FELL
from footfall.simulation.tables import Tables
from footfall.simulation.world_state import WorldState

if TYPE_CHECKING:
    from footfall.simulation.simulation import Simulation


def ragdoll_of(simulation: "Simulation") -> Ragdoll:
    """The kernel that takes over where a world of a simulation has fallen."""
    return ragdoll_kernel(
        simulation.figure,
        real=simulation.real,
        push_places=inputs.push_places(simulation.pushes, simulation.figure),
        sizes_differ=simulation.body is not None,
        terrain=terrain_table(simulation.terrains)[0],
        engine=simulation.engine,
        outside=simulation._outside_when_fallen,
        divides=not simulation.boxes,
    )


def load_ragdoll(simulation: "Simulation") -> None:
    """Load what takes over after a fall, so that no step waits for it then."""
    load_kernel(simulation.ragdoll, simulation.device, f"{simulation.figure.name}, fallen,")


def advance_fallen(
    simulation: "Simulation", state: WorldState, tables: Tables, recorder: Recorder, *, ring_stride: int
) -> None:
    """Bring the worlds that have fallen to the simulation's present step."""
    if not (state["status"] == FELL).any():
        return
    load_ragdoll(simulation)
    ring_qpos, ring_qvel = state.rings
    rings = {"ring_stride": ring_stride, "ring_qpos": ring_qpos, "ring_qvel": ring_qvel}
    launch_ragdolls(
        simulation.ragdoll,
        state,
        tables,
        until=simulation.step_number,
        dt=simulation.dt,
        samples=recorder.named() | rings,
        threads=simulation.threads,
        scene=simulation._scene_when_fallen,
    )
