"""From a stranger's file to a figure in footfall's conventions, with the way back, and what was found in the file as a
table that a person can check at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.figures.adoption.limbs import Stance, is_planar, stand_up
from footfall.figures.adoption.loops import find_ties
from footfall.figures.adoption.roles import Parts, find_parts, link_names
from footfall.figures.adoption.soles import find_contacts
from footfall.figures.adoption.source import Overrules, Source, matching, overrules_beside, read_overrules, read_source
from footfall.figures.adoption.symmetry import SIZES, Asymmetry, averaged, paired
from footfall.figures.adoption.tree import Tree, take_tree
from footfall.figures.adoption.way_back import Adoption, Finding, OriginalJoint, inverse, product
from footfall.figures.adoption.writing import GAINS, BodyDesign, read_motors, write_spec
from footfall.figures.adoption.zero_pose import zero_pose
from footfall.figures.inertia import GRAVITY
from footfall.figures.mjcf import check_numbers, matrix_quaternion
from footfall.figures.side_names import Side

LARGE = Asymmetry(mass=0.05, inertia=0.05, place=0.005, axis=0.05, range=0.1)
"""Differences between the sides that a person should look at."""


def list_findings(
    source: Source,
    design: BodyDesign,
    stance: Stance,
    up: str,
    asymmetry: Asymmetry,
    images: Mapping[int, int],
    notes: Sequence[str],
    overrules: Overrules,
) -> tuple[Finding, ...]:
    """Rows of the table, warnings among them."""
    tree, parts = design.tree, design.parts
    hip = float(design.contacts.falls["pelvis"][1][2]) - design.contacts.ground
    forward = f"{'x' if design.planar else _axis(stance)} of the file"
    carries = "it carries the arms" if parts.arms else "the last link of the trunk"
    found = [
        Finding("root", design.bodies[0], "the link that carries both legs"),
        Finding("torso", design.bodies[parts.torso], carries),
        Finding("forward", forward, "; ".join(stance.signs), not stance.sure),
        Finding("legs", f"{hip:.2f} m to the hips", _limb_words(design, parts.legs["left"].all)),
        Finding("arms", _limb_words(design, parts.arms["left"].links if parts.arms else ()), ""),
    ]
    if up != "z":
        found.append(Finding("up", f"{up} of the file", "turned until its legs are below it", True))
    knees = [j for j in tree.joints() if parts.names[j.index].endswith("_knee")]
    if knees and all(np.isfinite(j.upper) and j.lower + j.upper > 0.2 for j in knees):
        found.append(Finding("knees", "bend backward, as a bird's", "from their ranges", True))
    found.append(_sole_finding(design))
    found += _side_findings(design, asymmetry, images, overrules)
    found.append(_motor_finding(design))
    if source.missing:
        missing = f"{len(source.missing)} files are missing"
        found.append(Finding("meshes", missing, "links are drawn by their masses and joints"))
    found += [Finding("note", note) for note in notes]
    beside = overrules_beside(source.path)
    if beside.is_file():
        found.append(Finding("overruled", f"by {beside.name}"))
    return tuple(found)


def _axis(stance: Stance) -> str:
    ahead = stance.turn[0]
    k = int(np.argmax(np.abs(ahead)))
    text = ("" if ahead[k] > 0 else "-") + "xyz"[k]
    return text if abs(ahead[k]) > 0.999 else f"{text} (turned {np.degrees(np.arccos(abs(ahead[k]))):.0f} degrees)"


def _limb_words(design: BodyDesign, links: Sequence[int]) -> str:
    joints = design.tree.joints(links)
    return ", ".join(design.parts.names[j.index].removeprefix("left_") for j in joints) or "none"


def _sole_finding(design: BodyDesign) -> Finding:
    places = np.array([place for name, (_, place) in design.contacts.soles.items() if name.startswith("left")])
    length, width = np.ptp(places[:, 0]), np.ptp(places[:, 1])
    kind = {1: "a point", 2: f"a line of {length:.3f} m"}.get(len(places), f"{length:.3f} m long, {width:.3f} m wide")
    guessed = design.contacts.guessed
    how = f"guessed from {guessed}" if guessed else "the lowest part of the feet's geoms"
    return Finding("soles", f"{kind}, {len(places)} points each", how, bool(guessed))


def _side_findings(
    design: BodyDesign, asymmetry: Asymmetry, images: Mapping[int, int], overrules: Overrules
) -> list[Finding]:
    alone = [design.bodies[i] for i in range(len(design.tree.links)) if i not in images]
    found = []
    if alone:
        words = f"no mirror image: {', '.join(alone)}"
        found.append(Finding("sides", words, "controllers that mirror will refuse it", True))
    if not overrules.symmetric:
        found.append(Finding("sides", "left as they are", "symmetric = false"))
        return found
    large = any(getattr(asymmetry, name) > getattr(LARGE, name) for name in SIZES)
    words = (
        f"masses {100 * asymmetry.mass:.2g} %, inertias {100 * asymmetry.inertia:.2g} %, positions "
        f"{1000 * asymmetry.place:.2g} mm ({asymmetry.link}), axes {np.degrees(asymmetry.axis):.2g} and ranges "
        f"{np.degrees(asymmetry.range):.2g} degrees apart"
    )
    found.append(Finding("sides averaged", words, "the largest differences", large))
    return found


def _motor_finding(design: BodyDesign) -> Finding:
    joints = design.tree.joints()
    motors = [design.motors[j.index] for j in joints if j.index in design.motors]
    passive = [design.parts.names[j.index] for j in joints if j.index not in design.motors]
    limited = [motor for motor in motors if np.isfinite(motor.limit)]
    sources = sorted({motor.source for motor in limited})
    words = f"{len(motors)} motors, {len(limited)} with torque limits"
    if passive:
        words += f"; passive: {', '.join(passive)}"
    how = f"from {', '.join(sources)}" if sources else "the file has no limits"
    return Finding("motors", words, how, not limited)


Array = NDArray[np.float64]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True)
class Adopted:
    """The new model's spec and name, and what the way back needs once the model is compiled."""

    spec: Any
    name: str
    source: Source
    design: BodyDesign
    seen: Tree
    """The file's body in the zero pose, before signs were turned and sides averaged."""
    signs: dict[int, float]
    hub: int
    findings: tuple[Finding, ...]
    follow: tuple[int, ...]

    def way_back(self, model: Any) -> Adoption:
        """The map from the compiled new model to the original one."""
        tree, original = self.seen, self.source.model
        layout, joints = {}, {}
        for i, link in enumerate(tree.links):
            for joint in link.joints:
                name = self.design.parts.names[joint.index]
                new, width = model.joint(name), 4 if joint.kind == "ball" else 1
                layout[name] = (int(new.qposadr[0]), int(new.dofadr[0]), width)
                at, dof = int(original.jnt_qposadr[joint.index]), int(original.jnt_dofadr[joint.index])
                left, right = _ball_frames(tree, i, at) if width == 4 else ((1.0, 0.0, 0.0, 0.0),) * 2
                offset = float(tree.qpos[at]) if width == 1 else 0.0
                joints[name] = OriginalJoint(joint.name, self.signs[joint.index], offset, at, dof, left, right)
        axes = tree.data.xmat[self.hub].reshape(3, 3)
        root = self.design.contacts.falls["pelvis"][1]
        return Adoption(
            source=self.source.path,
            original=original,
            joints=joints,
            body_names={
                self.design.bodies[i]: tuple(original.body(b).name or f"body{b}" for b in link.bodies)
                for i, link in enumerate(tree.links)
            },
            findings=self.findings,
            planar=self.design.planar,
            base=np.array(tree.qpos),
            hub=self.hub,
            hub_turn=tree.turn @ axes,
            hub_position=axes.T @ (tree.turn.T @ root - tree.data.xpos[self.hub]),
            turn=tree.turn,
            layout=layout,
            follow=self.follow,
        )


