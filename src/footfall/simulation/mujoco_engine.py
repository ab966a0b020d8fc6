"""MuJoCo as second engine: the same figure, law, terrain and disturbances, with MuJoCo's dynamics and contacts.

The rollout stays as it is. Where it would accelerate the figure over its own ground, it calls ``mj_forward`` through
its address, inside the kernel, and takes the accelerations from there. Implicit servos are exact: their stiffness
kd h + kp h² is added to the joints' armature for that step.

Forces of MuJoCo's contacts on the feet, as forces on the figure's ground points.

A step of MuJoCo depends on the state and on what is applied alone (no warm start), so the contacts of a recorded sample
are found again by one ``mj_forward`` under the recorded joint moments. (Moments with the answers of implicit servos
and the joints' own inertia give the same accelerations as bare moments and added inertia.) MuJoCo puts contacts where
shapes meet; each foot's force and moment is then shared out over its points, with the smallest forces that give it.
"""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import mujoco
import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.dynamics.compiler import CompiledFigure
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.push import Push
from footfall.simulation.inputs import push_tables
from footfall.simulation.mujoco_scene import MovableBox, MujocoScene, box_states, scene_model
from footfall.simulation.simulation import Simulation
from footfall.simulation.structures import FELL
from footfall.simulation.trace import Trace

Array = NDArray[np.float64]
Acting = tuple[int, tuple[float, float, float], Array]
"""A push over the samples of a world: the body's index, the point on it, and newtons [S, 3]."""


def acting_pushes(
    pushes: Sequence[Push], figure: Figure, worlds: int, dt: float, times: Array, world: int
) -> list[Acting]:
    """The pushes of a world at recorded times [S]."""
    if not pushes:
        return []
    windows, forces, _ = push_tables(pushes, figure, worlds, dt)
    row = world if len(windows) > 1 else 0
    acting = []
    for k, push in enumerate(pushes):
        body, place = push.place_on(figure)
        on = (times >= windows[row, k, 0]) & (times < windows[row, k, 1])
        acting.append((body, place, on[:, None] * forces[row, k]))
    return acting


def contact_grf(
    figure: Figure, model: Any, qpos: Array, qvel: Array, moment: Array, pushes: Sequence[Acting] = ()
) -> Array:
    """[S, P, 3] newtons on the figure's ground points.

    Args:
        figure: the figure.
        model: its scene.
        qpos, qvel, moment: [S, nq], [S, nv], [S, nv] as recorded.
        pushes: what else acts.
    """
    data = mujoco.MjData(model)
    points = [p for p in figure.points if p.ground]
    feet: dict[int, list[int]] = {}
    for k, point in enumerate(points):
        feet.setdefault(point.body + 1, []).append(k)
    grf = np.zeros((len(qpos), len(points), 3))
    six = np.zeros(6)
    for s in range(len(qpos)):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos[s], qvel[s], moment[s]
        if pushes:
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
        for body, place, force in pushes:
            at = data.xpos[body + 1] + data.xmat[body + 1].reshape(3, 3) @ np.array(place)
            mujoco.mj_applyFT(model, data, force[s], np.zeros(3), at, body + 1, data.qfrc_applied)
        mujoco.mj_forward(model, data)
        sums = {body: (np.zeros(3), np.zeros(3)) for body in feet}
        for i in range(data.ncon):
            contact = data.contact[i]
            if model.geom_bodyid[list(contact.geom)].all():  # two limbs, none of the ground
                continue
            mujoco.mj_contactForce(model, data, i, six)
            frame = contact.frame.reshape(3, 3)
            for body, sign in zip(model.geom_bodyid[list(contact.geom)], (-1.0, 1.0), strict=True):
                if int(body) in sums:
                    force, twist = sign * frame.T @ six[:3], sign * frame.T @ six[3:]
                    sums[int(body)][0][:] += force
                    sums[int(body)][1][:] += np.cross(contact.pos, force) + twist
        for body, (force, about) in sums.items():
            if force.any():
                turn = data.xmat[body].reshape(3, 3)
                places = np.array([data.xpos[body] + turn @ points[k].position for k in feet[body]])
                grf[s, feet[body]] = shared_out(places, force, about)
    return grf


