"""One call of SIMBICON's law in numpy, written from the paper (sections 3.1 to 3.3) for any biped, in the plane and in
space.

It shares nothing with the law but the values that a controller is made of and the figure's description: joints are told
apart by their axes, the mirror image is a reflection of axes, and every angle is taken from rotation matrices.
"""

from dataclasses import dataclass, field

import numpy as np

PITCH, ROLL, YAW = range(3)
AXES = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
"""About which a thigh moves forward, to the left, and turns to the left."""
STOP_KP, STOP_KD = 800.0, 80.0


@dataclass
class Sensed:
    """What a world feels (joints) and sees (balance: late where sensors are), with the previous accelerations."""

    dt: float
    qpos: np.ndarray
    qvel: np.ndarray
    qacc: np.ndarray
    seen_qpos: np.ndarray
    seen_qvel: np.ndarray
    seen_points: dict
    touching: set


@dataclass
class Answer:
    """Torques and stiffnesses by joint, the state that follows, and its clock."""

    torque: dict = field(default_factory=dict)
    stiffness: dict = field(default_factory=dict)
    torso: np.ndarray | None = None
    state: int = 0
    clock: float = 0.0
    hip_stiffness: float = 0.0
    torso_stiffness: float = 0.0


def rotation(quaternion):
    """The matrix of a unit quaternion (w, x, y, z)."""
    w, v = quaternion[0], np.asarray(quaternion[1:])
    cross = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    return np.eye(3) + 2.0 * w * cross + 2.0 * cross @ cross


def wrapped(angle):
    """The same angle, the short way round."""
    return float(np.angle(np.exp(1j * angle)))


