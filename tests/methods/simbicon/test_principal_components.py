"""Principal components: orthonormal, ordered, complete; the walk needs two."""

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.simbicon.editing import with_pose
from footfall.motion import Motion
from footfall.motion.synthesis.principal_components import joint_angles, principal_components
from footfall.simulation import Record, Simulation


@pytest.fixture(scope="module")
def walk() -> Motion:
    simulation = Simulation("walk", record=Record(rate=100.0))
    simulation.run(10.0)
    return simulation.trace().motion()


def test_components_are_an_ordered_orthonormal_basis(walk: Motion) -> None:
    components = principal_components(walk)
    n = len(components.labels)
    assert np.allclose(components.vectors @ components.vectors.T, np.eye(n), atol=1e-12)
    assert np.all(np.diff(components.values) <= 0)
    assert components.values.sum() == pytest.approx(joint_angles(walk)[1].var(axis=0, ddof=1).sum())
    assert components.needed(0.9) == 2


def test_all_components_reconstruct_and_few_leave_their_share(walk: Motion) -> None:
    components, angles = principal_components(walk), joint_angles(walk)[1]
    assert np.allclose(components.reconstruct(angles, len(components.labels)), angles, atol=1e-12)
    rest = angles - components.reconstruct(angles, 2)
    assert (rest**2).sum() / (len(angles) - 1) == pytest.approx(components.values[2:].sum())


def test_swinging_along_a_component_has_its_variance(walk: Motion) -> None:
    components = principal_components(walk)
    poses = components.swing([0], np.arange(1000) / 1000)
    assert components.coordinates(poses)[:, 0].var() == pytest.approx(components.values[0])
    assert np.allclose(components.coordinates(poses)[:, 1:], 0, atol=1e-12)


def test_a_walk_whose_state_is_its_first_component_walks(walk: Motion) -> None:
    components = principal_components(walk)
    graph = with_pose(load_controller("walk"), Figure.load("planar-biped"), 0, components.named(components.pose(0)))
    assert graph.states[0].targets["swing_hip"].c_v == 0.2
    assert Simulation(graph).run(10.0).survived.all()


def test_bad_requests_are_told(walk: Motion) -> None:
    components = principal_components(walk)
    with pytest.raises(FootfallError, match="component is 9"):
        components.pose(9)
    with pytest.raises(FootfallError, match="did you mean 'left_knee'"):
        principal_components(walk, ["left_kne"])
