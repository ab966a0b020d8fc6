"""The verdict on a character that follows a clip: poses moved, slowed and kept on the ground by known amounts."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from footfall.motion.ball_poses import FPS
from footfall.motion.quaternion import from_axis_angle, multiply
from footfall.study.imitation.following import Following, compared
from footfall.study.imitation.pictures import save_report
from footfall.study.imitation.verdicts import FOOT, OTHER_POSE, STATUS, astray, verdict_of
from tests.methods.tracking.test_flight import jump

__all__ = ["jump"]
SECONDS = 4.0
RANK = ("follows", "strays", "does something else")


def run(figure, own: np.ndarray, clip: np.ndarray, *, up: bool = True) -> Following:
    """Poses [T, nq] beside their clip's, as if they had been simulated."""
    seconds = (len(clip) - 1) / FPS
    shown = (clip, np.arange(len(clip)).astype(float))
    ended = (up, seconds, seconds)
    return compared(figure, own, shown, clip, np.zeros((1, figure.nv)), rate=FPS, ended=ended, steps=0)


def gliding(figure, speed: float) -> np.ndarray:
    """The standing pose, carried along."""
    frames = np.tile(figure.default_qpos, (round(SECONDS * FPS) + 1, 1))
    frames[:, 0] += speed * np.arange(len(frames)) / FPS
    return frames


def test_a_clip_follows_itself(biped, jump):
    for clip in (jump, gliding(biped, 1.0)):
        verdict = verdict_of(run(biped, clip, clip))
        assert (verdict.word, verdict.why, verdict.text) == ("follows", (), "follows the clip")
        assert astray(run(biped, clip, clip)) == []


def test_the_farther_from_the_clip_the_worse_the_word(biped):
    clip = gliding(biped, 0.0)
    aside = np.eye(biped.nq)[1]
    words = [verdict_of(run(biped, clip + y * aside, clip)).word for y in (0.2, 0.3, 0.6)]
    assert words == ["follows", "strays", "strays"]
    paced = [verdict_of(run(biped, gliding(biped, speed), gliding(biped, 1.0))).word for speed in (1.0, 0.7, 0.2)]
    assert paced == list(RANK)
    turned = [verdict_of(run(biped, bent(biped, clip, degrees), clip)).word for degrees in (10.0, 20.0)]
    assert turned == ["follows", "does something else"]


def bent(figure, frames: np.ndarray, degrees: float) -> np.ndarray:
    """All joints turned by an angle."""
    made, turn = frames.copy(), from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(degrees))
    for at in range(7, figure.nq, 4):
        made[:, at : at + 4] = multiply(made[:, at : at + 4], turn)
    return made


def test_it_says_when_it_is_away(biped):
    clip = gliding(biped, 0.0)
    away, start, end = clip.copy(), 30, 60
    away[start:end, 1] += 2.0 * FOOT
    ((a, b, words),) = astray(run(biped, away, clip))
    assert (a, b) == (start / FPS, end / FPS)
    assert words == f"up to {2.0 * FOOT:.2f} m from the clip"
    other = clip.copy()
    other[start:end] = bent(biped, clip[start:end], 2.0 * OTHER_POSE)
    assert any((a, b) == (start / FPS, end / FPS) and "degrees" in how for a, b, how in astray(run(biped, other, clip)))


def test_a_jump_that_stays_on_the_ground_is_something_else(biped, jump):
    """However close its poses are; and so is a stand that jumps."""
    grounded = np.tile(jump[:1], (len(jump), 1))
    made = run(biped, grounded, jump)
    verdict = verdict_of(made)
    assert verdict.word == "does something else"
    assert verdict.why[0].startswith("it flies for 0% of the time, the clip for ")
    assert "the clip flies, and it stays on the ground" in [how for _, _, how in astray(made)]
    assert verdict_of(run(biped, jump, grounded)).word == "does something else"


def test_a_fall_is_a_fall_whatever_else_it_is(biped):
    clip = gliding(biped, 0.0)
    assert verdict_of(run(biped, clip, clip, up=False)).word == "falls"
    assert verdict_of(run(biped, clip, clip), "none of 7 disturbed starts stays up").word == "falls"


def test_words_have_exit_statuses_of_their_own():
    assert STATUS["follows"] == 0
    assert len(set(STATUS.values())) == len(STATUS)
    assert all(STATUS[a] < STATUS[b] for a, b in pairwise(RANK))


@pytest.mark.parametrize("up", [True, False])
def test_the_page_says_it_first_and_shows_where(biped, jump, tmp_path, up):
    grounded = np.tile(jump[:1], (len(jump), 1))
    following = run(biped, grounded, jump, up=up)
    controller = SimpleNamespace(name="jump", figure="mocap-biped")
    made = SimpleNamespace(following=following, verdict=verdict_of(following), controller=controller, up=7, tried=7)
    text = save_report(made, tmp_path / "page.html").read_text(encoding="utf-8")
    word = made.verdict.word
    assert text.index(f"{word}: ") < text.index("Where it is not with its clip") < text.index("the clip flies, and it")
    assert "://" not in text.replace("http://www.w3.org", "")
