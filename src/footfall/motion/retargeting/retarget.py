"""Captured motion on another body: joints matched, limbs along the source's, feet on the ground."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.conditioning.legs import TwoBoneLeg, flattened, steadied
from footfall.motion.conditioning.planting import LegPlanter, from_ankle_at_rest
from footfall.motion.editing import placed, without_rest_frame
from footfall.motion.gait.contact import Contacts
from footfall.motion.gait.feet import clearance, ground_level, lowest_points, smoothed, soles
from footfall.motion.gait.measures import FootQuality, foot_quality, gait_contacts
from footfall.motion.motion import GroundProfile, Motion
from footfall.motion.quaternion import (
    Array,
    between,
    conjugate,
    cross,
    dot,
    from_axis_angle,
    multiply,
    norm,
    rotate,
    slerp,
    unit,
)
from footfall.motion.retargeting.extremities import (
    bend_toes,
    firm_soles,
    own_bends,
    own_girdle,
    raised_girdle,
    toes_of,
)
from footfall.motion.retargeting.fidelity import Fidelity, fidelity
from footfall.motion.retargeting.joint_map import JointMap, match_joints
from footfall.motion.retargeting.pose_builder import PoseBuilder
from footfall.motion.retargeting.standing import (
    arm_roll,
    framed,
    in_body,
    knee_axis,
    source_frames,
    standing,
    target_frames,
    trunk_top,
)
from footfall.motion.skeleton.figure_skeleton import body_joints, is_adopted, kinematic_model, skeleton_of
from footfall.motion.skeleton.landmarks import landmark_positions, landmarks
from footfall.motion.skeleton.roles import find_roles
from footfall.motion.skeleton.tree import Skeleton

_Y = np.array([0.0, 1.0, 0.0])
_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
_LIMB, _TRUNK, _FOOT, _WHOLE = (0.05, 0.05, 1.0), (0.3, 0.3, 1.0), (1.0, 0.5, 1.0), (1.0, 1.0, 1.0)
_WEIGHTS = {"pelvis": _WHOLE, "chest": _TRUNK, "head": _TRUNK, "ankle": _FOOT}
_BENT, _MOST_ODD = np.deg2rad(30.0), 0.15
"""A knee bent by more, about an axis more than 60° from its usual one, is odd; a motion may have this share of odd
frames. Captures of people have 2 % at most, a broken one (knees guessed from video) 28 %."""
_OFTEN = 0.25
_LEANS = 3
_PELVIS_LEANS, _CHEST_LEANS = 0.5, 0.25
"""Shares of what a rig's trunk is off by which its pelvis and its chest lean. With a waist at another height than the
source's, pelvis, chest and trunk cannot all point as the source's do; each gives way a little."""
_MORE_SKATING = 0.05
"""Share by which feet that are only headed may slide further than before."""
_RAISES = 4
"""How often a body with toes is raised."""
_SHANK_GIVE = 0.08
"""Share by which the distance from knee to ankle may change over a clip; animals' legs have a bone more there."""


@dataclass(frozen=True)
class RetargetReport:
    """What retargeting did.

    Attributes:
        matched: target joint -> source joint.
        guessed: roles that were recognised by the source's shape, not from names.
        dropped: source joints that move nothing.
        still: target joints that follow their neighbours or stay at rest.
        scale: the target's leg over the source's.
        limited: share of frames in which a part could not be shown: a limit was met or an axis is missing, and the
            part is more than 10° off.
        limited_joints: that share for each target joint that has any.
        feet: ``corrected``; ``lifted`` where correction would have made them worse, or bent the legs out of shape for
            little, so that the body was only raised out of the ground; ``left`` where correction was not asked for.
        before: feet after turning the joints alone.
        after: feet in the result.
        fidelity: how like the source the result is.
    """

    matched: dict[str, str]
    guessed: tuple[str, ...]
    dropped: tuple[str, ...]
    still: tuple[str, ...]
    scale: float
    limited: float
    limited_joints: dict[str, float]
    feet: str
    before: FootQuality
    after: FootQuality
    fidelity: Fidelity

    def verdict(self) -> str:
        """One line: good, or bad and why; parts that the figure's joints cannot show are named."""
        said = self.fidelity.verdict()
        often = [name for name, share in self.limited_joints.items() if share > _OFTEN]
        beyond = sorted(often, key=lambda name: -self.limited_joints[name])
        if not (self.fidelity.faults() and beyond):
            return said
        words = ", ".join(f"{name} {100 * self.limited_joints[name]:.0f} %" for name in beyond[:4])
        return f"{said} (beyond the figure's joints, in share of frames: {words})"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"verdict": self.verdict()} | asdict(self) | {"fidelity": self.fidelity.as_dict()}


