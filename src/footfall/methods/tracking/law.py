"""The tracking law: a captured motion followed, corrected for balance and kept in step with the simulation
(Data-Driven Biped Control, sections 3 and 4).

Once per frame of the motion (30 a second):

- synchronise: end the fragment when its swing foot lands, and begin the next one (:mod:`.reference`);
- follow the clip's pose and its pelvis (:mod:`.reference`), and measure the errors of balance against them
  (:mod:`.balance`);
- warp the clip so that fragments join (:mod:`.poses`), and correct it for balance (:mod:`.balance`): the target pose;
- find the joints' accelerations, which are held until the next frame (:mod:`.accelerations`).

Hybrid dynamics finds the torques that bring these accelerations about, within what the joints can give
(:mod:`.accelerations`); the root is free.
"""

from collections.abc import Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import ArrayLike, NDArray

from footfall.control.law import Law, StepTypes, Types
from footfall.control.parts import in_order
from footfall.control.rows import check_kernel_index
from footfall.errors import MOST_COUNT, FootfallError
from footfall.figures import Figure
from footfall.methods.tracking.accelerations import (
    CATCHING_UP,
    accelerations_part,
    hinge_accelerations_part,
    hinge_functions,
    torque_limit_function,
)
from footfall.methods.tracking.balance import ankle_function, balance_errors_part, balance_parts
from footfall.methods.tracking.layout import (
    GAINS,
    KINDS,
    RIGHT_SWING,
    SETTINGS,
    FragmentField,
    SettingField,
    TrackingLayout,
)
from footfall.methods.tracking.reference import Made, made_for, reference_parts, synchronise_part
from footfall.methods.tracking.repertoire import Repertoire
from footfall.motion.ball_poses import hinge_chains, legs_of, skeleton_of_balls

SIGNALS = ("lead", "ahead", "frame", "heading")
"""How far and how fast the pelvis is ahead of the reference, the frame within the fragment, the heading."""


class TrackingLaw(Law):
    """Tracking of the fragments of a repertoire on a figure of ball joints or of hinges.

    Attributes:
        repertoire: fragments of motion with their gains.
        layout: where numbers stand.
    """

    def __init__(self, repertoire: Repertoire, figure: Figure) -> None:
        legs_of(skeleton_of_balls(figure))
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
        return SIGNALS

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
        layout = self.layout.memory()
        blank = {name: 0.0 for name, _ in layout.sizes}
        return layout.filled(**(blank | {"frame": -1.0, "fragment": float(self.repertoire.start)}))

    @property
    def planned_velocities(self) -> int:
        """Where in memory the velocities [nv - 6] are that the law has planned for the joints: it catches up with them
        after its torques were cut."""
        return self.layout.memory()["planned"]

    def check_memory(self, memory: NDArray[np.float64]) -> None:
        """Refuse fragments and frames that are not there."""
        places = self.layout.memory()
        last = {"fragment": len(self.repertoire.fragments) - 1, "index": MOST_COUNT, "frame": MOST_COUNT}
        for name, most in last.items():
            check_kernel_index(memory[:, places[name]], -1 if name == "frame" else 0, most, f"memory: {name}")

    def check_library(self, numbers: NDArray[np.float64]) -> None:
        """Refuse libraries with other columns, and fragments whose heads lead out of them."""
        fragments, width = len(self.repertoire.fragments), self.library.shape[1]
        if numbers.ndim != 2 or numbers.shape[1] != width or len(numbers) <= fragments:
            raise FootfallError(
                f"library has shape {numbers.shape}; give rows of {width} numbers: {fragments} heads, then their frames"
            )
        heads, last = numbers[:fragments].T, len(numbers) - 1
        for field, first, most in (
            (FragmentField.FIRST, fragments, last),
            (FragmentField.LENGTH, 1, last),
            (FragmentField.KIND, 0, len(KINDS) - 1),
            (FragmentField.GAINS, 0, self.layout.sets - 1),
            (FragmentField.SUCCESSOR, -1, fragments - 1),
        ):
            check_kernel_index(heads[field], first, most, f"library: {field.name.lower()}", "fragment")
        ends = heads[FragmentField.FIRST] + heads[FragmentField.LENGTH]
        check_kernel_index(ends, fragments, last, "library: last frame", "fragment")

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Gains and settings."""
        return (*GAINS, *SETTINGS)

    def cells(self, name: str) -> list[tuple[int, float]]:
        """Where a setting is, or a gain of every set."""
        return [(column, 1.0) for column in self.layout.columns(name)]

    def sight(self, types: Types, height: wp.Function) -> wp.Function:
        """A look at the ground under the feet, by which the swing foot's height is measured."""
        ankle = ankle_function(types)

        @types.part
        def look(sense, memory, parameters, row, table_, table_row):
            for side in range(2):
                place = ankle(sense.position, side)
                sense.view[side] = height(table_, table_row, place[0], place[1])

        return look

    def revision(self, step: StepTypes) -> wp.Function:
        """No more than the joints can give."""
        World, Pushes, Setting, Qvel = step.World, step.Pushes, step.Setting, step.types.compiled.Qvel
        keep_within = torque_limit_function(step.types, self.figure)

        @wp.func
        def revise(world: wp.ref[World], push: wp.ref[Pushes], setting: Setting, torque: wp.ref[Qvel]):
            return keep_within(setting.parameters, world.rows[1], torque)

        return revise

    def build(self, types: Types) -> wp.Function:
        """The law as a Warp function."""
        return tracking_function(types, self.figure, self.layout)


