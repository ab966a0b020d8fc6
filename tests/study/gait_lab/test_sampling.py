"""Numbers of a walk do not depend on how often it was recorded, and a simulated walk's energy is accounted for."""

from dataclasses import replace

import numpy as np
import pytest

from footfall import Record, Simulation
from footfall.motion import Motion, load_motion
from footfall.motion.editing import at_times
from footfall.simulation.trace import FIELDS, FORCES
from footfall.study.gait_lab.analysis import analyse, simulated_walk
from footfall.study.measures.cycles import contact_events, kinematic_events
from tests.study.gait_lab.walks import OPENSIM, PLUG_IN_GAIT, clip, motion
from tools.event_errors import event_errors

RATES = (200.0, 500.0, 2000.0)


@pytest.fixture(scope="module")
def analyses(long_module):
    found = []
    for rate in RATES:
        simulation = Simulation("walk-3d", dt=0.0005, record=Record(rate, (*FIELDS, *FORCES), worlds=1))
        simulation.run(8.0)
        found.append(analyse(simulation.trace()))
    return found


def numbers(analysis) -> dict[str, float]:
    timing = ("stance", "double_support", "first_double_support", "step_length", "step_width")
    found = {name: analysis.parameters[name]["both"].mean for name in timing}
    found |= {name: value for name, value in analysis.walk_measures.items() if not name.endswith("_at")}
    return found | {name: sides["both"].mean for name, sides in analysis.measures.items()}


@pytest.mark.slow
@pytest.mark.parametrize("which", [0, 1])
def test_numbers_change_by_two_per_cent_at_most_from_200_to_2000_hz(analyses, which):
    some, all_steps = numbers(analyses[which]), numbers(analyses[-1])
    assert {"first_peak", "ankle_moment", "ankle_power", "cost_of_transport", "double_support"} <= set(some)
    size = {"knee_roughness": all_steps["knee_moment"], "plantarflexion": 30.0, "margin_ahead": 0.1}
    for name, value in all_steps.items():
        assert some[name] == pytest.approx(value, abs=0.02 * size.get(name, abs(value))), name


@pytest.mark.slow
def test_feet_that_touch_without_a_load_do_not_stand(analyses):
    """Double support by load is shorter than by touch, which the controller's contacts have."""
    motion = analyses[0].motion
    touching = np.asarray(motion.channels["contact"], dtype=bool)
    sides = [
        [k for k, name in enumerate(motion.labels["contact"]) if name.startswith(side)] for side in ("left", "right")
    ]
    both = np.logical_and(*(touching[:, own].any(axis=1) for own in sides)).mean()
    assert "20 N" in analyses[0].events.source
    assert 0.5 * both < analyses[0].parameters["double_support"]["both"].mean / 100.0 < 0.9 * both


@pytest.mark.slow
def test_joints_and_the_ground_explain_the_bodys_energy(analyses):
    for analysis in analyses:
        energy = analysis.energy
        assert energy.given > 0 > energy.taken
        assert energy.ground < 0
        assert abs(energy.unexplained) < 0.02 * energy.given
    at_most, at_least = (a.energy for a in (analyses[-1], analyses[0]))
    assert at_least.given == pytest.approx(at_most.given, rel=0.03)


def kept_frames(walk: Motion, rate: float) -> list[Motion]:
    """A motion at a rate, from four places between two frames of that rate on; nothing but how it moves."""
    bare = replace(walk, channels={}, labels={})
    return [at_times(bare, np.arange(k / (4.0 * rate), walk.seconds, 1.0 / rate)) for k in range(4)]


@pytest.mark.parametrize(("rate", "most"), [(100.0, 0.001), (60.0, 0.003), (30.0, 0.008)])
@pytest.mark.parametrize("of", ["simulated", PLUG_IN_GAIT, OPENSIM])
def test_events_are_those_of_the_whole_motion_at_fewer_frames_a_second(of, rate, most):
    """Strikes and offs, wherever between two events the frames are."""
    walk = motion() if of == "simulated" else load_motion(clip(of))
    walk = replace(walk, times=walk.times - walk.times[0])
    rows = [row for row in kinematic_events(walk).rows() if 0.2 < row[0] < walk.seconds - 0.2]
    assert {kind for _, _, kind in rows} == {"strike", "off"}
    for slow in kept_frames(walk, rate):
        events = kinematic_events(slow)
        for time, side, kind in rows:
            found = (events.strikes if kind == "strike" else events.offs)[side]
            assert np.abs(found - time).min() < most, (time, side, kind)


@pytest.mark.slow
@pytest.mark.usefixtures("long_module")
@pytest.mark.parametrize(
    "name", ["gait-lab-walk", "gait-lab-slow-walk", "gait-lab-fast-walk", "walk-3d", "crouch-walk-3d"]
)
def test_events_of_30_frames_a_second_are_within_30_ms_of_the_loads(name):
    """Walks that had no part in setting the rule; nine of ten strikes and offs, and hardly one is missed."""
    walk = simulated_walk(name, 12.0).motion()
    loads = contact_events(walk)
    for kind, errors in event_errors(walk, loads, 30.0).items():
        assert len(errors) > 0.95 * 4 * sum(row[2] == kind for row in loads.rows())
        assert np.percentile(np.abs(errors), 90) < 0.03, kind
