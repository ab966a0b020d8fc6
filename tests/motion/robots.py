"""Robots of today's classes as MJCF, from public facts alone: the order, names, axes and ranges of their joints and the
rough lengths of their links. Feet are boxes."""

from collections.abc import Sequence

__all__ = ["HEAVY_ROBOT", "SMALL_ROBOT"]

X, Y, Z = "1 0 0", "0 1 0", "0 0 1"


def _limb(rows: Sequence[tuple[str, str, str, str, str]], tip: str = "") -> str:
    """Bodies in series: (body, joint, place, axis, range), and what the last one carries."""
    text = tip
    for body, joint, place, axis, limits in reversed(rows):
        hinge = f'<joint name="{joint}" axis="{axis}" range="{limits}"/>' if joint else ""
        text = (
            f'<body name="{body}" pos="{place}"><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>'
            f"{hinge}{text}</body>"
        )
    return text


def _sole(length: str, place: str) -> str:
    return f'<geom type="box" size="{length} 0.03 0.01" pos="{place}"/>'


def _robot(name: str, root: str, height: float, body: str) -> str:
    return (
        f'<mujoco model="{name}"><compiler angle="radian" autolimits="true"/><worldbody>'
        f'<body name="{root}" pos="0 0 {height}"><freejoint name="root"/>'
        f'<inertial pos="0 0 0" mass="8" diaginertia="0.1 0.1 0.1"/>{body}</body></worldbody></mujoco>'
    )


def _heavy() -> str:
    """29 joints, hips pitch, roll, yaw; a waist of three; wrists of three (the class of Unitree's G1)."""
    parts = []
    for side, s in (("left", 1), ("right", -1)):
        out = (lambda low, high: f"{low} {high}") if s > 0 else (lambda low, high: f"{-high} {-low}")
        parts.append(
            _limb(
                [
                    (f"{side}_hip_pitch_link", f"{side}_hip_pitch_joint", f"0 {s * 0.064} -0.103", Y, "-2.53 2.88"),
                    (f"{side}_hip_roll_link", f"{side}_hip_roll_joint", f"0 {s * 0.052} -0.030", X, out(-0.52, 2.97)),
                    (f"{side}_hip_yaw_link", f"{side}_hip_yaw_joint", "0.025 0 -0.124", Z, "-2.76 2.76"),
                    (f"{side}_knee_link", f"{side}_knee_joint", f"-0.078 {s * 0.002} -0.177", Y, "-0.09 2.88"),
                    (f"{side}_ankle_pitch_link", f"{side}_ankle_pitch_joint", "0 0 -0.300", Y, "-0.87 0.52"),
                    (f"{side}_ankle_roll_link", f"{side}_ankle_roll_joint", "0 0 -0.018", X, "-0.26 0.26"),
                ],
                _sole("0.085", "0.035 0 -0.03"),
            )
        )
    arms = []
    for side, s in (("left", 1), ("right", -1)):
        out = (lambda low, high: f"{low} {high}") if s > 0 else (lambda low, high: f"{-high} {-low}")
        arms.append(
            _limb(
                [
                    (f"{side}_shoulder_pitch_link", f"{side}_shoulder_pitch_joint", f"0 {s * 0.1} 0.238", Y, "-3 2.6"),
                    (f"{side}_shoulder_roll_link", f"{side}_shoulder_roll_joint", f"0 {s * 0.04} 0", X, out(-1.5, 2.2)),
                    (f"{side}_shoulder_yaw_link", f"{side}_shoulder_yaw_joint", f"0 {s * 0.006} -0.1", Z, "-2.6 2.6"),
                    (f"{side}_elbow_link", f"{side}_elbow_joint", "0.016 0 -0.08", Y, "-1.05 2.09"),
                    (f"{side}_wrist_roll_link", f"{side}_wrist_roll_joint", "0.1 0 -0.01", X, "-1.97 1.97"),
                    (f"{side}_wrist_pitch_link", f"{side}_wrist_pitch_joint", "0.038 0 0", Y, "-1.6 1.6"),
                    (f"{side}_wrist_yaw_link", f"{side}_wrist_yaw_joint", "0.046 0 0", Z, "-1.6 1.6"),
                ],
                '<geom type="sphere" size="0.03" pos="0.05 0 0" contype="0" conaffinity="0"/>',
            )
        )
    waist = _limb(
        [
            ("waist_yaw_link", "waist_yaw_joint", "-0.004 0 0", Z, "-2.6 2.6"),
            ("waist_roll_link", "waist_roll_joint", "0 0 0.044", X, "-0.52 0.52"),
            ("torso_link", "waist_pitch_joint", "0 0 0.01", Y, "-0.52 0.52"),
        ],
        "".join(arms),
    )
    return _robot("heavy-robot", "pelvis", 0.793, "".join(parts) + waist)


