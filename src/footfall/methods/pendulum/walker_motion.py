"""The walker's body as a skeleton, and a recorded walk as a motion of it.

Arms, trunk and head follow the leg spread (left minus right knee target in leg lengths), so they swing against the
legs, change with the step and never look at a clock. A motion's frames are in the world: on a slope, x is level.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.methods.pendulum.gait import Gait
from footfall.methods.pendulum.model import Person
from footfall.methods.pendulum.trajectory import Trajectory, sample_gait
from footfall.motion.motion import GroundProfile, Motion
from footfall.motion.quaternion import conjugate, from_axis_angle, multiply
from footfall.motion.skeleton.tree import EndSite, Skeleton

Array = NDArray[np.float64]

SHOULDER = 0.11
"""Half the shoulders' width, of the height."""
ARM_SWING, ARM_REST = 0.6, 0.0
"""Shoulder flexion per unit of leg spread, and at none, rad."""
ELBOW_SWING, ELBOW_REST = 0.35, 0.28
TRUNK_TURN = 0.12
"""Turn of the trunk against the pelvis per unit of leg spread, rad."""

_JOINTS = (
    ("Hips", None),
    ("Spine", "Hips"),
    ("Neck", "Spine"),
    ("Head", "Neck"),
    ("LeftArm", "Spine"),
    ("LeftForeArm", "LeftArm"),
    ("LeftHand", "LeftForeArm"),
    ("RightArm", "Spine"),
    ("RightForeArm", "RightArm"),
    ("RightHand", "RightForeArm"),
    ("LeftUpLeg", "Hips"),
    ("LeftLeg", "LeftUpLeg"),
    ("LeftFoot", "LeftLeg"),
    ("LeftToeBase", "LeftFoot"),
    ("RightUpLeg", "Hips"),
    ("RightLeg", "RightUpLeg"),
    ("RightFoot", "RightLeg"),
    ("RightToeBase", "RightFoot"),
)


def _one(values: Any, walker: int) -> float:
    """A walker's number among those of all, or the one that all share."""
    numbers = np.asarray(values, float).reshape(-1)
    return float(numbers[walker if numbers.size > 1 else 0])


def walker_skeleton(body: Person, walker: int = 0) -> Skeleton:
    """The skeleton of one walker: 18 joints, standing upright with hanging arms at rest."""
    v = {name: _one(getattr(body, name), walker) for name in Person.__dataclass_fields__}
    offset: dict[str, tuple[float, float, float]] = {
        "Hips": (0.0, 0.0, v["h1"]),
        "Spine": (0.0, 0.0, 0.0),
        "Neck": (0.0, 0.0, v["trunk"]),
        "Head": (0.0, 0.0, 0.3 * v["head"]),
    }
    ends = [EndSite("HeadTop", 3, (0.0, 0.0, 0.7 * v["head"]))]
    names = [name for name, _ in _JOINTS]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        offset[f"{side}Arm"] = (0.0, sign * SHOULDER * v["height"], 0.93 * v["trunk"])
        offset[f"{side}ForeArm"] = (0.0, 0.0, -v["upper_arm"])
        offset[f"{side}Hand"] = (0.0, 0.0, -v["forearm"])
        offset[f"{side}UpLeg"] = (0.0, sign * v["half_pelvis"], 0.0)
        offset[f"{side}Leg"] = (0.0, 0.0, -v["thigh"])
        offset[f"{side}Foot"] = (0.0, 0.0, -v["shank"])
        offset[f"{side}ToeBase"] = (v["toe"], 0.0, -v["ankle_height"])
        ends.append(EndSite(f"{side}HandEnd", names.index(f"{side}Hand"), (0.0, 0.0, -v["hand"])))
        ends.append(EndSite(f"{side}Heel", names.index(f"{side}Foot"), (0.0, 0.0, -v["ankle_height"]), contact=True))
        tip = (v["foot_length"] - v["toe"], 0.0, 0.0)
        ends.append(EndSite(f"{side}ToeEnd", names.index(f"{side}ToeBase"), tip, contact=True))
    parents = [-1 if parent is None else names.index(parent) for _, parent in _JOINTS]
    return Skeleton(tuple(names), tuple(parents), np.array([offset[name] for name in names]), ends=tuple(ends))


def _turn(axis: int, angle: Array) -> Array:
    """Quaternions ``[T, 4]`` that turn about an axis by ``angle`` ``[T]``."""
    return from_axis_angle(np.eye(3)[axis], angle)


