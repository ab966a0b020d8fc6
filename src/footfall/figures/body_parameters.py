"""Sizes and masses of a figure's bodies, per world: what studies of limb length, weight and loads vary.

They are read from a MuJoCo model and written back to one, and edited by text, as a command line takes it:

    thigh*1.1               both thighs longer, mass kept
    left_thigh*1.1          one of them
    torso+10kg              a load at the body's centre of mass
    torso+10kg@0,0,0.3      a load at a position in the body's frame
    head=6kg                another mass
    mass*1.2                every body heavier
"""

import re
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError, check_name
from footfall.figures.inertia import combine, stretch
from footfall.figures.mjcf import principal_axes, rotation_matrix
from footfall.figures.parts import Body, Joint, Point
from footfall.figures.side_names import counterparts, names_meant

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BodyParameters:
    """W worlds' bodies and points. Every edit returns new parameters; its numbers are scalars or [W]."""

    position: Array
    """[W, B, 3], origin of a body's frame in its parent's."""
    quat: Array
    """[B, 4], its orientation there, the same in every world."""
    mass: Array
    """[W, B]"""
    com: Array
    """[W, B, 3], centre of mass in the body's frame."""
    inertia: Array
    """[W, B, 3, 3], about the centre of mass, along the body's axes."""
    points: Array
    """[W, P, 3], contact points in their bodies' frames."""
    stretch: Array
    """[W, B, 3], how much longer than in the figure a body is along its axes."""
    names: tuple[str, ...]
    """[B], of the bodies."""
    parents: tuple[int, ...]
    """[B], -1 for the world."""
    point_bodies: tuple[int, ...]
    """[P]"""
    anchors: Array
    """[B, 3], a body's first joint in its frame."""

    @property
    def worlds(self) -> int:
        """W."""
        return len(self.mass)

    def scaled(
        self, body: str, factor: ArrayLike, keep_mass: bool = True, axis: Literal["x", "y", "z"] | None = None
    ) -> "BodyParameters":
        """A limb longer by ``factor`` along its long axis, away from its joint.

        The joints of its children, its centre of mass and its points move along; its second moments stretch.

        Args:
            body: its name.
            factor: scalar or [W], positive.
            keep_mass: keep the mass, or else the density.
            axis: of the body's frame; if None the one along which its joints, centre of mass and points reach farthest
                (of x and z for a body of neither side: a torso grows tall, not wide).
        """
        b = self._index(body)
        many, values = self._spread("factor", factor)
        factors = np.ones((many.worlds, 3))
        factors[:, self._long_axis(b) if axis is None else "xyz".index(axis)] = values

        def moved(points: Array) -> Array:
            """How far points [W, 3] of the body go."""
            return np.asarray((factors - 1.0) * (points - self.anchors[b]))

        position, mass, com, inertia, points, lengths = (
            np.array(a) for a in (many.position, many.mass, many.com, many.inertia, many.points, many.stretch)
        )
        for child, parent in enumerate(self.parents):
            if parent == b:
                joint = position[:, child] + rotation_matrix(self.quat[child]) @ self.anchors[child]
                position[:, child] += moved(joint)
        for p, owner in enumerate(self.point_bodies):
            if owner == b:
                points[:, p] += moved(points[:, p])
        com[:, b] += moved(com[:, b])
        gain = np.ones(many.worlds) if keep_mass else values
        inertia[:, b] = gain[:, None, None] * stretch(inertia[:, b], factors)
        mass[:, b] *= gain
        lengths[:, b] *= factors
        return replace(many, position=position, mass=mass, com=com, inertia=inertia, points=points, stretch=lengths)

    def with_mass(self, body: str, mass: ArrayLike) -> "BodyParameters":
        """A body of another mass (kg, scalar or [W]) and the same shape: its inertia goes with the mass."""
        b = self._index(body)
        if not np.all(self.mass[:, b] > 0.0):
            raise FootfallError(f"body '{body}' has no mass of its own to change; fix a load to it instead")
        many, values = self._spread("mass", mass)
        return many._times_mass([b], values / many.mass[:, b])

    def scaled_mass(self, factor: ArrayLike, body: str | None = None) -> "BodyParameters":
        """Every body, or one, heavier by ``factor`` (scalar or [W])."""
        chosen = range(len(self.names)) if body is None else [self._index(body)]
        many, values = self._spread("factor", factor)
        return many._times_mass(chosen, values)

    def with_load(
        self, body: str, mass: ArrayLike, position: ArrayLike | None = None, radius: float = 0.0
    ) -> "BodyParameters":
        """A load fixed to a body: a point mass, or a solid ball.

        Args:
            body: the body that carries it.
            mass: kg, scalar or [W].
            position: [3] or [W, 3] in the body's frame; its centre of mass if None.
            radius: of the ball, m.
        """
        b = self._index(body)
        many, values = self._spread("mass", mass, zero=True)
        at = many.com[:, b] if position is None else np.asarray(position, dtype=np.float64)
        if at.shape not in ((3,), (many.worlds, 3)) or not np.all(np.isfinite(at)):
            raise FootfallError(f"load on '{body}': position should be 3 finite numbers, or {many.worlds} x 3")
        ball = (0.4 * values * radius**2)[:, None, None] * np.eye(3)
        total, com, inertia = np.array(many.mass), np.array(many.com), np.array(many.inertia)
        total[:, b], com[:, b], inertia[:, b] = combine(
            many.mass[:, b], many.com[:, b], many.inertia[:, b], values, np.broadcast_to(at, (many.worlds, 3)), ball
        )
        return replace(many, mass=total, com=com, inertia=inertia)

    def world(self, world: int) -> "BodyParameters":
        """One world of these, W = 1."""
        if not 0 <= world < self.worlds:
            raise FootfallError(f"world {world}: there are worlds 0 to {self.worlds - 1}")
        return self._each(lambda a: a[world : world + 1])

    def _times_mass(self, bodies: Sequence[int], factor: Array) -> "BodyParameters":
        mass, inertia = np.array(self.mass), np.array(self.inertia)
        for b in bodies:
            mass[:, b] *= factor
            inertia[:, b] *= factor[:, None, None]
        return replace(self, mass=mass, inertia=inertia)

    def _long_axis(self, b: int) -> int:
        reach = [self.anchors[b], self.com[0, b]]
        reach += [self.points[0, p] for p, owner in enumerate(self.point_bodies) if owner == b]
        for child, parent in enumerate(self.parents):
            if parent == b:
                reach.append(self.position[0, child] + rotation_matrix(self.quat[child]) @ self.anchors[child])
        extent = np.ptp(reach, axis=0)
        if counterparts(self.names)[self.names[b]][1] is None:
            extent[1] = -1.0
        return int(np.argmax(extent))

    def _index(self, body: str) -> int:
        check_name("body", body, self.names)
        return self.names.index(body)

    def _spread(self, what: str, given: ArrayLike, zero: bool = False) -> tuple["BodyParameters", Array]:
        """These parameters and checked numbers over the same W worlds, of which either may have been one."""
        values = np.atleast_1d(np.asarray(given, dtype=np.float64))
        if values.ndim != 1 or len(values) == 0 or (self.worlds > 1 and len(values) not in (1, self.worlds)):
            raise FootfallError(f"{what} has shape {np.shape(given)}; it should be a number, or one for each world")
        bad = np.flatnonzero(~np.isfinite(values) | (values < 0.0) | ((values == 0.0) & (not zero)))
        if len(bad):
            bound = "zero or more" if zero else "positive"
            raise FootfallError(f"{what} {values[bad[0]]:g} (world {bad[0]}) should be {bound} and finite")
        worlds = max(self.worlds, len(values))
        many = self if self.worlds == worlds else self._each(lambda a: np.repeat(a, worlds, axis=0))
        return many, np.broadcast_to(values, worlds)

    def _each(self, change: Any) -> "BodyParameters":
        fields = ("position", "mass", "com", "inertia", "points", "stretch")
        return replace(self, **{name: change(getattr(self, name)) for name in fields})


