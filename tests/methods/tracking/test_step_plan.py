"""Steps planned ahead, held against the best of all ways through small graphs."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from footfall.control import load_controller
from footfall.methods.tracking.motion_graph import Choosing
from footfall.methods.tracking.step_choice import BEND, BINS, FADE, PLAN_PRICES, StepChoice, StepPlan
from footfall.motion.quaternion import wrapped_angle
from tests.methods.tracking.conftest import chosen_by


def graph_of(turns, speeds, cost, core=None):
    """A graph of steps that are nothing but a turn and a speed."""
    cost = np.asarray(cost, dtype=float)
    steps = [SimpleNamespace(turn=t, speed=v, style="normal") for t, v in zip(turns, speeds, strict=True)]
    return SimpleNamespace(
        steps=steps,
        cost=cost,
        seams=cost,
        may_follow=np.isfinite(cost),
        near=np.isfinite(cost),
        core=range(len(steps)) if core is None else core,
        choosing=Choosing(seam=0.03, blends=False, plans=True),
    )


def price(graph, way, need, speed):
    """What a way costs, by the rules that the plan's docstring states."""
    total, at, weight = 0.0, way[0], 1.0
    for number in way[1:]:
        step = graph.steps[number]
        rest = float(wrapped_angle(need - step.turn))
        need = np.sign(rest) * max(abs(rest) - BEND, 0.0)
        off = min(max(abs(need) - 0.1, 0.0), 1.2) / PLAN_PRICES.turn
        total += weight * (graph.cost[at, number] / 0.03 + abs(step.speed - speed) / PLAN_PRICES.speed + off)
        weight *= FADE
        at = number
    return total


@pytest.mark.parametrize("seed", range(4))
def test_no_way_of_six_steps_is_much_better_than_the_planned_one(seed):
    random = np.random.default_rng(seed)
    count, length = 4, 6
    bins = 2.0 * np.pi / BINS
    turns = bins * random.integers(-6, 7, count)
    cost = np.where(random.random((count, count)) < 0.8, 0.05 * random.random((count, count)), np.inf)
    cost[np.arange(count), (np.arange(count) + 1) % count] = 0.0
    graph = graph_of(turns, random.uniform(0.3, 1.5, count), cost)
    plan = StepPlan(graph)
    need, speed, way = 1.5, 0.9, [0]
    left = need
    for _ in range(length):
        number, bend = plan.best(way[-1], left, speed, "normal")
        way.append(number)
        left = float(wrapped_angle(left - graph.steps[number].turn - bend))
    ways = [(0, *rest) for rest in product(range(count), repeat=length)]
    least = min(price(graph, other, need, speed) for other in ways if np.isfinite(price(graph, other, need, speed)))
    tail = FADE**length * (1.5 / PLAN_PRICES.speed + 1.2 / PLAN_PRICES.turn + 0.05 / 0.03) / (1.0 - FADE)
    assert least <= price(graph, way, need, speed) + 1e-9
    assert price(graph, way, need, speed) <= least + tail


def test_it_goes_two_steps_away_to_where_a_turn_begins():
    straight, first, turning = 0, 1, 2
    cost = np.full((3, 3), np.inf)
    cost[straight, straight] = cost[straight, first] = cost[first, turning] = cost[turning, straight] = 0.0
    plan = StepPlan(graph_of([0.0, 0.0, 1.5], [1.0, 1.0, 1.0], cost))
    assert plan.best(straight, 1.5, 1.0, "normal")[0] == first
    assert plan.best(straight, 0.0, 1.0, "normal")[0] == straight


def test_left_and_right_are_alike():
    cost = np.zeros((3, 3))
    plan = StepPlan(graph_of([0.0, 0.8, -0.8], [1.0, 1.0, 1.0], cost))
    for need in (0.3, 0.9, 2.0):
        left, right = plan.best(0, need, 1.0, "normal"), plan.best(0, -need, 1.0, "normal")
        assert (left[0], left[1]) == ({0: 0, 1: 2, 2: 1}[right[0]], pytest.approx(-right[1]))


def test_steps_outside_the_core_are_never_gone_to():
    cost = np.zeros((3, 3))
    plan = StepPlan(graph_of([0.0, 0.0, 1.0], [1.0, 1.0, 1.0], cost, core=[0, 1]))
    assert {plan.best(k, 1.0, 1.0, "normal")[0] for k in range(3)} <= {0, 1}


def test_parts_are_those_that_can_be_come_back_to():
    graph = load_controller("steered-walk").graph
    tried = dict.fromkeys(graph.following.items(), (0, 3))
    kinds = ("left_swing", "right_swing")
    swings = {kind: [k for k, step in enumerate(graph.steps) if step.kind == kind] for kind in kinds}
    (a, c, e), (b, d, f) = (swings[kind][:3] for kind in swings)
    ring = ((a, b), (b, c), (c, d), (d, a), (d, e), (e, f), (f, e))
    kept = graph.keeping(tried | dict.fromkeys(ring, (3, 3)), {})
    kept.cost = np.where(np.isfinite(kept.cost), 0.0, np.inf)
    assert kept.parts == [sorted((a, b, c, d)), sorted((e, f))]
    assert kept.core == sorted((a, b, c, d))


def test_a_character_that_plans_turns_to_where_it_is_sent():
    graph = chosen_by(load_controller("steered-walk").graph, Choosing(0.06, blends=False, plans=True))
    choice = StepChoice(graph)
    choice.direct(1.2, 0.6)
    slot, heading = choice.slots.now, choice.slots.heading
    for _ in range(14):
        choice.observe(slot, heading)
        choice.decide()
        heading, slot = heading + choice.slots.all[slot].turn, (slot + 1) % 3
    assert abs(float(wrapped_angle(heading - 1.2))) < 0.25
