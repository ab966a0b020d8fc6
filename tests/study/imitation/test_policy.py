"""A clip followed by a policy: measured as searched controllers are, by Python and by the command line."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.control.kind import Integration
from footfall.control.registry import load_controller, save_controller
from footfall.errors import FootfallError
from footfall.methods.network.clip_frames import ClipFrames
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.law import Servos
from footfall.motion import Motion, load_motion, save_motion
from footfall.motion.quaternion import from_axis_angle
from footfall.study.imitation.folder import imitate_folder
from footfall.study.imitation.following import follow, tipped
from footfall.study.imitation.network_follower import NetworkFollower, check_policy, with_clip
from footfall.study.trials.bench import disturbed_worlds
from tests.cli.commands import refused
from tests.methods.network.test_following import FIGURE, JOINTS, RATE, tracker
from tests.motion.walks import walk

SECONDS = 0.8


def standing(seconds: float = SECONDS) -> Motion:
    """A clip in which one arm bends."""
    times = np.arange(round(30.0 * seconds) + 1) / 30.0
    qpos = np.tile(FIGURE.default_qpos, (len(times), 1))
    qpos[:, FIGURE.joint("left_elbow").qpos] = 0.8 + 0.3 * np.sin(5.0 * times)
    return Motion.from_qpos(FIGURE, times, qpos)


@pytest.fixture(scope="module")
def stiff() -> NetworkController:
    """A tracker whose network says nothing and whose servos are stiff enough to stand by themselves."""
    return tracker(servos=Servos(JOINTS, "clip", 0.3, 4000.0, 200.0), integration=Integration(0.002))


@pytest.fixture(scope="module")
def limp() -> NetworkController:
    return tracker(servos=Servos(JOINTS, "clip", 0.3, 5.0, 1.0), integration=Integration(0.002))


def test_a_clip_is_followed_and_reported(stiff: NetworkController):
    made = NetworkFollower(stiff, practice=0).imitate(standing(), "arm")
    report, following = made.as_dict(), made.following
    assert made.failed == ""
    assert (report["fell"], report["disturbed_up"], report["disturbed_tried"]) == (False, 7, 7)
    assert following.seconds == pytest.approx(SECONDS, abs=1.0 / RATE)
    assert following.joint_error < 2.0
    assert following.correlation > 0.9
    assert report["mpjpe_global_mm"] < 30.0
    assert report["within_half_a_metre"]
    assert report["duration"] == 1.0
    assert report["push_limits"] == {}
    assert len(following.motion) == len(following.reference) == round(30.0 * SECONDS) + 1
    assert made.controller.report["policy"] == "tracker"
    assert made.controller.name == "arm"


def test_measured_poses_are_those_of_the_run(stiff: NetworkController):
    """At 30 frames a second, whatever the step, up to the clip's end; as near as a joint moves between two samples."""
    controller = replace(with_clip(stiff, standing(), "arm"), integration=Integration(0.0025))
    shown = follow(controller).motion
    simulation = disturbed_worlds(controller, dt=None)
    for frame in (12, 24):
        simulation.run(frame / 30.0 - simulation.time)
        np.testing.assert_allclose(shown.to_qpos(FIGURE)[frame], simulation.qpos[0], atol=6e-3)


def test_a_policy_that_falls_is_said_to(limp: NetworkController):
    made = NetworkFollower(limp, practice=0).imitate(standing(2.0))
    assert made.following.fell
    assert made.failed.startswith("it falls after")
    assert made.following.time < made.following.seconds
    assert not made.following.course.success


def test_a_policy_may_be_given_another_clip(stiff: NetworkController):
    once = with_clip(stiff, standing(), "one")
    again = with_clip(once, standing(0.7), "two")
    assert (again.name, again.start) == ("two", again.clip_frames.start)
    assert len(again.clip_frames) < len(once.clip_frames)


def test_only_policies_that_follow_clips_do():
    with pytest.raises(FootfallError, match="policy: controller 'walk' follows no clips"):
        check_policy(load_controller("walk"))