def adopt(path: Path, overrules: Overrules | None = None) -> Adopted:
    """Bring the body of an MJCF or URDF file to footfall's conventions.

    Args:
        path: of the file.
        overrules: what a person knows better; by default the file ``NAME.footfall.toml`` beside it.

    Raises:
        FootfallError: it is no biped that footfall can walk; one line says what it is.
    """
    source = read_source(path)
    check_numbers(source.model, source.name)
    overrules = read_overrules(path) if overrules is None else overrules
    model, where = _with_masses(source, overrules), path.name
    ties = find_ties(model, overrules, where)
    welded = ties.welded
    tree, stance, up = stand_up(source, welded, overrules.up or None, overrules.forward or None)
    hub = tree.links[stance.hub].bodies[0]
    feet = [[tree.links[i].bodies[0] for i in leg] for leg in stance.legs]

    def again(qpos: Array) -> Tree:
        taken = take_tree(model, qpos, stance.turn, welded)
        return taken.rooted(taken.of_body(hub))

    tree = again(tree.qpos)
    legs = [tuple(tree.of_body(body) for body in leg) for leg in feet]
    sides: dict[Side, tuple[int, ...]] = {"left": legs[stance.left], "right": legs[1 - stance.left]}
    seen = again(zero_pose(tree, find_parts(tree, sides), again))
    parts = _renamed(find_parts(seen, sides), model, overrules, where)
    tree, signs = _signed(ties.driven(seen))
    images = paired(tree, (parts.legs["left"].links, parts.legs["right"].links))
    asymmetry = Asymmetry()
    if overrules.symmetric:
        tree, asymmetry = averaged(tree, images)
    planar = is_planar(source)
    if planar:
        tree = _flat(tree)
    soles = overrules.soles or None
    contacts = find_contacts(tree, parts, planar, soles)  # type: ignore[arg-type]
    motors, more = read_motors(model)
    motors = _limited(ties.motors(motors), model, overrules)
    bodies = link_names(tree, parts, images)
    home = {joint.index: float(np.clip(0.0, joint.lower, joint.upper)) for joint in tree.joints()}
    gravity = np.array([0.0, 0.0, -(float(np.linalg.norm(model.opt.gravity)) or GRAVITY)])
    design = BodyDesign(source.name, tree, parts, contacts, motors, bodies, planar, gravity, home)
    notes = (*source.notes, *ties.notes, *more)
    findings = list_findings(source, design, stance, up, asymmetry, images, notes, overrules)
    findings += tuple(Finding("loop", line, "closed in the file, open here", True) for line in ties.cuts)
    return Adopted(write_spec(design), source.name, source, design, seen, signs, hub, findings, ties.follow)


