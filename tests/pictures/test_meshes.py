"""Meshes of a figure's file: where they are drawn, how their triangles are thinned out, and what is kept in files."""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from footfall.figures import Figure
from footfall.motion import Motion, load_motion, save_motion
from footfall.motion.skeleton.body_shape import body_solids
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.motion.skeleton.solids import MOST_TRIANGLES, MeshSolid, outlines_of, reduced, sharp_edged
from footfall.motion.skeleton.tree import Mesh
from footfall.pictures.files import save
from footfall.pictures.scene import scene_of
from tests.live.node import find_node
from tests.pictures.boxy_robot import LINKS, box_triangles, bumpy_ball, write_boxy_robot


@pytest.fixture(scope="module")
def figure(tmp_path_factory):
    return Figure.load(write_boxy_robot(tmp_path_factory.mktemp("boxy"), head=bumpy_ball()))


@pytest.fixture(scope="module")
def boxy(figure):
    qpos = np.tile(figure.default_qpos, (8, 1))
    qpos[:, figure.joint("left_hip_pitch").qpos] = np.linspace(0.0, 0.8, 8)
    return Motion.from_qpos(figure, np.arange(8) / 20.0, qpos)


def _mesh(triangles):
    places, corners = np.unique(np.round(triangles.reshape(-1, 3), 9), axis=0, return_inverse=True)
    return Mesh(0, places, corners.reshape(-1, 3))


def _volume(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return float(np.einsum("nk,nk->n", a, np.cross(b, c)).sum() / 6)


def test_bodies_are_drawn_where_mujoco_has_them(figure, boxy):
    """Corners of the links' boxes in every frame; surfaces face outward and enclose the boxes."""
    scene, model = scene_of(boxy), figure.model
    data = mujoco.MjData(model)
    for f in range(len(boxy)):
        data.qpos[:] = boxy.channels["qpos"][f]
        mujoco.mj_kinematics(model, data)
        for solid in scene.solids:
            name = figure.bodies[solid.joint].name
            if name == "torso":
                continue
            (g,) = np.flatnonzero(model.geom_bodyid == solid.joint + 1)
            m = int(model.geom_dataid[g])
            corners = model.mesh_vert[model.mesh_vertadr[m] :][: model.mesh_vertnum[m]]
            there = data.geom_xpos[g] + corners @ data.geom_xmat[g].reshape(3, 3).T
            drawn = scene.places(f, solid)
            assert np.linalg.norm(drawn[:, None] - there, axis=-1).min(axis=1).max() < 1e-6
            size, _ = LINKS[name.removeprefix("left_").removeprefix("right_")]
            assert _volume(solid.vertices, solid.triangles) == pytest.approx(np.prod(size), rel=1e-5)
            assert solid.side == next((side for side in ("left", "right") if side in name), "")


def test_a_box_has_sharp_edges_and_a_ball_none():
    box = _mesh(box_triangles((0.2, 0.3, 0.4)))
    vertices, normals, triangles = sharp_edged(box.vertices, box.triangles)
    assert len(vertices) == 24
    np.testing.assert_allclose(np.sort(np.abs(normals), axis=1), [[0, 0, 1]] * 24, atol=1e-9)
    np.testing.assert_allclose(vertices[triangles], box.vertices[box.triangles])
    ball = _mesh(bumpy_ball(24))
    vertices, normals, _ = sharp_edged(ball.vertices, ball.triangles)
    assert len(vertices) < 1.1 * len(ball.vertices)
    assert ((normals * vertices).sum(axis=1) > 0.8 * np.linalg.norm(vertices, axis=1)).all()


@pytest.mark.parametrize("most", [200, 1000, 5000])
def test_thinned_meshes_keep_their_form(most):
    ball, box = _mesh(bumpy_ball(70)), _mesh(box_triangles((0.3, 0.2, 0.1)))
    thin = reduced([ball, box], most)
    assert 0.4 * most < sum(len(mesh.triangles) for mesh in thin) <= most
    far = np.linalg.norm(thin[0].vertices, axis=1)
    assert 0.09 < far.min() <= far.max() < 0.11
    full = _volume(ball.vertices, ball.triangles)
    assert _volume(thin[0].vertices, thin[0].triangles) == pytest.approx(full, rel=12.0 / most + 0.02)
    np.testing.assert_allclose(np.ptp(thin[1].vertices, axis=0), (0.3, 0.2, 0.1), atol=1e-6)
    edges = {(int(a), int(b)) for t in thin[0].triangles for a, b in zip(t, np.roll(t, -1))}
    assert edges == {(b, a) for a, b in edges}
    assert reduced([ball], len(ball.triangles)) == (ball,)


def test_outlines_enclose_what_triangles_cover():
    """A box seen along z is its rectangle; two boxes apart are two outlines; a frame is drawn without its hole."""
    box = box_triangles((0.4, 0.2, 0.1))
    mesh = _mesh(box)
    (rim,) = outlines_of(mesh.vertices[:, :2], mesh.triangles)
    np.testing.assert_allclose([*rim.min(axis=0), *rim.max(axis=0)], [-0.2, -0.1, 0.2, 0.1], atol=0.004)
    x, y = rim.T
    assert 0.5 * np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) == pytest.approx(0.08, rel=0.02)
    apart = _mesh(np.concatenate([box, box + np.array([1.0, 0.0, 0.0])]))
    assert len(outlines_of(apart.vertices[:, :2], apart.triangles)) == 2
    bars = [((1.0, 0.1, 0.1), (0, 0.45, 0)), ((1.0, 0.1, 0.1), (0, -0.45, 0)), ((0.1, 1.0, 0.1), (0.45, 0, 0)),
            ((0.1, 1.0, 0.1), (-0.45, 0, 0))]  # fmt: skip
    frame = _mesh(np.concatenate([box_triangles(*bar) for bar in bars]))
    assert len(outlines_of(frame.vertices[:, :2], frame.triangles)) == 1


