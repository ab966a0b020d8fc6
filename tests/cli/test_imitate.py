"""``footfall imitate``: options that belong to one law."""

import pytest

from footfall.cli.imitate import imitate
from footfall.errors import FootfallError


@pytest.mark.parametrize("options", [{"sturdy": True}, {"stay_on_path": True}, {"torque_limit": 5.0}])
def test_options_of_the_tracking_law_are_refused_for_simbicon(options):
    with pytest.raises(FootfallError, match="--sturdy, --stay-on-path and --torque-limit"):
        imitate("clip.bvh", law="simbicon", **options)


def test_a_torque_limit_below_zero_is_refused_before_anything_is_read():
    with pytest.raises(FootfallError, match="--torque-limit is -1"):
        imitate("clip.bvh", torque_limit=-1.0)


@pytest.mark.parametrize("options", [{"law": "tracking"}, {"law": "simbicon"}, {"generations": 3}])
def test_practice_is_of_networks(options):
    with pytest.raises(FootfallError, match=r"--practice is of a network"):
        imitate("clip.bvh", practice=1000, **options)


def test_faithful_is_of_networks_and_not_sturdy():
    with pytest.raises(FootfallError, match="--faithful is of a network; --law tracking has none"):
        imitate("clip.bvh", faithful=True, law="tracking")
    with pytest.raises(FootfallError, match="choose one of them"):
        imitate("clip.bvh", faithful=True, sturdy=True)
