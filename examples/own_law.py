"""A law of your own, fused into the rollout like the built-in ones: a thousand walkers that differ in one gain.

python examples/own_law.py
"""

import matplotlib.pyplot as plt
import numpy as np
import warp as wp

from footfall.control import Law, Types
from footfall.control.parts import servo_stiffness, servo_torque
from footfall.methods.simbicon.parts import stance_hip_torque
from footfall.simulation import Simulation


class OwnWalk(Law):
    """SIMBICON's walk with its feedback gains as parameters; memory is the state (0 to 3) and the time in it."""

    key = "own-walk"
    memory = np.zeros(2)
    parameters = np.array([0.2, 2.2])  # c_v while lifting, c_d while reaching
    signals = ("d",)

    def build(self, types: Types) -> wp.Function:
        Sense, Memory, Command, real = types.Sense, types.Memory, types.Command, types.real
        names = [p.name for p in types.compiled.points]
        left_heel, right_heel = names.index("left_heel"), names.index("right_heel")
        lift, reach = (wp.vec4d(-1.1, 0.2, -0.05, 0.2), wp.vec4d(-0.05, 0.2, -0.1, 0.2))  # knee, ankle: swing, stance
        kp, kd, now = real(300.0), real(30.0), real(0.0)

        @wp.func
        def walk(
            sense: wp.ref[Sense], memory: wp.ref[Memory], gains: wp.array2d[real], row: int, command: wp.ref[Command]
        ):
            left, reaching = memory[0] < real(2.0), int(memory[0]) % 2 == 1
            swing, stance = wp.where(left, 3, 6), wp.where(left, 6, 3)
            heel, landing = wp.where(left, left_heel, right_heel), wp.where(left, right_heel, left_heel)
            d, torso, rate = sense.qpos[0] - sense.position[3 * heel], sense.qpos[2], sense.qvel[2]
            hip = wp.where(reaching, real(-0.7) + gains[row, 1] * d, real(0.4) + gains[row, 0] * sense.qvel[0])
            error = wp.clamp(hip, real(-0.4), real(1.6)) - torso - sense.qpos[swing]
            command.torque[swing] = servo_torque(kp, kd, error, rate + sense.qvel[swing], now)
            upright = servo_torque(kp, kd, -torso, rate, now)
            command.torque[stance] = stance_hip_torque(upright, command.torque[swing])
            for k in range(4):  # knees and ankles: servos one step ahead, so that long steps are stable too
                j = wp.where(k < 2, swing, stance) + 1 + k % 2
                target = real(wp.where(reaching, reach[k], lift[k]))
                command.torque[j] = servo_torque(kp, kd, target - sense.qpos[j], sense.qvel[j], sense.dt)
                command.stiffness[j] = servo_stiffness(kp, kd, sense.dt)
            command.stance = wp.where(left, 0, 1)
            command.signals[0] = d
            memory[1] += sense.dt
            landed = (sense.contact & (1 << landing)) != 0
            if (reaching and landed) or (not reaching and memory[1] >= real(0.2995)):
                memory[0] = real((int(memory[0]) + 1) % 4)
                memory[1] = real(0.0)

        return walk


if __name__ == "__main__":
    start = Simulation("walk")
    worlds = Simulation(law=OwnWalk(), figure="planar-biped", worlds=1000, qpos=start.qpos, qvel=start.qvel)
    gains = np.linspace(0.0, 0.6, 1000)
    worlds.set_parameters(np.stack([gains, np.full(1000, 2.2)], axis=1))
    outcome = worlds.run(10.0)
    up = gains[outcome.survived]
    print(f"{len(up)} of 1000 walk, c_v from {up.min():.2f} to {up.max():.2f} ({worlds.wall_seconds:.1f} s)")
    plt.figure(figsize=(6.0, 3.6), layout="constrained")
    plt.scatter(gains, outcome.distance, c=np.where(outcome.survived, "#009E73", "#D55E00"), s=4)
    plt.xlabel("c_v")
    plt.ylabel("metres in 10 s, or until it falls (orange)")
    plt.savefig("own_law.png", dpi=120)
