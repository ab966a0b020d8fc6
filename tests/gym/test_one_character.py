"""A folder of clips as one character that a network walks: it practises to be steered, and is measured."""

import json
from functools import partial

import numpy as np
import pytest

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.network.steered_network import SteeredNetwork
from footfall.motion import Motion
from footfall.motion.ball_poses import FPS
from footfall.pictures import save
from footfall.study.imitation import characters, transitions
from footfall.study.imitation.characters import practise_walks
from footfall.study.imitation.clips import retargeted_clips
from footfall.study.imitation.network_follower import check_policy, tracker_file
from footfall.study.imitation.random_steering import random_minutes
from tests.cli.commands import refused, said


@pytest.fixture(scope="module")
def character():
    policy = check_policy(load_controller(str(tracker_file())))
    clips = retargeted_clips(load_controller("steered-walk"), Figure.load(policy.figure))
    return SteeredNetwork("me", policy, tuple(clips))


def test_what_is_refused(capsys, character, tmp_path):
    with pytest.raises(FootfallError, match="practice is -1"):
        practise_walks(character, decisions=-1)
    (tmp_path / "clips").mkdir()
    words = ("imitate", str(tmp_path / "clips"), "--law", "learned", "--out", str(tmp_path / "me.toml"))
    assert "--loop works only with single clips" in refused(capsys, *words, "--loop")
    assert "--sturdy works only with single clips" in refused(capsys, *words, "--sturdy")
    assert "practises on this machine" in refused(capsys, *words, "--workers", "2")
    assert "--device works only with a folder" in refused(capsys, "imitate", "walk.bvh", "--device", "cuda")
    (tmp_path / "clips" / "walk.bvh").write_text("HIERARCHY")
    assert "device is 'tpu'; choose 'cpu' or 'cuda'" in refused(capsys, *words, "--device", "tpu")
    with pytest.raises(FootfallError, match="device is 'tpu'; choose 'cpu' or 'cuda'"):
        practise_walks(character, device="tpu")


@pytest.mark.slow
def test_it_practises_until_it_stays_up(character, monkeypatch):
    monkeypatch.setattr(characters, "ON_CPU", characters._Course(2, 2, 1, 8192))
    monkeypatch.setattr(characters, "SECONDS", 3.0)
    told = []
    made = practise_walks(character, seed=2, decisions=8192, progress=lambda done, what: told.append((done, what)))
    assert 0 <= made.best.up <= 2
    assert made.best.holds == (made.best.up == 2)
    assert made.decisions == (0 if made.best.holds and not any("practising" in what for _, what in told) else 8192)
    assert (np.diff([done for done, _ in told]) >= 0.0).all()
    assert made.controller.clips == character.clips


@pytest.mark.slow
def test_a_folder_becomes_one_character(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(characters, "ON_CPU", characters._Course(1, 1, 1, 0))
    for name, value in {"WALKS": 1, "SECONDS": 3.0}.items():
        monkeypatch.setattr(characters, name, value)
    for name, value in {"MOST_PER_CLIP": 1, "WORLDS": 32}.items():
        monkeypatch.setattr(transitions, name, value)
    quick = transitions.TransitionTrial(1.0, 1, 0.05)
    monkeypatch.setattr(characters, "passed", lambda character, _, **how: transitions.passed(character, quick, **how))
    monkeypatch.setattr(characters, "random_minutes", partial(random_minutes, seconds=4.0))
    monkeypatch.setattr("footfall.cli.imitate.NetworkWalker", partial(characters.NetworkWalker, minutes=2, rounds=1))
    steered = load_controller("steered-walk")
    body = Figure.load(steered.figure)
    (tmp_path / "clips").mkdir()
    for clip in steered.graph.clips[:4]:
        motion = Motion.from_qpos(body, np.arange(len(clip.frames)) / FPS, clip.frames)
        save(motion, tmp_path / "clips" / f"{clip.name}.bvh")
    (tmp_path / "clips" / "broken.bvh").write_text("HIERARCHY")
    files = [str(tmp_path / "me.toml"), str(tmp_path / "me.png")]
    words = ("imitate", str(tmp_path / "clips"), "--law", "learned", "--practice", "0", "--json")
    report = json.loads(said(capsys, *words, "--out", files[0], "--out", files[1]))
    assert report["files"] == files
    assert (report["clips"], len(report["left_out"]), report["minutes"]) == (4, 1, 2)
    assert (tmp_path / "me.png").stat().st_size > 10_000
    me = load_controller(files[0])
    assert me.law == "steered-network"
    assert dict(me.report)["minutes_up"] == report["minutes_up"]
    walked = json.loads(said(capsys, "steer", files[0], "--sequence", "3:0:0.7", "--json"))
    assert walked["seconds"] >= 3.0 or walked["fell"]