def test_command(stiff: NetworkController, limp: NetworkController, tmp_path: Path, capsys):
    """Files are written for a clip that is followed; a fall is status 3 and leaves nothing behind."""
    from footfall.cli.main import main

    clip, made = tmp_path / "arm.npz", tmp_path / "walk.toml"
    save_motion(standing(), clip)
    for name, policy in (("stiff", stiff), ("limp", limp)):
        save_controller(policy, tmp_path / f"{name}.toml")
    words = ["imitate", str(clip), "--out", str(made), "--json", "--policy"]
    assert main([*words, str(tmp_path / "limp.toml")]) == 3
    assert json.loads(capsys.readouterr().out)["failed"].startswith("it falls")
    assert not made.exists()
    assert main([*words, str(tmp_path / "stiff.toml")]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == [str(made)]
    assert load_controller(made).clip_frames.seconds == pytest.approx(SECONDS, abs=1.0 / RATE)


def test_the_simulated_motion_is_written_as_it_is_and_on_a_rig(stiff: NetworkController, tmp_path: Path, capsys):
    from footfall.cli.main import main

    clip, rig, onto_me = tmp_path / "arm.npz", tmp_path / "character.glb", tmp_path / "me.glb"
    save_motion(standing(), clip)
    save_motion(walk(0.5), rig)
    save_controller(stiff, tmp_path / "stiff.toml")
    words = ["imitate", str(clip), "--json", "--policy", str(tmp_path / "stiff.toml")]
    plain = [str(tmp_path / f"plain{end}") for end in (".glb", ".bvh", ".npz", ".html", ".usda")]
    assert main([*words, *(word for path in plain for word in ("--out", path))]) == 0
    assert json.loads(capsys.readouterr().out)["files"] == plain
    simulated = load_motion(plain[0])
    assert simulated.seconds == pytest.approx(SECONDS, abs=1.0 / RATE)
    assert load_motion(plain[2]).skeleton.names == simulated.skeleton.names
    more = ["--out", str(onto_me), "--onto", str(rig), "--clip-name", "arm", "--fps", "60", "--keep-bad"]
    assert main([*words, *more]) == 0
    assert json.loads(capsys.readouterr().out)["retarget"]["scale"] > 0.5
    again = load_motion(onto_me, animation="arm")
    assert again.skeleton.names == walk(0.5).skeleton.names
    assert again.fps == pytest.approx(60.0)
    line = refused(capsys, *words[:2], "--onto", str(rig), "--out", str(tmp_path / "me.mp4"))
    assert "need a motion file, as in --out me.glb" in line


def test_a_folder_of_clips_becomes_a_controller_each(stiff: NetworkController, tmp_path: Path):
    save_motion(standing(), tmp_path / "arm.npz")
    (tmp_path / "bad.bvh").write_text("no motion", encoding="utf-8")
    follower = NetworkFollower(stiff, practice=0)
    rows = imitate_folder([tmp_path / "arm.npz", tmp_path / "bad.bvh"], tmp_path / "out", follower)
    assert [(row["refused"] == "", row.get("fell")) for row in rows] == [(True, False), (False, None)]
    assert load_controller(tmp_path / "out" / "arm.toml").clip_frames.seconds == pytest.approx(SECONDS, abs=1.0 / RATE)


def test_options_of_a_search_are_refused(tmp_path: Path, capsys):
    line = refused(capsys, "imitate", "clip.bvh", "--policy", "t.toml", "--stay-on-path", "--generations", "3")
    assert "leave out --generations, --stay-on-path" in line
    save_controller(tracker(), tmp_path / "t.toml")
    line = refused(capsys, "imitate", tmp_path, "--policy", tmp_path / "t.toml", "--out", tmp_path / "me.png")
    assert "name one .toml file for the character" in line


def test_a_figure_that_leans_far_at_the_end_tips_over():
    clip = ClipFrames(standing().to_qpos(FIGURE).astype(np.float32), RATE)
    poses = np.tile(clip.qpos[-1].astype(float), (3, 1))
    for pose, degrees in zip(poses, (0.0, 40.0, 50.0), strict=True):
        pose[3:7] = from_axis_angle(np.array([0.6, 0.8, 0.0]), np.radians(degrees))
    assert list(tipped(poses, clip)) == [False, False, True]
