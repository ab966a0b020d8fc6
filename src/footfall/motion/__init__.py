"""Captured and recorded motion: poses of a skeleton over time, their algebra, their measures and their files."""

from typing import TYPE_CHECKING

from footfall.lazy import lazy_names

if TYPE_CHECKING:
    from footfall.motion.editing.cutting import (
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
    from footfall.motion.editing.displacement import Pose, displaced
    from footfall.motion.editing.transitions import transition, transition_back
    from footfall.motion.formats.c3d import read_markers
    from footfall.motion.formats.files import load_motion, save_motion
    from footfall.motion.formats.periodic_file import load_periodic, save_periodic
    from footfall.motion.gait.contact import Contacts, Segment, annotate_contacts, segments
    from footfall.motion.gait.heading import (
        facing,
        facing_angle,
        ground_path,
        net_turn,
        path_length,
        peak_speed,
        speeds,
    )
    from footfall.motion.gait.joint_angles import leg_angles, trunk_lean
    from footfall.motion.gait.measures import (
        FootQuality,
        GaitMeasures,
        foot_quality,
        gait_contacts,
        gait_measures,
        joint_profiles,
        profile_correlation,
        rms_jerk,
    )
    from footfall.motion.gait.summaries import summary
    from footfall.motion.ground import GroundProfile
    from footfall.motion.markers.markers import Markers
    from footfall.motion.motion import Motion
    from footfall.motion.retargeting.benchmark import ClipResult, benchmark
    from footfall.motion.retargeting.fidelity import Difference, Fidelity, fidelity
    from footfall.motion.retargeting.joint_map import JointMap, match_joints, read_joint_map
    from footfall.motion.retargeting.retarget import RetargetReport, retarget
    from footfall.motion.skeleton.body_shape import body_capsules, body_solids, leg_length
    from footfall.motion.skeleton.figure_skeleton import skeleton_of
    from footfall.motion.skeleton.mass_centre import centre_of_mass
    from footfall.motion.skeleton.roles import find_roles
    from footfall.motion.skeleton.tree import Capsule, EndSite, Skeleton
    from footfall.motion.synthesis.fragments import Fragment
    from footfall.motion.synthesis.graph import MotionGraph
    from footfall.motion.synthesis.periodic import PeriodicMotion, periodic_motion, steady_part
    from footfall.motion.synthesis.principal_components import PrincipalComponents, principal_components

_HOME = {
    "Capsule": "skeleton.tree",
    "ClipResult": "retargeting.benchmark",
    "Contacts": "gait.contact",
    "Difference": "retargeting.fidelity",
    "EndSite": "skeleton.tree",
    "Fidelity": "retargeting.fidelity",
    "FootQuality": "gait.measures",
    "Fragment": "synthesis.fragments",
    "GaitMeasures": "gait.measures",
    "GroundProfile": "ground",
    "JointMap": "retargeting.joint_map",
    "Markers": "markers.markers",
    "Motion": "motion",
    "MotionGraph": "synthesis.graph",
    "PeriodicMotion": "synthesis.periodic",
    "Pose": "editing.displacement",
    "PrincipalComponents": "synthesis.principal_components",
    "Rates": "editing.cutting",
    "RetargetReport": "retargeting.retarget",
    "Segment": "gait.contact",
    "Skeleton": "skeleton.tree",
    "annotate_contacts": "gait.contact",
    "benchmark": "retargeting.benchmark",
    "body_capsules": "skeleton.body_shape",
    "body_solids": "skeleton.body_shape",
    "centre_of_mass": "skeleton.mass_centre",
    "derivatives": "editing.cutting",
    "displaced": "editing.displacement",
    "facing": "gait.heading",
    "facing_angle": "gait.heading",
    "fidelity": "retargeting.fidelity",
    "find_roles": "skeleton.roles",
    "foot_quality": "gait.measures",
    "gait_contacts": "gait.measures",
    "gait_measures": "gait.measures",
    "ground_path": "gait.heading",
    "has_rest_frame": "editing.cutting",
    "joined": "editing.cutting",
    "joint_profiles": "gait.measures",
    "leg_angles": "gait.joint_angles",
    "leg_length": "skeleton.body_shape",
    "load_motion": "formats.files",
    "load_periodic": "formats.periodic_file",
    "looped": "editing.cutting",
    "match_joints": "retargeting.joint_map",
    "mirrored": "editing.cutting",
    "moved": "editing.cutting",
    "net_turn": "gait.heading",
    "path_length": "gait.heading",
    "peak_speed": "gait.heading",
    "periodic_motion": "synthesis.periodic",
    "placed": "editing.cutting",
    "principal_components": "synthesis.principal_components",
    "profile_correlation": "gait.measures",
    "read_joint_map": "retargeting.joint_map",
    "read_markers": "formats.c3d",
    "resampled": "editing.cutting",
    "retarget": "retargeting.retarget",
    "rms_jerk": "gait.measures",
    "save_motion": "formats.files",
    "save_periodic": "formats.periodic_file",
    "segments": "gait.contact",
    "skeleton_of": "skeleton.figure_skeleton",
    "speeds": "gait.heading",
    "steady_part": "synthesis.periodic",
    "summary": "gait.summaries",
    "transition": "editing.transitions",
    "transition_back": "editing.transitions",
    "trimmed": "editing.cutting",
    "trunk_lean": "gait.joint_angles",
    "without_rest_frame": "editing.cutting",
}

__all__ = [
    "Capsule",
    "ClipResult",
    "Contacts",
    "Difference",
    "EndSite",
    "Fidelity",
    "FootQuality",
    "Fragment",
    "GaitMeasures",
    "GroundProfile",
    "JointMap",
    "Markers",
    "Motion",
    "MotionGraph",
    "PeriodicMotion",
    "Pose",
    "PrincipalComponents",
    "Rates",
    "RetargetReport",
    "Segment",
    "Skeleton",
    "annotate_contacts",
    "benchmark",
    "body_capsules",
    "body_solids",
    "centre_of_mass",
    "derivatives",
    "displaced",
    "facing",
    "facing_angle",
    "fidelity",
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
    "principal_components",
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

__getattr__, __dir__ = lazy_names(__name__, _HOME)