def stitch_part(made: Made) -> wp.Function:
    """The part that joins the clip to the fragment before, as the target pose (equation 6)."""
    Pose, stitched = made.poses.Pose, made.poses.stitched

    @made.part
    def stitch(now, sense, memory, command):
        pose = Pose()
        stitched(memory, sense.library, now.first, now.length, now.index, now.stance, now.stands, pose)
        now.target = pose

    return stitch


def tracking_function(types: Types, figure: Figure, layout: TrackingLayout) -> wp.Function:
    """The law as a Warp function: a frame's parts in the order of the paper, and its accelerations until the next."""
    real, chains = types.real, hinge_chains(figure)
    made = made_for(types, figure if chains is None else chains.skeleton, layout)
    begin, follow, remember = reference_parts(made)
    if chains is None:
        accelerations, see = accelerations_part(made), None
    else:
        hinges = hinge_functions(made, chains)
        accelerations, see = hinge_accelerations_part(made, hinges), hinges.seen
    correct = in_order(types, made.now, [stitch_part(made), *balance_parts(made)])
    parts = (
        begin,
        synchronise_part(made),  # section 4.2
        follow,
        balance_errors_part(made),  # section 4.1
        correct,  # equations 6 and 2 to 5
        remember,
        accelerations,  # equation 1
    )
    track = in_order(types, made.now, parts)
    Now, setting, find, Pose = made.now.Now, made.now.setting, made.now.find, made.poses.Pose
    places, numbers, hinged = layout.memory(), layout.freedoms, layout.hinged
    frame_, due_, fragment_, index_ = (places[name] for name in ("frame", "due", "fragment", "index"))
    heading_, lead_, acceleration_ = places["heading"], places["lead"], places["acceleration"]
    planned_, catching_up = places["planned"], real(CATCHING_UP)
    lead, speed, frame, heading = range(len(SIGNALS))
    zero, half, one = real(0.0), real(0.5), real(1.0)

    @types.part
    def next_frame(sense, memory, parameters, row, command):
        now = Now()
        now.parameters = parameters
        now.row = row
        now.begins = memory[frame_] < zero
        memory[frame_] = memory[frame_] + one
        memory[due_] = memory[due_] + setting(now, SettingField.FRAME_TIME)
        find(sense.library, memory, now)
        if wp.static(hinged):
            seen = Pose()
            see(sense.qpos, seen)
            now.seen = seen
        else:
            now.seen = sense.qpos
        track(now, sense, memory, command)

    @types.part
    def tracking(sense, memory, parameters, row, command):
        if sense.time >= memory[due_] - half * sense.dt:
            next_frame(sense, memory, parameters, row, command)
            k = int(0)
            while k < wp.static(numbers):
                memory[planned_ + k] = sense.qvel[6 + k]
                k += 1
        fragment = int(memory[fragment_])
        command.state = fragment
        command.stance = wp.where(int(sense.library[fragment, FragmentField.KIND]) == RIGHT_SWING, 0, 1)
        command.signals[lead] = memory[lead_]
        command.signals[speed] = memory[lead_ + 1]
        command.signals[frame] = memory[index_]
        command.signals[heading] = memory[heading_]
        limited = parameters[row, wp.static(int(SettingField.TORQUE_LIMIT))] > zero
        j = int(0)
        while j < wp.static(numbers):
            asked = memory[acceleration_ + j]
            if limited:
                missing = memory[planned_ + j] - sense.qvel[6 + j]
                memory[planned_ + j] = memory[planned_ + j] + sense.dt * asked
                asked += catching_up * missing
            command.acceleration[6 + j] = asked
            j += 1

    return tracking


