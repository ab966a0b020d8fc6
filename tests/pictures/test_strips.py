"""Strips of poses: which moments they show, and that every body is whole."""

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.motion.gait.feet import facing
from footfall.motion.skeleton.roles import find_roles
from footfall.pictures import strip
from footfall.pictures.strips import pose_frames, stride_seconds, strips
from tests.motion.walks import walk


@pytest.mark.parametrize("period", [0.7, 1.1, 1.6])
def test_the_stride_is_found(period):
    assert stride_seconds(walk(8.0, period=period)) == pytest.approx(period, abs=0.02)


def test_a_moment_has_no_stride():
    assert stride_seconds(walk(0.3)) is None


@pytest.mark.parametrize("speed", [0.5, 0.9091, 1.2, 1.8])
@pytest.mark.parametrize("period", [0.5, 1.1])
def test_poses_show_either_leg_ahead(speed, period):
    """A pose at each half metre would always show the same leg where a stride is half a metre or a metre long."""
    motion = walk(8.0, speed=speed, period=period)
    frames = pose_frames(motion, 0.5 / speed)
    roles, places = find_roles(motion.skeleton), motion.positions()
    apart = places[:, roles["left_ankle"], :2] - places[:, roles["right_ankle"], :2]
    ahead = np.einsum("tk,tk->t", apart, facing(motion))[frames] > 0
    assert 0.25 <= ahead.mean() <= 0.75
    phases = np.unique(np.round(8 * ((motion.times[frames] / period) % 1.0)) % 8)
    assert len(phases) == 8


@pytest.mark.parametrize("motion", [walk(20.0), walk(6.0, speed=0.02)], ids=["along", "in place"])
def test_no_body_is_cut_and_every_pose_is_drawn_once(motion):
    figure = strip(motion)
    assert len(figure.axes) >= 3
    drawn = 0
    for ax in figure.axes:
        low, high = ax.get_xlim()
        rows = {round(c.get_zorder(), 2) for c in ax.collections if c.get_zorder() >= 3}
        drawn += len(rows)
        for collection in ax.collections:
            if collection.get_zorder() >= 3:
                for path in collection.get_paths():
                    assert path.vertices[:, 0].min() >= low
                    assert path.vertices[:, 0].max() <= high
    assert drawn > 25
    assert len({round(float(np.ptp(ax.get_xlim())), 6) for ax in figure.axes}) == 1


def test_a_page_is_as_wide_as_a_journals_text_with_letters_that_can_be_read():
    figure = strip(walk(4.0), title="a walk")
    assert figure.get_size_inches()[0] <= 7.0
    assert min(text.get_fontsize() for ax in figure.axes for text in (*ax.get_xticklabels(), ax.xaxis.label)) >= 7.0


def test_motions_above_one_another_show_the_same_times():
    page = strips({"fast": walk(2.0), "slow": walk(3.0, period=1.5)}, every=0.5, seconds=2.0)
    ticks = [[label.get_text() for label in ax.get_xticklabels()] for ax in page.axes]
    assert ticks[0] == ticks[1] == ["0.0", "0.5", "1.0", "1.5"]
    assert [ax.get_title("left") for ax in page.axes] == ["fast", "slow"]
    with pytest.raises(FootfallError, match="no motion"):
        strips({})


def test_from_the_front_the_left_side_is_on_the_right():
    """The blue limbs (left) of each pose are drawn to the right of the orange ones."""
    motion = walk(3.0)
    figure = strip(motion, poses=6, camera="front")
    poses = {}
    for collection in (c for ax in figure.axes for c in ax.collections if c.get_zorder() >= 3):
        pose = poses.setdefault(int(100.0 * collection.get_zorder() + 1e-6), {})
        for (red, _, blue, _), path in zip(collection.get_facecolor(), collection.get_paths()):
            pose.setdefault(np.sign(round(blue - red, 1)), []).append(path.vertices[:, 0].mean())
    assert len(poses) >= 6
    assert all(np.mean(sides[1.0]) > np.mean(sides[-1.0]) for sides in poses.values())
    with pytest.raises(FootfallError, match="camera of a strip"):
        strip(motion, camera="top")
