"""One character of many clips: stops, transitions that were tried, worlds side by side. Clips are the built-in walk."""

from itertools import pairwise

import numpy as np
import pytest

from footfall.control import load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.methods.tracking.controller import load_tracking
from footfall.methods.tracking.motion_graph import Choosing, GraphClip, TrackedGraph
from footfall.methods.tracking.step_choice import SteeredController, StepChoice
from footfall.motion import Motion
from footfall.pictures import save
from footfall.study.imitation.characters import TrackedWalker, one_character
from footfall.study.imitation.random_steering import rehearse
from footfall.study.imitation.steering import SteeredWorlds, Steering
from footfall.study.imitation.transitions import candidates, stop_chain, transition_chain, trials


@pytest.fixture(scope="module")
def walk():
    """[T, nq] a walk from rest to rest."""
    fragments = load_tracking("tracked-walk").repertoire.fragments
    frames = [fragments[0].frames]
    for fragment in fragments[1:]:
        part = fragment.frames.copy()
        part[:, :2] += frames[-1][-1, :2] - part[0, :2]
        frames.append(part[1:])
    joined = np.concatenate(frames)
    return np.concatenate([np.tile(joined[0], (20, 1)), joined, np.tile(joined[-1], (40, 1))])


@pytest.fixture(scope="module")
def graph(walk, biped):
    return TrackedGraph([GraphClip("one", walk), GraphClip("two", walk[:-10])], biped)


@pytest.fixture(scope="module")
def steered():
    return load_controller("steered-walk")


def walked(choice, steps):
    """Numbers of the steps that a character makes which follows them exactly."""
    numbers, slot, heading = [], choice.slots.now, choice.slots.heading
    for _ in range(steps):
        choice.observe(slot, heading)
        choice.decide()
        numbers.append(choice.slots.all[slot].number)
        if choice.repertoire().fragments[slot].successor < 0:
            break
        heading, slot = heading + choice.slots.all[slot].turn, (slot + 1) % 3
    return numbers


def test_asked_for_no_speed_it_comes_to_a_stand_keeps_it_and_starts_again(graph):
    choice = StepChoice(graph)
    assert walked(choice, 4)[1] in graph.stands
    choice.direct(speed=0.0)
    way = walked(choice, 20)
    assert way[-1] == -1
    assert way[-2] in graph.halts
    assert choice.slots.holds
    choice.direct(speed=0.8)
    assert choice.decide()
    assert not choice.slots.holds
    assert walked(choice, 2)[1] in graph.stands


def test_where_transitions_were_tried_no_others_are_taken(graph):
    a = next(k for k in range(len(graph.steps)) if k in graph.following)
    b = next(int(k) for k in np.argsort(graph.cost[a]) if graph.following[a] != k)
    kept = graph.keeping({(a, b): (3, 3)}, {})
    assert np.flatnonzero(np.isfinite(kept.cost[a])).tolist() == sorted({b, graph.following[a]})
    assert np.isfinite(kept.cost).sum() == len(graph.following) + 1
    assert not kept.halts
    np.testing.assert_array_equal(kept.keeping(None, None).cost, graph.cost)
    with pytest.raises(FootfallError, match="its clips have"):
        graph.keeping({(0, 999): (3, 3)}, None)


def test_a_step_backwards_has_a_speed_below_zero(walk, biped):
    back = TrackedGraph([GraphClip("back", walk[::-1])], biped)
    assert all(step.speed < 0.0 for step in back.steps)


def test_a_file_keeps_transitions_stops_choosing_and_report(graph, steered):
    own = TrackedGraph(graph.clips, graph.figure, choosing=Choosing(0.02, blends=False))
    tried = dict.fromkeys(candidates(own)[:5], (3, 3))
    stop = {(next(iter(own.halts)), next(iter(own.stands))): (3, 3)}
    settings, ground = steered.repertoire.settings, steered.ground
    made = SteeredController.of(own.keeping(tried, stop), settings, ground, "many")
    text = print_controller(made)
    again = parse_controller(text)
    assert (again.graph.tried, again.graph.stops) == (tried, stop)
    assert again.graph.choosing == own.choosing
    assert [step.kind for step in again.graph.steps] == [step.kind for step in own.steps]
    with pytest.raises(FootfallError, match="rows of four whole numbers"):
        parse_controller(text.replace("stops = [[", "stops = [[-"))


def test_a_trial_walks_up_to_the_transition_and_on(graph, steered):
    a, b = candidates(graph)[0]
    chain = transition_chain(graph, a, b)
    at = chain.index(a)
    assert chain[at + 1] == b
    kinds = [graph.steps[k].kind for k in chain]
    assert all(one != two for one, two in pairwise(kinds))
    halt = next(iter(graph.halts))
    stopping = stop_chain(graph, halt, next(iter(graph.stands)))
    assert sum(not isinstance(link, int) for link in stopping) == 1
    made = SteeredController.of(graph, steered.repertoire.settings, steered.ground, "many")
    (trial,) = trials(made, [chain, stopping])
    ends = [k for k, fragment in enumerate(trial.repertoire.fragments) if fragment.successor < 0]
    assert ends == [len(chain) - 1, len(chain) + len(stopping) - 1]
    assert trial.first == (0, len(chain))


def test_a_world_among_others_walks_as_it_does_alone(steered):
    together = SteeredWorlds(steered, 2, recorded=2)
    together.choices[0].direct(0.9, 0.5)
    together.choices[1].direct(-0.9, 0.8, "march")
    alone = Steering(steered)
    alone.direct(0.9, 0.5)
    for _ in range(20):
        assert together.advance().all()
        assert alone.advance()
    np.testing.assert_allclose(together.simulation.qpos[0], alone.simulation.qpos[0], atol=1e-9)
    assert together.facings[0] > 0.0 > together.facings[1]
    assert len(together.motion(1)) == len(alone.result().motion)


def test_random_steering_says_what_each_world_walked(steered):
    found = rehearse(steered, 2, 4.0, seed=3)
    assert found.up.all()
    assert found.seconds.tolist() == [4.0, 4.0]
    assert all(-1 <= k < len(steered.graph.steps) for steps in found.walked for k in steps)
    assert all(len(steps) > 3 for steps in found.walked)


@pytest.mark.slow
def test_a_folder_of_clips_becomes_one_character(steered, biped, tmp_path):
    clips = {clip.name: clip.frames for clip in steered.graph.clips}
    for name in ("start", "walk"):
        times = np.arange(len(clips[name])) / 30.0
        save(Motion.from_qpos(biped, times, clips[name]), tmp_path / f"{name}.bvh")
    (tmp_path / "bad.bvh").write_text("nothing")
    files = [tmp_path / f"{name}.bvh" for name in ("bad", "start", "walk")]
    walker = TrackedWalker(tmp_path / "kept", rounds=1, minutes=1, walkers=1, seconds=4.0)
    made = one_character(files, walker, name="me")
    assert [bool(row["left_out"]) for row in made.clips] == [True, False, False]
    assert made.report["clips"] == 2
    assert made.report["transitions_kept"] <= made.report["transitions_tried"]
    assert not (tmp_path / "kept").exists()
    again = parse_controller(print_controller(made.controller))
    assert again.graph.tried == made.controller.graph.tried
