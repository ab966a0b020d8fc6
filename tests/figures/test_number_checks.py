"""Numbers that MuJoCo takes and a figure does not."""

import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.builtin import builtin_mjcf

BODY = '<body name="b" pos="1e12 0 0"><freejoint/><geom size="0.1"/></body>'
XML = builtin_mjcf("planar-biped")


@pytest.mark.parametrize("number", ["1e300", "-1e10"])
@pytest.mark.parametrize("attribute", ['pos="', 'mass="'])
def test_absurd_numbers_are_refused_in_one_line(attribute, number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings into a file here
    world, body, rest = XML.partition("<body")
    before, _, rest = rest.partition(attribute)
    head, first = world + body + before, rest.partition('"')[0].split()[0]
    with pytest.raises(FootfallError) as told:
        Figure.load(head + attribute + number + rest[len(first) :])
    assert "\n" not in str(told.value)


def test_the_part_and_the_number_are_named():
    with pytest.raises(FootfallError, match=r"body 'b': its pos holds a number"):
        Figure.load(f"<mujoco><worldbody>{BODY}</worldbody></mujoco>")
