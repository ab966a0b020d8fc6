"""Films: the rasteriser against a plain one, the camera, the marks, and what a painted frame must not depend on."""

import signal
import subprocess
import sys
from dataclasses import replace

import mujoco
import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.motion import Motion
from footfall.pictures import raster, save
from footfall.pictures.page import SIDE_COLOURS, hex_to_rgb
from footfall.pictures.painter import Painter
from footfall.pictures.scene import CAMERAS, Camera, arrow_at, marks_at, scene_of
from tests.motion.walks import walk
from tests.pictures.test_pictures import biped

pytestmark = pytest.mark.usefixtures("optimised_module")  # which paint every point of every frame

SIZE = (192, 108)


def _painted(motion, camera=None, frame=0):
    scene = scene_of(motion, np.array([0, len(motion) // 3]))
    return Painter(scene, Camera(scene, SIZE, camera)).paint(frame).copy()


def test_triangles_cover_the_pixels_whose_centres_they_hold():
    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[0:30, 0:40] + 0.5
    for _ in range(40):
        places = np.concatenate([rng.uniform(-10, 45, (3, 2)), np.ones((3, 1))], axis=1)
        image, depth = np.zeros((30, 40, 3), np.uint8), np.zeros((30, 40), np.float32)
        raster.fill_triangles(places, np.full((3, 3), 200.0), np.array([[0, 1, 2]]), image, depth, two_sided=True)
        shares = []
        for a, b in ((0, 1), (1, 2), (2, 0)):
            d = places[b] - places[a]
            shares.append(d[0] * (rows - places[a, 1]) - d[1] * (columns - places[a, 0]))
        inside = np.all(np.array(shares) > 1e-2, axis=0) | np.all(np.array(shares) < -1e-2, axis=0)
        outside = (np.max(shares, axis=0) > 1e-2) & (np.min(shares, axis=0) < -1e-2)
        assert (depth[inside] > 0).all()
        assert (depth[outside] == 0).all()
        assert (image[..., 0] > 0).sum() == (depth > 0).sum()


def test_what_is_nearer_wins_in_any_order():
    square = np.array([[2.0, 2, 0], [18, 2, 0], [18, 18, 0], [2, 18, 0]])
    far, near = square + np.array([0, 0, 0.2]), square + np.array([5, 5, 0.5])
    pictures = []
    for first, second in ((far, near), (near, far)):
        image, depth = np.zeros((30, 30, 3), np.uint8), np.zeros((30, 30), np.float32)
        for layer in (first, second):
            tone = np.full((4, 3), 50.0 if layer is far else 150.0)
            raster.fill_triangles(layer, tone, np.array([[0, 1, 2], [0, 2, 3]]), image, depth, two_sided=True)
        pictures.append(image)
    assert np.array_equal(*pictures)
    assert pictures[0][10, 10, 0] == 150
    assert pictures[0][4, 4, 0] == 50


@pytest.mark.parametrize("name", CAMERAS)
def test_every_camera_keeps_the_whole_walker_in_the_picture(name):
    for motion in (walk(3.0), biped()):
        scene = scene_of(motion)
        camera = Camera(scene, SIZE, name)
        for f in (0, len(scene.times) - 1):
            body = np.concatenate([scene.places(f, solid) for solid in scene.solids])
            seen = camera.project(body, f)
            assert (seen[:, :2] > 0).all()
            assert (seen[:, :2] < SIZE).all()


def test_a_walker_that_lies_most_of_the_time_is_in_the_picture_before_its_fall():
    motion = walk(3.0)
    rotations, places = motion.rotations.copy(), motion.root_position.copy()
    rotations[len(motion) // 4 :, 0] = np.sqrt(0.5) * np.array([1.0, 0.0, 1.0, 0.0])
    places[len(motion) // 4 :, 2] = 0.2
    scene = scene_of(replace(motion, rotations=rotations, root_position=places))
    seen = Camera(scene, SIZE).project(np.concatenate([scene.places(0, solid) for solid in scene.solids]), 0)
    assert (seen[:, :2] > 0).all()
    assert (seen[:, :2] < SIZE).all()


def test_the_cameras_stand_where_their_names_say():
    scene = scene_of(walk(3.0))
    back = {name: Camera(scene, SIZE, name).back for name in CAMERAS}
    assert back["side"][1] < -0.9
    assert back["front"][0] > 0.9
    assert back["top"][2] > 0.9
    assert back["three-quarter"][0] > 0.3 > -0.3 > back["three-quarter"][1]
    with pytest.raises(FootfallError, match="unknown camera 'frnt': did you mean 'front'"):
        Camera(scene, SIZE, "frnt")


def test_a_walk_looks_the_same_wherever_it_happens():
    """Lines lie at whole metres, so whole metres aside change nothing."""
    motion = walk(3.0)
    moved = replace(motion, root_position=motion.root_position + np.array([0.0, 3.0, 0.0]))
    away = _painted(motion).astype(int) - _painted(moved)
    assert (np.abs(away).max(axis=-1) > 24).mean() < 1e-3


def test_left_is_blue_and_right_is_orange_from_both_sides():
    figure = Figure.load("human-28")
    motion = Motion.from_qpos(figure, np.arange(3.0), np.tile(figure.default_qpos, (3, 1)))
    image = _painted(motion, "front").astype(int)
    blue, orange = (image[..., 2] > image[..., 0] + 60), (image[..., 0] > image[..., 2] + 60)
    half = SIZE[0] // 2
    assert blue[:, half:].sum() > 100 > 10 > blue[:, :half].sum()
    assert orange[:, :half].sum() > 100 > 10 > orange[:, half:].sum()


def test_the_body_casts_a_shadow_on_the_ground():
    figure = Figure.load("human")
    motion = Motion.from_qpos(figure, np.arange(3.0), np.tile(figure.default_qpos, (3, 1)))
    standing = _painted(motion).astype(int)
    raised = motion.channels["qpos"].copy()
    raised[:, 2] += 30.0
    scene = scene_of(motion, np.array([0]))
    away = scene_of(Motion.from_qpos(figure, np.arange(3.0), raised), np.array([0]))
    empty = Painter(replace(away, root=scene.root), Camera(scene, SIZE)).paint(0).astype(int)
    darker = (empty - standing).sum(axis=-1) > 60
    ground = darker & (np.ptp(standing, axis=-1) < 30) & (standing.sum(axis=-1) > 330)
    assert ground.sum() > 60


def test_an_arrow_ends_where_the_push_acts():
    from footfall.cli.run import _motion
    from footfall.push import Push
    from footfall.simulation import Record, Simulation

    push = Push((200.0, 0.0, 0.0), 0.05, 0.1)
    simulation = Simulation("walk", pushes=[push], record=Record(rate=100.0))
    motion = _motion(simulation, simulation.run(0.3))
    scene = scene_of(motion)
    figure = simulation.figure
    body, place = push.place_on(figure)
    data = mujoco.MjData(figure.model)
    f = int(np.flatnonzero(np.abs(scene.push).sum(axis=1))[3])
    data.qpos[:] = simulation.trace().qpos[f, 0]
    mujoco.mj_kinematics(figure.model, data)
    at = data.xpos[body + 1] + data.xmat[body + 1].reshape(3, 3) @ np.array(place)
    np.testing.assert_allclose(scene.push_at[f], at, atol=1e-9)
    assert place[2] > 0.4
    arrow = arrow_at(scene, f)
    assert arrow.newtons == pytest.approx(200.0)
    assert np.linalg.norm(arrow.tip - at) < 0.03
    assert arrow.tail[0] < arrow.tip[0] - 0.2
    assert arrow_at(scene, 0) is None
    assert sum(mark.above for mark in marks_at(scene, f)) == 2


def test_films_take_part_speed_size_and_camera(tmp_path):
    import imageio.v3 as imageio

    whole = list(imageio.imiter(save(biped(), tmp_path / "a.mp4", fps=10, size=SIZE)))
    slow = list(imageio.imiter(save(biped(), tmp_path / "b.mp4", fps=10, size=SIZE, speed=0.5, start=1.0, end=2.0)))
    above = list(imageio.imiter(save(biped(), tmp_path / "c.gif", fps=10, size=SIZE, camera="top", start=1.0, end=2.0)))
    assert [len(whole), len(slow)] == [31, 21]
    assert abs(len(above) - 11) <= 1
    assert whole[0].shape == (SIZE[1], SIZE[0], 3)
    assert np.abs(above[0][..., :3].astype(int) - whole[10].astype(int)).mean() > 2
    for wrong, word in (({"speed": 0.0}, "speed 0"), ({"zoom": 2}, "unknown option for .mp4 files 'zoom'")):
        with pytest.raises(FootfallError, match=word):
            save(biped(), tmp_path / "d.mp4", **wrong)
    assert not (tmp_path / "d.mp4").exists()


def test_films_are_small(tmp_path):
    """20 s of 1280 x 720 may take 6 MB; the beginning of a film costs more than the rest."""
    save(walk(2.0), tmp_path / "m.mp4", size=(1280, 720))
    assert (tmp_path / "m.mp4").stat().st_size < 0.6e6


def test_films_say_what_they_show(tmp_path):
    frames = scene_of(walk(0.5), np.array([5]))
    plain = Painter(frames, Camera(frames, (640, 360), "side")).paint(0).copy()
    named = replace(frames, caption="walk · planar-biped")
    image = Painter(named, Camera(named, (640, 360), "side")).paint(0)
    changed = np.argwhere((image != plain).any(axis=2))
    assert changed[:, 0].max() < 30  # the title and the legend are in the upper corners, and nothing else differs
    for side in ("left", "right"):
        assert (image[:30] == hex_to_rgb(SIDE_COLOURS[side])).all(axis=2).sum() >= 20


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="no limit on the size of files here")
def test_a_film_that_does_not_fit_is_an_error_and_leaves_nothing(tmp_path):
    code = (
        "import resource, sys\n"
        "from footfall.errors import FootfallError\n"
        "from footfall.pictures import save\n"
        "from tests.motion.walks import walk\n"
        "motion = walk(1.0)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "try:\n"
        "    save(motion, sys.argv[1], size=(640, 360))\n"
        "except FootfallError as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-B", "-c", code, str(tmp_path / "m.mp4")]  # nor does it cut off compiled Python
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.stdout.startswith(f"{tmp_path / 'm.mp4'}: cannot write it: File too large; make room"), run.stderr[-500:]
    assert not list(tmp_path.iterdir())