_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_EDIT = re.compile(
    rf"(?P<body>[\w.-]+?)\s*(?:\*(?P<factor>{_NUMBER})(?:@(?P<axis>[xyz]))?|(?P<kind>[+=])(?P<mass>{_NUMBER})kg"
    rf"(?:@(?P<place>{_NUMBER},{_NUMBER},{_NUMBER}))?)"
)
_FORM = "write thigh*1.1, torso+10kg, torso+10kg@0,0,0.3, head=6kg or mass*1.2"


def edit_bodies(params: BodyParameters, edits: str | Iterable[str]) -> BodyParameters:
    """Apply edits in turn, each in the words above."""
    for edit in [edits] if isinstance(edits, str) else edits:
        match = _EDIT.fullmatch(edit.strip())
        if match is None or (match["place"] and match["kind"] == "="):
            raise FootfallError(f"body edit '{edit}': {_FORM}")
        if match["body"] == "mass" and match["factor"] and not match["axis"]:
            params = params.scaled_mass(float(match["factor"]))
            continue
        for body in names_meant(match["body"], params.names):
            if match["factor"]:
                axis = cast(Literal["x", "y", "z"] | None, match["axis"])
                params = params.scaled(body, float(match["factor"]), axis=axis)
            elif match["kind"] == "=":
                params = params.with_mass(body, float(match["mass"]))
            else:
                place = [float(v) for v in match["place"].split(",")] if match["place"] else None
                params = params.with_load(body, float(match["mass"]), place)
    return params