def retarget(
    motion: Motion,
    target: Any,
    *,
    joints: Mapping[str, str] | None = None,
    place: bool = True,
    keep_feet: bool = True,
) -> tuple[Motion, RetargetReport]:
    """The motion on another body.

    Limbs of the result point where the source's do; which way they bend, how trunk, head and feet are turned is read
    from the posed joints over the clip, not from the file's zero pose (``standing``). Sizes follow the leg. Feet are
    levelled and held in their contacts; legs reach them by inverse kinematics, and the pelvis sinks where a standing
    leg would be too short. On a figure the poses are those its joints can take, smooth over time.

    Args:
        motion: captured (or any) motion; a rest pose in frame 0 is left out.
        target: a ``footfall.figures.Figure``, a ``mujoco.MjModel`` or a ``Skeleton``.
        joints: target joint -> source joint, where names do not tell (``joint_map.read_joint_map`` reads a file).
        place: begin at the origin, facing x.
        keep_feet: correct the feet (False turns the joints alone).

    Returns:
        The motion on the target, with ``qpos`` recorded on a figure, and a report.
    """
    if not (isinstance(target, Skeleton) or hasattr(target, "model") or hasattr(target, "nbody")):
        raise FootfallError(
            f"retarget: target is {target!r}; give a figure, as in Figure.load('human-28'), an MjModel or a Skeleton"
        )
    source = without_rest_frame(motion)
    figure = None if isinstance(target, Skeleton) else target
    skeleton = target if isinstance(target, Skeleton) else skeleton_of(target)
    if figure is not None:
        _refuse_fixed_roots(kinematic_model(figure))
    work = prepared(source, skeleton, figure, joints, place=place)
    source, match = work.source, work.match
    plain = work.plain()
    if keep_feet:
        result, stands = work.planted()
        likeness = work.fidelity_of(result)
        before, after, feet = foot_quality(plain, stands), foot_quality(result, stands), "corrected"
        not_worse = after.slide <= before.slide + 1e-3 and after.penetration <= before.penetration + 1e-3
        medians_off = [len(found.faults(often=False)) for found in (likeness, work.fidelity_of(plain))]
        worth_it = not_worse and (after.slide <= 0.5 * before.slide or medians_off[0] <= medians_off[1])
        if not worth_it or likeness.faults():
            raised = work.lifted()
            raised_feet, raised_likeness = foot_quality(raised, stands), work.fidelity_of(raised)
            skates = raised_feet.slide > (1.0 + _MORE_SKATING) * before.slide + 1e-3
            if skates or raised_likeness.faults():
                other = work.lifted(headed=False)
                other_likeness = work.fidelity_of(other)
                if skates or len(other_likeness.faults()) < len(raised_likeness.faults()):
                    raised, raised_feet, raised_likeness = other, foot_quality(other, stands), other_likeness
            if not worth_it or len(raised_likeness.faults()) < len(likeness.faults()):
                result, likeness, after, feet = raised, raised_likeness, raised_feet, "lifted"
    else:
        result, likeness, feet = plain, work.fidelity_of(plain), "left"
        before = after = foot_quality(plain, work.contacts)
    limited = work.built.limited
    report = RetargetReport(
        matched={
            skeleton.names[match.target_roles[role]]: source.skeleton.names[match.source_roles[role]]
            for role in match.target_roles
        },
        guessed=match.guessed,
        dropped=match.dropped,
        still=tuple(name for name in match.still if skeleton.index(name) not in work.own_parts),
        scale=work.scale,
        limited=float(np.any(list(limited.values()), axis=0).mean()),
        limited_joints={skeleton.names[j]: float(rows.mean()) for j, rows in limited.items() if rows.any()},
        feet=feet,
        before=before,
        after=after,
        fidelity=likeness,
    )
    return result, report


def prepared(
    source: Motion, skeleton: Skeleton, figure: Any, joints: Mapping[str, str] | None, *, place: bool
) -> "Retargeting":
    """A source matched to a target, with standing as its zero pose; where it faces is known once its roles are."""
    match = match_joints(source, skeleton, joints)
    source = replace(source, skeleton=replace(source.skeleton, roles=match.all_source_roles))
    source = standing(placed(source) if place else source)
    _refuse_animals(source)
    _refuse_broken_knees(source)
    return Retargeting(source, skeleton, figure, match)