def test_a_very_fine_mesh_is_thinned_for_pictures(boxy):
    assert len(bumpy_ball()) > MOST_TRIANGLES
    assert sum(len(solid.triangles) for solid in body_solids(boxy.skeleton)) <= MOST_TRIANGLES


def test_every_kind_of_picture_shows_them(boxy, tmp_path):
    for name in ("strip.png", "strip.svg", "film.gif", "page.html"):
        options = {"size": (160, 120)} if name.endswith("gif") else {}
        assert save(boxy, tmp_path / name, **options).stat().st_size > 3000
    assert (tmp_path / "strip.svg").stat().st_size < 600_000
    data = _page(tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size < 1_000_000
    rows = data["body"]["solids"]
    assert all(row[0] == 0 for row in rows)
    vertices = np.frombuffer(base64.b64decode(data["body"]["vertices"]), "<i2").reshape(-1, 3)
    triangles = np.frombuffer(base64.b64decode(data["body"]["triangles"]), "<u4").reshape(-1, 3)
    assert len(vertices) == sum(row[1] for row in rows)
    assert len(triangles) == sum(row[4] for row in rows)


def _page(path):
    return json.loads(re.search(r'id="data">(.*?)</script>', path.read_text(), re.S)[1])


@pytest.mark.skipif(find_node() is None, reason="node is not installed")
def test_the_viewport_draws_the_same_triangles(boxy, tmp_path):
    """``shape`` of ``gl_painter.js`` under node: corners of all triangles, those of rings and of meshes alike."""
    from footfall.motion.skeleton.solids import capsule_solid
    from footfall.motion.skeleton.tree import Capsule
    from footfall.pictures.web_page import packed_body

    solids = [capsule_solid(Capsule(0, (0, 0, 0), (0, 0, 0.3), 0.05, 0.04)), *body_solids(boxy.skeleton)]
    body = packed_body(solids, range(len(boxy.skeleton)))
    folder = Path(sys.modules["footfall.pictures.web_page"].__file__).parent
    painter = "".join((folder / name).read_text() for name in ("vectors.js", "gl_painter.js"))
    script = painter.replace("\nexport ", "\n") + """
      const gl = new Proxy({}, { get: () => () => ({}) }), got = {};
      const view = Object.create(GLPainter.prototype);
      const buffer = (kind, data) => { got[data.constructor.name] = data; return {}; };
      Object.assign(view, { gl, buffer });
      const { count } = view.shape(BODY, { left: [0, 0, 1], right: [1, 0, 0], "": [0, 0, 0] });
      const at = i => [0, 1, 2].map(k => got.Float32Array[i * VERTEX + k]);
      console.log(JSON.stringify(Array.from(got.Uint32Array.slice(0, count), at)));
    """.replace("BODY", json.dumps(body))  # fmt: skip
    (tmp_path / "body.js").write_text(script)
    said = subprocess.run([find_node(), str(tmp_path / "body.js")], capture_output=True, text=True, check=True)
    drawn = np.array(json.loads(said.stdout)).reshape(-1, 3, 3)
    meant = np.concatenate([solid.vertices[solid.triangles] for solid in solids])
    rings = len(solids[0].triangles)
    np.testing.assert_allclose(drawn[rings:], meant[rings:], atol=body["step"])
    for corner in drawn[:rings]:
        assert np.abs(meant[:rings] - corner).max(axis=(1, 2)).min() < body["step"]


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".glb"])
def test_a_motion_file_keeps_the_meshes(boxy, tmp_path, suffix):
    save_motion(boxy, tmp_path / f"boxy{suffix}")
    again = load_motion(tmp_path / f"boxy{suffix}").skeleton
    for mesh, kept in zip(boxy.skeleton.meshes, again.meshes, strict=True):
        assert (kept.joint, kept.side) == (mesh.joint, mesh.side)
        np.testing.assert_array_equal(kept.triangles, mesh.triangles)
        np.testing.assert_allclose(kept.vertices, mesh.vertices, atol=2e-5)