def shared_out(places: Array, force: Array, about: Array) -> Array:
    """[K, 3] the smallest forces at places [K, 3] with a sum [3] and a moment [3] about the origin."""
    centre = places.mean(axis=0)
    rows = np.zeros((6, 3 * len(places)))
    for k, (x, y, z) in enumerate(places - centre):
        rows[:3, 3 * k : 3 * k + 3] = np.eye(3)
        rows[3:, 3 * k : 3 * k + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    wanted = np.concatenate([force, about - np.cross(centre, force)])
    return np.asarray(np.linalg.lstsq(rows, wanted, rcond=None)[0]).reshape(-1, 3)


class MujocoSimulation(Simulation):
    """Worlds as :class:`Simulation` has them, stepped by MuJoCo on the CPU in double precision.

    Falls, contacts that a law senses, traces and outcomes are found as in the native engine. Of a ground only the
    friction counts, and contacts are MuJoCo's own; but a sampled ground acts on the feet as it does there, and MuJoCo's
    contacts are those with boxes. A law that prescribes accelerations gets them: its joints are made so heavy for the
    step that nothing but the law moves them, while contacts and the root are solved together.

    Args:
        boxes: movable ones in every world, under explicit steps. Snapshots do not hold them; a reset puts them back.
        options: as :class:`Simulation` takes them.
    """

    engine = "mujoco"

    def __init__(self, *arguments: Any, boxes: Sequence[MovableBox] = (), **options: Any) -> None:
        self.boxes: tuple[MovableBox, ...] = tuple(boxes)
        if self.boxes:
            options.setdefault("integrator", "explicit")
        super().__init__(*arguments, **options)
        if self.boxes and self.integrator != "explicit":
            raise FootfallError(f"boxes: integrator is '{self.integrator}'; movable boxes need 'explicit'")

    def reset(self) -> None:
        """Back to the start, at time 0, boxes included."""
        super().reset()
        self._lying = _Scenes(self, fallen=True)
        for scene in self._scenes.scenes:
            mujoco.mj_resetData(scene.model, scene.data)

    @property
    def box_states(self) -> NDArray[np.float64]:
        """[N, boxes, 7] positions and quaternions of the boxes."""
        fallen = self._state["status"] == FELL if self.ragdoll_after_fall else np.zeros(self.worlds, dtype=bool)
        scenes = [(self._lying if fell else self._scenes).scenes[w] for w, fell in enumerate(fallen)]
        return np.stack([box_states(scene.data, self.figure.nq, len(self.boxes)) for scene in scenes])

    def _build(self) -> None:
        if not self.device.is_cpu or self.real is not wp.float64:
            raise FootfallError("engine 'mujoco' runs on the cpu in float64; leave device and precision out")
        super()._build()
        self._scenes = _Scenes(self, fallen=False)
        self._lying = _Scenes(self, fallen=True)

    def _with_contacts(self, trace: Trace) -> Trace:
        if not trace.grf.size or self.grounds[0].law == "sampled":
            return trace
        if self.boxes:
            raise FootfallError("record: with boxes, 'grf' is not known; leave the boxes or 'grf' out")
        grf = trace.grf.copy()
        for w in range(grf.shape[1]):
            n = int(np.isfinite(trace.moment[: trace.last[w], w]).all(axis=-1).sum())
            pushes = acting_pushes(self.pushes, self.figure, self.worlds, self.dt, trace.times[:n], w)
            scene = self._scenes.own_model(w)
            grf[:n, w] = contact_grf(
                self.figure, scene, trace.qpos[:n, w], trace.qvel[:n, w], trace.moment[:n, w], pushes
            )
        return replace(trace, grf=grf, mean_grf=np.zeros((0, 0, 0, 3)), mean_moment=np.zeros((0, 0, 0)))

    def _outside(self, compiled: CompiledFigure, *, fallen: bool = False) -> wp.Function:
        return forward_function(compiled, own_ground=self.grounds[0].law == "sampled" and not fallen)

    def _scene(self, *, fallen: bool = False) -> AbstractContextManager[Any]:
        return (self._lying if fallen else self._scenes).lent()

    def _advance_fallen(self) -> None:
        if self.boxes:
            just_fell = (self._state["status"] == FELL) & (self._state["step_count"] == self._state["end_step"])
            for world in np.flatnonzero(just_fell):
                self._lying.scenes[world].take_objects(self._scenes.scenes[world], self.figure.nq, self.figure.nv)
        super()._advance_fallen()


class _Scenes:
    """The scenes of a simulation's worlds: one for each world that differs from the others or has boxes, else one for
    each thread. They are built when they are first needed.

    Args:
        simulation: whose worlds.
        fallen: whether the whole figure meets the ground, or its feet.
    """

    def __init__(self, simulation: MujocoSimulation, *, fallen: bool) -> None:
        self._simulation, self._is_fallen = simulation, fallen
        bodies = simulation.body.worlds if simulation.body else 1
        differ = max(len(simulation.terrains), len(simulation.grounds), bodies) > 1
        self._own = differ or (bool(simulation.boxes) and simulation.worlds > 1)
        if not fallen:
            _ = self.scenes

    @cached_property
    def scenes(self) -> list[MujocoScene]:
        """All of them."""
        own, boxes = self._own, len(self._simulation.boxes)
        models = [self._model(world) for world in range(self._simulation.worlds if own else 1)]
        copies = 1 if own or boxes else self._simulation.threads
        return [MujocoScene(model, forward_address(), boxes) for model in models * copies]

    @cached_property
    def _free(self) -> SimpleQueue[MujocoScene]:
        free: SimpleQueue[MujocoScene] = SimpleQueue()
        for scene in self.scenes:
            free.put(scene)
        return free

    @contextmanager
    def lent(self) -> Iterator[Any]:
        """[rows, addresses] of the scenes that a launch needs, while it lasts."""
        if self._own:
            yield self._addresses(self.scenes)
            return
        scene = self._free.get()
        try:
            yield self._addresses([scene])
        finally:
            self._free.put(scene)

    @staticmethod
    def _addresses(scenes: list[MujocoScene]) -> Any:
        return wp.array(np.stack([s.addresses for s in scenes]), dtype=wp.uint64, device="cpu")

    def own_model(self, world: int) -> Any:
        """A copy of a world's model, without what servos added to its armature."""
        scene = self.scenes[world if self._own else 0]
        model = copy(scene.model)
        model.dof_armature[:] = scene.armature
        return model

    def _model(self, world: int) -> Any:
        of = self._simulation
        figure = of.figure
        if of.body is not None:
            figure = figure.with_body_parameters(of.body, world if of.body.worlds > 1 else 0)
        terrain = of.terrains[world if len(of.terrains) > 1 else 0]
        ground = of.grounds[world if len(of.grounds) > 1 else 0]
        try:
            return scene_model(figure, terrain, ground, of.dt, fallen=self._is_fallen, boxes=of.boxes, solid=of.solid)
        except ValueError as error:
            raise FootfallError(f"engine 'mujoco', terrain '{terrain}': {' '.join(str(error).split())}") from error


def forward_function(compiled: CompiledFigure, *, own_ground: bool = False) -> wp.Function:
    """A Warp function (qpos, qvel, body, body_row, scene, scene_row, torque, stiffness, force, push, qacc) that calls
    ``mj_forward``; pushes, and with ``own_ground`` the forces on the ground points, become wrenches at their bodies'
    centres of mass."""
    acting = [("push", 3 * k, body, arm) for k, (body, arm) in enumerate(compiled.push_arms())]
    if own_ground:
        acting += [("force", 3 * k, body, arm) for k, (body, arm) in enumerate(compiled.point_arms())]
    arms = [(body, arm) for _, _, body, arm in acting]
    names = [(f"arm[{3 * k + i}]", value) for k, (_, arm) in enumerate(arms) for i, value in enumerate(arm)]
    wrenches = "\n".join(
        _WRENCH.format(what=what, j=j, k=3 * k, at=6 * (body + 1)) for k, (what, j, body, _) in enumerate(acting)
    )
    cleared = "\n".join(f"for (int i = 0; i < 6; ++i) wrench[{6 * (b + 1)} + i] = 0.0;" for b in {b for b, _ in arms})
    arm = f"S arm[{max(1, len(names))}];\n{compiled.graph.print(names)}\n" if names else ""
    body = _FORWARD.format(nq=compiled.nq, nv=compiled.nv, pushes=f"{arm}{cleared}\n{wrenches}")
    arguments = {
        "scene": wp.array2d(dtype=wp.uint64),
        "scene_row": wp.int32,
        "torque": wp.ref[compiled.Qvel],
        "stiffness": wp.ref[compiled.Qvel],
        "force": wp.ref[compiled.Points],
        "push": wp.ref[compiled.Pushes],
        "qacc": wp.ref[compiled.Qvel],
    }
    return compiled.function("mujoco_forward", arguments, body)


_FORWARD = """
const unsigned long long* at = (const unsigned long long*)wp::address(scene, scene_row, 0);
double* positions = (double*)at[3];
double* velocities = (double*)at[4];
double* applied = (double*)at[5];
double* wrench = (double*)at[6];
const double* accelerations = (const double*)at[7];
double* armature = (double*)at[8];
const double* own_armature = (const double*)at[9];
for (int i = 0; i < {nq}; ++i) positions[i] = qpos[i];
for (int i = 0; i < {nv}; ++i) {{
  velocities[i] = qvel[i];
  applied[i] = torque[i];
  armature[i] = own_armature[i] + stiffness[i];
}}
{pushes}
((void (*)(const void*, void*))at[0])((const void*)at[1], (void*)at[2]);
for (int i = 0; i < {nv}; ++i) qacc[i] = accelerations[i];
double h = *(const double*)at[11];
for (int k = 0; k < (int)at[10]; ++k) {{
  double* p = positions + {nq} + 7 * k;
  double* v = velocities + {nv} + 6 * k;
  const double* a = accelerations + {nv} + 6 * k;
  for (int i = 0; i < 6; ++i) v[i] += h * a[i];
  for (int i = 0; i < 3; ++i) p[i] += h * v[i];
  double x = 0.5 * h * v[3], y = 0.5 * h * v[4], z = 0.5 * h * v[5];
  double q[4] = {{p[3] - p[4] * x - p[5] * y - p[6] * z, p[4] + p[3] * x + p[5] * z - p[6] * y,
                 p[5] + p[3] * y + p[6] * x - p[4] * z, p[6] + p[3] * z + p[4] * y - p[5] * x}};
  double n = 1.0 / ::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) p[3 + i] = n * q[i];
}}
"""

_WRENCH = """
for (int i = 0; i < 3; ++i) wrench[{at} + i] += {what}[{j} + i];
wrench[{at} + 3] += arm[{k} + 1] * {what}[{j} + 2] - arm[{k} + 2] * {what}[{j} + 1];
wrench[{at} + 4] += arm[{k} + 2] * {what}[{j}] - arm[{k}] * {what}[{j} + 2];
wrench[{at} + 5] += arm[{k}] * {what}[{j} + 1] - arm[{k} + 1] * {what}[{j}];
"""


@cache
def forward_address() -> int:
    """Where ``mj_forward`` is, in the library that Python's ``mujoco`` uses."""
    folder = Path(mujoco.__file__).parent
    found = sorted([*folder.glob("libmujoco*"), *folder.glob("mujoco.dll")])
    if not found:
        raise FootfallError(f"engine 'mujoco': no libmujoco beside {mujoco.__file__}; reinstall mujoco")
    address = ctypes.cast(ctypes.CDLL(str(found[0])).mj_forward, ctypes.c_void_p).value
    if address is None:
        raise FootfallError(f"engine 'mujoco': {found[0]} has no mj_forward; reinstall mujoco")
    return address