def parameters_of(
    model: Any, bodies: tuple[Body, ...], joints: tuple[Joint, ...], points: tuple[Point, ...]
) -> BodyParameters:
    """The parameters of one world, as the model has them."""
    count = len(bodies)
    anchors = np.zeros((count, 3))
    for joint in reversed(joints):
        if joint.kind != "free":
            anchors[joint.body] = joint.anchor
    turn = np.array([rotation_matrix(quat) for quat in model.body_iquat[1:]])
    inertia = np.einsum("bij,bj,bkj->bik", turn, model.body_inertia[1:], turn)
    return BodyParameters(
        position=model.body_pos[None, 1:].copy(),
        quat=model.body_quat[1:].copy(),
        mass=model.body_mass[None, 1:].copy(),
        com=model.body_ipos[None, 1:].copy(),
        inertia=inertia[None],
        points=np.array([[point.position for point in points]]).reshape(1, len(points), 3),
        stretch=np.ones((1, count, 3)),
        names=tuple(body.name for body in bodies),
        parents=tuple(body.parent for body in bodies),
        point_bodies=tuple(point.body for point in points),
        anchors=anchors,
    )


def reshaped_spec(spec: Any, params: BodyParameters) -> Any:
    """A copy of an ``mujoco.MjSpec`` with the bodies, sites and geoms that ``params`` (one world) say."""
    spec = spec.copy()
    spec.compile()
    spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_AUTO
    spec.compiler.settotalmass = -1.0
    own = {int(body.id) - 1: body for body in spec.bodies if body.id > 0}
    if sorted(own) != list(range(len(params.names))):
        raise FootfallError("body parameters belong to another figure")
    sites = sorted((site for site in spec.sites if site.parent.id > 0), key=lambda site: int(site.id))
    for b, body in own.items():
        body.pos = params.position[0, b]
        body.mass = params.mass[0, b]
        body.ipos = params.com[0, b]
        body.inertia, body.iquat = principal_axes(params.inertia[0, b])
        body.fullinertia = np.full(6, np.nan)
        body.explicitinertial = True
        for geom in body.geoms:
            _stretch_geom(geom, params.stretch[0, b], params.anchors[b])
    for site, position in zip(sites, params.points[0], strict=True):
        site.pos = position
    return spec


def standing_heights(
    model: Any, points: tuple[Point, ...], qpos: NDArray[np.float64], params: BodyParameters
) -> NDArray[np.float64]:
    """[W], height of the lowest foot point (without feet, of the lowest point) of each world at ``qpos`` [nq]."""
    chosen = [i for i, p in enumerate(points) if p.foot and p.ground] or [i for i, p in enumerate(points) if p.ground]
    heights = np.zeros(params.worlds)
    if not chosen:
        return heights
    own, data = copy(model), mujoco.MjData(model)
    owners = [points[i].body + 1 for i in chosen]
    for w in range(params.worlds):
        own.body_pos[1:] = params.position[w]
        data.qpos[:] = qpos
        mujoco.mj_kinematics(own, data)
        turn = data.xmat[owners].reshape(-1, 3, 3)
        heights[w] = np.min(data.xpos[owners, 2] + np.einsum("pj,pj->p", turn[:, 2], params.points[w, chosen]))
    return heights


def _stretch_geom(geom: Any, factors: NDArray[np.float64], anchor: NDArray[np.float64]) -> None:
    """Stretch a geom with its body: exactly for boxes and ellipsoids along the axes, in length for capsules."""
    if np.all(factors == 1.0):
        return
    if np.all(np.isfinite(geom.fromto)):
        geom.fromto = (anchor + factors * (np.reshape(geom.fromto, (2, 3)) - anchor)).ravel()
        return
    geom.pos = anchor + factors * (geom.pos - anchor)
    if geom.type in (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_ELLIPSOID):
        geom.size = geom.size * np.linalg.norm(factors[:, None] * rotation_matrix(geom.quat), axis=0)
