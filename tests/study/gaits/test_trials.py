"""What candidates must do besides walking: cross terrains, and take over from other gaits."""

from pathlib import Path

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.control.registry import law_of
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.study.gaits.goal import ARRIVALS, Goal, Pushes, goal_trials
from footfall.study.measures.walks import JOINTS, PEOPLE_SPEEDS, read_people
from footfall.study.trials.bench import Judge
from footfall.study.trials.starts import arrivals

PEOPLE = Path(__file__).parents[3].parent / "shared" / "data" / "gait"


@pytest.mark.slow
def test_arrivals_are_where_the_walk_begins_a_step():
    qpos, qvel = arrivals("walk-3d", 3, dt=0.002)
    start = load_controller("walk-3d").start
    assert np.abs(qpos[:, 2:] - np.array(start.qpos)[2:]).max() < 0.1
    assert np.abs(qvel[:, 0] - start.qvel[0]).max() < 0.3
    assert (qpos[:, :2] == 0).all()


@pytest.mark.slow
def test_a_stand_has_no_steps_to_arrive_from():
    with pytest.raises(FootfallError, match="no steps to arrive from"):
        arrivals("stand-3d", 1, dt=0.002)


@pytest.mark.slow
def test_a_candidate_pays_for_terrains_that_it_does_not_cross():
    graph = load_controller("walk-3d")
    figure = Figure.load(graph.figure)
    quiet = Pushes(phases=0)

    def judged(**trials):
        goal = Goal("test", "walk-3d", want={"speed": (1.0, 1.3, 100.0)}, pushes=quiet, trial_weight=100.0, **trials)
        judge = Judge(goal_trials(goal, graph, figure, seconds=6.0), 2)
        return judge(np.tile(law_of(graph, figure).parameters, (2, 1)), 0, 0.0)

    crossed = judged(crosses=("slope:4,1.5", "steps:0.6,1,3,2"), arrives_from=("walk-3d",))
    passed = (1 + ARRIVALS) / (2 + ARRIVALS)
    np.testing.assert_allclose(crossed.tallies["trials_survived"], passed)
    more = crossed.costs - judged().costs
    lost = 100.0 * (1.0 - passed)
    assert (more > 0.6 * lost - 1e-6).all()
    assert (more < lost).all()


@pytest.mark.skipif(not PEOPLE.is_dir(), reason="people's joint angles are not here (../shared/data/gait)")
def test_people_between_two_speeds_are_between_them():
    low, between, high = (read_people(PEOPLE, speed) for speed in (0.86, 1.07, 1.28))
    for name in JOINTS:
        np.testing.assert_allclose(between[name], 0.5 * (low[name] + high[name]), atol=1e-9)
    with pytest.raises(FootfallError, match=r"speed is 3; they walk at 0.51 to 2.06 m/s"):
        read_people(PEOPLE, 3.0)
    assert sorted(PEOPLE_SPEEDS.values()) == list(PEOPLE_SPEEDS.values())
