"""A tracked and a steered character in a session without a page: watched, pushed, edited, led, rewound, saved."""

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footfall.control.registry import kind_of, load_controller
from footfall.errors import FootfallError
from footfall.methods.tracking.steered_files import parse_steered, print_steered
from footfall.motion.quaternion import conjugate, log, multiply
from footfall.simulation import Simulation
from footfall.studio.core.frames import Moment, frame_of, motion_bytes, recent_motion
from footfall.studio.core.geometry import Kinematics, heading_of
from footfall.studio.core.pendulum_walker import Companion
from footfall.studio.core.session import Session
from footfall.studio.core.steering import WalkerSteering
from footfall.study.imitation.steering import Steering as PlainSteering
from tests.studio.numbers import number_of, with_number


@pytest.fixture
def tracked(tmp_path: Path) -> Session:
    """The built-in tracked walk, in a session whose loop does not run."""
    return Session("tracked-walk", tmp_path)


@pytest.fixture
def steered(tmp_path: Path) -> Session:
    return Session("steered-walk", tmp_path)


def walk(session: Session, seconds: float, frame: float = 0.05) -> None:
    for _ in range(round(seconds / frame)):
        session.step(frame)


def shown(session: Session) -> Moment:
    return frame_of(session, Kinematics(session.world.figure))


