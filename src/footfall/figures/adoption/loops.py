"""Joints that do not move freely: those that a person welds, gears, closed loops, fingers.

Equalities of the file, and fixed tendons whose range leaves no room, tie velocities of joints to each other: J v = 0.
footfall walks trees of joints, so of each set of tied joints as many follow the others as J has rank, the lightest
first: v_f = G v, with G = -J_f⁺ J. A light one that follows, a gear wheel or a rod, is welded in the file's pose, and
what drives it acts on the joints that it follows: torques by Gᵀ, rotors by G². A heavy one without a motor, the
tarsus of a leg that a rod moves with its knee, is cut free of the loop and gets the motor's torque.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.adoption.limbs import NEAR
from footfall.figures.adoption.source import Overrules, matching
from footfall.figures.adoption.tree import Hinge, Tree
from footfall.figures.adoption.writing import Motor
from footfall.figures.mjcf import DOFS, joint_kind, joints_of, posed
from footfall.figures.reading import read_home

Array = NDArray[np.float64]

LIGHT = 0.06
"""A joint that moves less than this share of the mass is light."""
FINGER = 0.02
"""Joints coupled one to one that all move less than this share are fingers: all are welded."""
ROOM = 0.1
"""A fixed tendon with a narrower range ties its joints (rad)."""
LOOSE = 1e-3
"""A smaller gear is none."""
SINGULAR = 0.01
"""Sine of the angle below which one more joint brings no freedom of its own: rods of a parallelogram."""


@dataclass(frozen=True)
class Ties:
    """What becomes of joints that are welded or tied, by their numbers in the file.

    Attributes:
        welded: those that do not move any more.
        gears: (welded joint, joint that it follows) -> its speed for that of the other.
        cut: joint free of its loop -> (the joint that moves it in the file, its speed for that one's).
        follow: velocities of the file's model that are found from the others.
        notes: a sentence for each set of tied joints that move as in the file.
        cuts: a sentence for each set of which one joint was cut free.
    """

    welded: frozenset[int] = frozenset()
    gears: Mapping[tuple[int, int], float] = field(default_factory=dict)
    cut: Mapping[int, tuple[int, float]] = field(default_factory=dict)
    follow: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    cuts: tuple[str, ...] = ()

    def joined(self, other: Ties) -> Ties:
        """Those of other joints too."""
        both = {
            name: value | getattr(other, name) for name, value in vars(self).items() if not isinstance(value, tuple)
        }
        both |= {name: value + getattr(other, name) for name, value in vars(self).items() if isinstance(value, tuple)}
        return Ties(**both)

    def motors(self, motors: Mapping[int, Motor]) -> dict[int, Motor]:
        """Motors by joint, where they act now."""
        found = {joint: motor for joint, motor in motors.items() if joint not in self.welded}
        for (wheel, joint), gear in self.gears.items():
            if wheel in motors:
                own, one = found.get(joint), motors[wheel]
                limit = abs(gear) * one.limit + (own.limit if own else 0.0)
                found[joint] = Motor(limit, one.source, min(one.speed / abs(gear), own.speed if own else np.inf))
        for joint, (mover, gear) in self.cut.items():
            if mover in found:
                found[joint] = replace(found[mover], limit=found[mover].limit / abs(gear))
        return found

    def driven(self, tree: Tree) -> Tree:
        """The tree with the rotors, dampers and friction of wheels at the joints that these follow."""

        def loaded(joint: Hinge) -> Hinge:
            for (wheel, of), gear in self.gears.items():
                if of == joint.index:
                    dof, model = int(tree.model.jnt_dofadr[wheel]), tree.model
                    joint = replace(
                        joint,
                        armature=joint.armature + gear**2 * float(model.dof_armature[dof]),
                        damping=joint.damping + gear**2 * float(np.ravel(model.dof_damping[dof])[0]),
                        friction=joint.friction + abs(gear) * float(model.dof_frictionloss[dof]),
                    )
            return joint

        return replace(tree, links=tuple(replace(k, joints=tuple(map(loaded, k.joints))) for k in tree.links))


def find_ties(model: Any, overrules: Overrules, where: str) -> Ties:
    """What becomes of the joints that a person welds and of those that the file ties.

    Raises:
        FootfallError: the body is tied to the world, or a joint with a motor of its own moves with a loop.
    """
    names = [model.joint(j).name or f"joint{j}" for j in range(model.njnt)]
    welded = {names.index(name) for name in matching(overrules.weld, names, f"joint of {where}")}
    notes = [f"{len(welded)} joints are welded as asked"] if welded else []
    rows = tied(model, _pose(model))[0]
    if np.abs(rows[:, :2]).max(initial=0.0) > 1e-9:
        raise FootfallError(
            f"{where}: an equality closes a loop between it and the world; give a model that can walk away"
        )
    share = _mass_below(model) / float(model.body_mass.sum())
    coupling = (model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)) & (model.eq_active0 != 0)
    coupled = {int(j) for objects in (model.eq_obj1id, model.eq_obj2id) for j in objects[coupling]}
    fingers: set[int] = set()
    found = Ties(frozenset(welded), notes=tuple(notes))
    for group in _groups(rows, model, welded):
        if coupled.issuperset(group) and all(share[int(model.jnt_bodyid[j])] < FINGER for j in group):
            fingers.update(group, _idle_below(model, group, share))
        else:
            found = found.joined(_untied(rows, model, group, share, names, where))
    if fingers:
        words = f"{len(fingers)} light joints that are coupled to each other are welded"
        found = found.joined(Ties(frozenset(fingers), notes=(words,)))
    return found


def _untied(rows: Array, model: Any, group: Sequence[int], share: Array, names: Sequence[str], where: str) -> Ties:
    """What becomes of one set of tied joints."""
    driven = {int(model.actuator_trnid[a, 0]) for a in range(model.nu)}
    found = _followers(rows, model, group, share)
    held = {j for j in group if j not in found and j not in driven and _stiff(model, j)}
    idle = set(found) | held
    gears = {j: {k: g for k, g in own.items() if k not in held and abs(g) > LOOSE} for j, own in found.items()}
    heavy = [j for j in found if gears[j] and _matters(model, j, share, idle)]
    if both := [j for j in heavy if j in driven]:
        others = _listed(names, [j for j in group if j != both[0]])
        raise FootfallError(
            f"{where}: joint '{names[both[0]]}' has a motor but closes a loop with {others}, so it cannot move by "
            "itself; give a model in which the loop is cut"
        )
    cut = {j: max(gears[j].items(), key=lambda one: (one[0] in driven, abs(one[1]))) for j in heavy}
    wheels = [j for j in found if j not in heavy]
    gone = [*wheels, *held]
    motors = [j for j in wheels if j in driven]
    line = _sentence(names, gone, motors, {k for j in motors for k in gears[j]}, cut)
    return Ties(
        frozenset(gone),
        {(j, k): gear for j in wheels for k, gear in gears[j].items()},
        cut,
        tuple(dof for j in wheels for dof in _dofs(model, j)),
        () if cut else (line,),
        (line,) if cut else (),
    )


def _sentence(
    names: Sequence[str],
    gone: Sequence[int],
    motors: Sequence[int],
    acting: Collection[int],
    cut: Mapping[int, tuple[int, float]],
) -> str:
    """What a person is told about a set of tied joints."""
    line = f"{_listed(names, gone)} {'is' if len(gone) == 1 else 'are'} welded"
    line += f"; what drives {_listed(names, motors)} acts on {_listed(names, acting)}" if motors else ""
    for j, (mover, _) in cut.items():
        line += f"; '{names[j]}' is cut free of the loop and gets the torque of '{names[mover]}', which moves it there"
    return line


def tied(model: Any, qpos: Array) -> tuple[Array, Array]:
    """[m, nv] velocities that the file ties to zero, and [m] by how much positions ``qpos`` [nq] miss."""
    own = copy.copy(model)
    own.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    own.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(own)
    data.qpos[:] = qpos
    mujoco.mj_fwdPosition(own, data)
    chosen = data.efc_type[: data.nefc] == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    rows, missed = data.efc_J.reshape(-1, own.nv)[: data.nefc][chosen], data.efc_pos[: data.nefc][chosen]
    for t in range(own.ntendon):
        parts = range(int(own.tendon_adr[t]), int(own.tendon_adr[t] + own.tendon_num[t]))
        fixed = all(int(own.wrap_type[w]) == int(mujoco.mjtWrap.mjWRAP_JOINT) for w in parts)
        if not (fixed and own.tendon_limited[t] and np.ptp(own.tendon_range[t]) < ROOM):
            continue
        row = np.zeros(own.nv)
        for w in parts:
            row[int(own.jnt_dofadr[own.wrap_objid[w]])] += float(own.wrap_prm[w])
        at = sum(own.wrap_prm[w] * qpos[own.jnt_qposadr[own.wrap_objid[w]]] for w in parts)
        rows, missed = np.vstack([rows, row]), np.append(missed, at - own.tendon_range[t].mean())
    return rows, missed


def closed(model: Any, qpos: Array, follow: Sequence[int]) -> Array:
    """[nq] positions in which the velocities ``follow`` have moved until the file's loops close, as well as they do."""
    qpos, rows = np.array(qpos), list(follow)
    for _ in range(30):
        tie, missed = tied(model, qpos)
        step = np.zeros(model.nv)
        step[rows] = np.linalg.lstsq(tie[:, rows], -missed, rcond=SINGULAR)[0]
        step *= min(1.0, 0.3 / max(float(np.abs(step).max()), 1e-12))
        mujoco.mj_integratePos(model, qpos, step, 1.0)
        if np.abs(step).max() < 1e-12:
            break
    return qpos


def followed(model: Any, qpos: Array, qvel: Array, follow: Sequence[int]) -> Array:
    """[nv] velocities in which ``follow`` are those that the others ask for."""
    tie, rows, out = tied(model, qpos)[0], list(follow), np.array(qvel)
    out[rows] = 0.0
    out[rows] = np.linalg.lstsq(tie[:, rows], -tie @ out, rcond=SINGULAR)[0]
    return out


def _pose(model: Any) -> Array:
    """[nq] where ties are read: the file's key frame 'home', else its own pose with joints within their ranges, away
    from where rods and cranks are in line."""
    qpos = np.array(read_home(model))
    for j in np.flatnonzero(model.jnt_limited).tolist():
        if joint_kind(model, j) in ("hinge", "slide"):
            qpos[model.jnt_qposadr[j]] = np.clip(qpos[model.jnt_qposadr[j]], *model.jnt_range[j])
    loose = np.flatnonzero(np.abs(tied(model, qpos)[0]).max(axis=0, initial=0.0) > 1e-9)
    return closed(model, qpos, [dof for dof in loose.tolist() if model.dof_jntid[dof] > 0])


def _dofs(model: Any, j: int) -> range:
    return range(int(model.jnt_dofadr[j]), int(model.jnt_dofadr[j]) + DOFS[joint_kind(model, j)])


def _groups(rows: Array, model: Any, welded: Collection[int]) -> list[list[int]]:
    """Joints that are tied to each other, in the file's order."""
    groups: list[set[int]] = []
    for row in rows:
        own = {int(model.dof_jntid[dof]) for dof in np.flatnonzero(np.abs(row) > 1e-9)} - {0} - set(welded)
        if not own:
            continue
        touching = [group for group in groups if group & own]
        groups = [group for group in groups if not group & own] + [own.union(*touching)]
    return sorted(map(sorted, groups))


def _followers(rows: Array, model: Any, group: Sequence[int], share: Array) -> dict[int, dict[int, float]]:
    """The joints of a group that follow the others, with their gears: the lightest first, then those that move
    a foot, springs last."""
    order = sorted(
        group, key=lambda j: (_stiff(model, j), _carries_foot(model, j), share[int(model.jnt_bodyid[j])], -j)
    )
    chosen: list[int] = []
    followers: list[int] = []
    base = np.zeros((len(rows), 0))
    for j in order:
        for dof in _dofs(model, j):
            column = rows[:, dof]
            rest = column - base @ (base.T @ column)
            if np.linalg.norm(rest) > SINGULAR * max(float(np.linalg.norm(column)), 1e-9):
                base = np.column_stack([base, rest / np.linalg.norm(rest)])
                chosen.append(dof)
                followers += [] if j in followers else [j]
    others = [dof for j in group if j not in followers for dof in _dofs(model, j)]
    gain = -np.linalg.lstsq(rows[:, chosen], rows[:, others], rcond=SINGULAR)[0]
    found: dict[int, dict[int, float]] = {j: {} for j in followers}
    for dof, row in zip(chosen, gain, strict=True):
        j = int(model.dof_jntid[dof])
        if joint_kind(model, j) != "ball":  # a rod's ball drives nothing
            found[j] = {int(model.dof_jntid[other]): float(gear) for other, gear in zip(others, row, strict=True)}
    return found


def _carries_foot(model: Any, j: int) -> bool:
    """Whether a joint moves what is lowest of all."""
    heights = posed(model, _pose(model)).xipos[1:, 2]
    low = float(heights.min()) + NEAR * float(np.ptp(heights))
    return any(heights[b - 1] < low for b in _bodies_below(model, int(model.jnt_bodyid[j])))


def _stiff(model: Any, j: int) -> bool:
    return bool(model.jnt_stiffness.reshape(model.njnt, -1)[j, 0] > 0.0)


def _matters(model: Any, j: int, share: Array, idle: Set[int]) -> bool:
    """Whether a body changes when a joint is welded: by its mass, by what hangs from it, by standing on it."""
    return bool(share[int(model.jnt_bodyid[j])] > LIGHT or _joints_below(model, j) - idle or _carries_foot(model, j))


def _listed(names: Sequence[str], joints: Collection[int]) -> str:
    return ", ".join(f"'{names[j]}'" for j in sorted(joints))


def _joints_below(model: Any, j: int) -> set[int]:
    """The joints of the bodies that hang from a joint's body."""
    first = int(model.jnt_bodyid[j])
    return {k for b in _bodies_below(model, first) - {first} for k in joints_of(model, b)}


def _bodies_below(model: Any, body: int) -> set[int]:
    """A body and those that hang from it."""
    found = {body}
    for b in range(body + 1, model.nbody):
        if int(model.body_parentid[b]) in found:
            found.add(b)
    return found


def _idle_below(model: Any, coupled: Collection[int], share: Array) -> list[int]:
    """Light joints without a motor that hang from coupled ones: fingertips of a gripper."""
    driven = {int(model.actuator_trnid[a, 0]) for a in range(model.nu)}
    below = set().union(*(_joints_below(model, j) for j in coupled))
    return [j for j in below if j not in driven and share[int(model.jnt_bodyid[j])] < LIGHT]


def _mass_below(model: Any) -> Array:
    mass = np.array(model.body_mass, dtype=np.float64)
    for b in range(model.nbody - 1, 0, -1):
        mass[int(model.body_parentid[b])] += mass[b]
    return mass
