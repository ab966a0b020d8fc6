"""What SIMBICON's law is built from: its slots, its layouts and what its graphs ask for."""

from dataclasses import dataclass

from footfall.control.rows import MACHINE, MemoryLayout, RowLayout
from footfall.control.slots import Slot
from footfall.methods.simbicon.parts.error_learning import learning_names
from footfall.methods.simbicon.parts.stride_learning import stride_names

__all__ = ["SimbiconPlan", "memory_layout"]


def memory_layout(bins: int, stride_bins: int = 0, learners: int = 0, legs: int = 0) -> MemoryLayout:
    """What the law remembers: its state machine, how far the desired heading has turned, the time since an impact, and
    what ``bins`` of learning by step, or ``stride_bins`` of so many learners by stride, the last of them ``legs``,
    need."""
    learning = (*learning_names(bins), *stride_names(stride_bins, learners, legs))
    return MemoryLayout((*MACHINE, "turned", "since_impact", *learning))


@dataclass(frozen=True)
class SimbiconPlan:
    """All that the Warp function depends on besides the figure; the kernel's key.

    Attributes:
        layout: of the row. slots: what is driven.
        bins: how many phase bins the torso's feed-forward torque has; 0 for none.
        reacts: whether a graph raises its gains after impacts. turns_over: whether a torso may turn over.
        stable: the kind of stable PD.
        sees: whether a graph looks at the ground. places: whether one moves its feet off edges.
        stride_bins: how many bins a step has in learning by stride. learners: the slots that learn so, those
            of the legs last. legs: how many of them are.
        levels: whether a target is against the world. swings: whether one follows a hip.
        recovers: whether a state is left when v is beyond limits.
    """

    layout: RowLayout
    slots: tuple[Slot, ...]
    bins: int
    reacts: bool
    turns_over: bool
    stable: str
    sees: bool
    places: bool
    levels: bool
    swings: bool
    recovers: bool = False
    stride_bins: int = 0
    learners: tuple[int, ...] = ()
    legs: int = 0

    @property
    def memory(self) -> MemoryLayout:
        """What the law remembers."""
        return memory_layout(self.bins, self.stride_bins, len(self.learners), self.legs)

    @property
    def spatial(self) -> bool:
        """Whether the torso leans in more than one plane."""
        return sum(slot.place == "torso" for slot in self.slots) > 1
