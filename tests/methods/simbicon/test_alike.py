"""Controllers under one law: what comes from the first alone must be the same in all."""

from dataclasses import replace

import numpy as np
import pytest

from footfall.control import Integration, load_controller
from footfall.control.rows import GraphField
from footfall.dynamics.contact import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.limit_cycle.pose_servo import PoseServoLaw
from footfall.methods.simbicon.graph import LAW, WORLD, Sight, law_difference
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.sequence import sequence_simulation

WALK, RUN = load_controller("walk"), load_controller("run")
PLANAR = Figure.load("planar-biped")
HUMAN_WALK = load_controller("human-walk")


@pytest.mark.parametrize("kind", ["previous", "exact"])
@pytest.mark.parametrize("first", [True, False])
def test_two_kinds_of_stable_servos_are_refused_with_both_names_and_values(kind, first):
    steady = RUN.changed(servo=replace(RUN.servo, stable=kind))
    with pytest.raises(FootfallError) as told:
        SimbiconLaw([steady, WALK] if first else [WALK, steady], PLANAR)
    for words in ("servo stable", "'walk'", "'run'", f"'{kind}'", "''"):
        assert words in str(told.value)


@pytest.mark.parametrize("kind", ["", "previous", "exact"])
def test_one_kind_in_all_is_the_law_s(kind):
    graphs = [g.changed(servo=replace(g.servo, stable=kind)) for g in (WALK, RUN)]
    assert SimbiconLaw(graphs, PLANAR).plan.stable == kind


def test_sensors_of_other_points_are_refused_where_they_differ_and_heels_and_toes_are_not():
    figure = Figure.load(HUMAN_WALK.figure)
    own = figure.legs["left"].sole[-1].removeprefix("left_")
    usual, toes, odd = (
        HUMAN_WALK.changed(name=name, balance=replace(HUMAN_WALK.balance, sensor=sensor))
        for name, sensor in (("usual", "heel"), ("toes", "toe"), ("odd", own))
    )
    assert len(PoseServoLaw([usual, toes], figure).graphs) == 2
    with pytest.raises(FootfallError, match=rf"balance sensor of 'usual' is .*, of 'odd' it is '{own}'"):
        PoseServoLaw([usual, odd], figure)


def test_grounds_and_steps_of_a_sequence_are_the_same_or_given():
    soft = RUN.changed(ground=Ground(stiffness=50_000.0))
    quick = RUN.changed(integration=Integration(0.0005))
    for other, what in ((soft, "ground of 'walk'"), (quick, "integration of 'walk'")):
        with pytest.raises(FootfallError, match=what):
            sequence_simulation([WALK, other])
    assert sequence_simulation([WALK, soft], ground=Ground(law="anchor")).grounds == [Ground(law="anchor")]


def test_what_is_the_same_makes_no_difference():
    assert not law_difference(WALK, RUN, {**LAW, **WORLD})
    assert law_difference(WALK, HUMAN_WALK, LAW).startswith("law of 'walk'")


def test_beside_one_that_places_its_feet_another_leaves_its_own_alone():
    sees = WALK.changed(name="sees", sight=Sight(margin=0.03, reach=0.1))
    both = SimbiconLaw([sees, WALK], PLANAR).table
    reach = [both.row[both.layout.graph(g, GraphField.EDGE_REACH)] for g in range(2)]
    np.testing.assert_array_equal(reach, [0.1, 0.0])
