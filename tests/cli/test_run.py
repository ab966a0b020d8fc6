import json
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from footfall.control import load_controller, save_controller
from footfall.control.registry import kind_of
from footfall.motion import load_motion
from footfall.push import Push
from footfall.simulation import Hardware, Simulation
from tests.cli.commands import refused, said

ANSWERS = {
    "controller", "figure", "engine", "device", "dt", "seconds", "worlds", "fell", "fall_time", "diverged", "steps",
    "distance_m", "speed_mps", "step_time_s", "real_time_factor",
}  # fmt: skip


def test_json_answers_what_was_simulated(capsys):
    answer = json.loads(said(capsys, "run", "walk", "--seconds", "5", "--json"))
    assert answer.keys() >= ANSWERS
    outcome = Simulation("walk").run(5.0)
    assert (answer["controller"], answer["figure"], answer["engine"], answer["device"]) == (
        "walk", "planar-biped", "native", "cpu",
    )  # fmt: skip
    assert (answer["dt"], answer["seconds"], answer["worlds"]) == (0.001, 5.0, 1)
    assert (answer["fell"], answer["fall_time"], answer["diverged"]) == (False, None, False)
    assert answer["distance_m"] == pytest.approx(outcome.distance[0], abs=1e-6)
    assert answer["steps"] == outcome.footsteps[0]
    assert answer["real_time_factor"] > 0


@pytest.mark.slow
def test_a_robots_hardware_is_given_by_options(capsys):
    loop = "--dt 0.0005 --control-rate 2000 --actuator-delay 0.0005 --noise joint_angle=0.01 --seed 3"
    motors = "--motor-speed knee=15 --motor-torque 150 --motor-knee 0.5 --push 40@1:0.1@left_knee"
    answer = json.loads(said(capsys, "run", "walk", "--seconds", "2", *loop.split(), *motors.split(), "--json"))
    outcome = Simulation(
        "walk",
        dt=0.0005,
        pushes=[Push(40.0, 1.0, 0.1, "left_shank")],
        hardware=Hardware(
            control_rate=2000.0,
            actuator_delay=0.0005,
            noise={"joint_angle": 0.01},
            noise_seed=3,
            motor_speed={"knee": 15.0},
            motor_torque=150.0,
            motor_knee=0.5,
        ),
    ).run(2.0)
    assert answer["distance_m"] == pytest.approx(outcome.distance[0], abs=1e-6)


@pytest.mark.slow
def test_a_run_longer_than_its_clip_says_that_the_clip_ended(capsys, tmp_path):
    """A controller that follows a clip once, and one that goes round in it."""
    tracked = load_controller("tracked-walk")
    parts = [replace(part, successor=-1) for part in tracked.repertoire.fragments]
    once = replace(tracked, name="once", repertoire=replace(tracked.repertoire, fragments=tuple(parts)))
    save_controller(once, tmp_path / "once.toml")
    first = parts[tracked.repertoire.start]
    seconds = (len(first.frames) - 1) * tracked.repertoire.settings.frame_time
    words = ["run", tmp_path / "once.toml", "--seconds", f"{seconds + 0.3:.2f}"]
    assert json.loads(said(capsys, *words, "--json"))["clip_s"] == pytest.approx(seconds, abs=1e-3)
    assert f"its clip ended at {seconds:.1f} s" in said(capsys, *words)
    assert kind_of(tracked).clip_seconds(tracked) is None


