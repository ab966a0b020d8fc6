"""Standing as a clip, so that tests need no captured motion; the paper's clips where they are."""

from pathlib import Path

import numpy as np
import pytest

from footfall.figures import Figure
from footfall.methods.tracking import Fragment, Repertoire, TrackingController
from footfall.methods.tracking.motion_graph import Choosing, TrackedGraph


def chosen_by(graph: TrackedGraph, choosing: Choosing) -> TrackedGraph:
    """The same graph whose steps are chosen otherwise."""
    return TrackedGraph(graph.clips, graph.figure, tried=graph.tried, stops=graph.stops, choosing=choosing)


@pytest.fixture(scope="session")
def biped():
    return Figure.load("mocap-biped")


@pytest.fixture(scope="session")
def standing(biped):
    """A controller that stands, in the figure's own pose."""
    frames = np.tile(biped.default_qpos, (20, 1))
    return TrackingController("standing", Repertoire((Fragment("stand", frames, 2.0 / 45.0),)))


@pytest.fixture(scope="session")
def clips():
    """The folder of the paper's clips."""
    folder = Path(__file__).parents[3].parent / "shared/data/mocap/snu-paper"
    if not folder.is_dir():
        pytest.skip("the paper's clips are not here (../shared/data/mocap/snu-paper)")
    return folder
