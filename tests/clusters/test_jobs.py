"""Jobs through any executor: each result once, in its place, whatever the order; chunks kept and continued from."""

import os
import random
import signal
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.clusters import ChunkFolder, WorkLostError, run_all, run_jobs, usable_cores
from footfall.clusters import chunk_folder as chunk_module
from footfall.clusters.chunk_folder import differences, own_source, run_kept
from footfall.clusters.executors import open_cluster, parse_slurm, perform_job
from footfall.errors import FootfallError
from footfall.study.sweeps.sweep import slabs


class ShuffledExecutor(Executor):
    """Finishes jobs in any order, some twice over, as a cluster does that loses workers."""

    slots = 5

    def __init__(self, seed: int) -> None:
        self.random, self.held = random.Random(seed), []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.held.append((future, fn, args))
        if len(self.held) > 3 or self.random.random() < 0.3:
            self.flush()
        return future

    def flush(self):
        self.random.shuffle(self.held)
        for future, fn, args in self.held:
            fn(*args)
            future.set_result(fn(*args))
        self.held = []

    @property
    def workers(self):
        return 1


def _square(x):
    return {"square": np.array([x * x])}


def _cores(_):
    return usable_cores()


def _die(x):
    if x == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_results_are_in_their_places_whatever_the_order(seed, count):
    executor = ShuffledExecutor(seed)
    places = []

    def items():
        yield from range(count)
        executor.flush()

    for place, result in run_jobs(_square, items(), executor):
        assert result["square"] == place**2
        places.append(place)
    assert sorted(places) == list(range(count))


def test_every_executor_gives_the_same():
    wanted = run_all(abs, [-3, -2, -1, 0])
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        assert run_all(abs, [-3, -2, -1, 0], threads) == run_all(abs, [-3, -2, -1, 0], processes) == wanted


def test_a_job_runs_on_one_core():
    with ThreadPoolExecutor(1) as executor:
        assert run_all(_cores, [0], executor) == [1]
    assert run_all(_cores, [0]) == [usable_cores()]


def test_a_dead_process_is_said_in_words_and_nothing_is_lost(tmp_path):
    folder = ChunkFolder(tmp_path / "chunks", "key")
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor,
        pytest.raises(WorkLostError, match=r"died.*of 4 chunks are finished and kept in .*chunks: the same command"),
    ):
        list(run_kept(_numbered_or_dead, range(4), executor, folder))
    there = folder.finished()
    there_first, *rest = run_kept(_numbered, range(4), None, folder)
    assert there_first == sorted(there)
    assert sorted(sum(rest, there_first)) == [0, 1, 2, 3]
    assert [r["x"].tolist() for r in folder.all(4)] == [[0], [1], [2], [3]]


def _numbered_or_dead(x):
    return {"x": np.array([_die(x)])}


def _numbered(x):
    return {"x": np.array([x])}


def test_chunks_of_other_files_of_footfall_are_refused(tmp_path, monkeypatch):
    folder = ChunkFolder(tmp_path / "chunks", "key")
    run = run_kept(_numbered, range(3), None, folder)
    assert [next(run), next(run)] == [[], [0]]
    monkeypatch.setattr(chunk_module, "own_source", lambda: {"footfall": "other"})
    with pytest.raises(FootfallError, match="other files of footfall"):
        list(run_kept(_numbered, range(3), None, folder))


def test_a_worker_refuses_what_it_would_compute_differently():
    assert differences(own_source(), own_source()) == []
    with pytest.raises(FootfallError, match=r"worker on .* has other files of footfall: results would differ"):
        perform_job(dict(own_source()) | {"footfall": "0" * 16}, b"")
    with pytest.raises(FootfallError, match=r"numpy .* instead of 1\.0"):
        perform_job(dict(own_source()) | {"numpy": "1.0"}, b"")


@given(st.lists(st.integers(1, 5), max_size=4).map(tuple), st.data())
def test_slabs_cover_a_stretch_once_and_in_order(shape, data):
    whole = np.arange(int(np.prod(shape)))
    first = data.draw(st.integers(0, len(whole)))
    last = data.draw(st.integers(first, len(whole)))
    stretch, array, at_last = whole[first:last], whole.reshape(shape), 0
    for place, at in slabs(shape, first, last):
        assert at.start == at_last
        np.testing.assert_array_equal(array[place].reshape(-1), stretch[at])
        at_last = at.stop
    assert at_last == len(stretch)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cluster": "nonsense"}, "not an address; write tcp://HOST:PORT"),
        ({"cluster": "http://127.0.0.1:80"}, "not an address"),
        ({"cluster": "tcp://127.0.0.1:1", "workers": 2}, "--cluster and --workers: give one of them"),
        ({"workers": 0}, "at least 1"),
        ({"slurm": "partitoin=gpu"}, "did you mean 'partition'"),
        ({"slurm": "workers=none"}, "write workers=VALUE, where VALUE is a whole number"),
    ],
)
def test_bad_clusters_are_refused_in_one_line(options, words):
    with pytest.raises(FootfallError, match=words) as caught, open_cluster(**options):
        pass
    assert "\n" not in str(caught.value)


def test_slurm_options():
    text = "partition=gpu,workers=8, time=120,gpus_per_node=1"
    assert parse_slurm(text) == {"partition": "gpu", "workers": 8, "time": 120, "gpus_per_node": 1}
