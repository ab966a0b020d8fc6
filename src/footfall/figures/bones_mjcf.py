"""A skeleton of the thesis as MJCF: capsules along its segments, boxes for its feet."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from footfall.figures.bones import Bone, Bones, Hinge, Monitor

SOLE = 0.01
"""Radius of the spheres that MuJoCo's own contacts see at a foot's points."""

_HEAD = """<mujoco model="{name}">
  <compiler angle="radian" autolimits="true"/>
  <option gravity="0 0 -9.8" timestep="0.0005" integrator="implicitfast"/>
  <default>
    <default class="figure">
      <joint type="hinge"/>
      <geom contype="2" conaffinity="0" group="2" friction="1" rgba="0.55 0.60 0.66 1"/>
      <site size="0.012" rgba="0.85 0.30 0.20 1"/>
      <default class="right">
        <geom rgba="0.80 0.45 0.30 1"/>
      </default>
      <default class="sole">
        <geom type="sphere" size="{sole:g}" contype="1" priority="1" group="3" rgba="0.85 0.30 0.20 1"/>
      </default>
    </default>
  </default>
"""


def bones_to_mjcf(bones: Bones, name: str) -> str:
    """MJCF text of a skeleton on a free root, in its reference pose; body frames are at the hinges, in world axes.

    Args:
        bones: the skeleton; bones that are welded altogether become part of their parents.
        name: the model's name.
    """
    rigid = _with_bars(bones).rigid()
    children: dict[int | None, list[Bone]] = {}
    for bone in rigid.bones.values():
        children.setdefault(bone.parent, []).append(bone)
    (root,) = children[None]
    lines = [_HEAD.format(name=name, sole=SOLE)]
    torso = _torso(rigid)
    lines.append(f'  <custom>\n    <text name="torso" data="{torso}"/>\n  </custom>\n')
    lines.append("  <worldbody>")
    lines += _body(rigid, children, root, np.zeros(3), "    ")
    lines.append("  </worldbody>\n\n  <actuator>")
    for hinge in _hinges(children, root):
        lines.append(f'    <position name="{hinge.name}" joint="{hinge.name}" kp="{hinge.kp:g}" kv="{hinge.kd:g}"/>')
    height = root.anchor[2] - min((m.position[2] for m in rigid.monitors), default=0.0)
    angles = _text([hinge.sign * hinge.pose for hinge in _hinges(children, root)])
    pose = f"0 0 {height:.12g}  1 0 0 0  {angles}"
    lines.append(f'  </actuator>\n\n  <keyframe>\n    <key name="home" qpos="{pose}"/>\n  </keyframe>\n</mujoco>\n')
    return "\n".join(lines)


def _torso(bones: Bones) -> str:
    """The bone that carries the up vector, or else the first."""
    if "up_mon" in bones.settings:
        return bones.bones[bones.monitors[bones.settings["up_mon"][0] - 1].bone].name
    return next(iter(bones.bones.values())).name


def _hinges(children: dict[int | None, list[Bone]], bone: Bone) -> Iterator[Hinge]:
    """The free hinges in the order in which MuJoCo numbers joints: depth first."""
    yield from (hinge for hinge in bone.hinges if not hinge.welded)
    for child in children.get(bone.number, []):
        yield from _hinges(children, child)


def _body(
    bones: Bones, children: dict[int | None, list[Bone]], bone: Bone, origin: NDArray[np.float64], indent: str
) -> list[str]:
    inner = indent + "  "
    style = "right" if bone.name.startswith("right_") else "figure"
    lines = [f'{indent}<body name="{bone.name}" pos="{_text(bone.anchor - origin)}" childclass="{style}">']
    if bone.parent is None:
        lines.append(f'{inner}<freejoint name="root"/>')
    for hinge in bone.hinges:
        if not hinge.welded:
            lines.append(f'{inner}<joint name="{hinge.name}" axis="{_text(hinge.axis)}"/>')
    i = bone.inertia
    full = _text([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])
    tensor = f'diaginertia="{_text(np.diag(i))}"' if np.allclose(i, np.diag(np.diag(i))) else f'fullinertia="{full}"'
    lines.append(f'{inner}<inertial pos="{_text(bone.com - bone.anchor)}" mass="{bone.mass:.12g}" {tensor}/>')
    points = [monitor for monitor in bones.monitors if monitor.bone == bone.number]
    lines += [inner + line for line in _geoms(bone, points)]
    for point in points:
        group = "" if point.ground else ' group="4"'
        lines.append(f'{inner}<site name="{point.name}" pos="{_text(point.position - bone.anchor)}"{group}/>')
    for child in children.get(bone.number, []):
        lines += _body(bones, children, child, bone.anchor, inner)
    return [*lines, f"{indent}</body>"]


def _geoms(bone: Bone, points: list[Monitor]) -> list[str]:
    soles = [p.position - bone.anchor for p in points if p.ground] if "foot" in bone.name else []
    lines = []
    if len(soles) >= 3:
        low, high = np.min(soles, axis=0), np.max(soles, axis=0)
        top = max(0.4 * low[2], low[2] + 2.0 * SOLE)
        centre = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + top) / 2]
        size = [(high[0] - low[0]) / 2, (high[1] - low[1]) / 2, (top - low[2]) / 2]
        lines.append(f'<geom type="box" pos="{_text(centre)}" size="{_text(size)}"/>')
    elif bone.segments:
        lines += [_capsule(segment - bone.anchor, radius) for segment, radius in zip(bone.segments, bone.radii)]
    for sole in soles:
        lines.append(f'<geom class="sole" pos="{_text(sole + np.array([0.0, 0.0, SOLE]))}"/>')
    return lines


def _with_bars(bones: Bones) -> Bones:
    """With a segment across from each left limb's joint to the right one's, which carries the pair."""
    barred = dict(bones.bones)
    named = {bone.name: bone for bone in bones.bones.values()}
    for left in bones.bones.values():
        right = named.get(left.name.replace("left_", "right_", 1))
        if right is None or right is left or left.parent is None or right.parent != left.parent:
            continue
        parent = barred[left.parent]
        segments = (*parent.segments, np.stack([left.anchor, right.anchor]))
        radii = (*parent.radii, min((*left.radii, *right.radii), default=2.0 * SOLE))
        barred[left.parent] = replace(parent, segments=segments, radii=radii)
    return replace(bones, bones=barred)


def _capsule(ends: NDArray[np.float64], radius: float) -> str:
    return f'<geom type="capsule" fromto="{_text(ends.ravel())}" size="{radius:.4g}"/>'


def _text(values: Sequence[float] | NDArray[np.float64]) -> str:
    return " ".join(f"{float(v):.12g}" for v in np.asarray(values) + 0.0)