def test_many_worlds_answer_counts_and_lists(capsys):
    """Lists over the worlds are there where worlds have values of their own, and where they are asked for."""
    alike = ["run", "walk", "--seconds", "0.5", "--worlds", "2", "--json"]
    assert "per_world" not in json.loads(said(capsys, *alike))
    assert len(json.loads(said(capsys, *alike, "--per-world"))["per_world"]["fell"]) == 2
    words = ["run", "walk", "--seconds", "3", "--set", "swing_hip.c_v=0:0.4:5", "--json"]
    short = json.loads(said(capsys, *words))
    long = json.loads(said(capsys, *words, "--per-world"))
    fell = long["per_world"]["fell"]
    assert len(fell) == 5
    assert short["per_world"] == long["per_world"]
    assert short["worlds_fell"] == long["worlds_fell"] == sum(fell) > 0
    assert short["worlds_survived"] == 5 - sum(fell)
    alone = Simulation("walk", set={"swing_hip.c_v": 0.2}).run(3.0)
    assert long["per_world"]["distance_m"][2] == pytest.approx(alone.distance[0], abs=1e-6)


def test_random_terrain_differs_between_worlds(capsys):
    words = [
        "run",
        "walk",
        "--seconds",
        "6",
        "--worlds",
        "3",
        "--terrain",
        "random-steps:0.02",
        "--json",
        "--per-world",
    ]
    distances = json.loads(said(capsys, *words))["per_world"]["distance_m"]
    assert len(set(distances)) == 3


def test_text_is_short_and_tells_the_fall(capsys):
    text = said(capsys, "run", "walk", "--push=-2000@1:0.1")
    assert len(text.splitlines()) <= 4
    assert "fell at 1." in text
    assert "stayed up" in said(capsys, "run", "walk")


def test_files_hold_the_motion_with_its_fall_and_push(capsys, tmp_path):
    files = [tmp_path / f"fall{suffix}" for suffix in (".npz", ".png", ".html")]
    outs = [word for file in files for word in ("--out", file)]
    text = said(capsys, "run", "walk", "--push=-2000@1:0.1", *outs, "--seconds", "9", "--json")
    answer = json.loads(text)
    assert answer["files"] == [str(f) for f in files]
    assert all(f.stat().st_size > 1000 for f in files)
    motion = load_motion(files[0])
    assert motion.times[-1] == pytest.approx(answer["motion_s"])
    assert answer["fall_time"] + 1.0 < motion.times[-1] < 9.0
    still = motion.positions()[motion.times > motion.times[-1] - 0.9]
    assert np.ptp(still, axis=0).max() < 0.05
    push = motion.channel("push")
    np.testing.assert_array_equal(push[(motion.times > 0.999) & (motion.times < 1.099)], [[-2000.0, 0.0, 0.0]] * 10)
    assert np.abs(push).sum() == pytest.approx(20000.0)


def test_a_divergence_is_told_and_its_motion_ends_there(capsys, tmp_path):
    file = tmp_path / "wild.npz"
    words = ["run", "walk", "--integrator", "explicit", "--dt", "0.001", "--out", file, "--fps", "1000", "--json"]
    answer = json.loads(said(capsys, *words))
    assert answer["diverged"]
    assert not answer["fell"]
    assert np.isfinite(answer["last_qpos"]).all()
    assert answer["runaway"].endswith("rad/s in one step")
    assert load_motion(file).times[-1] <= answer["end_time"]


@pytest.mark.slow
def test_bodies_frictions_and_terrains_reach_the_simulation(capsys):
    answers = [
        json.loads(said(capsys, "run", "walk", "--seconds", "2", "--json", *more))["distance_m"]
        for more in ([], ["--body", "torso+10kg"], ["--friction", "0.05"], ["--terrain", "slope:-4,0"])
    ]
    assert len(set(answers)) == 4


