"""Policies that follow a clip: what they see of it against its definition, their targets, their files, and what is
refused."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.control.registry import kind_of, law_of, load_controller, parse_controller, print_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.clip_frames import ClipFrames, clip_velocities
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.deciding import Block, Pool
from footfall.methods.network.law import Servos
from footfall.methods.network.multilayer import Network, write_tensors
from footfall.methods.network.seen import Scope
from footfall.methods.network.terms import OBSERVATIONS, looks_of
from footfall.motion import Motion
from footfall.motion.quaternion import conjugate, exp, multiply, normalised, rotate
from footfall.simulation import Record, Simulation
from tests.methods.network.test_controller import LEGS, served
from tests.methods.network.test_multilayer import network

FIGURE = Figure.load("human-28")
JOINTS = tuple(j.name for j in FIGURE.joints if j.actuated)
AT = [FIGURE.joint(name).qpos for name in JOINTS]
RATE, LOOKS = 50.0, (1, 5, 15)
SEEN = tuple(
    row.name for name in ("clip", "clip_velocity") for row in OBSERVATIONS[name].numbers(Scope(FIGURE, looks=LOOKS))
)
FRAMES = 12
STEPS = {"dt": 0.001}


def clip(frames: int = FRAMES, *, figure: Figure = FIGURE) -> ClipFrames:
    """Poses that turn, sink, go ahead and move every joint."""
    times, rng = np.arange(frames) / RATE, np.random.default_rng(3)
    qpos = np.tile(figure.default_qpos, (frames, 1))
    qpos[:, :3] += np.outer(times, [0.8, 0.3, -0.2])
    qpos[:, 3:7] = normalised(multiply(qpos[:, 3:7], exp(np.outer(times, [0.2, -0.3, 0.9]))))
    qpos[:, 7:] += np.sin(np.outer(times, rng.uniform(1.0, 3.0, figure.nq - 7))) * 0.1
    return ClipFrames(qpos, RATE)


def tracker(**changes) -> NetworkController:
    """A policy that answers what it sees of the clip, number by number, a share of it at a time."""
    weights = np.zeros((len(JOINTS), len(SEEN)))
    given = {
        "name": "tracker",
        "figure": "human-28",
        "network": Network.of([weights], [np.zeros(len(JOINTS))]),
        "observations": (Block(SEEN),),
        "servos": Servos(JOINTS, "clip", 0.3, 20.0, 2.0),
    }
    return NetworkController(**given | changes)


def telling(first: int) -> Network:
    """A network whose actions are the inputs from ``first`` on."""
    weights = np.zeros((len(JOINTS), len(SEEN)))
    for k in range(min(len(JOINTS), len(SEEN) - first)):
        weights[k, first + k] = 1.0
    return Network.of([weights], [np.zeros(len(JOINTS))])


def heading(q: np.ndarray) -> float:
    forward = rotate(q, np.array([1.0, 0.0, 0.0]))
    return math.atan2(forward[1], forward[0])


def expected(qpos: np.ndarray, frame: int, shown: ClipFrames, tether: float = math.inf) -> np.ndarray:
    """What is seen, from its definition."""
    poses = shown.qpos.astype(float)
    off = poses[min(frame, len(poses) - 1), :2] - qpos[:2]
    poses[:, :2] -= off * max(0.0, 1.0 - tether / np.linalg.norm(off))
    qvel = clip_velocities(FIGURE, shown.qpos.astype(float), 1.0 / RATE)
    own, last = heading(qpos[3:7]), len(poses) - 1

    def ahead(v: np.ndarray) -> list[float]:
        return [
            math.cos(own) * v[0] + math.sin(own) * v[1],
            math.cos(own) * v[1] - math.sin(own) * v[0],
        ]

    seen: list[float] = []
    for look in LOOKS:
        pose = poses[min(frame + look, last)]
        turn = heading(pose[3:7]) - own
        up = rotate(conjugate(pose[3:7]), np.array([0.0, 0.0, 1.0]))
        seen += [*ahead(pose[:2] - qpos[:2]), pose[2] - qpos[2], math.sin(turn), math.cos(turn), *up, *pose[7:]]
    velocity = qvel[min(frame + 1, last), :3]
    return np.array([*seen, *ahead(velocity), velocity[2]])


@pytest.mark.parametrize("tether", [None, 0.15, 2.0])
def test_what_is_seen_of_the_clip_is_what_it_is_defined_as(tether: float | None):
    """Over decisions beyond the clip's end, all numbers of a world that starts in the air, elsewhere and turned; with a
    tether that is shorter than its way to the clip, and with one that is longer."""
    shown, count = clip(), len(JOINTS)
    qpos = np.array(clip().start.qpos)
    qpos[:3] += 0.4, -0.7, 0.6
    qpos[3:7] = normalised(multiply(qpos[3:7], exp(np.array([0.1, 0.05, 2.5]))))
    firsts = range(0, len(SEEN), count)
    told = [tracker(network=telling(first), clip_frames=shown, tether=tether) for first in firsts]
    worlds = [Simulation(own, qpos=qpos, **STEPS) for own in told]
    action = worlds[0].law.memory_layout["network_action"]
    for frame in range(FRAMES + 2):
        for first, world in zip(firsts, worlds, strict=True):
            wanted = expected(world.qpos[0], frame, shown, tether or math.inf)[first : first + count]
            world.run(1.0 / RATE)
            np.testing.assert_allclose(world.memory[0, action : action + len(wanted)], wanted, atol=2e-6)


def test_targets_are_the_clips_next_pose_and_after_its_end_the_last_one():
    """Torques are those of servos around the clip's next pose plus the action."""
    shown = clip(4)
    biases = np.linspace(-1.5, 1.5, len(JOINTS))
    made = tracker(
        network=Network.of([np.zeros((len(JOINTS), len(SEEN)))], [biases]),
        clip_frames=shown,
    )
    record = Record(rate=1000.0, fields=("qpos", "qvel", "torque"))
    in_the_air = np.array(shown.start.qpos)
    in_the_air[2] += 0.6
    simulation = Simulation(made, qpos=in_the_air, record=record, **STEPS)
    simulation.run(0.12)
    trace = simulation.trace()
    dofs = [FIGURE.joint(name).dof for name in JOINTS]
    least, most, limit = (
        np.array([getattr(FIGURE.joint(n), k) for n in JOINTS]) for k in ("lower", "upper", "torque_limit")
    )
    for step in range(0, 120, 7):
        pose = shown.qpos[min(step // 20 + 1, 3)][AT]
        target = np.clip(pose + 0.3 * np.clip(biases, -1.0, 1.0), least, most)
        rate = trace.qvel[step, 0, dofs]
        torque = 20.0 * (target - trace.qpos[step, 0, AT] - 0.001 * rate) - 2.0 * rate
        np.testing.assert_allclose(trace.torque[step, 0, dofs], np.clip(torque, -limit, limit), atol=1e-5)


def test_it_starts_in_the_clips_first_state():
    shown = clip()
    start = tracker(clip_frames=shown).start
    np.testing.assert_allclose(start.qpos, shown.qpos[0])
    qvel = clip_velocities(FIGURE, shown.qpos.astype(float), 1.0 / RATE)[0]
    np.testing.assert_allclose(start.qvel, qvel, atol=1e-5)


def test_files_read_back_with_the_clip_in_them_or_beside_them(tmp_path: Path):
    made = tracker(clip_frames=clip(), tether=0.2)
    text = print_controller(made)
    found = parse_controller(text)
    assert print_controller(found) == text
    np.testing.assert_array_equal(found.clip_frames.qpos, made.clip_frames.qpos)
    assert (found.start, found.tether) == (made.start, 0.2)
    (tmp_path / "clip.safetensors").write_bytes(made.clip_frames.to_bytes())
    lines = ['clip_frames = "clip.safetensors"' if line.startswith("clip_") else line for line in text.splitlines()]
    (tmp_path / "walk.toml").write_text("\n".join(lines), encoding="utf-8")
    assert print_controller(load_controller(tmp_path / "walk.toml")) == text


def test_a_tracker_without_a_clip_is_read_and_described_and_says_what_it_needs():
    made = parse_controller(print_controller(tracker()))
    assert made.servos.default == "clip"
    described = kind_of(made).describe(made)
    assert any("none yet" in row[1] for row in described.table)
    with pytest.raises(FootfallError, match="follows a clip and has none; give it one with `footfall imitate"):
        Simulation(made)
    given = replace(made, clip_frames=clip())
    assert any("0.2 s, 12 frames" in row[1] for row in kind_of(given).describe(given).table)
    assert kind_of(given).numbers(given) == ()


def test_clips_of_any_length_share_a_kernel():
    one, two = (law_of(tracker(clip_frames=clip(n)), FIGURE) for n in (4, 40))
    assert one.kernel_key == two.kernel_key
    assert one.key != two.key


def bad(tensors: dict, **texts: str) -> bytes:
    return write_tensors({name: np.asarray(value, dtype=np.float32) for name, value in tensors.items()}, texts)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"no", "not a safetensors file"),
        (bad({"poses": np.zeros((3, 35))}), "no tensor 'qpos'"),
        (bad({"qpos": np.zeros(35)}), r"shape \[35\]"),
        (bad({"qpos": np.zeros((1, 35))}), "at least 2 frames"),
        (bad({"qpos": np.zeros((3, 35))}), "quaternion"),
        (bad({"qpos": np.full((3, 35), np.nan)}), "not finite"),
        (bad({"qpos": np.ones((3, 35))}, rate="fast"), "must be a number"),
    ],
)
def test_bad_clips_are_refused_in_one_line(data: bytes, words: str):
    with pytest.raises(FootfallError, match=words) as caught:
        ClipFrames.from_bytes(data, "walk.toml, clip_frames", RATE)
    assert str(caught.value).startswith("walk.toml, clip_frames: ")
    assert "\n" not in str(caught.value)


