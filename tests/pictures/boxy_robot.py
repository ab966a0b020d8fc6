"""A robot of boxes whose links are meshes in files: its own small OBJ and STL files and an MJCF around them."""

import struct
from pathlib import Path

import numpy as np

__all__ = ["LINKS", "box_triangles", "bumpy_ball", "write_boxy_robot", "write_obj", "write_stl"]

LINKS = {
    "pelvis": ((0.16, 0.24, 0.12), (0.0, 0.0, 0.0)),
    "torso": ((0.20, 0.34, 0.40), (0.0, 0.0, 0.22)),
    "thigh": ((0.12, 0.10, 0.34), (0.0, 0.0, -0.19)),
    "shank": ((0.10, 0.08, 0.34), (0.0, 0.0, -0.19)),
    "foot": ((0.24, 0.10, 0.06), (0.04, 0.0, -0.05)),
}
"""Edges and centre of each link's box in its body's frame, metres."""


def box_triangles(size, centre=(0.0, 0.0, 0.0)):
    """Corners [12, 3, 3] of the triangles of a box, counter-clockwise from outside."""
    found = []
    for axis in range(3):
        u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
        for way in (-1.0, 1.0):
            square = [way * np.eye(3)[axis] + a * u + b * v for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            square = square if way > 0 else square[::-1]
            found += [[square[0], square[1], square[2]], [square[0], square[2], square[3]]]
    return 0.5 * np.array(found) * size + centre


def bumpy_ball(rows=80, radius=0.1):
    """Corners [N, 3, 3] of the triangles of a ball with waves on it: many small ones."""
    polar = np.linspace(0.0, np.pi, rows + 1)
    turn = np.linspace(0.0, 2 * np.pi, 2 * rows + 1)[:-1]
    p, t = np.meshgrid(polar, turn, indexing="ij")
    r = radius * (1 + 0.05 * np.cos(6 * t) * np.sin(p) ** 2)
    places = r[..., None] * np.stack([np.sin(p) * np.cos(t), np.sin(p) * np.sin(t), np.cos(p)], axis=-1)
    a, b = places[:-1], places[1:]
    c, d = np.roll(b, -1, axis=1), np.roll(a, -1, axis=1)
    lower, upper = np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)
    return np.concatenate([lower.reshape(-1, 3, 3)[: -2 * rows], upper.reshape(-1, 3, 3)[2 * rows :]])


def write_obj(path: Path, triangles):
    """An OBJ file of triangles [N, 3, 3]."""
    places, corners = np.unique(np.round(triangles.reshape(-1, 3), 9), axis=0, return_inverse=True)
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in places]
    lines += ["f {} {} {}".format(*(corner + 1)) for corner in corners.reshape(-1, 3)]
    path.write_text("\n".join(lines) + "\n")


def write_stl(path: Path, triangles):
    """A binary STL file of triangles [N, 3, 3]."""
    rows = [struct.pack("<12fH", 0, 0, 0, *triangle.reshape(-1), 0) for triangle in triangles]
    path.write_bytes(bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows))


def write_boxy_robot(folder: Path, *, head=None, inertials=False):
    """``boxy.xml`` and its meshes in ``folder``; the path of the figure.

    Args:
        folder: where. head: triangles [N, 3, 3] of a head, or None.
        inertials: write the masses of even boxes into the file, so that it can be read without the meshes.
    """
    for name, (size, centre) in LINKS.items():
        write, suffix = (write_stl, "stl") if name in ("thigh", "foot") else (write_obj, "obj")
        write(folder / f"{name}.{suffix}", box_triangles(size, centre))
    if head is not None:
        write_stl(folder / "head.stl", head)
    crown = '<geom class="seen" mesh="head" pos="0 0 0.55"/>' if head is not None else ""
    asset = "".join(
        f'<mesh file="{name}.{"stl" if name in ("thigh", "foot", "head") else "obj"}"/>'
        for name in (*LINKS, *(["head"] if head is not None else []))
    )
    masses = {name: _inertial(*box) if inertials else "" for name, box in LINKS.items()}
    legs = "".join(_leg(side, y, masses) for side, y in (("left", 0.08), ("right", -0.08)))
    path = folder / "boxy.xml"
    path.write_text(
        f"""<mujoco model="boxy">
  <compiler angle="radian"/>
  <default>
    <joint damping="0.1"/>
    <default class="seen"><geom type="mesh" group="1" contype="0" conaffinity="0" density="300"/></default>
  </default>
  <asset>{asset}</asset>
  <worldbody>
    <body name="pelvis" pos="0 0 0.9">
      <freejoint name="root"/>{masses["pelvis"]}
      <geom class="seen" mesh="pelvis"/>
      <site name="seat" pos="-0.08 0 -0.06"/>
      <body name="torso" pos="0 0 0.06">
        <joint name="waist_yaw" axis="0 0 1" range="-0.8 0.8"/>{masses["torso"]}
        <geom class="seen" mesh="torso"/>{crown}
      </body>
      {legs}
    </body>
  </worldbody>
  <actuator>
    {"".join(_motors(side) for side in ("left", "right"))}<position joint="waist_yaw" kp="200" kv="20"/>
  </actuator>
</mujoco>
"""
    )
    return path


def _inertial(size, centre):
    """The mass and the inertia of an even box of 300 kg/m³."""
    mass = 300.0 * np.prod(size)
    x, y, z = (mass * (np.sum(np.square(size)) - edge**2) / 12 for edge in size)
    place = " ".join(map(str, centre))
    return f'<inertial pos="{place}" mass="{mass:.9g}" diaginertia="{x:.9g} {y:.9g} {z:.9g}"/>'


def _leg(side, y, masses):
    ends = [(end, x, n, w) for end, x in (("heel", -0.08), ("toe", 0.16)) for n, w in (("a", -0.05), ("b", 0.05))]
    sites = "".join(f'<site name="{side}_{end}_{n}" pos="{x} {w} -0.08"/>' for end, x, n, w in ends)
    return f"""
      <body name="{side}_thigh" pos="0 {y} -0.06">
        <joint name="{side}_hip_roll" axis="1 0 0" range="-0.6 0.6"/>
        <joint name="{side}_hip_pitch" axis="0 -1 0" range="-1 1.6"/>{masses["thigh"]}
        <geom class="seen" mesh="thigh"/>
        <body name="{side}_shank" pos="0 0 -0.38">
          <joint name="{side}_knee" axis="0 -1 0" range="-2.2 0"/>{masses["shank"]}
          <geom class="seen" mesh="shank"/>
          <body name="{side}_foot" pos="0 0 -0.38">
            <joint name="{side}_ankle_pitch" axis="0 -1 0" range="-0.7 0.7"/>{masses["foot"]}
            <geom class="seen" mesh="foot"/>{sites}
          </body>
        </body>
      </body>"""


def _motors(side):
    rows = (("hip_roll", 300, 80), ("hip_pitch", 300, 120), ("knee", 300, 120), ("ankle_pitch", 150, 40))
    return "".join(
        f'<position joint="{side}_{joint}" kp="{kp}" kv="{kp / 10}" forcerange="-{most} {most}"/>'
        for joint, kp, most in rows
    )