def _small() -> str:
    """23 joints named after the part and the side, a yaw waist, a head of two (the class of Booster's T1)."""
    legs = []
    for side, word, s in (("Left", "left", 1), ("Right", "right", -1)):
        out = (lambda low, high: f"{low} {high}") if s > 0 else (lambda low, high: f"{-high} {-low}")
        legs.append(
            _limb(
                [
                    (f"Hip_Pitch_{side}", f"{side}_Hip_Pitch", f"0 {s * 0.106} 0", Y, "-1.8 1.57"),
                    (f"Hip_Roll_{side}", f"{side}_Hip_Roll", "0 0 -0.02", X, out(-0.2, 1.57)),
                    (f"Hip_Yaw_{side}", f"{side}_Hip_Yaw", "0 0 -0.0815", Z, "-1 1"),
                    (f"Shank_{side}", f"{side}_Knee_Pitch", "-0.014 0 -0.134", Y, "0 2.34"),
                    (f"Ankle_Cross_{side}", f"{side}_Ankle_Pitch", "0 0 -0.28", Y, "-0.87 0.35"),
                    (f"{word}_foot_link", f"{side}_Ankle_Roll", "0 0 -0.012", X, "-0.44 0.44"),
                ],
                _sole("0.11", "0.02 0 -0.02"),
            )
        )
    arms = [
        _limb(
            [
                (f"A{side[0]}1", f"{side}_Shoulder_Pitch", f"0.058 {s * 0.106} 0.219", Y, "-3.31 1.22"),
                (f"A{side[0]}2", f"{side}_Shoulder_Roll", f"0 {s * 0.047} 0", X, "-1.74 1.57"),
                (f"A{side[0]}3", f"{side}_Elbow_Pitch", f"0 {s * 0.12} 0", Y, "-2.27 2.27"),
                (
                    f"{side.lower()}_hand_link",
                    f"{side}_Elbow_Yaw",
                    f"0 {s * 0.135} 0",
                    Z,
                    "-2.44 0" if s > 0 else "0 2.44",
                ),
            ],
            f'<geom type="sphere" size="0.03" pos="0 {s * 0.1} 0" contype="0" conaffinity="0"/>',
        )
        for side, s, bend in (("Left", 1, "-2.44 0"), ("Right", -1, "0 2.44"))
    ]
    head = _limb(
        [("H1", "AAHead_yaw", "0.06 0 0.24", Z, "-1.57 1.57"), ("H2", "Head_pitch", "0 0 0.06", Y, "-0.35 1.22")],
        '<geom type="sphere" size="0.06" pos="0.01 0 0.1" contype="0" conaffinity="0"/>',
    )
    waist = _limb([("Waist", "Waist", "0.06 0 -0.12", Z, "-1.57 1.57")], "".join(legs))
    return _robot("small-robot", "Trunk", 0.7, head + "".join(arms) + waist)


HEAVY_ROBOT = _heavy()
SMALL_ROBOT = _small()
