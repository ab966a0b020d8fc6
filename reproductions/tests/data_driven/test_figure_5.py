"""The clips of figure 5, where they are, with the paper's gains."""

import pytest

from footfall.study.imitation.following import follow
from footfall.study.trials.bench import disturbed_worlds
from footfall_reproductions.data_driven.figure_5 import paper_controller
from footfall_reproductions.data_driven.paper_gains import PAPER_CLIPS


def test_every_clip_of_figure_5_is_read(clips):
    for name in PAPER_CLIPS:
        assert len(paper_controller(name, clips).repertoire.fragments) >= 4


@pytest.mark.slow
def test_the_march_walks_on_with_the_papers_gains(clips):
    controller = paper_controller("walk-march", clips)
    assert disturbed_worlds(controller, worlds=4, noise=1e-3).run(20.0).survived.all()
    close = follow(controller, 10.0)
    assert close.joint_error < 8.0
    assert close.correlation > 0.7