def test_clips_that_do_not_fit_are_refused():
    with pytest.raises(FootfallError, match="30 frames a second; the policy decides 50"):
        tracker(clip_frames=ClipFrames(clip().qpos, 30.0))
    with pytest.raises(FootfallError, match="nothing follows a clip here"):
        replace(tracker(), observations=(Block(JOINTS),), servos=Servos(JOINTS), clip_frames=clip())
    with pytest.raises(FootfallError, match="tether: nothing follows a clip here"):
        replace(tracker(), observations=(Block(JOINTS),), servos=Servos(JOINTS), tether=0.2)
    for tether in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(FootfallError, match=r"tether is .*; it must be above 0 and at most 1000 metres"):
            tracker(tether=tether)
    with pytest.raises(FootfallError, match=r"poses of 34 numbers; figure 'human-28' has 35"):
        law_of(tracker(clip_frames=ClipFrames(clip().qpos[:, :-1], RATE)), FIGURE)
    with pytest.raises(FootfallError, match="start: it is the clip's first state"):
        tracker(clip_frames=clip(), start=replace(clip().start, qvel=(0.0,) * 34))
    with pytest.raises(FootfallError, match="followed by figures in space whose joints are hinges"):
        law_of(served(servos=Servos(LEGS, "clip")), Figure.load("planar-biped"))
    with pytest.raises(FootfallError, match="default is 'clop'"):
        parse_controller(print_controller(tracker()).replace('default = "clip"', 'default = "clop"'))
    with pytest.raises(FootfallError, match="unknown observation 'clip_1_nose'"):
        law_of(tracker(observations=(Block((*SEEN[:-1], "clip_1_nose")),), clip_frames=clip()), FIGURE)


