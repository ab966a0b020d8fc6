"""Where episodes begin: frames drawn by their shares."""

import numpy as np
import pytest

from footfall.learning.worlds import _times


@pytest.mark.parametrize("offset", [0.0, 0.3, 0.999])
def test_frames_are_drawn_as_often_as_their_shares_say(offset):
    share = np.random.default_rng(1).random(1000) ** 4
    share /= share.sum()
    times = _times(share, offset)
    assert times.sum() == 1000
    assert np.abs(times - 1000 * share).max() < 1.0


def test_over_many_draws_rare_frames_come_too():
    share = np.array([0.9, 0.04, 0.03, 0.03])
    drawn = sum(_times(share, offset) for offset in np.linspace(0.0, 1.0, 1000, endpoint=False))
    np.testing.assert_allclose(drawn / 4000, share, atol=1e-3)


def test_what_has_no_share_is_never_drawn():
    assert _times(np.array([0.0, 1.0, 0.0]), 0.5).tolist() == [0, 3, 0]