def walk_motion(walk: Trajectory, walker: int = 0) -> Motion:
    """The motion of one walker of a recorded walk, with its 3LP state, pushes and contacts as channels."""
    if not 0 <= walker < len(walk.gait):
        raise FootfallError(f"there is no walker {walker}: the walk has {len(walk.gait)} (numbered from 0)")
    post = {name: values[:, walker] for name, values in walk.posture.items()}
    state = {name: values[:, walker] for name, values in walk.state.items()}
    body, request = walk.gait.body, walk.gait.walk
    slope, tilt, speed, frequency = (
        _one(value, walker) for value in (request.slope, request.tilt, request.speed, request.frequency)
    )
    frame = multiply(_turn(2, state["heading"] + post["heading"]), _turn(1, np.full_like(state["heading"], -slope)))
    cos, sin = np.cos(state["heading"]), np.sin(state["heading"])
    ahead = state["px"] + post["pelvis_shift"]
    along = state["foot_x"] + cos * ahead - sin * state["py"]
    across = state["foot_y"] + sin * ahead + cos * state["py"]
    up = post["pelvis_z"]
    root = np.stack(
        [along * np.cos(slope) - up * np.sin(slope), across, along * np.sin(slope) + up * np.cos(slope)], axis=-1
    )

    left_swings = state["d"] > 0
    pelvis = multiply(_turn(2, post["pelvis_turn"]), _turn(0, post["pelvis_list"]))
    trunk_yaw = TRUNK_TURN * post["spread"]
    lean = _turn(1, np.full_like(up, tilt + slope))
    trunk = multiply(_turn(2, trunk_yaw), lean)
    world: dict[str, Array] = {"Hips": pelvis, "Spine": trunk}
    nod = _turn(1, np.full_like(up, slope + 0.4 * tilt))
    world["Neck"] = world["Head"] = nod
    for side, sign, swings in (("Left", 1.0, left_swings), ("Right", -1.0, ~left_swings)):
        part = {
            name: np.where(swings, post[f"swing_{name}"], post[f"stance_{name}"])
            for name in ("thigh", "shank", "roll", "pitch", "toe", "yaw")
        }
        yaw = part["yaw"]
        roll = _turn(0, part["roll"])
        world[f"{side}UpLeg"] = multiply(roll, _turn(1, -part["thigh"]))
        world[f"{side}Leg"] = multiply(roll, _turn(1, -part["shank"]))
        world[f"{side}Foot"] = multiply(_turn(2, yaw), _turn(1, -part["pitch"]))
        world[f"{side}ToeBase"] = multiply(_turn(2, yaw), _turn(1, -part["toe"]))
        swing = -sign * post["spread"]
        forward = slope + 0.25 * tilt - ARM_REST - ARM_SWING * swing
        arm = multiply(_turn(2, trunk_yaw), multiply(_turn(1, forward), _turn(0, np.full_like(up, 0.08 * sign))))
        world[f"{side}Arm"] = arm
        elbow = ELBOW_REST + swing * (ELBOW_SWING + 0.15 * swing)
        world[f"{side}ForeArm"] = multiply(arm, _turn(1, -elbow))
        world[f"{side}Hand"] = world[f"{side}ForeArm"]

    rotations = np.zeros((len(walk.times), len(_JOINTS), 4))
    for j, (name, parent) in enumerate(_JOINTS):
        rotations[:, j] = multiply(frame if parent is None else conjugate(world[parent]), world[name])
    reach = 50.0 + float(np.abs(root[:, 0]).max())
    ground = GroundProfile.outline(np.array([-reach, reach]), np.array([-reach, reach]) * np.tan(slope))
    force = np.concatenate([walk.push, np.zeros((len(walk.times), 1))], axis=1)
    planes = ("sx", "px", "svx", "pvx", "sy", "py", "svy", "pvy")
    pendulum = np.stack([state[name] for name in planes], axis=-1)
    motion = Motion(
        skeleton=walker_skeleton(body, walker),
        times=walk.times,
        root_position=root,
        rotations=rotations,
        channels={"push": force, "pendulum": pendulum},
        labels={"pendulum": planes},
        ground=ground,
        source={"controller": "3LP", "speed": speed, "frequency": frequency},
    )
    both = state["t"] < float(np.broadcast_to(walk.gait.stride.double_time, (len(walk.gait),))[walker]) - 1e-9
    return motion.with_channels(contact=_contact(motion, both | ~left_swings, both | left_swings, slope))


def _contact(motion: Motion, left: NDArray[np.bool_], right: NDArray[np.bool_], slope: float) -> NDArray[np.int8]:
    """``[T, 4]``: 1 where a heel or the tip of the toes of a loaded foot is on the ground."""
    sites = [k for k, end in enumerate(motion.skeleton.ends) if end.contact]
    places = motion.end_positions()[:, sites]
    low = places[..., 2] - np.tan(slope) * places[..., 0] < 1e-3
    loaded = [left if motion.skeleton.ends[k].name.startswith("Left") else right for k in sites]
    return np.asarray(low & np.stack(loaded, axis=-1), np.int8)


def reference_clip(gait: Gait, *, cycles: int = 1, fps: float = 120.0, walker: int = 0) -> Motion:
    """Whole cycles (two steps each) of one walker's gait, from a landing of the right foot to the next, the last frame
    like the first: a clip for tracking controllers to loop."""
    if not 1 <= cycles <= 10_000:
        raise FootfallError(f"a clip has 1 to 10000 cycles, not {cycles}")
    seconds = 2.0 * cycles * float(gait.take(walker).stride.duration[0])
    frames = max(2, round(seconds * fps) + 1)
    return walk_motion(sample_gait(gait.take(walker), np.linspace(0.0, seconds, frames)))
