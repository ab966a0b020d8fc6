"""Characters of clips on uneven ground."""

import pytest

from footfall.control.registry import load_controller, save_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion.synthesis.random_walks import random_walk
from footfall.study.imitation.network_follower import check_policy, tracker_file, with_clip
from footfall_reproductions.data_driven.uneven_clips import RISES, main, uneven


@pytest.mark.slow
def test_a_walk_over_random_steps(tmp_path, capsys):
    policy = check_policy(load_controller(str(tracker_file())))
    with pytest.raises(FootfallError, match="follows no clip"):
        uneven(policy, 0.0, 1)
    walk = with_clip(policy, random_walk(Figure.load(policy.figure), 3.0, 5003), "walk")
    save_controller(walk, tmp_path / "walk.toml")
    main([str(tmp_path / "walk.toml"), "--starts", "4"])
    head, line, total = capsys.readouterr().out.splitlines()
    assert len(head.split()) == 2 + len(RISES)
    assert line.split()[1] == "4"
    assert total.startswith("of 4")