def _with_masses(source: Source, overrules: Overrules) -> Any:
    model = source.model
    names = [model.body(b).name for b in range(1, model.nbody)]
    for name, pattern in matching(overrules.masses, names, f"body of {source.path.name}").items():
        body, mass = model.body(name).id, overrules.masses[pattern]
        model.body_inertia[body] *= mass / max(float(model.body_mass[body]), 1e-9)
        model.body_mass[body] = mass
    return model


def _renamed(parts: Parts, model: Any, overrules: Overrules, where: str) -> Parts:
    names = {model.joint(j).name: j for j in range(model.njnt)}
    matching(tuple(overrules.names), list(names), f"joint of {where}")
    given = {names[original]: name for original, name in overrules.names.items()}
    found = {j: given.get(j, name) for j, name in parts.names.items()}
    if len(set(found.values())) < len(found):
        twice = sorted(name for name in found.values() if list(found.values()).count(name) > 1)
        raise FootfallError(f"{where}: two joints are called '{twice[0]}'; rename the other one under [names] too")
    places = dict(parts.places)
    for j, name in given.items():
        bare = name.removeprefix("left_").removeprefix("right_").split("_")[0]
        places[j] = bare if bare in GAINS and bare != "clavicle" else "other"
    return replace(parts, names=found, places=places)


def _signed(tree: Tree) -> tuple[Tree, dict[int, float]]:
    """The tree with every axis pointing footfall's way (-y, x or z), and the signs by joint of the original.

    Against the file a sign also tells of joints that are seen from their other side, in a tree with another root.
    """
    signs: dict[int, float] = {}
    links = []
    for link in tree.links:
        joints = []
        for joint in link.joints:
            plane = int(np.argmax(np.abs(joint.axis)))
            ours = -1.0 if plane == 1 and joint.kind == "hinge" else 1.0
            turned = joint.turned() if joint.kind != "ball" and joint.axis[plane] * ours < 0 else joint
            joints.append(turned)
            own = float(np.sign(tree.turn @ tree.data.xaxis[joint.index] @ turned.axis))
            signs[joint.index] = 1.0 if joint.kind == "ball" else own * _seen_from(tree, joint.index)
        links.append(replace(link, joints=tuple(joints)))
    return replace(tree, links=tuple(links)), signs


def _seen_from(tree: Tree, joint: int) -> float:
    """-1 for a joint whose child in the file is its parent here."""
    child = int(tree.model.jnt_bodyid[joint])
    here = next(link for link in tree.links if any(j.index == joint for j in link.joints))
    return 1.0 if child in here.bodies else -1.0


def _flat(tree: Tree) -> Tree:
    """A body that moves in the plane: nothing of it is beside the plane."""
    links = []
    flat = np.array([1.0, 0.0, 1.0])
    for link in tree.links:
        joints = tuple(replace(joint, anchor=joint.anchor * flat) for joint in link.joints)
        inertia = np.array(link.inertia)
        inertia[[0, 1, 1, 2], [1, 0, 2, 1]] = 0.0
        links.append(replace(link, com=link.com * flat, inertia=inertia, joints=joints))
    return replace(tree, links=tuple(links))


def _limited(motors: dict[int, Any], model: Any, overrules: Overrules) -> dict[int, Any]:
    names = {model.joint(j).name: j for j in range(model.njnt)}
    for limits, what in ((overrules.torque_limits, "limit"), (overrules.speed_limits, "speed")):
        for name, pattern in matching(limits, list(names), "joint").items():
            if names[name] in motors:
                changes: dict[str, Any] = {what: limits[pattern]}
                changes |= {"source": "the file beside it"} if what == "limit" else {}
                motors[names[name]] = replace(motors[names[name]], **changes)
    return motors


def _ball_frames(tree: Tree, i: int, at: int) -> tuple[Quaternion, Quaternion]:
    """Quaternions before and behind a ball's own, from footfall's frames to the file's."""
    parent, child = (matrix_quaternion(tree.data.xmat[tree.links[k].bodies[0]]) for k in (tree.links[i].parent, i))
    world = matrix_quaternion(tree.turn.ravel())
    own, other = (inverse(product(world, q)) for q in (child, parent))
    between = product(inverse(parent), child, inverse(tree.qpos[at : at + 4]))
    left = inverse(product(inverse(other), between))
    return tuple(left), tuple(inverse(own))
