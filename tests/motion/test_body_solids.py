"""The shape of bodies: closed, outward, mirrored, as large as the skeleton, and in contact with the ground."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from footfall.figures import Figure, figure_names
from footfall.motion import Motion, Skeleton, body_solids, find_roles
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.motion.skeleton.solids import Solid, ring_outline
from footfall.pictures.scene import scene_of
from tests.motion.walks import person

HUMANS = ("human", "human-28")


def _skeletons():
    return {name: skeleton_of(Figure.load(name)) for name in figure_names()} | {"person": person()}


SKELETONS = _skeletons()


def _placed(skeleton, solid):
    from footfall.motion.quaternion import rotate

    places, turns = skeleton.forward(np.zeros(3), skeleton.rest)
    return places[solid.joint] + rotate(turns[solid.joint], solid.vertices)


def _volume(solid):
    a, b, c = (solid.vertices[solid.triangles[:, k]] for k in range(3))
    return float(np.einsum("nk,nk->n", a, np.cross(b, c)).sum() / 6)


@pytest.mark.parametrize("name", SKELETONS)
def test_solids_are_closed_and_face_outward(name):
    for solid in body_solids(SKELETONS[name]):
        R, K = solid.rings.shape[:2]
        point = np.arange(R * K)
        point[:K], point[-K:] = 0, (R - 1) * K
        corners = point[solid.triangles]
        edges = [(a, b) for t in corners for a, b in zip(t, np.roll(t, -1))]
        assert Counter(edges) == Counter((b, a) for a, b in edges)
        assert _volume(solid) > 0
        np.testing.assert_allclose(np.linalg.norm(solid.normals, axis=-1), 1.0, atol=1e-9)
        assert np.ptp(solid.rings[[0, -1]], axis=1).max() < 1e-9


@pytest.mark.parametrize("name", [*HUMANS, "person"])
def test_a_person_has_every_part_and_is_its_own_mirror_image(name):
    skeleton = SKELETONS[name]
    solids = body_solids(skeleton)
    assert {"trunk", "neck", "head", "upper_arm", "forearm", "hand", "thigh", "shank", "foot"} <= {
        s.part for s in solids
    }
    left, right = (np.concatenate([_placed(skeleton, s) for s in solids if s.side == k]) for k in ("left", "right"))
    mirrored = right * [1.0, -1.0, 1.0]
    order = [np.lexsort(np.round(points, 6).T) for points in (left, mirrored)]
    np.testing.assert_allclose(left[order[0]], mirrored[order[1]], atol=1e-6)


@pytest.mark.parametrize("name", [*HUMANS, "person"])
def test_a_body_grows_with_its_skeleton(name):
    skeleton, k = SKELETONS[name], 1.3
    larger = Skeleton(
        skeleton.names,
        skeleton.parents,
        k * skeleton.offsets,
        rest=skeleton.rest,
        ends=tuple(replace(end, offset=tuple(k * v for v in end.offset)) for end in skeleton.ends),
        mass=skeleton.mass,
        com=None if skeleton.com is None else k * skeleton.com,
        capsules=tuple(
            replace(c, start=tuple(k * v for v in c.start), end=tuple(k * v for v in c.end)) for c in skeleton.capsules
        ),
    )
    for small, large in zip(body_solids(skeleton), body_solids(larger), strict=True):
        np.testing.assert_allclose(large.rings, k * small.rings, atol=1e-9)


@pytest.mark.parametrize("name", HUMANS)
def test_a_human_stands_on_its_soles_and_has_a_humans_volume(name):
    figure, skeleton = Figure.load(name), SKELETONS[name]
    solids = body_solids(skeleton)
    places = skeleton.forward(np.zeros(3), skeleton.rest)[0]
    heights = np.concatenate([_placed(skeleton, s)[:, 2] for s in solids])
    sole = min(places[e.joint, 2] + e.offset[2] for e in skeleton.ends if e.contact)
    assert abs(heights.min() - sole) < 0.003
    assert 1.75 < np.ptp(heights) < 1.85
    litres = 1000 * sum(_volume(s) for s in solids)
    assert 0.75 < litres / sum(body.mass for body in figure.bodies) < 1.15


@pytest.mark.parametrize("name", HUMANS)
def test_neighbours_meet_at_their_joint(name):
    """A joint lies inside the solids on either side of it, so that no gap opens when it turns."""
    skeleton = SKELETONS[name]
    roles = find_roles(skeleton)
    places = skeleton.forward(np.zeros(3), skeleton.rest)[0]
    for role, parts in (("left_knee", ("thigh", "shank")), ("right_elbow", ("upper_arm", "forearm"))):
        side = role.split("_")[0]
        for solid in body_solids(skeleton):
            if solid.side == side and solid.part in parts:
                inside = np.einsum("vk,vk->v", _placed(skeleton, solid) - places[roles[role]], _turned(skeleton, solid))
                assert inside.min() > 0.0, (role, solid.part)


def _turned(skeleton, solid):
    from footfall.motion.quaternion import rotate

    return rotate(skeleton.forward(np.zeros(3), skeleton.rest)[1][solid.joint], solid.normals)


@pytest.mark.parametrize("name", ["planar-biped", "robo-bird"])
def test_other_figures_keep_their_own_capsules(name):
    skeleton = SKELETONS[name]
    solids = body_solids(skeleton)
    assert len(solids) - len(skeleton.capsules) == (1 if name == "planar-biped" else 0)
    assert any(solid.part == "head" for solid in solids)
    for solid, capsule in zip(solids, skeleton.capsules):
        a, b = np.array(capsule.start), np.array(capsule.end)
        share = np.clip((solid.vertices - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0.0, 1.0)
        away = np.linalg.norm(solid.vertices - a - share[:, None] * (b - a), axis=-1)
        assert away.max() < max(capsule.radius_start, capsule.radius_end) + 1e-9


def test_an_outline_holds_every_point_of_a_tube():
    """Seen from its side and, where rings cover one another, from its end."""
    turn = 2 * np.pi * np.arange(24) / 24
    ring = np.stack([0.1 * np.cos(turn), 0.3 * np.sin(turn)], axis=-1)
    rings = ring[None] + np.linspace([0.0, 0.0], [2.0, 0.0], 9)[:, None]
    outline = ring_outline(rings)
    assert np.isclose(np.ptp(outline[:, 1]), 0.6)
    lengthwise = np.broadcast_to(np.linspace(0.0, 0.2, 5)[:, None, None], (5, 24, 1))
    closed = ring * np.array([0.0, 1.0, 1.0, 1.0, 0.0])[:, None, None]
    tube = Solid(0, np.concatenate([closed, lengthwise], axis=-1))
    (end_on,) = tube.outlines(tube.vertices[:, :2])
    assert np.allclose(np.ptp(end_on, axis=0), [0.2, 0.6], atol=0.01)


@pytest.mark.parametrize("name", figure_names())
def test_drawn_feet_stand_on_the_ground(name):
    """In the default pose, also where the sole is not level in the rest pose."""
    figure = Figure.load(name)
    scene = scene_of(Motion.from_qpos(figure, np.zeros(1), figure.default_qpos[None]))
    feet = [scene.places(0, solid) for solid in scene.solids if "foot" in figure.bodies[solid.joint].name]
    low = [float(places[:, 2].min()) for places in feet]
    assert max(map(abs, low)) < 0.012