@pytest.mark.parametrize("name", ["human-28", "planar-biped", "robo-bird"])
def test_figures_without_meshes_are_drawn_as_before(name):
    assert not any(isinstance(solid, MeshSolid) for solid in body_solids(skeleton_of(Figure.load(name))))


def test_links_without_their_meshes_are_drawn_as_large_as_their_masses(tmp_path):
    """An even box has the inertia of that very box; tubes join the links, and soles are on the ground."""
    path = write_boxy_robot(tmp_path, inertials=True)
    for file in (*tmp_path.glob("*.obj"), *tmp_path.glob("*.stl")):
        file.unlink()
    figure = Figure.load(path)
    assert figure.adoption is not None
    scene = scene_of(Motion.from_qpos(figure, np.zeros(1), figure.default_qpos[None]))
    drawn = {figure.bodies[solid.joint].name: solid for solid in scene.solids}
    assert drawn.keys() == {body.name for body in figure.bodies}
    for name, solid in drawn.items():
        part = name.removeprefix("left_").removeprefix("right_")
        if part in ("thigh", "shank"):
            np.testing.assert_allclose(np.ptp(solid.vertices, axis=0)[:2], LINKS[part][0][:2], atol=1e-3)
            assert np.ptp(solid.vertices[:, 2]) > LINKS[part][0][2]
        if part == "foot":
            assert float(scene.places(0, solid)[:, 2].min()) == pytest.approx(0.0, abs=1e-3)
    for left in (name for name in drawn if name.startswith("left_")):
        one, other = (scene.places(0, drawn[name]) for name in (left, left.replace("left", "right")))
        for end in (np.min, np.max):
            np.testing.assert_allclose(end(one[:, [0, 2]], axis=0), end(other[:, [0, 2]], axis=0), atol=1e-6)
        assert one[:, 1].max() == pytest.approx(-other[:, 1].min(), abs=1e-6)


def test_boxes_and_cylinders_of_a_robot_are_drawn_as_they_are(tmp_path):
    """Every drawn link reaches as far as its geoms, and encloses their volume, its edges cut a little."""
    path = write_boxy_robot(tmp_path, inertials=True)
    text = path.read_text()
    for name, (size, centre) in LINKS.items():
        half, place = " ".join(str(0.5 * edge) for edge in size), " ".join(map(str, centre))
        shape = f'<geom type="box" size="{half}" pos="{place}"/>'
        if name == "shank":
            shape = f'<geom type="cylinder" size="{0.5 * size[0]} {0.5 * size[2]}" pos="{place}"/>'
        text = text.replace(f'<geom class="seen" mesh="{name}"/>', shape)
    text = re.sub(r"<asset>.*?</asset>", "", text, flags=re.DOTALL).replace("left_", "L").replace("right_", "R")
    path.write_text(text.replace('axis="0 -1 0"', 'axis="0 1 0"'))
    figure = Figure.load(path)
    assert figure.adoption is not None
    scene = scene_of(Motion.from_qpos(figure, np.zeros(1), figure.default_qpos[None]))
    assert len(scene.solids) == len(figure.bodies)
    for solid in scene.solids:
        (original,) = figure.adoption.body_names[figure.bodies[solid.joint].name]
        size, _ = LINKS[next(name for name in LINKS if name in original)]
        wide = (size[0], size[0], size[2]) if "shank" in original else size
        np.testing.assert_allclose(np.ptp(solid.vertices, axis=0), wide, rtol=0.01)
        share = np.pi / 4 if "shank" in original else 1.0
        assert 0.9 < _volume(solid.vertices, solid.triangles) / (share * np.prod(wide)) <= 1.001