class Oracle:
    """A balanced pose control graph on a figure."""

    def __init__(self, graph, figure, *, implicit):
        self.graph, self.figure, self.implicit = graph, figure, implicit
        self.planar = figure.root == "planar"
        self.planes = (PITCH,) if self.planar else (PITCH, ROLL, YAW)
        self.joints = {j.name: j for j in figure.joints if j.actuated}
        self.plane = {name: int(np.argmax(np.abs(AXES @ j.axis))) for name, j in self.joints.items()}
        self.turn = {name: float(AXES[self.plane[name]] @ j.axis) for name, j in self.joints.items()}
        self.hips = {side: set(leg.hip) for side, leg in figure.legs.items()}
        self.stable = graph.servo.stable

    # -- the graph as written for left stance, and its mirror image ------------------------------------------------

    def side_of_stance(self, state):
        return "left" if state < len(self.graph.states) else "right"

    def targets(self, state):
        """Target by joint or torso slot, as (angle, c_d, c_v, c_hip, world)."""
        count = len(self.graph.states)
        stance = self.side_of_stance(state)
        found = {}
        for role, t in self.graph.states[state % count].targets.items():
            left, right = (self._named(role, side) for side in ("left", "right"))
            name, sign, aside = left, 1.0, 1.0
            if stance == "right":
                name, sign, aside = right, self._reflection(left, right), -1.0
            feedback = sign if self._feels(name) == PITCH else sign * aside
            found[name] = (sign * t.angle, feedback * t.c_d, feedback * t.c_v, sign * t.c_hip, t.world)
        return found

    def _named(self, role, stance):
        """The joint that a role means for a stance side; joints named by themselves are of the body's middle."""
        first, _, rest = role.partition("_")
        if first not in ("stance", "swing"):
            return role
        side = stance if first == "stance" else {"left": "right", "right": "left"}[stance]
        return self.figure.roles[rest][("left", "right").index(side)]

    def _feels(self, name):
        plane = {"torso": PITCH, "torso_roll": ROLL, "torso_yaw": YAW}.get(name, self.plane.get(name))
        return PITCH if plane == PITCH else ROLL

    def _reflection(self, left, right):
        """How a joint's angle changes in the mirror: a turn about (x, y, z) becomes one about (-x, y, -z)."""
        if left.startswith("torso"):
            return 1.0 if left == "torso" else -1.0
        return float((self.joints[left].axis * [-1.0, 1.0, -1.0]) @ self.joints[right].axis)

    # -- one call --------------------------------------------------------------------------------------------------

    def step(self, state, clock, turned, sensed):
        """Torques in a state, and the state after it."""
        answer, stance = Answer(), self.side_of_stance(state)
        swing = "right" if stance == "left" else "left"
        written = self.graph.states[state % len(self.graph.states)]
        flies = written.flight
        targets = self.targets(state)
        lean, lean_rate, lean_acceleration, d, v = self._observe(stance, sensed)
        raw = {}

        def target(name):
            rest = 0.0 if name not in self.joints else self.figure.default_qpos[self.joints[name].qpos]
            angle, c_d, c_v, c_hip, world = targets.get(name, (rest, 0.0, 0.0, 0.0, False))
            plane = self._feels(name)
            angle = angle + c_d * d[plane] + c_v * v[plane]
            other = {"left": "right", "right": "left"}.get(name.partition("_")[0])
            if other:
                hip = self.joints[self.figure.roles["hip"][("left", "right").index(other)]]
                angle += c_hip * self.turn[hip.name] * sensed.qpos[hip.qpos]
            return angle, world

        def servo(name, error, rate, acceleration, *, one_step):
            """PD now, or one step from now: exactly (with stiffness) or by the previous acceleration."""
            kp, kd, h = self.graph.servo.joints[name].kp, self.graph.servo.joints[name].kd, sensed.dt
            if self.stable == "previous":
                return kp * (error - h * rate) - kd * (rate + h * acceleration), 0.0
            if one_step:
                return kp * (error - h * rate) - kd * rate, kd * h + kp * h * h
            return kp * error - kd * rate, 0.0

        torso = np.zeros(len(self.planes))
        tumbles = any(s.flight for s in self.graph.states)
        for plane, name in zip(self.planes, ("torso", "torso_roll", "torso_yaw")):
            wanted = target(name)[0] + (self.graph.balance.heading + turned if plane == YAW else 0.0)
            error = wanted - lean[plane]
            error = wrapped(error) if tumbles or plane == YAW else error
            torso[plane], answer.torso_stiffness = servo(
                name, error, lean_rate[plane], lean_acceleration[plane], one_step=self.stable == "exact"
            )
        for name, joint in self.joints.items():
            q, rate, acceleration = sensed.qpos[joint.qpos], sensed.qvel[joint.dof], sensed.qacc[joint.dof]
            plane, turn = self.plane[name], self.turn[name]
            wanted, world = target(name)
            hip = any(name in hips for hips in self.hips.values()) and plane != YAW
            if hip and not flies:
                low, high = self.graph.balance.hip_range
                if plane == ROLL:
                    low, high = -self.graph.balance.hip_roll_limit, self.graph.balance.hip_roll_limit
                error = min(max(wanted, low), high) - (q + turn * lean[plane])
                error = wrapped(error) if tumbles else error
                rate, acceleration = rate + turn * lean_rate[plane], acceleration + turn * lean_acceleration[plane]
                raw[name] = servo(name, error, rate, acceleration, one_step=self.stable == "exact")
                if name in self.hips[swing]:
                    answer.hip_stiffness = raw[name][1]
                raw[name] = raw[name][0], 0.0
            elif hip:
                raw[name] = servo(name, wanted - q, rate, acceleration, one_step=False)
            else:
                above = turn * lean[plane] + self._above(name, sensed.qpos) if world else 0.0
                raw[name] = servo(name, wanted - q - above, rate, acceleration, one_step=self.implicit)
        if not flies:
            for name in self.hips[stance]:
                other = next(n for n in self.hips[swing] if self.plane[n] == self.plane[name])
                swinging = self.turn[other] * raw[other][0]
                raw[name] = self.turn[name] * (-torso[self.plane[name]] - swinging), 0.0
        else:
            answer.hip_stiffness = answer.torso_stiffness = 0.0
        for name, (torque, stiffness) in raw.items():
            answer.torque[name], answer.stiffness[name] = self._limited(name, torque, stiffness, sensed)
        answer.torso = torso
        answer.state, answer.clock = self._after(state, written, clock, swing, sensed)
        return answer

    def _observe(self, stance, sensed):
        """Lean of the torso, its rate and its previous acceleration, d and v by plane."""
        balance, leg = self.graph.balance, self.figure.legs[stance]
        heel, toe = (np.mean([sensed.seen_points[n] for n in part], axis=0) for part in (leg.heel, leg.toe))
        foot = {"heel": heel, "toe": toe}[balance.reference]
        if self.planar:
            sign = float(AXES[PITCH] @ next(j for j in self.figure.joints if j.dof == 2).axis)
            assert sign == 1.0
            lean, rate, acceleration = (np.array([x[2]]) for x in (sensed.seen_qpos, sensed.seen_qvel, sensed.qacc))
            return lean, rate, acceleration, [sensed.seen_qpos[0] - foot[0]], [sensed.seen_qvel[0] - balance.speed]
        turned = rotation(sensed.seen_qpos[3:7])
        up = turned.T @ [0.0, 0.0, 1.0]
        heading = np.arctan2(turned[1, 0], turned[0, 0])
        lean = np.array([np.arctan2(up[0], up[2]), np.arctan2(up[1], up[2]), heading])
        forward, left = np.array([np.cos(heading), np.sin(heading)]), np.array([-np.sin(heading), np.cos(heading)])
        away, moving = sensed.seen_qpos[:2] - foot[:2], sensed.seen_qvel[:2]
        d = [forward @ away, left @ away]
        v = [forward @ moving - balance.speed, left @ moving - balance.side_speed]
        return lean, AXES @ sensed.seen_qvel[3:6], AXES @ sensed.qacc[3:6], d, v

    def _above(self, name, qpos):
        """How far the joints between the root and a joint have turned its body about its axis."""
        joint = self.joints[name]
        body, turned = joint.body, 0.0
        while body >= 0:
            for other in self.figure.bodies[body].joints:
                above = other in self.joints and self.joints[other].dof < joint.dof
                if above and self.plane[other] == self.plane[name]:
                    turned += float(self.joints[other].axis @ joint.axis) * qpos[self.joints[other].qpos]
            body = self.figure.bodies[body].parent
        return turned

    def _limited(self, name, torque, stiffness, sensed):
        joint, h = self.joints[name], sensed.dt
        q, rate, acceleration = sensed.qpos[joint.qpos], sensed.qvel[joint.dof], sensed.qacc[joint.dof]
        low, high = self.figure.lower[joint.dof], self.figure.upper[joint.dof]
        if self.graph.servo.joint_limits and not low <= q <= high:
            back = (low if q < low else high) - q
            torque, stiffness = STOP_KP * back - STOP_KD * rate, 0.0
            if self.stable == "previous":
                torque = STOP_KP * (back - h * rate) - STOP_KD * (rate + h * acceleration)
            if self.stable == "exact":
                torque, stiffness = STOP_KP * (back - h * rate) - STOP_KD * rate, STOP_KD * h + STOP_KP * h * h
        most = self.graph.servo.joints[name].torque_limit
        if abs(torque) > most:
            return float(np.clip(torque, -most, most)), 0.0
        return torque, stiffness

    def _after(self, state, written, clock, swing, sensed):
        """A state is left when its time is over, to half a step, and the swing foot touches if it waits for that."""
        clock, count = clock + sensed.dt, len(self.graph.states)
        leaves = clock > written.hold - 0.5 * sensed.dt
        if leaves and written.contact:
            leg, sensor = self.figure.legs[swing], self.graph.balance.sensor
            heels = set(leg.heel)
            watched = {"heel": heels, "toe": set(leg.sole) - heels, "any": set(leg.sole)}[sensor]
            leaves = bool(watched & sensed.touching)
        if not leaves:
            return state, clock
        return (state + 1) % (2 * count), 0.0
