"""Captured motion on another body: joints matched, limbs of the new body, feet on the ground."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.editing.cutting import placed, without_rest_frame
from footfall.motion.gait.contact import Contacts
from footfall.motion.gait.feet import Sole, clearance, ground_level, soles
from footfall.motion.gait.heading import smoothed
from footfall.motion.gait.measures import FootQuality, foot_quality, gait_contacts
from footfall.motion.ground import GroundProfile
from footfall.motion.motion import Motion
from footfall.motion.quaternion import Array, between, conjugate, from_axis_angle, multiply, normalised, rotate, slerp
from footfall.motion.retargeting.foot_placement import flattened, placed_ankles, steadied
from footfall.motion.retargeting.joint_map import JointMap, match_joints
from footfall.motion.retargeting.leg_ik import TwoBoneLeg, leg_reach, solve_leg
from footfall.motion.retargeting.pose_projection import PoseProjector
from footfall.motion.skeleton.figure_skeleton import skeleton_of
from footfall.motion.skeleton.tree import Skeleton

__all__ = ["RetargetReport", "retarget"]

_UP = np.array([0.0, 0.0, 1.0])
_DIRECTIONS = (
    ("hip", "knee"),
    ("knee", "ankle"),
    ("shoulder", "elbow"),
    ("elbow", "wrist"),
)


@dataclass(frozen=True)
class RetargetReport:
    """What retargeting did.

    Attributes:
        matched: target joint -> source joint.
        guessed: roles that were told from the source's shape, not from names.
        dropped: source joints that move nothing.
        still: target joints that follow their neighbours or stay at rest.
        scale: the target's leg over the source's.
        clipped: share of frames in which a joint met its limit.
        before: feet after turning the joints alone.
        after: feet in the result.
    """

    matched: dict[str, str]
    guessed: tuple[str, ...]
    dropped: tuple[str, ...]
    still: tuple[str, ...]
    scale: float
    clipped: float
    before: FootQuality
    after: FootQuality

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def retarget(
    motion: Motion,
    target: Any,
    *,
    joints: Mapping[str, str] | None = None,
    place: bool = True,
    keep_feet: bool = True,
) -> tuple[Motion, RetargetReport]:
    """The motion on another body.

    World orientations are carried over joint by joint, relative to the rest poses, whose limbs are first brought to
    point the same way. Sizes follow the leg. Feet are levelled and held in their contacts; legs reach them by inverse
    kinematics, and the pelvis sinks where a standing leg would be too short. On a figure the poses are those its
    joints can take.

    Args:
        motion: captured (or any) motion; a rest pose in frame 0 is left out.
        target: a ``footfall.figures.Figure``, a ``mujoco.MjModel`` or a ``Skeleton``.
        joints: target joint -> source joint, where names do not tell (``joint_map.read_joint_map`` reads a file).
        place: begin at the origin, facing x.
        keep_feet: correct the feet (False turns the joints alone).

    Returns:
        The motion on the target, with ``qpos`` recorded on a figure, and a report.
    """
    source = without_rest_frame(motion)
    source = placed(source) if place else source
    figure = None if isinstance(target, Skeleton) else target
    skeleton = target if isinstance(target, Skeleton) else skeleton_of(target)
    match = match_joints(source.skeleton, skeleton, joints)
    work = _Retargeting(source, skeleton, figure, match)
    plain = work.run(keep_feet=False)
    result = work.run(keep_feet=True) if keep_feet else plain
    report = RetargetReport(
        matched={
            skeleton.names[match.target_roles[role]]: source.skeleton.names[match.source_roles[role]]
            for role in match.target_roles
        },
        guessed=match.guessed,
        dropped=match.dropped,
        still=match.still,
        scale=work.scale,
        clipped=float(work.clipped.mean()),
        before=foot_quality(plain, work.contacts),
        after=foot_quality(result, work.contacts),
    )
    return result, report


class _Retargeting:
    """One source on one target."""

    def __init__(self, source: Motion, skeleton: Skeleton, figure: Any, match: JointMap) -> None:
        self.source, self.skeleton, self.figure, self.match = source, skeleton, figure, match
        self.roles = match.target_roles
        self.planar = figure is not None and _is_planar(figure)
        self.legs = {side: TwoBoneLeg.of(skeleton, self.roles, side) for side in ("left", "right")}
        own = {side: TwoBoneLeg.of(source.skeleton, match.source_roles, side) for side in ("left", "right")}
        sizes = [np.mean([_length(leg) for leg in legs.values()]) for legs in (self.legs, own)]
        if min(sizes) < 1e-6:
            raise FootfallError("retarget: a leg has no length")
        self.scale = float(sizes[0] / sizes[1])
        self.soles = soles(skeleton)
        self.contacts: Contacts = gait_contacts(source)
        self.wanted = self._orientations()
        self.clipped = np.zeros(len(source), dtype=bool)

    def _orientations(self) -> dict[int, Array]:
        """World orientations [T, 4] wanted for the target's joints: D B R with D the source's turn from its rest
        pose, B the turn that lays the target's limb at rest along the source's, R the target's rest orientation."""
        rests = [s.forward(np.zeros(3), s.rest) for s in (self.source.skeleton, self.skeleton)]
        (source_at, source_turn), (target_at, target_turn) = rests
        wanted = {}
        facing = between(_rest_facing(target_at, self.roles), _rest_facing(source_at, self.match.source_roles))
        for role, joint in self.roles.items():
            origin = self.match.source_roles[role]
            turn = multiply(self.source.orientations()[:, origin], conjugate(source_turn[origin]))
            lay = facing
            for near, far in _DIRECTIONS:
                side, _, part = role.partition("_")
                ends = (f"{side}_{far}" if part == near else "", role)
                if ends[0] in self.roles:
                    bones = [
                        at[roles[ends[0]]] - at[roles[role]]
                        for at, roles in ((target_at, self.roles), (source_at, self.match.source_roles))
                    ]
                    lay = multiply(between(rotate(facing, bones[0]), bones[1]), facing)
            wanted[joint] = normalised(multiply(multiply(turn, lay), target_turn[joint]))
        for side, sole in self.soles.items():
            wanted[sole.ankle] = self._level_foot(side, sole, wanted[sole.ankle], target_turn[sole.ankle])
        self._fill_spine(wanted)
        return wanted

    def _level_foot(self, side: str, sole: Sole, orientation: Array, flat: Array) -> Array:
        """Foot orientations turned so that the foot is level, on average, where it stands stillest."""
        source = soles(self.source.skeleton).get(side)
        ankle = self.match.source_roles[f"{side}_ankle"] if source is None else source.ankle
        pace = np.linalg.norm(np.gradient(self.source.positions()[:, ankle], self.source.times, axis=0), axis=-1)
        stands = np.flatnonzero(self.contacts.foot(side))
        if len(stands) >= 3:
            still = stands[pace[stands] <= np.percentile(pace[stands], 40)]
            up = rotate(multiply(orientation, conjugate(flat)), _UP)
            forward = rotate(multiply(orientation, conjugate(flat)), np.array([1.0, 0.0, 0.0]))
            yaw = np.arctan2(forward[:, 1], forward[:, 0])
            level = rotate(from_axis_angle(_UP, -yaw), up)[still]
            lean = between(np.median(level, axis=0), _UP)
            heading = from_axis_angle(_UP, yaw)
            orientation = multiply(multiply(multiply(heading, lean), conjugate(heading)), orientation)
        return steadied(flattened(normalised(orientation), flat), self.contacts.spans(side))

    def _fill_spine(self, wanted: dict[int, Array]) -> None:
        """Joints between the pelvis and the chest (or the head) share the turn between them."""
        for top in ("chest", "head"):
            if top not in self.roles:
                continue
            chain = self.skeleton.chain(self.roles[top])
            known = [k for k, j in enumerate(chain) if j in wanted]
            for a, b in pairwise(known):
                for k in range(a + 1, b):
                    rest = self.skeleton.forward(np.zeros(3), self.skeleton.rest)[1]
                    ends = [multiply(wanted[chain[e]], conjugate(rest[chain[e]])) for e in (a, b)]
                    share = np.full(len(self.source), (k - a) / (b - a))
                    wanted[chain[k]] = multiply(slerp(ends[0], ends[1], share), rest[chain[k]])

    def run(self, *, keep_feet: bool) -> Motion:
        """The retargeted motion, with or without care for the feet."""
        root = self._root_position()
        if not keep_feet:
            return self._motion(self._project(root, {}))
        project = self._project(root, {})
        targets = self._foot_targets(project)
        root = root - _UP * self._sink(project, targets)[:, None]
        project = self._project(root, targets)
        self.clipped = project.clipped
        return self._motion(project)

    def _root_position(self) -> Array:
        """[T, 3] the target's root: the source's hip centre scaled about level ground at the height of the ankles."""
        source, roles = self.source, self.match.source_roles
        hips = source.positions()[:, [roles["left_hip"], roles["right_hip"]]].mean(axis=1)
        feet = [sole.ankle for sole in soles(source.skeleton).values()]
        flat = float(np.min([np.percentile(clearance(source, source.positions()[:, j]), 5.0) for j in feet]))
        level = ground_level(source) if source.ground is None else 0.0
        rest = self.skeleton.forward(np.zeros(3), self.skeleton.rest)[0]
        own = float(np.mean([-(sole.offsets[:, 2].min()) for sole in self.soles.values()]))
        centre = np.empty_like(hips)
        centre[:, :2] = self.scale * hips[:, :2]
        centre[:, 2] = self.scale * (hips[:, 2] - level - flat) + own
        middle = rest[[self.roles["left_hip"], self.roles["right_hip"]]].mean(axis=0)
        home = self.roles["pelvis"]
        turn = multiply(self.wanted[home], conjugate(self.skeleton.forward(np.zeros(3), self.skeleton.rest)[1][home]))
        root = centre - rotate(turn, middle - rest[0])
        return np.asarray(root * [1.0, 0.0, 1.0] if self.planar else root)

    def _project(self, root: Array, targets: dict[str, Array]) -> PoseProjector:
        """Poses near the wanted ones; legs with a target reach it by inverse kinematics."""
        project = PoseProjector(self.skeleton, self.figure, root)
        bent: dict[int, Array] = {}
        for joint in range(len(self.skeleton)):
            side = next((side for side in targets if joint == self.legs[side].hip), "")
            if side:
                leg = self.legs[side]
                bent[leg.knee] = self._aim_leg(project, leg, targets[side])
            elif joint in bent:
                project.set(joint, multiply(project.orientations[:, self.skeleton.parents[joint]], bent[joint]))
            else:
                project.set(joint, self.wanted.get(joint))
        project.finish_root(self.figure)
        return project

    def _aim_leg(self, project: PoseProjector, leg: TwoBoneLeg, goal: Array) -> Array:
        """Turn a thigh so that the ankle can reach its goal [T, 3]; returns the knee's rotations [T, 4] for that."""
        hip = project.locate(leg.hip)
        if self.planar:
            goal = np.stack([goal[:, 0], hip[:, 1], goal[:, 2]], axis=-1)
        yawless = self.figure is not None and not self.planar and project.hinge_count(leg.hip) > 2
        forward = rotate(self.wanted[leg.ankle], np.array([1.0, 0.0, 0.0])) if yawless else None
        thigh, shank = solve_leg(leg, hip, goal, self.wanted[leg.hip], forward)
        knee = normalised(multiply(conjugate(thigh), shank))
        project.aim(leg.hip, thigh, leg.thigh + rotate(knee, leg.shank), goal - hip)
        return knee

    def _foot_targets(self, project: PoseProjector) -> dict[str, Array]:
        targets = {}
        for side, sole in self.soles.items():
            foot = project.orientations[:, sole.ankle]
            offsets = _from_ankle(self.skeleton, sole)
            targets[side] = placed_ankles(
                project.positions[:, sole.ankle],
                self.wanted[sole.ankle] if not self.planar else foot,
                offsets,
                self.contacts.spans(side),
                GroundProfile.flat(),
            )
        return targets

    def _sink(self, project: PoseProjector, targets: dict[str, Array]) -> Array:
        """[T] how far the pelvis must sink for the standing legs to reach their targets, without jerks."""
        needed = np.zeros(len(self.source))
        for side, goal in targets.items():
            leg = self.legs[side]
            reach = 0.999 * leg_reach(leg)
            way = project.positions[:, leg.hip] - goal
            across = np.minimum(np.linalg.norm(way[:, : 1 if self.planar else 2], axis=-1), reach)
            short = way[:, 2] - np.sqrt(reach**2 - across**2)
            needed = np.maximum(needed, np.where(self.contacts.foot(side), short, 0.0))
        width = max(int(0.12 / self.source.frame_time), 1)
        padded = np.pad(np.maximum(needed, 0.0), width, mode="edge")
        widest = np.array([padded[k : k + 2 * width + 1].max() for k in range(len(needed))])
        return np.maximum(smoothed(widest, self.source.frame_time, 0.25), needed)

    def _motion(self, project: PoseProjector) -> Motion:
        source: dict[str, Any] = {
            "retargeted": str(self.source.source.get("file", self.source.figure)),
            "scale": self.scale,
        }
        if self.figure is not None and project.qpos is not None:
            times = self.source.times
            return Motion.from_qpos(self.figure, times, project.qpos, ground=GroundProfile.flat(), source=source)
        return Motion(
            self.skeleton,
            self.source.times,
            project.positions[:, 0],
            project.rotations,
            ground=GroundProfile.flat(),
            source=source,
        )


def _is_planar(figure: Any) -> bool:
    model = getattr(figure, "model", figure)
    return int(model.body_jntnum[1]) == 3 and int(model.jnt_type[0]) == 2


def _length(leg: TwoBoneLeg) -> float:
    return float(np.linalg.norm(leg.thigh) + np.linalg.norm(leg.shank))


def _rest_facing(places: Array, roles: Mapping[str, int]) -> Array:
    across = places[roles["left_hip"]] - places[roles["right_hip"]]
    forward = np.array([across[1], -across[0], 0.0])
    return forward if np.linalg.norm(forward) > 1e-6 else np.array([1.0, 0.0, 0.0])


def _from_ankle(skeleton: Skeleton, sole: Sole) -> Array:
    """[P, 3] the sole's points in the ankle's frame, with the joints below it at rest."""
    places, turns = skeleton.forward(np.zeros(3), skeleton.rest)
    world = places[sole.joints] + rotate(turns[sole.joints], sole.offsets)
    return rotate(conjugate(turns[sole.ankle]), world - places[sole.ankle])