class OffsetLaw(Law):
    """Another law, with an offset on the acceleration of every joint that it asks for: what others add to its motion.

        q̈ = kt (target - q) - kv q' + … + offset

    An offset of kt δ moves the joint's target by δ. Offsets [nv] are after the law's own numbers in the row; the root's
    are not used.

    Args:
        law: one that prescribes accelerations, and can be told apart by its key.
        figure: what it drives.
    """

    def __init__(self, law: Law, figure: Figure) -> None:
        if not law.prescribes:
            raise FootfallError(f"law '{type(law).__name__}' asks for torques; offsets are added to accelerations")
        self.law, self.figure = law, figure
        self._own = len(law.parameters)

    def offset(self, dof: int) -> int:
        """Where in the row the offset of a degree of freedom is."""
        return self._own + dof

    @property
    def key(self) -> Any:
        """The law's, and the place of the offsets."""
        return None if self.law.key is None else ("offset", self.law.key, self._own)

    @property
    def kernel_key(self) -> Any:
        """The same for kernels."""
        return None if self.law.key is None else ("offset", self.law.kernel_key, self._own)

    @property
    def parameters(self) -> NDArray[np.float64]:
        """[NP + nv] the law's, then zeros."""
        return np.concatenate([self.law.parameters, np.zeros(self.figure.nv)])

    memory = property(attrgetter("law.memory"))
    memory_names = property(attrgetter("law.memory_names"))
    parameter_names = property(attrgetter("law.parameter_names"))
    signals = property(attrgetter("law.signals"))
    library = property(attrgetter("law.library"))
    prescribes = property(attrgetter("law.prescribes"))
    views = property(attrgetter("law.views"))
    turns_over = property(attrgetter("law.turns_over"))
    cells: Any = property(attrgetter("law.cells"))
    check_memory: Any = property(attrgetter("law.check_memory"))
    check_library: Any = property(attrgetter("law.check_library"))
    check_world: Any = property(attrgetter("law.check_world"))
    sight: Any = property(attrgetter("law.sight"))
    revision: Any = property(attrgetter("law.revision"))

    def check_parameters(self, rows: NDArray[np.float64]) -> None:
        """As the law does, for its part."""
        self.law.check_parameters(rows[:, : self._own])

    def applied(self, rows: NDArray[np.float64], parameters: Mapping[str, ArrayLike]) -> NDArray[np.float64]:
        """The law's parameters by name; offsets stay."""
        return np.concatenate([self.law.applied(rows[:, : self._own], parameters), rows[:, self._own :]], axis=1)

    def build(self, types: Types) -> wp.Function:
        """The law's function, then the offsets."""
        act, first, nv, own = self.law.build(types), 6, self.figure.nv, self._own
        planned = self.law.planned_velocities if isinstance(self.law, TrackingLaw) else None
        plans, planned_ = planned is not None, (planned or 0) - first

        @types.part
        def offset_law(sense, memory, parameters, row, command):
            act(sense, memory, parameters, row, command)
            j = int(first)
            while j < wp.static(nv):
                command.acceleration[j] = command.acceleration[j] + parameters[row, own + j]
                if wp.static(plans):
                    memory[planned_ + j] = memory[planned_ + j] + sense.dt * parameters[row, own + j]
                j += 1

        return offset_law
