"""A policy that is keener on its clip's place acts as it would further away from it."""

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.study.imitation.network_follower import check_policy, keener, tracker_file


@pytest.mark.parametrize("gain", [1.0, 1.5, 3.0])
def test_it_sees_itself_further_away(gain: float) -> None:
    policy = check_policy(load_controller(str(tracker_file())))
    names = [name for block in policy.observations for name in block.names]
    random = np.random.default_rng(0)
    rows, offset = random.normal(size=(10, len(names))), random.normal(size=(10, 2))
    further = rows.copy()
    for k, way in enumerate(("forward", "left")):
        speed = rows[:, names.index(f"clip_velocity_{way}")]
        for look in (1, 5, 15):  # the clip goes on at its speed
            at = names.index(f"clip_{look}_{way}")
            rows[:, at] = offset[:, k] + speed * look / policy.rate
            further[:, at] = gain * offset[:, k] + speed * look / policy.rate
    assert np.allclose(keener(policy, gain)(rows), policy.network(further), atol=1e-4)