def _refuse_fixed_roots(model: Any) -> None:
    if not any(int(model.jnt_type[j]) in (0, 2) for j in body_joints(model, 1)):
        raise FootfallError(
            f"retarget: the root of the figure, body '{model.body(1).name}', cannot travel; give it a free joint"
        )


def _refuse_animals(source: Motion) -> None:
    roles, places = find_roles(source.skeleton), source.positions()
    for side in ("left", "right"):
        length = norm(places[:, roles[f"{side}_ankle"]] - places[:, roles[f"{side}_knee"]])
        if np.ptp(length) > _SHANK_GIVE * length.mean():
            raise FootfallError(
                f"retarget: between the {side} knee and ankle of the motion there is a joint that bends (the distance "
                f"changes from {length.min():.2f} to {length.max():.2f} m); legs of thigh, shank and foot are needed, "
                "and an animal's legs have one bone more"
            )


def _refuse_broken_knees(source: Motion) -> None:
    roles, places, turns = find_roles(source.skeleton), landmark_positions(source), source.orientations()
    for side in ("left", "right"):
        hip, knee, ankle = (places[f"{side}_{role}"] for role in ("hip", "knee", "ankle"))
        normal = cross(unit(knee - hip), unit(ankle - knee))
        bent = (norm(normal) > np.sin(_BENT)) | (dot(knee - hip, ankle - knee) < 0.0)
        odd = bent & (dot(unit(normal), rotate(turns[:, roles[f"{side}_hip"]], _Y)) < 0.5)
        if odd.mean() > _MOST_ODD:
            raise FootfallError(
                f"retarget: the {side} knee of the motion bends sideways or backwards in {100 * odd.mean():.0f} % of "
                "its frames, as no knee does; the capture is broken, or another joint is the knee: name it in a map, "
                f"'{side}_knee = JOINT' (--map)"
            )