def test_looks_are_read_from_names():
    assert looks_of(SEEN) == LOOKS
    assert looks_of(("height", "clip_left_knee", "clip_0_up", "clip_1000_up")) == ()
    assert looks_of(("clip_velocity_up",)) == (1,)
    assert Pool.of(Scope(FIGURE, 0, 28, LOOKS), SEEN, "").names == SEEN


@pytest.mark.slow
def test_it_runs_as_in_its_environment():
    """A random network that reads every observation, from the clip's first frame beyond its last but one."""
    pytest.importorskip("gymnasium", reason="NO GYMNASIUM: policies were not compared with environments")
    from footfall.learning.options import DISABLED, Options
    from footfall.learning.training import learned_controller
    from footfall.learning.worlds import EnvironmentWorlds, streams_of

    times, frames = np.arange(20) / RATE, 20
    options = {"figure": "human-28", "action": "follow", "reach": 0.4, "stiffness": 2.0}
    motion = Motion.from_qpos(FIGURE, times, clip(frames).qpos.astype(float))
    worlds = EnvironmentWorlds(Options.of(**options, clip=motion), 2, mode=DISABLED)
    setup, states, live = worlds.setup, worlds.clips.qpos, worlds.live
    worlds.begin_at(np.zeros(worlds.task.begins.shape[0], dtype=np.int32))
    worlds.restart(np.ones(2, dtype=bool), streams_of([4, 5]))
    made = network((len(setup.observations), 16, len(setup.action.table)))
    small = Network.of([made.weights[0] * 0.3, made.weights[1] * 0.3], made.biases)
    learned = replace(learned_controller(setup, small, "learned"), clip_frames=ClipFrames(states, RATE))
    assert learned.servos.default == "clip"
    native = Simulation(learned, worlds=2, qpos=live["qpos"].numpy(), qvel=live["qvel"].numpy())
    assert native.dt == worlds.simulation.dt
    for _ in range(frames - 2):
        live["action"].assign(small(live["observation"].numpy()).astype(np.float32))
        worlds.step()
        native.run(worlds.period)
        assert not live["terminated"].numpy().any()
        np.testing.assert_allclose(native.qpos, live["qpos"].numpy(), atol=2e-5)
    worlds.close()
