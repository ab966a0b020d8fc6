"""What a control law is: a Warp function that turns what a world senses into joint torques, fused into its rollout.

A law is written once, for every device and scalar type: :meth:`Law.build` gets the figure's types and returns

    law(sense, memory, parameters, row, command)

``sense`` and ``command`` are the structures of :class:`Types`, ``memory`` a small vector that is the law's own state,
``parameters[row]`` the world's row of numbers. Everything but the last two integers is passed by reference.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.dynamics.compiler import CompiledFigure
from footfall.dynamics.ground import Ground

__all__ = ["Law", "Types"]


@dataclass(frozen=True)
class Types:
    """The types a law is built from, for one figure and scalar type.

    Attributes:
        compiled: the figure's dynamics; laws may call its functions.
        implicit: whether servos are taken implicitly: the law then answers the servo evaluated one step ahead and its
            ``command.stiffness`` (kd h + kp h²).
        real: scalar type. Memory: vector type of the law's own state.
        Sense: time, dt, qpos, qvel, position and velocity [3 P] of the ground points, contact (bit mask over them):
            what a joint's own servo feels; seen_qpos, seen_qvel, seen_position, seen_contact: the same as balance sees
            it, late where there is a sensor delay; rise: how far the ground ahead stands above that under the stance
            foot, where the law looks ahead (:meth:`Law.sight`), with the shifts it wants of the swing leg's
            targets; qacc: the previous step's accelerations; library: :attr:`Law.library`.
        Command: torque and stiffness [nv]; under a law that :attr:`Law.prescribes`, acceleration [nv] of the joints, and
            torque is what brings it about; state and stance (0 left, 1 right, -1 none) for the record, and four
            signals, recorded as they are (SIMBICON: d, v, the stance hip's torque, the torso's torque); tumbling:
            whether turning over is no fall now, under a law that :attr:`Law.tumbles` at times. A law that
            :attr:`Law.couples` its hips to the torso also tells their degrees of freedom and the stiffness
            (kd h + kp h²) of the swing hip's and the torso's servos against the world.
    """

    compiled: CompiledFigure
    implicit: bool
    real: Any
    Memory: Any
    Sense: Any
    Command: Any

    @classmethod
    def of(cls, compiled: CompiledFigure, memory: int, *, implicit: bool) -> "Types":
        """Types for a law with ``memory`` numbers of state of its own."""
        real, Qpos, Qvel, Points = compiled.real, compiled.Qpos, compiled.Qvel, compiled.Points
        Signals = wp.types.vector(length=4, dtype=real)

        @wp.struct
        class Sense:
            time: real
            dt: real
            qpos: Qpos
            qvel: Qvel
            position: Points
            velocity: Points
            contact: wp.int32
            seen_qpos: Qpos
            seen_qvel: Qvel
            seen_position: Points
            seen_contact: wp.int32
            rise: real
            hip_shift: real
            knee_shift: real
            qacc: Qvel
            library: wp.array2d[real]

        @wp.struct
        class Command:
            torque: Qvel
            acceleration: Qvel
            stiffness: Qvel
            state: wp.int32
            stance: wp.int32
            signals: Signals
            tumbling: wp.bool
            swing_hip: wp.int32
            stance_hip: wp.int32
            hip_stiffness: real
            torso_stiffness: real

        return cls(compiled, implicit, real, wp.types.vector(length=max(1, memory), dtype=real), Sense, Command)


class Law(ABC):
    """A control law: its parameters, its own state, and the Warp function that it becomes."""

    @property
    def key(self) -> Any:
        """A hashable value that tells laws with different Warp functions apart, so that equal ones share a kernel; None
        (the default) shares nothing."""
        return None

    @property
    @abstractmethod
    def memory(self) -> NDArray[np.float64]:
        """[M] the law's own state at the start."""

    @property
    @abstractmethod
    def parameters(self) -> NDArray[np.float64]:
        """[NP] the numbers the law reads, one row."""

    @property
    def library(self) -> NDArray[np.float64]:
        """[rows, columns] numbers that all worlds share and the law reads, such as captured motion."""
        return np.zeros((1, 1))

    @property
    def ground(self) -> Ground | None:
        """The ground that the law was made for; None (the default) for the usual one."""
        return None

    @property
    def prescribes(self) -> bool:
        """Whether the law asks for accelerations of the joints, not torques: hybrid dynamics finds the torques."""
        return False

    @property
    def tumbles(self) -> bool:
        """Whether turning over is at times no fall under this law: ``command.tumbling`` tells when."""
        return False

    @property
    def couples(self) -> bool:
        """Whether servos against the world, which tie the hips to the torso, are taken implicitly too."""
        return False

    def sight(self, types: Types, height: wp.Function) -> wp.Function | None:
        """A Warp function that looks at the terrain before the law acts; None (the default) for a blind law.

        (sense, memory, parameters, row, table, table_row) sets ``sense.rise``; ``height(table, table_row, x, y)`` is
        the ground's.
        """
        return None

    @abstractmethod
    def build(self, types: Types) -> wp.Function:
        """The Warp function, for these types."""
