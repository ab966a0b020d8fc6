"""What SIMBICON's law is built from, its slots, its layouts and what its graphs ask for, and what it records of itself
at every step."""

import math
from dataclasses import dataclass

from footfall.control.rows import MACHINE, MemoryLayout, RowLayout
from footfall.control.slots import TRANSVERSE, Slot


@dataclass(frozen=True)
class LearningPlan:
    """What is learned by phase.

    Attributes:
        bins: how many parts a step is divided into.
        stride: whether left and right stance have torques of their own.
        learners: the slots that learn, those of the legs last.
        legs: how many of them are.
    """

    bins: int
    stride: bool
    learners: tuple[int, ...]
    legs: int

    @property
    def phases(self) -> int:
        """How many torques a learner has."""
        return self.bins * (2 if self.stride else 1)

    @property
    def memory(self) -> tuple[tuple[str, int], ...]:
        """What learning remembers, by name and size.

        The step's clock and period, the bin and the number of samples in it; each learner's sum of feedback torques in
        it, then the torques of its bins; for the legs' learners the sum of what they miss and the displacements of
        their bins. An unknown period is 0 before the first exchange of stance, -1 during the first whole step.
        """
        clocks = ("learning_clock", "learning_period", "learning_bin", "learning_samples")
        return (
            *((name, 1) for name in clocks),
            ("learning_total", len(self.learners)),
            ("learned_torque", self.phases * len(self.learners)),
            ("learning_miss", self.legs),
            ("learned_shift", self.phases * self.legs),
        )


@dataclass(frozen=True)
class SimbiconPlan:
    """All that the Warp function depends on besides the figure; the kernel's key.

    Attributes:
        layout: of the row.
        slots: what is driven, the torso first.
        stable: the kind of stable PD.
        learning: what is learned by phase; None for nothing.
        reacts: whether a graph raises its gains after impacts.
        turns_over: whether a torso may turn over.
        sees: whether a graph looks at the ground.
        places: whether one moves its feet off edges.
        levels: whether a target is against the world.
        swings: whether one follows a hip.
        recovers: whether a state is left when v is beyond limits.
        turn_limit: rad/s at which it turns at most to another heading; infinite for at once.
    """

    layout: RowLayout
    slots: tuple[Slot, ...]
    stable: str
    learning: LearningPlan | None = None
    reacts: bool = False
    turns_over: bool = False
    sees: bool = False
    places: bool = False
    levels: bool = False
    swings: bool = False
    recovers: bool = False
    turn_limit: float = math.inf

    @property
    def memory(self) -> MemoryLayout:
        """What the law remembers: its state machine, how far the desired heading has turned, the time since an impact,
        the heading last asked for and how far there is to turn to it, and what learning needs."""
        names = (*MACHINE, "turned", "since_impact", *self.turning)
        return MemoryLayout((*((name, 1) for name in names), *(self.learning.memory if self.learning else ())))

    @property
    def turning(self) -> tuple[str, ...]:
        """What is remembered where turning is limited."""
        return ("asked_heading", "to_turn") if self.turn_limit < math.inf else ()

    @property
    def planes(self) -> int:
        """How many planes the torso leans in."""
        return sum(slot.place == "torso" for slot in self.slots)

    @property
    def spatial(self) -> bool:
        """Whether the torso leans in more than one plane."""
        return self.planes > 1

    @property
    def joints(self) -> tuple[int, ...]:
        """The slots that are joints."""
        return tuple(i for i, slot in enumerate(self.slots) if slot.place != "torso")

    @property
    def world_hips(self) -> tuple[int, ...]:
        """The hips' joints that track against the world: those that pitch and roll."""
        return tuple(i for i in self.joints if self.slots[i].place == "hip" and self.slots[i].plane != TRANSVERSE)

    def hip(self, side: str, plane: int) -> Slot:
        """The hip joint of a side in a plane; where the hips do not move in it, one without a degree of freedom."""
        found = (s for s in self.slots if (s.place, s.side, s.plane) == ("hip", side, plane))
        return next(found, Slot("", -1, -1, plane))


SIGNALS = ("d", "v", "stance_hip_torque", "torso_torque", "feedforward_torque", "rise")
"""Balance in the sagittal plane, the stance hip's and the torso's torque there with the part that was learned, the rise
of the ground ahead."""
SPATIAL_SIGNALS = ("d_side", "v_side", "torso_roll_torque", "torso_yaw_torque")
"""Besides on a spatial figure: balance in the coronal plane, the torso's other torques."""
LEARNING_SIGNALS = ("feedback", "feedforward")
"""Besides where torques are learned: the norms of both kinds of torque over all learners, newton metres."""
CYCLE_SIGNALS = ("phase",)
"""Besides of a controller with a cycle."""


def signal_names(plan: SimbiconPlan) -> tuple[str, ...]:
    """What the law of a plan records, in order."""
    return (
        *SIGNALS,
        *(SPATIAL_SIGNALS if plan.spatial else ()),
        *(LEARNING_SIGNALS if plan.learning else ()),
        *(CYCLE_SIGNALS if plan.layout.harmonics else ()),
    )
