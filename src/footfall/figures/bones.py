"""The ``.bones`` format of Laszlo's thesis (appendix B): a skeleton in its reference pose.

    bone <n>                          a new bone, the current one from here on
    seg <x,y,z> <x,y,z>               a straight segment of the current bone
    mass <m>, iner <ix> <iy> <iz>, cofm <x> <y> <z>
    hinge <parent> <x,y,z> <axis>     one rotation against a parent bone; uhinge takes two axes, ghinge three
    kpd hinge <bone>[:<dof>] <kp> <kd>
    mon <x,y,z> [<bone>]              a monitor point, on the bone whose segment is nearest unless one is named
    kpd mon <n> <kp> <kd>             gains of the ground at point n; zeros make it a marker
    set up_mon <a>,<b>,<c>            points that span the up vector: origin, tip, aside; also cofm_mon <swing>,<stance>

Footfall adds

    include <file>                    read another file first
    weld <bone>:<dof> …               hold rotations in the reference pose; a bone held altogether joins its parent
    pose <bone>:<dof> <degrees>       an angle of the default pose, which is otherwise the reference pose
    rename <bone> <name>
    unit <m>                          length of one coordinate
    rods <radius> <density>           bones without a mass are cylinders along their segments, m and kg/m³

A comment on a bone, hinge or monitor line is its name.

The thesis has forward -x, right -z, up +y; footfall has forward x, left y, up z: (x, y, z) -> (-x, z, y), a rotation.
Joint axes become -y (pitch), x (roll) and z (yaw), so that hips are positive forward and to the left; where that turns
an axis round, the joint's sign is -1: footfall's angle = sign · thesis's angle.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from footfall.figures.inertia import combine


@dataclass(frozen=True)
class Hinge:
    """One rotation of a bone against its parent, in footfall's axes."""

    name: str
    axis: tuple[float, float, float]
    sign: float
    """footfall's angle = sign · thesis's angle."""
    kp: float = 0.0
    kd: float = 0.0
    pose: float = 0.0
    """The thesis's angle in the default pose, rad."""
    welded: bool = False


@dataclass(frozen=True, eq=False)
class Bone:
    """A bone in the reference pose, in footfall's axes; positions in the world, inertia about the centre of mass."""

    number: int
    name: str
    parent: int | None = None
    """Number of the parent bone."""
    anchor: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    """[3], where its hinges are; for the first bone the middle of its segments."""
    hinges: tuple[Hinge, ...] = ()
    segments: tuple[NDArray[np.float64], ...] = ()
    """Each [2, 3]."""
    radii: tuple[float, ...] = ()
    """How thick its segments are drawn: as the matter of its mass at the density of water, m."""
    mass: float = 0.0
    com: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    inertia: NDArray[np.float64] = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(frozen=True, eq=False)
class Monitor:
    """A monitor point in the reference pose, in footfall's axes."""

    name: str
    position: NDArray[np.float64]
    bone: int
    ground: bool = True


@dataclass(frozen=True, eq=False)
class Bones:
    """A skeleton as a ``.bones`` file describes it, in footfall's axes."""

    bones: dict[int, Bone]
    monitors: tuple[Monitor, ...]
    settings: dict[str, tuple[int, ...]]

    @property
    def hinges(self) -> tuple[Hinge, ...]:
        """Every rotation in the script's order: the columns of the thesis's pose tables."""
        return tuple(hinge for bone in self.bones.values() for hinge in bone.hinges if not hinge.welded)

    def rigid(self) -> "Bones":
        """The same skeleton with every bone that is welded altogether made part of its parent."""
        bones = dict(self.bones)
        owner = {number: number for number in bones}
        for number in reversed(list(bones)):
            bone = bones[number]
            if bone.parent is None or not all(hinge.welded for hinge in bone.hinges):
                continue
            parent = bones[bone.parent]
            mass, com, inertia = combine(
                np.asarray(parent.mass), parent.com, parent.inertia, np.asarray(bone.mass), bone.com, bone.inertia
            )
            bones[bone.parent] = replace(
                parent,
                mass=float(mass),
                com=com,
                inertia=inertia,
                segments=(*parent.segments, *bone.segments),
                radii=(*parent.radii, *bone.radii),
            )
            del bones[number]
            owner = {key: bone.parent if value == number else value for key, value in owner.items()}
            for key, child in bones.items():
                if child.parent == number:
                    bones[key] = replace(child, parent=bone.parent)
        monitors = tuple(replace(monitor, bone=owner[monitor.bone]) for monitor in self.monitors)
        return Bones(bones, monitors, self.settings)
