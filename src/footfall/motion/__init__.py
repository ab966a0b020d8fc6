"""Captured and recorded motion: poses of a skeleton over time, their algebra, their measures and their files."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.motion.body_shape import body_capsules, leg_length
    from footfall.motion.c3d import Markers, read_markers
    from footfall.motion.contact import Contacts, Segment, annotate_contacts, segments
    from footfall.motion.displacement import Pose, displaced
    from footfall.motion.editing import (
        Rates,
        derivatives,
        has_rest_frame,
        joined,
        looped,
        mirrored,
        moved,
        placed,
        resampled,
        trimmed,
        without_rest_frame,
    )
    from footfall.motion.figure_skeleton import skeleton_of
    from footfall.motion.files import load_motion, save_motion
    from footfall.motion.gait import (
        FootQuality,
        GaitMeasures,
        foot_quality,
        gait_contacts,
        gait_measures,
        joint_profiles,
        profile_correlation,
        rms_jerk,
    )
    from footfall.motion.graph import Fragment, MotionGraph
    from footfall.motion.ground import Ground
    from footfall.motion.heading import facing, facing_angle, ground_path, net_turn, path_length, peak_speed, speeds
    from footfall.motion.joint_angles import leg_angles, trunk_lean
    from footfall.motion.joint_map import JointMap, match_joints, read_joint_map
    from footfall.motion.mass_centre import centre_of_mass
    from footfall.motion.motion import Motion
    from footfall.motion.periodic import PeriodicMotion, periodic_motion, steady_part
    from footfall.motion.periodic_file import load_periodic, save_periodic
    from footfall.motion.retargeting import RetargetReport, retarget
    from footfall.motion.roles import find_roles
    from footfall.motion.skeleton import Capsule, EndSite, Skeleton
    from footfall.motion.summaries import summary
    from footfall.motion.transitions import transition, transition_back

_HOME = {
    "Capsule": "skeleton",
    "Contacts": "contact",
    "EndSite": "skeleton",
    "FootQuality": "gait",
    "Fragment": "graph",
    "GaitMeasures": "gait",
    "Ground": "ground",
    "JointMap": "joint_map",
    "Markers": "c3d",
    "Motion": "motion",
    "MotionGraph": "graph",
    "PeriodicMotion": "periodic",
    "Pose": "displacement",
    "Rates": "editing",
    "RetargetReport": "retargeting",
    "Segment": "contact",
    "Skeleton": "skeleton",
    "annotate_contacts": "contact",
    "body_capsules": "body_shape",
    "centre_of_mass": "mass_centre",
    "derivatives": "editing",
    "displaced": "displacement",
    "facing": "heading",
    "facing_angle": "heading",
    "find_roles": "roles",
    "foot_quality": "gait",
    "gait_contacts": "gait",
    "gait_measures": "gait",
    "ground_path": "heading",
    "has_rest_frame": "editing",
    "joined": "editing",
    "joint_profiles": "gait",
    "leg_angles": "joint_angles",
    "leg_length": "body_shape",
    "load_motion": "files",
    "load_periodic": "periodic_file",
    "looped": "editing",
    "match_joints": "joint_map",
    "mirrored": "editing",
    "moved": "editing",
    "net_turn": "heading",
    "path_length": "heading",
    "peak_speed": "heading",
    "periodic_motion": "periodic",
    "placed": "editing",
    "profile_correlation": "gait",
    "read_joint_map": "joint_map",
    "read_markers": "c3d",
    "resampled": "editing",
    "retarget": "retargeting",
    "rms_jerk": "gait",
    "save_motion": "files",
    "save_periodic": "periodic_file",
    "segments": "contact",
    "skeleton_of": "figure_skeleton",
    "speeds": "heading",
    "steady_part": "periodic",
    "summary": "summaries",
    "transition": "transitions",
    "transition_back": "transitions",
    "trimmed": "editing",
    "trunk_lean": "joint_angles",
    "without_rest_frame": "editing",
}

__all__ = [
    "Capsule",
    "Contacts",
    "EndSite",
    "FootQuality",
    "Fragment",
    "GaitMeasures",
    "Ground",
    "JointMap",
    "Markers",
    "Motion",
    "MotionGraph",
    "PeriodicMotion",
    "Pose",
    "Rates",
    "RetargetReport",
    "Segment",
    "Skeleton",
    "annotate_contacts",
    "body_capsules",
    "centre_of_mass",
    "derivatives",
    "displaced",
    "facing",
    "facing_angle",
    "find_roles",
    "foot_quality",
    "gait_contacts",
    "gait_measures",
    "ground_path",
    "has_rest_frame",
    "joined",
    "joint_profiles",
    "leg_angles",
    "leg_length",
    "load_motion",
    "load_periodic",
    "looped",
    "match_joints",
    "mirrored",
    "moved",
    "net_turn",
    "path_length",
    "peak_speed",
    "periodic_motion",
    "placed",
    "profile_correlation",
    "read_joint_map",
    "read_markers",
    "resampled",
    "retarget",
    "rms_jerk",
    "save_motion",
    "save_periodic",
    "segments",
    "skeleton_of",
    "speeds",
    "steady_part",
    "summary",
    "transition",
    "transition_back",
    "trimmed",
    "trunk_lean",
    "without_rest_frame",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"footfall.motion.{_HOME[name]}"), name)
    raise AttributeError(f"module 'footfall.motion' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