BROKEN = '<mujoco><worldbody><body name="a"><freejoint/></body></worldbody>'


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["wlak"], "did you mean 'walk'"),
        (["none.toml"], "does not exist"),
        (["walk", "--figure", "planar-bipde"], "did you mean 'planar-biped'"),
        (["walk", "--figure", "none.xml"], "does not exist"),
        (["walk", "--dt", "-0.001"], "dt is -0.001"),
        (["walk", "--dt", "10"], "dt is 10"),
        (["walk", "--dt", "nan"], "dt is nan"),
        (["walk", "--dt", "small"], "small"),
        (["walk", "--seconds", "0"], "seconds is 0"),
        (["walk", "--seconds", "inf"], "seconds is inf"),
        (["walk", "--seconds", "1e9"], "more than"),
        (["walk", "--seconds", "0.0001"], "less than one step"),
        (["walk", "--set", "kp=nan"], "kp"),
        (["walk", "--set", "kp"], "write NAME=VALUE"),
        (["walk", "--set", "swing_hp.c_v=1"], "did you mean"),
        (["walk", "--push", "600@5"], "write FORCE@START:DURATION"),
        (["walk", "--push", "600@5:0.1@tarso"], "did you mean 'torso'"),
        (["walk", "--body", "torso+x"], "body edit"),
        (["walk", "--body", "torsi+1kg"], "did you mean 'torso'"),
        (["walk", "--friction", "-1"], "friction is -1"),
        (["walk", "--terrain", "step:0.1"], "did you mean 'steps'"),
        (["walk", "--device", "tpu"], "choose 'cpu' or 'cuda'"),
        (["walk", "--worlds", "0"], "worlds is 0"),
        (["walk", "--worlds", "1000000000"], "it must be a whole number from 1 to"),
        (["walk", "--sensor-delay", "-1"], "sensor_delay is -1"),
        (["walk", "--control-rate", "300"], "a whole number is right: 333.333 or 250"),
        (["walk", "--actuator-delay", "-1"], "actuator_delay is -1"),
        (["walk", "--noise", "joint_angle"], "write NAME=NUMBER"),
        (["walk", "--noise", "joint_angel=1"], "did you mean 'joint_angle'"),
        (["walk", "--motor-speed", "20", "--motor-speed", "knee=3"], "one number for all motors"),
        (["walk", "--motor-speed", "knie=3"], "did you mean"),
        (["walk", "--threads", "0"], "threads is 0"),
        (["walk", "--fps", "0"], "fps is 0"),
        (["walk", "--out", "walk.docx"], "choose one of"),
        (["walk", "--out", "nowhere/walk.png"], "no folder"),
        (["walk", "--integrator", "euler"], "euler"),
        (["walk", "--engine", "bullet"], "bullet"),
        (["walk", "--colour", "red"], "colour"),
        ([], "controller"),
    ],
)
def test_bad_input_is_refused_in_one_line_and_writes_nothing(words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = refused(capsys, "run", *words, "--out", "good.png")
    assert message.lower() in line.lower()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["broken.xml", "broken.toml", "unreachable.toml", "dead-end.toml"])
def test_malformed_files_are_refused_by_name(name, capsys, tmp_path, monkeypatch):
    from footfall.control import load_controller, print_controller

    monkeypatch.chdir(tmp_path)
    walk = print_controller(load_controller("walk"))
    texts = {
        "broken.xml": BROKEN,
        "broken.toml": walk[:200],
        "unreachable.toml": walk.replace("hold = 0.3", 'hold = 0.3\nnext = "0"'),
        "dead-end.toml": walk.replace("hold = 0.3", "hold = inf"),
    }
    (tmp_path / name).write_text(texts[name])
    words = ["walk", "--figure", name] if name.endswith(".xml") else [name]
    assert name in refused(capsys, "run", *words, "--out", "good.png")
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_the_second_engine_answers_alike(capsys):
    answer = json.loads(said(capsys, "run", "walk", "--engine", "mujoco", "--seconds", "4", "--json"))
    assert answer["engine"] == "mujoco"
    assert not answer["fell"]
    assert answer["speed_mps"] == pytest.approx(1.0, abs=0.1)


def test_a_pipe_without_unicode_is_no_error():
    """Windows gives pipes the encoding of its language."""
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "footfall", "show", "walk"]
    done = subprocess.run(command, env=environment, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