def apart(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Radians between the joints of two poses."""
    a, b = (q[7:].reshape(-1, 4) for q in (one, two))
    return np.linalg.norm(log(multiply(conjugate(a), b)), axis=-1)


def test_it_walks_the_same_however_time_is_cut(tmp_path: Path) -> None:
    often, seldom = Session("tracked-walk", tmp_path), Session("tracked-walk", tmp_path)
    walk(often, 2.0, 1 / 60)
    walk(seldom, 2.0, 0.25)
    one, two = (s.history.last(9.0) for s in (often, seldom))
    assert len(one) == len(two) == 200
    for name in ("qpos", "target", "reference", "signals", "state", "stance", "contact"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name), err_msg=name)
    assert often.tracks.steps() == seldom.tracks.steps() > 2


def test_the_clip_is_shown_where_the_character_is_now_and_in_the_past(tracked: Session) -> None:
    tracked.ghosting = True
    walk(tracked, 2.0)
    now = shown(tracked)
    assert now.reference is not None
    assert now.ghost is not None
    np.testing.assert_allclose(now.reference[:2], now.qpos[:2])
    assert apart(now.ghost, now.qpos).max() < 0.5
    assert 0.0 < apart(now.reference, now.ghost).max() < 0.5
    frames = np.concatenate([f.frames for f in tracked.world.controllers[0].repertoire.fragments])  # type: ignore[attr-defined]
    assert min(apart(frame, now.reference).max() for frame in frames) < 1e-6
    walk(tracked, 1.0)
    tracked.look_at(now.time - 0.01)
    then = shown(tracked)
    assert then.past
    assert then.reference is not None
    np.testing.assert_allclose(apart(then.reference, now.reference), 0.0, atol=1e-6)
    assert then.ghost is not None
    np.testing.assert_allclose(apart(then.ghost, now.ghost), 0.0, atol=1e-6)


def test_its_states_are_its_fragments_and_stances_alternate(tracked: Session) -> None:
    walk(tracked, 4.0)
    times, states = tracked.history.runs()
    seen = states.tolist()
    assert {name for name, _, _ in seen} == {"tracked-walk"}
    assert [number for _, number, _ in seen[:4]] == [0, 1, 2, 3]
    assert all(a[2] != b[2] for a, b in pairwise(seen))
    assert np.diff(times).min() > 0.3
    assert shown(tracked).number == seen[-1][1]


def test_the_grounds_forces_that_are_drawn_carry_it(tracked: Session) -> None:
    kinematics, upward = Kinematics(tracked.world.figure), []
    simulation = tracked.world.simulation
    walk(tracked, 1.0)
    for _ in range(60):
        tracked.step(0.02)
        frame = shown(tracked)
        placed = kinematics.place(frame.qpos, frame.qvel)
        _, forces = kinematics.ground_forces(
            placed, frame.anchors, frame.contact, simulation.terrains[0], simulation.grounds[0]
        )
        upward.append(forces[:, 2].sum())
    weight = 9.8 * sum(float(b.mass) for b in tracked.world.figure.bodies)
    assert np.mean(upward) == pytest.approx(weight, rel=0.1)


def test_gains_act_at_once_and_are_undone_listed_and_saved(tracked: Session, tmp_path: Path) -> None:
    walk(tracked, 0.5)
    before, simulation = tracked.controller, tracked.world.simulation
    tracked.edit(lambda c: with_number(c, "c1_cor", 0.77), "c1_cor")
    tracked.edit(lambda c: with_number(c, "kt", 40.0), "kt")
    assert tracked.world.simulation is simulation
    row = tracked.world.law.applied(tracked.world.law.parameters[None], {})[0]  # type: ignore[attr-defined]
    assert 0.77 in row
    assert 40.0 in row
    assert [name for name, _, _ in kind_of(before).differences(tracked.controller, before)] == ["c1 cor", "kt"]
    tracked.undo()
    assert number_of(tracked.controller, "kt") == number_of(before, "kt")
    tracked.redo()
    tracked.save("my-clip")
    assert tracked.world.time > 0.4
    again = Session(tmp_path / "my-clip.toml", tmp_path)
    assert number_of(again.controller, "c1_cor") == 0.77
    assert number_of(tracked.library.document("tracked-walk").controller, "c1_cor") != 0.77
    tracked.edit(lambda _: tracked.document.saved)
    with pytest.raises(FootfallError, match="must be a number"):
        tracked.edit(lambda c: with_number(c, "c4", math.nan))


def test_the_saved_one_walks_beside_until_they_differ(tracked: Session) -> None:
    walk(tracked, 0.5)
    tracked.world.compare(tracked.document.saved)
    walk(tracked, 0.5)
    beside = tracked.world.saved_qpos()
    assert beside is not None
    np.testing.assert_array_equal(beside, tracked.world.state["qpos"][0])
    tracked.edit(lambda c: with_number(c, "lift", 0.1))
    walk(tracked, 0.5)
    assert not np.array_equal(tracked.world.saved_qpos(), tracked.world.state["qpos"][0])


def test_a_push_moves_it_a_hard_one_fells_it_and_it_walks_on_from_before(tracked: Session) -> None:
    walk(tracked, 2.0)
    steering = WalkerSteering(tracked, Companion(tracked))
    steering.force = 2000.0
    steering.push(0.0, 1.0)
    walk(tracked, 2.0)
    fell = tracked.world.fell_at
    assert fell is not None
    assert shown(tracked).reference is None
    tracked.look_at(1.5)
    tracked.resume_here()
    walk(tracked, 2.0)
    assert tracked.world.fell_at is None
    tracked.reset()
    assert tracked.world.time == 0.0


def test_terrain_load_and_friction_change_under_way(tracked: Session) -> None:
    assert tracked.setting.friction == 2.0
    walk(tracked, 1.0)
    before = tracked.world.state["qpos"].copy()
    tracked.change_setting(load=2.0)
    tracked.change_setting(friction=1.5)
    tracked.change_setting(terrain="slope:2")
    np.testing.assert_array_equal(tracked.world.state["qpos"], before)
    walk(tracked, 6.0)
    assert tracked.world.fell_at is None
    assert float(tracked.world.state["qpos"][0, 2] - before[0, 2]) > 0.01


def test_it_is_exported_like_every_walker(tracked: Session) -> None:
    walk(tracked, 1.0)
    motion = recent_motion(tracked, 1.0)
    assert motion_bytes(motion, ".bvh").startswith(b"HIERARCHY")
    assert motion_bytes(motion, ".glb")[:4] == b"glTF"


def test_a_tracked_walker_says_what_it_cannot_do(tracked: Session) -> None:
    steering = WalkerSteering(tracked, Companion(tracked))
    assert not steering.can_turn
    steering.turn(0.5)
    assert "cannot turn" in tracked.message
    steering.faster(0.1)
    assert "No speed" in tracked.message
    assert tracked.states == ()
    assert not tracked.world.can.edit
    with pytest.raises(FootfallError, match="no states"):
        tracked.world.state_pose("tracked-walk", 0, np.zeros(1))


# -- steered -----------------------------------------------------------------------------------------------------------


def test_it_walks_as_steering_from_python_does(steered: Session) -> None:
    """The same steps are chosen, whatever pace the page has."""
    controller = load_controller("steered-walk")
    world = steered.world
    assert world is not None

    def same(controller: Any, **options: Any) -> Simulation:
        """A simulation with the kernel of the studio's."""
        return Simulation(controller, **(options | world._options() | {"efforts": True, "last_states": 8}))

    engine: Any = same
    plain = PlainSteering(controller, engine=engine)
    plain.direct(direction=0.6, speed=0.7)
    world.ask(speed=0.7)
    world.lead(0.6)
    for _ in range(40):
        plain.advance()
    walk(steered, 4.0, 1 / 60)
    np.testing.assert_allclose(world.state["qpos"][0], plain.simulation.qpos[0], atol=1e-9)
    assert world.choice.made == plain.choice.made


def test_it_turns_hurries_and_changes_its_style(steered: Session) -> None:
    steering = WalkerSteering(steered, Companion(steered))
    assert steering.can_turn
    walk(steered, 2.0)
    steering.turn(math.radians(30.0))
    steering.turn(math.radians(30.0))
    walk(steered, 6.0, 0.1)
    assert steered.world.fell_at is None
    assert heading_of(steered.world.state["qpos"][0]) == pytest.approx(math.radians(60.0), abs=0.3)
    assert steered.world.gaits == ["normal", "march", "lean"]
    steering.request_number(1)
    steering.faster(-0.2)
    assert steering.speed == pytest.approx(0.5)
    walk(steered, 4.0)
    assert steered.world.fell_at is None
    assert "march" in steered.world.clip


def test_it_walks_along_points(steered: Session) -> None:
    steering = WalkerSteering(steered, Companion(steered))
    for x, y in ((2.0, 0.5), (3.5, 2.5)):
        steering.add_point(x, y)
    walk(steered, 9.0, 0.1)
    assert steered.world.fell_at is None
    assert steering.reached == 2


def test_it_takes_the_same_steps_again_from_the_past(steered: Session) -> None:
    world = steered.world
    assert world is not None
    world.lead(0.8)
    walk(steered, 6.0)
    end = world.state["qpos"].copy()
    steered.look_at(3.0)
    steered.resume_here()
    walk(steered, 6.0 - steered.world.time)
    assert steered.world.time == pytest.approx(6.0)
    np.testing.assert_allclose(steered.world.state["qpos"], end, atol=1e-9)


def test_speed_and_style_stay_when_it_starts_again_and_gains_hold_for_all_steps(steered: Session) -> None:
    world = steered.world
    assert world is not None
    world.ask(speed=0.5, style="lean")
    steered.edit(lambda c: with_number(c, "c1_cor", 0.66))
    steered.reset()
    world = steered.world
    assert world is not None
    assert (world.drive.speed, world.drive.style) == (0.5, "lean")
    walk(steered, 2.0)
    assert {gains.c1_cor for gains in world._repertoire_now().gains} == {0.66}
    with pytest.raises(FootfallError, match="cannot be compared"):
        world.compare(steered.document.saved)
    with pytest.raises(FootfallError, match="march"):
        world.request("moonwalk")


def test_a_motion_graph_survives_its_file(steered: Session, tmp_path: Path) -> None:
    steered.edit(lambda c: with_number(c, "c4", 0.123))
    steered.save("my-steps")
    again = Session("my-steps", tmp_path)
    assert again.world.can.turn
    assert number_of(again.controller, "c4") == 0.123
    one, two = load_controller("steered-walk").graph, again.world.controllers[0].graph
    assert [s.clip for s in one.steps] == [s.clip for s in two.steps]
    np.testing.assert_allclose(one.cost, two.cost, atol=1e-4)


def test_bad_motion_graphs_are_refused_in_words() -> None:
    text = print_steered(load_controller("steered-walk"))
    for old, new, match in (
        ('of = "walk"', 'of = "wlak"', "did you mean 'walk'"),
        ("bend = 0.2", "bend = 4", "bend is 4"),
        ('law = "steering"', 'law = "stering"', "law is 'stering'"),
        ("gains = 0", "gains = 3", "gains is 3"),
        ("frames = [", "frmes = [", "frmes"),
    ):
        with pytest.raises(FootfallError, match=match):
            parse_steered(text.replace(old, new, 1))
