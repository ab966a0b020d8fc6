"""An observation and a reward of one's own: how far the root leans forward, and how erect it is."""

import warp as wp

from footfall.learning import ObservationTerm, RewardTerm, SeenTypes


def lean(types: SeenTypes) -> wp.Function:
    """The Warp function (seen, i): number i of the observation."""

    @types.part
    def forward(seen, i):
        return wp.atan2(seen.up[0], seen.up[2])

    return forward


def erect(types: SeenTypes) -> wp.Function:
    """The Warp function (seen): the reward's term."""

    @types.part
    def share(seen):
        return seen.up[2] * seen.up[2]

    return share


LEAN = ObservationTerm.of("lean", "rad", "of the root, backward positive in the plane", lean, low=-3.2, high=3.2)
ERECT = RewardTerm("erect", 0.5, "up_z²", "for standing erect", erect)
