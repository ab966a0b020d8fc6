"""The tracking law: a captured motion followed, corrected for balance and kept in step with the simulation
(Data-Driven Biped Control, sections 3 and 4).

Once per frame of the motion (30 a second):

- synchronise: a swing foot that touches the ground after 70 % of its fragment ends the fragment, and the next one
  begins from the last target pose; a fragment that ends before the landing is extended (:mod:`.poses`);
- correct the next frame into the target pose (:mod:`.corrections`);
- find the joints' accelerations, which are held until the next frame,

      θ'' = kt (θ_r - θ) + kv (θ'_r - θ') + θ''_r                                                       (equation 1)

  Rotation errors are logarithms in the joint's own axes; θ'_r and θ''_r are differences of the last target poses.

Hybrid dynamics finds the torques that bring these accelerations about; the root is free.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.control.law import Law, Types
from footfall.dynamics.sampled_ground import foot_of
from footfall.figures import Figure
from footfall.methods.tracking.ankle import ankle_function
from footfall.methods.tracking.corrections import correction_functions
from footfall.methods.tracking.index_checks import check_tracking_library, check_tracking_memory
from footfall.methods.tracking.layout import FRAGMENT, GAINS, SETTINGS, START_FRAMES
from footfall.methods.tracking.poses import pose_functions
from footfall.methods.tracking.repertoire import Repertoire
from footfall.methods.tracking.rotations import rotations
from footfall.motion.synthesis.ball_poses import legs_of

__all__ = ["TrackingLaw"]


class TrackingLaw(Law):
    """Tracking of the fragments of a repertoire on a figure of ball joints.

    Attributes:
        repertoire: fragments of motion with their gains. layout: where numbers stand.
    """

    def __init__(self, repertoire: Repertoire, figure: Figure) -> None:
        legs_of(figure)
        self.repertoire, self.figure = repertoire, figure
        self.layout = repertoire.layout(figure)

    @property
    def key(self) -> Any:
        """What the Warp function depends on besides the figure."""
        return ("tracking", self.layout)

    @property
    def kernel_key(self) -> Any:
        """The key, for any number of sets of gains."""
        return ("tracking", replace(self.layout, sets=1))

    @property
    def prescribes(self) -> bool:
        """Accelerations, not torques."""
        return True

    @property
    def signals(self) -> tuple[str, ...]:
        """How far and how fast the pelvis is ahead of the reference, the frame within the fragment, the heading."""
        return ("lead", "ahead", "frame", "heading")

    @property
    def views(self) -> tuple[str, ...]:
        """Heights of the ground under the ankles."""
        return ("left_ground", "right_ground")

    @property
    def library(self) -> NDArray[np.float64]:
        """[rows, columns] fragments' heads, then their frames."""
        return self.repertoire.library()

    @property
    def parameters(self) -> NDArray[np.float64]:
        """[NP] settings and gains."""
        return self.repertoire.parameters()

    @property
    def memory(self) -> NDArray[np.float64]:
        """[M] before the first frame."""
        places = self.layout.memory()
        memory = np.zeros(places["size"])
        memory[places["frame"]] = -1.0
        memory[places["fragment"]] = float(self.repertoire.start)
        return memory

    def check_memory(self, memory: NDArray[np.float64]) -> None:
        """Refuse fragments and frames that are not there."""
        check_tracking_memory(memory, self.layout, len(self.repertoire.fragments))

    def check_library(self, numbers: NDArray[np.float64]) -> None:
        """Refuse fragments whose heads lead out of the library."""
        check_tracking_library(numbers, self.layout, len(self.repertoire.fragments), self.library.shape[1])

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Gains and settings."""
        return (*GAINS, *SETTINGS)

    def cells(self, name: str) -> list[tuple[int, float]]:
        """Where a setting is, or a gain of every set."""
        return [(column, 1.0) for column in self.layout.columns(name)]

    def sight(self, types: Types, height: wp.Function) -> wp.Function:
        """A look at the ground under the feet, by which the swing foot's height is measured."""
        real, Sense, Memory = types.real, types.Sense, types.Memory
        ankle = ankle_function(types)

        @wp.func
        def look(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            table: wp.array2d[real],
            table_row: int,
        ):
            for side in range(2):
                place = ankle(sense.position, side)
                sense.view[side] = height(table, table_row, place[0], place[1])

        return look

    def build(self, types: Types) -> wp.Function:
        """The law as a Warp function."""
        figure, layout, real = self.figure, self.layout, types.real
        r = rotations(real)
        poses = pose_functions(types, figure, layout, r)
        corrections = correction_functions(types, figure, layout, r, poses)
        get, reference_pose, warped, stitched = poses.get, poses.reference, poses.warped, poses.stitched
        correct, ankle_from_pelvis, State = corrections.correct, corrections.ankle, corrections.State
        Sense, Memory, Command = types.Sense, types.Memory, types.Command
        Qpos = types.compiled.Qpos
        Quat, Vec3, log, exp = r.Quat, r.Vec3, r.log, r.exp
        setting = {name: k for k, name in enumerate(SETTINGS)}
        head = {name: k for k, name in enumerate(FRAGMENT)}
        at = layout.memory()
        m_frame, m_due, m_fragment, m_index = at["frame"], at["due"], at["fragment"], at["index"]
        m_heading, m_reference, m_arms, m_heights = at["heading"], at["reference"], at["arms"], at["heights"]
        m_pelvis, m_displacement, m_lead = at["pelvis"], at["displacement"], at["lead"]
        m_control, m_control_2, m_acceleration = at["control"], at["control_2"], at["acceleration"]
        joints, bodies = layout.joints, layout.joints + 1
        gains, per_set = layout.gains, layout.set_size
        feet = [foot_of(types.compiled, side) for side in ("left", "right")]
        ankle_point = ankle_function(types)
        left_mask, right_mask = (sum(1 << k for k in foot.points) for foot in feet)
        zero, half, one = real(0.0), real(0.5), real(1.0)

        @wp.func
        def kept(memory: wp.ref[Memory], first: int, body: int):
            q = first + 4 * body
            return Quat(memory[q + 1], memory[q + 2], memory[q + 3], memory[q])

        @wp.func
        def memory_put(memory: wp.ref[Memory], first: int, body: int, value: Quat):
            q = first + 4 * body
            memory[q] = value[3]
            memory[q + 1] = value[0]
            memory[q + 2] = value[1]
            memory[q + 3] = value[2]

        @wp.func
        def enter(memory: wp.ref[Memory], library: wp.array2d[real], fragment: int):
            """Begin a fragment from the last target pose."""
            memory[m_fragment] = real(fragment)
            pose = Qpos()
            reference_pose(library, int(library[fragment, wp.static(head["first"])]), 0, memory[m_heading], pose)
            body = int(0)
            while body < bodies:
                shift = log(wp.quat_inverse(get(pose, 3 + 4 * body)) * kept(memory, m_control, body))
                for k in range(3):
                    memory[m_displacement + 3 * body + k] = shift[k]
                body += 1

        @wp.func
        def synchronise(sense: wp.ref[Sense], memory: wp.ref[Memory], parameters: wp.array2d[real], row: int):
            """Go on by one frame, into the next fragment if this one is over."""
            fragment = int(memory[m_fragment])
            index = int(memory[m_index])
            length = int(sense.library[fragment, wp.static(head["length"])])
            kind = int(sense.library[fragment, wp.static(head["kind"])])
            over = index >= length
            if parameters[row, wp.static(setting["synchronise"])] > zero and kind != 0:
                touching = sense.contact & wp.static(left_mask | right_mask)
                if kind == 1:
                    touching = sense.contact & wp.static(left_mask)
                elif kind == 2:
                    touching = sense.contact & wp.static(right_mask)
                late = real(index) > parameters[row, wp.static(setting["earliest_landing"])] * real(length)
                over = late and touching != 0
            index += 1
            if over:
                after = int(sense.library[fragment, wp.static(head["successor"])])
                index = length
                if after >= 0:
                    memory[m_heading] = memory[m_heading] + sense.library[fragment, wp.static(head["turn"])]
                    enter(memory, sense.library, after)
                    index = 1
            memory[m_index] = real(index)

        @wp.func
        def follow_reference(memory: wp.ref[Memory], step: Vec3):
            """The reference's pelvis moves by a step."""
            for k in range(3):
                for j in range(2):
                    memory[m_reference + 6 - 2 * k + j] = memory[m_reference + 4 - 2 * k + j]
            memory[m_reference] = memory[m_reference] + step[0]
            memory[m_reference + 1] = memory[m_reference + 1] + step[1]

        @wp.func
        def next_frame(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
        ):
            rate = one / parameters[row, wp.static(setting["frame_time"])]
            begins = memory[m_frame] < zero
            memory[m_frame] = memory[m_frame] + one
            if not begins:
                synchronise(sense, memory, parameters, row)
            fragment = int(memory[m_fragment])
            index = int(memory[m_index])
            first = int(sense.library[fragment, wp.static(head["first"])])
            length = int(sense.library[fragment, wp.static(head["length"])])
            kind = int(sense.library[fragment, wp.static(head["kind"])])
            stance = 1
            if kind == 2:
                stance = 0

            # the reference, and how its pelvis moves
            ahead = parameters[row, wp.static(setting["ahead"])] > zero
            shown = Qpos()
            before = Qpos()
            if begins:
                reference_pose(sense.library, first, wp.min(index, length), memory[m_heading], shown)
                reference_pose(sense.library, first, wp.min(START_FRAMES, length), memory[m_heading], before)
                few = one / real(wp.min(START_FRAMES, length))
                step = few * Vec3(before[0] - shown[0], before[1] - shown[1], zero)
                behind = Vec3()
                for k in range(4):
                    memory[m_reference + 2 * k] = behind[0]
                    memory[m_reference + 2 * k + 1] = behind[1]
                    behind -= step
                for side in range(2):
                    place = ankle_from_pelvis(shown, side)
                    memory[m_arms + 2 * side] = -place[0]
                    memory[m_arms + 2 * side + 1] = -place[1]
                    memory[m_heights + 2 * side] = shown[2] + place[2]
                    memory[m_heights + 2 * side + 1] = shown[2] + place[2]
                for k in range(3):
                    memory[m_pelvis + k] = sense.qpos[k] - sense.qvel[k] / rate
                body = int(0)
                while body < bodies:  # the targets before, as the clip goes on from here
                    back = few * log(wp.quat_inverse(get(shown, 3 + 4 * body)) * get(before, 3 + 4 * body))
                    ago = wp.where(ahead, zero, one)
                    memory_put(memory, m_control, body, get(shown, 3 + 4 * body) * exp(-ago * back))
                    memory_put(memory, m_control_2, body, get(shown, 3 + 4 * body) * exp(-(ago + one) * back))
                    body += 1
                if ahead:
                    index += 1
                    memory[m_index] = real(index)
            reference_pose(sense.library, first, wp.min(index, length), memory[m_heading], shown)
            if index <= length and (ahead or not begins):
                reference_pose(sense.library, first, wp.max(index - 1, 0), memory[m_heading], before)
                follow_reference(memory, Vec3(shown[0] - before[0], shown[1] - before[1], zero))
            elif index > length:
                third = real(1.0 / 3.0)
                follow_reference(
                    memory,
                    Vec3(
                        third * (memory[m_reference] - memory[m_reference + 6]),
                        third * (memory[m_reference + 1] - memory[m_reference + 7]),
                        zero,
                    ),
                )

            # errors of balance: simulated less reference
            state = State()
            state.gains = gains + per_set * int(sense.library[fragment, wp.static(head["gains"])])
            state.frame = int(memory[m_frame])
            state.time = real(index) / real(wp.max(length, 1))
            state.kind = kind
            state.stance = stance
            state.extended = wp.where(index > length, 1, 0)
            wanted = Vec3(
                half * rate * (memory[m_reference] - memory[m_reference + 4]),
                half * rate * (memory[m_reference + 1] - memory[m_reference + 5]),
                zero,
            )
            state.direction = wp.normalize(wanted)
            state.velocity = (
                Vec3(rate * (sense.qpos[0] - memory[m_pelvis]), rate * (sense.qpos[1] - memory[m_pelvis + 1]), zero)
                - wanted
            )
            support = ankle_point(sense.position, stance)
            state.arm = Vec3(
                sense.qpos[0] - support[0] - memory[m_arms + 2 * stance],
                sense.qpos[1] - support[1] - memory[m_arms + 2 * stance + 1],
                zero,
            )
            swing = 1 - stance
            lowest = sense.library[fragment, wp.static(head["ground"])]
            state.height_wanted = memory[m_heights + 2 * swing] - lowest
            state.height_before = memory[m_heights + 2 * swing + 1]
            state.height = ankle_point(sense.position, swing)[2] - sense.view[swing]
            state.height -= parameters[row, wp.static(setting["sole"])]
            state.height -= parameters[row, wp.static(setting["clearance"])]
            state.height_rate = ankle_point(sense.velocity, swing)[2]

            # the target pose
            pose = Qpos()
            after = int(sense.library[fragment, wp.static(head["successor"])])
            stitched(memory, sense.library, first, length, index, stance, kind == 0 and after < 0, pose)
            correct(pose, sense.qpos, shown, memory, parameters, row, state)
            for side in range(2):
                memory[m_heights + 2 * side + 1] = memory[m_heights + 2 * side]
                memory[m_heights + 2 * side] = pose[2] + ankle_from_pelvis(pose, side)[2]
                place = ankle_from_pelvis(shown, side)
                memory[m_arms + 2 * side] = -place[0]
                memory[m_arms + 2 * side + 1] = -place[1]
            for k in range(3):
                memory[m_pelvis + k] = sense.qpos[k]

            # accelerations
            kt = parameters[row, wp.static(setting["kt"])]
            kv = parameters[row, wp.static(setting["kv"])]
            own = parameters[row, wp.static(setting["clip_feedforward"])]
            if index > length or length < 2 or (kind == 0 and after < 0):
                own = zero
            before_it = Qpos()
            at_it = Qpos()
            after_it = Qpos()
            if own > zero:
                centre = wp.clamp(index - 1, 1, length - 1)
                warped(memory, sense.library, first, length, centre - 1, before_it)
                warped(memory, sense.library, first, length, centre, at_it)
                warped(memory, sense.library, first, length, centre + 1, after_it)
            body = int(0)
            while body < bodies:
                q = 3 + 4 * body
                target = get(pose, q)
                was = kept(memory, m_control, body)
                velocity = rate * log(wp.quat_inverse(was) * target)
                over_two = half * rate * log(wp.quat_inverse(kept(memory, m_control_2, body)) * target)
                acceleration = parameters[row, wp.static(setting["feedforward"])] * rate * (velocity - over_two)
                if body > 0:
                    v = 3 + 3 * body
                    now = target
                    if ahead:
                        now = was
                        velocity = over_two
                    error = log(wp.quat_inverse(get(sense.qpos, q)) * now)
                    wished = kt * error + acceleration
                    if own > zero:
                        goes = log(wp.quat_inverse(get(at_it, q)) * get(after_it, q))
                        came = log(wp.quat_inverse(get(before_it, q)) * get(at_it, q))
                        wished += own * rate * rate * (goes - came)
                    wished += kv * (velocity - Vec3(sense.qvel[v], sense.qvel[v + 1], sense.qvel[v + 2]))
                    for k in range(3):
                        memory[m_acceleration + 3 * (body - 1) + k] = wished[k]
                memory_put(memory, m_control_2, body, was)
                memory_put(memory, m_control, body, target)
                body += 1
            memory[m_lead] = wp.dot(state.arm, state.direction)
            memory[m_lead + 1] = wp.dot(state.velocity, state.direction)

        @wp.func
        def tracking(
            sense: wp.ref[Sense],
            memory: wp.ref[Memory],
            parameters: wp.array2d[real],
            row: int,
            command: wp.ref[Command],
        ):
            if sense.time >= memory[m_due] - half * sense.dt:
                next_frame(sense, memory, parameters, row)
                memory[m_due] = memory[m_due] + parameters[row, wp.static(setting["frame_time"])]
            fragment = int(memory[m_fragment])
            command.state = fragment
            command.stance = wp.where(int(sense.library[fragment, wp.static(head["kind"])]) == 2, 0, 1)
            command.signals[0] = memory[m_lead]
            command.signals[1] = memory[m_lead + 1]
            command.signals[2] = memory[m_index]
            command.signals[3] = memory[m_heading]
            j = int(0)
            while j < wp.static(3 * joints):
                command.acceleration[6 + j] = memory[m_acceleration + j]
                j += 1

        return tracking
