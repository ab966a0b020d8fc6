"""Boxes as solids: closed, of the right volume, seen from outside."""

import numpy as np

from footfall.pictures.scene import box_solid


def test_a_box_has_its_volume_and_looks_outwards():
    solid = box_solid(3, (0.2, 0.3, 0.5))
    a, b, c = (solid.vertices[solid.triangles[:, k]] for k in range(3))
    volume = float((a * np.cross(b, c)).sum() / 6.0)
    assert abs(volume - 0.2 * 0.3 * 0.5) < 1e-9
    assert (solid.normals * solid.vertices).sum(axis=-1).min() > 0.0
