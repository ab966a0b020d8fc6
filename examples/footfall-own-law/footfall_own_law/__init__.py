"""A law of one's own: SIMBICON's planar walk in one class.

The entry point in ``pyproject.toml`` gives the law its name, ``own-walk``. Controllers are the ``.toml`` files in the
folder ``controllers`` beside this file, and any others that say ``law = "own-walk"``.
"""

import numpy as np
import warp as wp

from footfall import Law
from footfall.control import Types
from footfall.control.parts import servo_stiffness, servo_torque


class OwnWalk(Law):
    """Lift a leg for a while, then reach out with it until it lands. The swing hip feels the body's speed while
    lifting, and its distance from the stance heel while reaching."""

    key = "own-walk"
    numbers = {  # noqa: RUF012  their names work in files, --set, sweeps and on pages
        "hold": 0.3,  # seconds of lifting
        "lift": 0.4,  # swing hip while lifting, radians
        "reach": -0.7,  # and while reaching
        "c_v": 0.2,  # feedback on speed while lifting
        "c_d": 2.2,  # feedback on distance while reaching
        "kp": 300.0,
        "kd": 30.0,
    }
    memory = np.zeros(2)
    memory_names = ("phase", "time")  # phase: 0 lifts and 1 reaches on the left leg, 2 and 3 on the right one
    signals = ("d", "v")  # recorded, and plotted on pages

    def build(self, types: Types) -> wp.Function:
        Sense, Memory, Command, real = types.Sense, types.Memory, types.Command, types.real
        hold, lift, reach, c_v, c_d, gain, damping = (self.column(name) for name in self.numbers)
        figure, points = types.compiled.figure, [p.name for p in types.compiled.points]
        left_hip, right_hip = figure.joint("left_hip").dof, figure.joint("right_hip").dof  # knee and ankle follow
        left_heel, right_heel = points.index("left_heel"), points.index("right_heel")
        lifted = wp.vec4d(-1.1, 0.2, -0.05, 0.2)  # knee and ankle of the swing leg, then of the stance leg
        reached = wp.vec4d(-0.05, 0.2, -0.1, 0.2)
        now = real(0.0)

        @wp.func
        def walk(
            sense: wp.ref[Sense], memory: wp.ref[Memory], numbers: wp.array2d[real], row: int, command: wp.ref[Command]
        ):
            on_left, reaching = memory[0] < real(2.0), int(memory[0]) % 2 == 1
            swing, stance = wp.where(on_left, right_hip, left_hip), wp.where(on_left, left_hip, right_hip)
            landing, standing = wp.where(on_left, right_heel, left_heel), wp.where(on_left, left_heel, right_heel)
            kp, kd = numbers[row, gain], numbers[row, damping]
            d, v = sense.qpos[0] - sense.position[3 * standing], sense.qvel[0]
            torso, rate = sense.qpos[2], sense.qvel[2]
            hip = numbers[row, lift] + numbers[row, c_v] * v
            if reaching:
                hip = numbers[row, reach] + numbers[row, c_d] * d
            error = wp.clamp(hip, real(-0.4), real(1.6)) - torso - sense.qpos[swing]
            command.torque[swing] = servo_torque(kp, kd, error, rate + sense.qvel[swing], now)
            upright = servo_torque(kp, kd, -torso, rate, now)
            command.torque[stance] = -upright - command.torque[swing]
            for k in range(4):  # knees and ankles: servos one step ahead, so that long steps are stable too
                joint = wp.where(k < 2, swing, stance) + 1 + k % 2
                target = real(wp.where(reaching, reached[k], lifted[k]))
                command.torque[joint] = servo_torque(kp, kd, target - sense.qpos[joint], sense.qvel[joint], sense.dt)
                command.stiffness[joint] = servo_stiffness(kp, kd, sense.dt)
            command.state = int(memory[0])
            command.stance = wp.where(on_left, 0, 1)
            command.signals[0] = d
            command.signals[1] = v
            memory[1] += sense.dt
            landed = (sense.contact & (1 << landing)) != 0
            if (reaching and landed) or (not reaching and memory[1] >= numbers[row, hold]):
                memory[0] = real((int(memory[0]) + 1) % 4)
                memory[1] = real(0.0)

        return walk
