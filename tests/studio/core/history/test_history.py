"""The record of what was simulated."""

import numpy as np
import pytest

from footfall.studio.core import history as module
from footfall.studio.core.history import SIGNALS, History, Samples


def samples(first: int, count: int) -> Samples:
    times = (first + np.arange(count)) / module.RATE
    return Samples(
        times=times,
        qpos=np.stack([times, 2 * times], axis=1),
        qvel=np.zeros((count, 2)),
        torque=np.zeros((count, 2)),
        signals=np.zeros((count, len(SIGNALS))),
        state=np.zeros(count, dtype=np.int32),
        contact=np.zeros((count, 3), dtype=bool),
        stance=np.zeros(count, dtype=np.int32),
        push=np.zeros((count, 3)),
        target=np.zeros((count, 2)),
        anchor=np.zeros((count, 3, 3)),
        reference=np.zeros((count, 0)),
    )


def test_the_last_seconds_come_back_as_they_went_in() -> None:
    history = History()
    for k in range(50):
        history.append(samples(4 * k, 4))
    seen = history.last(1.0)
    assert seen.times[-1] == pytest.approx(1.99)
    assert seen.times[0] == pytest.approx(0.99)
    np.testing.assert_array_equal(seen.qpos[:, 0], seen.times)
    assert history.last(0.0, until=0.5).times.tolist() == [0.5]


def test_it_forgets_what_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS", 2.0)
    history = History()
    for k in range(200):
        history.append(samples(5 * k, 5))
        history.remember(0.05 * k, lambda k=k: {"k": np.array([k])})
    assert history.end == pytest.approx(9.99)
    assert 2.0 <= history.end - history.begin <= 2.5
    np.testing.assert_allclose(np.diff(history.last(2.0).times), 0.01)
    assert history.rewind(0.5) is None


def test_rewinding_drops_what_came_after() -> None:
    history = History()
    for k in range(100):
        history.remember(0.05 * k, lambda k=k: {"k": np.array([k])})
        history.append(samples(5 * k, 5))
    found = history.rewind(2.13)
    assert found is not None
    time, snapshot = found
    assert time == pytest.approx(2.1)
    assert snapshot["k"][0] == 42
    assert history.end < time
    assert history.rewind(-1.0) is None
