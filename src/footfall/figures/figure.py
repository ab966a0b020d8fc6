"""A figure: an articulated body with the roles that its parts play in walking."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError, unknown_name
from footfall.escaping import plain_line, shell_words
from footfall.figures import reading
from footfall.figures.adoption import Adoption, adopt
from footfall.figures.adoption.source import follows_conventions
from footfall.figures.body_parameters import BodyParameters, edit_bodies, parameters_of, reshaped_spec, standing_heights
from footfall.figures.bones import bones_to_mjcf, read_bones
from footfall.figures.builtin import builtin_mjcf, figure_names, guest_body, guest_figure
from footfall.figures.contact_points import Ball, add_contact_points, skin_of
from footfall.figures.inertia import GRAVITY
from footfall.figures.mirror import Mirror, Sides
from footfall.figures.mjcf import check_numbers, one_line, read_spec, turn_root_axes
from footfall.figures.parts import PITCH, Body, Joint, Leg, Point, joint_roles
from footfall.figures.side_names import Side
from footfall.figures.solid_shapes import SolidShapes, solid_shapes
from footfall.text_files import is_file, read_text

_Part = TypeVar("_Part", Body, Joint, Point)


@dataclass(frozen=True, eq=False)
class Figure:
    """An articulated figure, compiled by MuJoCo and never changed.

    Made by ``Figure.load``. The conventions that an MJCF file follows are in the documentation of ``footfall.figures``.
    """

    name: str
    xml: str
    """The MJCF text, as given; of a figure made from another one as MuJoCo writes it, with six digits."""
    model: Any
    """The compiled ``mujoco.MjModel``. Read it; to change something use ``spec`` or ``with_body_parameters``."""
    root: Literal["planar", "free", "fixed"]
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    points: tuple[Point, ...]
    torso: str
    legs: Mapping[Side, Leg]
    default_qpos: NDArray[np.float64]
    """[nq], standing on the ground."""
    kp: NDArray[np.float64]
    """[nv], servo stiffness, zero where there is no servo."""
    kd: NDArray[np.float64]
    """[nv], servo damping."""
    torque_limit: NDArray[np.float64]
    """[nv], infinite without a limit."""
    lower: NDArray[np.float64]
    """[nv], lower joint limits, infinite without."""
    upper: NDArray[np.float64]
    """[nv], upper joint limits."""
    _spec: Any = field(repr=False)
    _recipe: tuple[Any, ...] = field(repr=False)
    """The call that makes this figure again, in another process."""
    adoption: Adoption | None = field(repr=False, default=None)
    """Where a body from a stranger's file comes from, and the way back; None for one in footfall's conventions."""

    @property
    def root_freedoms(self) -> int:
        """How many degrees of freedom place the root in the world; no motor drives them."""
        return {"planar": 3, "free": 6, "fixed": 0}[self.root]

    @property
    def source(self) -> str:
        """The file that it was read from, else its name: what commands take for it."""
        make, origin, *_ = self._recipe
        return str(origin) if make == Figure.load else self.name

    @property
    def gravity(self) -> float:
        """m/s² by which its bodies weigh what they weigh; people's where its file has none."""
        return float(np.linalg.norm(self.model.opt.gravity)) or GRAVITY

    @classmethod
    def load(cls, source: str | Path) -> "Figure":
        """Read a figure: a name (``footfall show``), a file (``.xml`` for MJCF, ``.urdf``, ``.bones``), or MJCF text.

        A file that does not follow footfall's conventions is brought to them (:mod:`footfall.figures.adoption`). A
        motion file gives the person in it, with a usual mass; :func:`footfall.motion.figure_from_motion` has options.
        """
        text = str(source)
        if text.lstrip().startswith("<"):
            return cls._from_text(text, "MJCF text", None)
        guest = guest_figure(text)
        if guest is not None:
            return cls._from_file(guest, text)
        if text in figure_names():
            return cls._from_text(builtin_mjcf(text), f"figure '{text}'", text)
        return cls._from_file(Path(source), None)

    @classmethod
    def _from_file(cls, path: Path, name: str | None) -> "Figure":
        """A figure from its file; ``name`` is that of one that another package adds, which is then its own."""
        if path.suffix not in (".xml", ".urdf", ".bones"):
            body = guest_body(path) if path.suffix else None
            if body is None:
                raise unknown_name("figure", str(path), figure_names())
            return cls.load(body.xml)
        if not is_file(path):
            raise FootfallError(f"figure file {path} does not exist")
        if path.suffix == ".bones":
            own = name or path.stem
            return cls._from_text(bones_to_mjcf(read_bones(path), own), str(path), own)
        if not follows_conventions(path):
            return cls._adopted(path, name)
        spec = read_spec(path)
        text = read_text(path)
        unnamed = spec.modelname in ("", "MuJoCo Model")
        xml = spec.to_xml() if "<include" in text else text
        return cls._from_spec(spec, xml, name or (path.stem if unnamed else None), (cls.load, name or path))

    @classmethod
    def _adopted(cls, path: Path, name: str | None) -> "Figure":
        adopted = adopt(path)
        spec = adopted.spec
        figure = cls._from_spec(spec, spec.to_xml(), name or adopted.name, (cls.load, name or path))
        return replace(figure, adoption=adopted.way_back(figure.model))

    @classmethod
    def _from_text(cls, text: str, where: str, name: str | None) -> "Figure":
        try:
            spec = mujoco.MjSpec.from_string(text)
        except ValueError as error:
            raise FootfallError(f"{where}: MuJoCo cannot read it: {one_line(error)}") from error
        return cls._from_spec(spec, text, name, (cls._from_text, text, where, name))

    @classmethod
    def _from_spec(cls, spec: Any, xml: str, name: str | None, recipe: tuple[Any, ...]) -> "Figure":
        name = name or str(spec.modelname)
        try:
            model = spec.compile()
        except ValueError as error:
            raise FootfallError(f"figure '{name}': MuJoCo cannot compile it: {one_line(error)}") from error
        check_numbers(model, name)
        if plain_line(all_names := model.names.decode().replace("\0", "")) != all_names:
            raise FootfallError(f"figure '{name}': a name in it holds a control character or the end of a line")
        if model.nbody < 2:
            raise FootfallError(f"figure '{name}': it has no body")
        if turn_root_axes(spec, model):
            model, xml = spec.compile(), spec.to_xml()
        root = reading.read_root(model, name)
        bodies = reading.read_bodies(model)
        feet = reading.read_feet(model, bodies, name)
        if add_contact_points(spec, model, feet, reading.read_home(model)):
            model, xml = spec.compile(), spec.to_xml()
        joints = reading.read_joints(model, root, name)
        points = reading.read_points(model, feet)
        default_qpos = reading.read_default_qpos(model, root, points)
        return cls(
            name=name,
            xml=xml,
            model=model,
            root=root,
            bodies=bodies,
            joints=joints,
            points=points,
            torso=reading.read_torso(model, bodies, name),
            legs=MappingProxyType(reading.read_legs(model, bodies, points, default_qpos)),
            default_qpos=default_qpos,
            _spec=spec,
            _recipe=recipe,
            adoption=None,
            **reading.read_dof_vectors(model, name),
        )

    def __repr__(self) -> str:
        mass = sum(body.mass for body in self.bodies)
        moving = [joint for joint in self.joints if self.root == "fixed" or joint.body > 0]
        soles = sum(point.foot is not None and point.ground for point in self.points)
        falls = sum(point.foot is None and point.ground for point in self.points)
        lines = [
            f"<Figure {self.name}: {self.root} root, {len(self.bodies)} bodies, {len(moving)} joints, "
            f"{sum(joint.actuated for joint in moving)} of them driven, {mass:.1f} kg>",
            f"  nq {self.nq}, nv {self.nv}; torso '{self.torso}'; {soles} contact points on soles, {falls} elsewhere",
        ]
        if self.legs:
            lines.append(f"  a leg: {', '.join(self.legs['left'].links)}")
        lines.append("  next: figure.joint(NAME), figure.roles, figure.default_qpos, figure.model (MuJoCo's)")
        lines.append(
            f"  as a table and a picture: {shell_words('footfall', 'show', self.name, '--out', f'{self.name}.png')}"
        )
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        make, *arguments = self._recipe
        return make, tuple(arguments)

    @property
    def nq(self) -> int:
        """Length of qpos."""
        return int(self.model.nq)

    @property
    def nv(self) -> int:
        """Length of qvel: the degrees of freedom, those of the root included."""
        return int(self.model.nv)

    def spec(self) -> Any:
        """A fresh ``mujoco.MjSpec`` of this figure, to be edited and compiled (a scene around it, say)."""
        return self._spec.copy()

    def body(self, name: str) -> Body:
        """The body of that name; of an adopted body also by a name in its file."""
        if self.adoption is not None and name not in self.adoption.body_names:
            name = self.adoption.body_of(name) or name
        return _named(self.bodies, name, f"body of figure '{self.name}'")

    def joint(self, name: str) -> Joint:
        """The joint of that name; of an adopted body also by its name in the file."""
        if self.adoption is not None and name not in self.adoption.joints:
            name = self.adoption.joint_of(name) or name
        return _named(self.joints, name, f"joint of figure '{self.name}'")

    def point(self, name: str) -> Point:
        """The contact point of that name."""
        return _named(self.points, name, f"point of figure '{self.name}'")

    def leg(self, side: Side) -> Leg:
        """The leg on that side."""
        if not self.legs:
            raise FootfallError(f"figure '{self.name}' has no legs: it needs sites on bodies left_foot and right_foot")
        return self.legs[side]

    @cached_property
    def roles(self) -> Mapping[str, tuple[str, str]]:
        """Parts that joints play on either side, ``knee`` or ``hip_roll``: role -> (left joint, right joint)."""
        return MappingProxyType(joint_roles(self.joints, self.sides.joints, self.legs))

    def joint_for(self, role: str, stance: Side) -> str:
        """The joint that plays ``role`` while ``stance`` is the stance side.

        ``swing_`` or ``stance_`` with one of ``roles``: ``swing_knee``, ``stance_hip_roll``, ``swing_shoulder``. Any
        other name is that joint's own. A place of several joints (a hip, a waist), named without its plane, means the
        pitch joint.
        """
        prefix, _, rest = role.partition("_")
        if prefix not in ("swing", "stance"):
            names = [joint.name for joint in self.joints]
            return role + PITCH if role not in names and role + PITCH in names else self.joint(role).name
        if stance not in ("left", "right"):
            raise FootfallError(f"stance '{stance}': it is 'left' or 'right'")
        if rest not in self.roles:
            known = [f"{phase}_{part}" for phase in ("swing", "stance") for part in self.roles]
            raise unknown_name(f"joint role of figure '{self.name}'", role, known)
        left, right = self.roles[rest]
        return left if (prefix == "stance") == (stance == "left") else right

    @cached_property
    def sides(self) -> Sides:
        """Left-right pairs of bodies, joints and points."""
        return Sides.of(self.bodies, self.points)

    @cached_property
    def skin(self) -> tuple[Ball, ...]:
        """Balls on its surface, which it lies on when it has fallen."""
        return skin_of(self.model, self.points, self.default_qpos)

    @cached_property
    def solid(self) -> SolidShapes:
        """Capsules for its collision shapes, and which of them touch each other; none of a figure without legs or that
        cannot move in space."""
        if self.root != "free" or not self.legs:
            return SolidShapes()
        return solid_shapes(self.model, self.bodies, self.legs, self.default_qpos)

    @cached_property
    def mirror(self) -> Mirror:
        """The reflection y -> -y of this figure's coordinates; an error if it is not its own mirror image."""
        return Mirror.of(self.name, self.model, self.bodies, self.joints, self.points)

    @property
    def mirror_dofs(self) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """(perm, sign), each [nv]: mirrored[i] = sign[i] · v[perm[i]]."""
        return self.mirror.dof_perm, self.mirror.dof_sign

    def mirror_qpos(self, qpos: NDArray[np.float64]) -> NDArray[np.float64]:
        """[..., nq] with left and right exchanged."""
        return self.mirror.qpos(qpos)

    def mirror_qvel(self, qvel: NDArray[np.float64]) -> NDArray[np.float64]:
        """[..., nv] with left and right exchanged; right for accelerations and torques too."""
        return self.mirror.dofs(qvel)

    def body_parameters(self, edits: str | Iterable[str] = ()) -> BodyParameters:
        """Sizes and masses of the bodies, W = 1, with edits in the words of ``footfall.figures.body_parameters``."""
        return edit_bodies(parameters_of(self.model, self.bodies, self.joints, self.points), edits)

    def with_body_parameters(self, params: BodyParameters, world: int = 0) -> "Figure":
        """The figure that one world of ``params`` describes, standing on the ground in its default pose."""
        one = params.world(world)
        spec = reshaped_spec(self._spec, one)
        qpos = self.standing_qpos(one)[0]
        for key in spec.keys:
            if key.name == "home":
                key.qpos = qpos
        return self._from_spec(spec, spec.to_xml(), self.name, (Figure.with_body_parameters, self, one))

    def standing_qpos(self, params: BodyParameters | None = None) -> NDArray[np.float64]:
        """[W, nq], the default pose with the lowest point of the feet on the ground, for each world of ``params``."""
        params = params or self.body_parameters()
        qpos = np.tile(self.default_qpos, (params.worlds, 1))
        if self.root != "fixed":
            qpos[:, reading.HEIGHT[self.root]] -= standing_heights(self.model, self.points, self.default_qpos, params)
        return qpos


def _named(parts: tuple[_Part, ...], name: str, kind: str) -> _Part:
    for part in parts:
        if part.name == name:
            return part
    raise unknown_name(kind, name, [part.name for part in parts])