class Retargeting:
    """One source on one target."""

    def __init__(self, source: Motion, skeleton: Skeleton, figure: Any, match: JointMap) -> None:
        self.source, self.skeleton, self.figure, self.match = source, skeleton, figure, match
        self.model = None if figure is None else kinematic_model(figure)
        self.planar = self.model is not None and _is_planar(self.model)
        self.roles = find_roles(skeleton)
        own, there = landmarks(source.skeleton), landmarks(skeleton)
        top = next((name for name in ("shoulders", "neck", "head") if name in own and name in there), trunk_top(own))
        rest = target_frames(skeleton, self.model, top)
        self.legs = {
            side: TwoBoneLeg.of(skeleton, self.roles, side, knee_axis(skeleton, self.model, side, rest[f"{side}_knee"]))
            for side in ("left", "right")
        }
        legs = [TwoBoneLeg.of(source.skeleton, find_roles(source.skeleton), side) for side in ("left", "right")]
        sizes = [np.mean([_length(leg) for leg in row]) for row in (self.legs.values(), legs)]
        if min(sizes) < 1e-6:
            raise FootfallError("retarget: a leg has no length")
        self.scale = float(sizes[0] / sizes[1])
        self.contacts: Contacts = gait_contacts(source)
        free = figure is None
        self.toes = toes_of(skeleton) if free else {}
        self.feet = firm_soles(skeleton, self.toes)
        self.clavicles = {
            self.roles[f"{side}_clavicle"]: side
            for side in ("left", "right")
            if free and {f"{side}_clavicle", f"{side}_shoulder"} <= self.roles.keys()
        }
        self.bends, self.girdle = own_bends(source), own_girdle(source)
        self._wish(source_frames(source, top), rest)
        self.built = self._built()

    def _wish(self, frames: dict[str, Array], rest: dict[str, Array]) -> None:
        """World orientations [T, 4] wanted for the target's joints: W C⁻¹ R with W the source's anatomical frame, C
        the target's at rest and R the joint's own orientation at rest."""
        if "chest" not in self.roles:
            frames["pelvis"] = framed(rotate(frames["chest"], np.array([0.0, 0, 1])), rotate(frames["pelvis"], _Y), "z")
            rest["pelvis"] = rest["chest"]
        for side in ("left", "right"):
            flat = flattened(frames[f"{side}_ankle"], _IDENTITY)
            frames[f"{side}_ankle"] = steadied(flat, self.contacts.spans(side))
        self.trunk = rotate(frames["chest"], np.array([0.0, 0.0, 1.0]))
        driven = {self.roles[role]: role for role in rest if role in frames and role in self.roles}
        if "head" in self.roles and self._carries_arms(self.roles["head"]):
            driven.pop(self.roles["head"], None)
        driven.setdefault(0, "pelvis")
        self.wanted, self.own_frames, self.weights = {}, {}, {}
        for joint, role in sorted(driven.items()):
            self.own_frames[joint] = in_body(self.skeleton, joint, rest[role])
            self.wanted[joint] = multiply(frames[role], conjugate(self.own_frames[joint]))
            self.weights[joint] = _WEIGHTS.get(role.split("_")[-1], _LIMB)
        for side in ("left", "right"):
            self._carry(side, rest)

    def _carries_arms(self, joint: int) -> bool:
        """Whether arms hang on a joint: a head that carries them belongs to the chest, or looking aside would turn the
        shoulders."""
        arms = [self.roles[role] for role in ("left_shoulder", "right_shoulder") if role in self.roles]
        return any(joint in self.skeleton.chain(arm)[:-1] for arm in arms)

    def _carry(self, side: str, rest: dict[str, Array]) -> None:
        """Roll an upper arm so that the forearm points where it should although it is not square to its hinge."""
        names = [f"{side}_{role}" for role in ("shoulder", "elbow", "wrist")]
        places = landmark_positions(self.source)
        if self.model is None or not {*names} <= places.keys() & landmarks(self.skeleton).keys():
            return
        first, second = (unit(places[b] - places[a]) for a, b in pairwise(names))
        roll = arm_roll(self.skeleton, self.model, side, rest[names[0]], first, second)
        joint = self.roles[names[0]]
        self.wanted[joint] = multiply(from_axis_angle(-first, roll), self.wanted[joint])

    def _built(self) -> PoseBuilder:
        """The joints turned as the source's, with no care for the feet.

        A robot's waist may not bend as a person's does, or not at all: its pelvis then leans until the trunk does. A
        rig's waist may be higher or lower than the source's, or its spine of several joints shares the bend: its pelvis
        and its chest then lean on, and the trunk with them.
        """
        builder = self._turned()
        chest = self.roles.get("chest")
        if self.figure is None and chest in self.wanted and "shoulders" in landmarks(self.skeleton):
            lean = self._lean(builder)
            for joint, share in ((0, _PELVIS_LEANS), (chest, _CHEST_LEANS)):
                self.wanted[joint] = multiply(slerp(_IDENTITY, lean, np.array(share)), self.wanted[joint])
            builder = self._turned()
        if is_adopted(self.figure) and "shoulders" in landmarks(self.skeleton):
            for _ in range(_LEANS):
                self.wanted[0] = multiply(self._lean(builder), self.wanted[0])
                builder = self._turned()
        builder.move(self._place(builder))
        builder.finish()
        return builder

    def _lean(self, builder: PoseBuilder) -> Array:
        """[T, 4] the turns from where the trunk points to where it should."""
        marks = (landmarks(self.skeleton)[name] for name in ("hips", "shoulders"))
        low, high = (mark.place(builder.positions, builder.orientations) for mark in marks)
        return between(unit(high - low), self.trunk)

    def _turned(self) -> PoseBuilder:
        """Every part turned as near to what is wanted as its joints allow, with the root at the origin."""
        builder = PoseBuilder(
            self.skeleton, self.figure, self.own_frames, np.zeros((len(self.source), 3)), self.source.frame_time
        )
        carriers = [self.roles[r] for r in ("left_clavicle", "right_clavicle", "head") if r in self.roles]
        for joint, wanted in self.wanted.items():
            for carrier in carriers:
                if carrier in self.skeleton.chain(joint)[:-1] and carrier not in builder.done:
                    builder.rest(carrier)
                    if carrier in self.clavicles:
                        self._raise(builder, carrier)
            builder.turn(joint, wanted, self.weights[joint])
        builder.finish()
        return builder

    def _raise(self, builder: PoseBuilder, clavicle: int) -> None:
        """Turn a clavicle as the source's, or by how far the arm is raised."""
        side, home = self.clavicles[clavicle], self.roles.get("chest", self.roles["pelvis"])
        chest = multiply(builder.orientations[:, home], self.own_frames.get(home, _IDENTITY))
        turn = self.girdle.get(side)
        if turn is None:
            arm = self.roles[f"{side}_shoulder"]
            if arm not in self.wanted:
                return
            turn = raised_girdle(side, chest, multiply(self.wanted[arm], self.own_frames[arm]))
        world = multiply(multiply(chest, turn), conjugate(chest))
        builder.point(clavicle, multiply(world, builder.orientations[:, clavicle]))

    @property
    def own_parts(self) -> set[int]:
        """Joints that are turned although no joint of the source plays their part."""
        return {j for toes in self.toes.values() for j in toes.joints} | set(self.clavicles)

    def plain(self) -> Motion:
        """The joints turned as the source's, with no care for the feet."""
        return self._motion(self.built)

    def planted(self) -> tuple[Motion, Contacts]:
        """The same with feet that keep to the ground; and the contacts in which they are held."""
        builder = self.built.copy()
        planter = LegPlanter(builder, self.legs, self.feet, self.contacts, self.wanted, self.planar)
        stands = planter.plant()
        builder.finish()
        return self._motion(builder), stands

    def fidelity_of(self, result: Motion) -> Fidelity:
        """How like the source a result is."""
        return fidelity(self.source, result, self.scale, planar=self.planar)

    def lifted(self, *, headed: bool = True) -> Motion:
        """The joints turned as the source's, feet headed as its feet (or left as they come), and the body raised,
        without jerks, so that no sole sinks in."""
        from scipy.ndimage import maximum_filter1d

        builder = self.built.copy()
        if headed:
            LegPlanter(builder, self.legs, self.feet, self.contacts, self.wanted, self.planar).head()
        width = max(round(0.1 / self.source.frame_time), 1)
        for _ in range(_RAISES if self.toes else 1):  # toes bend less the higher the body is
            lowest = lowest_points(self._motion(builder))
            depth = maximum_filter1d(np.maximum(-lowest, 0.0), 2 * width + 1, mode="nearest")
            rise = np.maximum(smoothed(depth, self.source.frame_time, 0.25), np.maximum(-lowest, 0.0))
            builder.move(rise[:, None] * [0.0, 0.0, 1.0])
        builder.finish()
        return self._motion(builder)

    def _place(self, builder: PoseBuilder) -> Array:
        """[T, 3] from the origin to where the target's root belongs: the source's hip centre scaled about level ground
        at the height of the ankles."""
        source, roles = self.source, find_roles(self.source.skeleton)
        hips = source.positions()[:, [roles["left_hip"], roles["right_hip"]]].mean(axis=1)
        feet = [sole.ankle for sole in soles(source.skeleton).values()]
        flat = float(np.min([np.percentile(clearance(source, source.positions()[:, j]), 5.0) for j in feet]))
        level = ground_level(source) if source.ground is None else 0.0
        own = float(
            np.mean([-from_ankle_at_rest(self.skeleton, sole)[:, 2].min() for sole in soles(self.skeleton).values()])
        )
        centre = self.scale * hips
        centre[:, 2] = self.scale * (hips[:, 2] - level - flat) + own
        there = builder.positions[:, [leg.centre for leg in self.legs.values()]].mean(axis=1)
        shift = centre - there
        return np.asarray(shift * [1.0, 0.0, 1.0] if self.planar else shift)

    def _motion(self, builder: PoseBuilder) -> Motion:
        bend_toes(builder, self.toes, self.bends)
        builder.finish()
        known = self.source.source
        name = str(known.get("controller") or known.get("file") or self.source.figure or "")
        source: dict[str, Any] = {"retargeted": name, "scale": self.scale}
        ground, times, qpos = GroundProfile.flat(), self.source.times, builder.qpos
        if self.figure is None or qpos is None:
            return Motion(
                self.skeleton, times, builder.positions[:, 0], builder.rotations, ground=ground, source=source
            )
        if self.planar:
            return Motion.from_qpos(self.figure, times, qpos, ground=ground, source=source)
        first = Motion.from_qpos(self.figure, times[:1], qpos[:1], ground=ground, source=source)
        return replace(
            first,
            skeleton=self.skeleton,
            times=times,
            root_position=builder.positions[:, 0],
            rotations=builder.rotations,
            channels={"qpos": qpos},
        )


def _is_planar(model: Any) -> bool:
    return int(model.body_jntnum[1]) == 3 and int(model.jnt_type[0]) == 2


def _length(leg: TwoBoneLeg) -> float:
    return float(np.linalg.norm(leg.thigh) + np.linalg.norm(leg.shank))


_LIKE = (0.85, 1.18)
"""Scales of a body at which a motion keeps its pace."""


def at_own_pace(motion: Motion, report: RetargetReport) -> Motion:
    """A retargeted motion, faster on a small body and slower on a large one.

    Under the same gravity, motions of two sizes are alike where times grow with the root of the length: a robot with
    half a person's legs takes 1.4 times as many steps. Bodies about as large as the source keep its time.
    """
    if _LIKE[0] < report.scale < _LIKE[1]:
        return motion
    start = motion.times[0]
    return replace(motion, times=start + np.sqrt(report.scale) * (motion.times - start))
