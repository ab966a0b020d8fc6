"""``footfall imitate``: options that belong to one law."""

import pytest

from tests.cli.commands import refused


@pytest.mark.parametrize("option", ["--sturdy", "--stay-on-path", "--torque-limit=5"])
def test_options_of_the_tracking_law_are_refused_for_simbicon(option, capsys):
    line = refused(capsys, "imitate", "clip.bvh", "--law", "simbicon", option)
    assert "--sturdy, --stay-on-path and --torque-limit" in line


def test_a_torque_limit_below_zero_is_refused_before_anything_is_read(capsys):
    assert "--torque-limit is -1" in refused(capsys, "imitate", "clip.bvh", "--torque-limit=-1")


@pytest.mark.parametrize("option", ["--law=tracking", "--law=simbicon", "--generations=3"])
def test_practice_is_of_networks(option, capsys):
    line = refused(capsys, "imitate", "clip.bvh", "--practice", "1000", option)
    assert "--practice works only with a network" in line


def test_faithful_is_of_networks_and_not_sturdy(capsys):
    line = refused(capsys, "imitate", "clip.bvh", "--faithful", "--law", "tracking")
    assert "--faithful works only with a network, and --law tracking has none" in line
    assert "choose one of them" in refused(capsys, "imitate", "clip.bvh", "--faithful", "--sturdy")
