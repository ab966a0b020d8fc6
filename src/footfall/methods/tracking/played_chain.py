"""A chain of steps of a motion graph played one after another, whatever their seams."""

from collections.abc import Sequence

from footfall.methods.tracking.motion_graph import TrackedGraph
from footfall.methods.tracking.played_steps import PlayedSteps
from footfall.methods.tracking.step_choice import SLOTS, Slots
from footfall.motion.quaternion import Array


def played_chain(graph: TrackedGraph, numbers: Sequence[int], frames: int) -> Array:
    """[frames, nq] the first poses of steps that are made in this order, the last of them again and again.

    Args:
        graph: the steps. numbers: which of them, one or more. frames: how many, 30 a second.
    """
    chain = _Chain(graph, numbers)
    if chain.count < frames:
        chain.advance(frames - chain.count)
    return chain.frames[:frames]


class _Chain(PlayedSteps):
    """Steps that are not chosen."""

    def __init__(self, graph: TrackedGraph, numbers: Sequence[int]) -> None:
        self._numbers, self._at = tuple(numbers), 0
        super().__init__(graph)

    def begin(self) -> None:
        """With the first step."""
        self.direction = 0.0
        self.made: list[str] = []
        number = self._numbers[0]
        step = self.graph.steps[number]
        self.slots = Slots(
            (number,) * SLOTS, (step,) * SLOTS, (step.fragment,) * SLOTS, (step.turn,) * SLOTS, (step.gains,) * SLOTS
        )

    def observe(self, slot: int, heading: float) -> None:
        """The next step begins."""
        self._at += slot != self.slots.now
        super().observe(slot, heading)

    def decide(self) -> bool:
        """The chain says which step is next."""
        number = self._numbers[min(self._at + 1, len(self._numbers) - 1)]
        self.slots = self.slots.with_step((self.slots.now + 1) % SLOTS, number, self.graph.steps[number])
        return True
