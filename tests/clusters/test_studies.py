"""Studies through executors: the same bits as without."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.study.imitation.folder import imitate_folder
from footfall.study.imitation.followers import TrackingFollower
from footfall.study.robustness.report import robustness_reports
from footfall.study.search.cma_search import Range, Search
from footfall.study.search.measuring import Measuring
from footfall.study.search.objective import Objective, ObjectiveTerm
from footfall.study.sweeps.experiment import Experiment


class Threads(ThreadPoolExecutor):
    """A pool that says how many jobs it runs at a time."""

    def __init__(self, slots: int) -> None:
        super().__init__(slots)
        self.slots = slots


def test_robustness_is_the_same_and_continues(tmp_path):
    experiments = [Experiment("walk", recovery=2.0), Experiment("in-place-walk", recovery=2.0)]
    options = {"only": ["push_forward", "ten_backward", "friction"], "replicas": 1, "phases": 2, "step": 300.0}
    wanted = robustness_reports(experiments, **options)

    def stop(done, what):
        if done > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        robustness_reports(experiments, **options, keep=tmp_path / "kept", progress=stop)
    told = []
    with Threads(2) as executor:
        found = robustness_reports(
            experiments, **options, executor=executor, keep=tmp_path / "kept", progress=lambda d, w: told.append(d)
        )
    assert told[0] == pytest.approx(3 / 6)
    assert [r.as_dict() for r in found] == [r.as_dict() for r in wanted]
    for one, other in zip(found, wanted, strict=True):
        for name, limit in one.pushes.items():
            np.testing.assert_array_equal(limit.passed, other.pushes[name].passed)
    assert not (tmp_path / "kept").exists()
    with pytest.raises(FootfallError, match="unknown margin"):
        robustness_reports(experiments, only=["push_sideways"])


def test_measures_do_not_depend_on_the_shares():
    names = ("survival", "speed", "torque", "push_forward")
    measuring = Measuring(Experiment("walk", settle=3.0, recovery=1.0), names, seconds=2.0, forces=(300.0, 600.0))
    values = {"swing_hip.c_v": np.array([0.2, 0.3, 0.02, 0.25, 0.9])}
    wanted = measuring(values, 5)
    assert 0 < np.isnan(wanted["speed"]).sum() < 5
    for slots in (2, 3, 5):
        with Threads(slots) as executor:
            found = measuring(values, 5, executor)
        for name in names:
            np.testing.assert_array_equal(found[name], wanted[name])


@pytest.fixture
def clips(tmp_path):
    """A folder with two clips, one of which is none."""
    from footfall import save
    from footfall.methods.pendulum import Person, periodic_gait, record_walk, walk_motion

    folder = tmp_path / "clips"
    folder.mkdir()
    save(walk_motion(record_walk(periodic_gait(Person.of()), 2.0, fps=30)), folder / "walk.bvh")
    (folder / "notes.bvh").write_text("nothing\n")
    return folder


def test_a_folder_of_clips_is_retargeted_the_same(clips):
    from footfall.figures import Figure
    from footfall.motion.retargeting.benchmark import benchmark

    def rows(executor):
        found = benchmark(clips, Figure.load("human"), executor=executor)
        return [
            {name: v for name, v in row.as_dict().items() if name not in ("cpu_seconds", "refused")} for row in found
        ]

    with Threads(2) as executor:
        assert rows(executor) == rows(None)
    assert [row["outcome"] for row in rows(None)] == ["refused", "good"]


def test_clips_that_cannot_be_imitated_are_rows(clips, tmp_path):
    (clips / "walk.bvh").unlink()
    out, told = tmp_path / "made", []
    with Threads(1) as executor:
        (row,) = imitate_folder(
            [clips / "notes.bvh"], out, TrackingFollower(), executor=executor, progress=lambda *n: told.append(n)
        )
    assert "begins with HIERARCHY" in row["refused"]
    assert told == [(0, 1), (1, 1)]
    assert [p.name for p in out.iterdir()] == ["results.csv"]


@pytest.mark.slow
def test_a_search_is_the_same():
    measuring = Measuring(Experiment("walk", settle=3.0), ("survival", "torque"), seconds=2.0)
    search = Search(
        measuring,
        Objective((ObjectiveTerm("torque", 1.0),)),
        (Range("kd", 20.0, 40.0),),
        population=5,
        generations=2,
        seed=4,
    )
    with Threads(2) as executor:
        assert search.run(executor=executor).history == search.run().history


@pytest.mark.slow
@pytest.mark.usefixtures("long_kernels")  # a human that walks for long
def test_a_judge_gives_the_same_costs():
    from footfall.figures import Figure
    from footfall.study.gaits.goal import goal_trials, load_goal
    from footfall.study.search.free_numbers import FreeNumbers
    from footfall.study.trials.bench import Judge

    goal = load_goal("crouch-walk-3d")
    goal = replace(goal, pushes=replace(goal.pushes, phases=1), crosses=("slope:3,1.5",))
    graph = goal.start()
    figure = Figure.load(graph.figure)
    free = FreeNumbers(goal, graph, figure)
    rows = free.rows(0.3 * np.random.default_rng(3).standard_normal((7, len(free))))

    def judged(executor):
        judge = Judge(goal_trials(goal, graph, figure, seconds=5.0), 7, executor)
        return [judge(rows, turn, 0.4) for turn in (0, 1)]

    alone = judged(None)
    for slots in (2, 9):
        with Threads(slots) as executor:
            found = judged(executor)
        for judged_apart, whole in zip(found, alone, strict=True):
            np.testing.assert_array_equal(judged_apart.costs, whole.costs)
            for apart, own in ((judged_apart.measures, whole.measures), (judged_apart.tallies, whole.tallies)):
                for name, values in own.items():
                    np.testing.assert_array_equal(apart[name], values)
