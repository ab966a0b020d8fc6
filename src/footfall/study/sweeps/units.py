"""The units of what a study varies, by name."""

import re

_UNITS = (
    (r"push\.force", "N"),
    (r"push\.(start|duration|every)|sensor_delay|actuator_delay|dt", "s"),
    (r"push\.(angle|elevation)", "°"),
    (r"control_rate", "1/s"),
    (r"motor_speed|noise\.(joint_speed|angular_velocity)", "rad/s"),
    (r"noise\.(joint_angle|orientation)", "rad"),
    (r"noise\.linear_velocity", "m/s"),
    (r"motor_torque", "N m"),
    (r"ground\.stiffness", "N/m"),
    (r"ground\.damping", "N s/m"),
    (r"start\.noise", "rad"),
    (r"(.*\.)?hold|reaction_(delay|duration)", "s"),
    (r"(.*\.)?kp|limit_kp", "N m/rad"),
    (r"(.*\.)?kd|limit_kd", "N m s/rad"),
    (r"(.*\.)?torque_limit|feedforward_limit", "N m"),
    (r"(.*\.)?(angle|lower|upper)", "rad"),
    (r"(.*\.)?c_d", "rad/m"),
    (r"(.*\.)?c_v", "rad s/m"),
    (r"hip_low|hip_high|feedforward_angle", "rad"),
)


def factor_unit(name: str) -> str:
    """The unit of a factor; empty for a pure number and for what is not known here."""
    return next((unit for pattern, unit in _UNITS if re.fullmatch(pattern, name)), "")


def labelled(name: str, unit: str) -> str:
    """A name with its unit, for an axis."""
    return f"{name} [{unit}]" if unit else name
