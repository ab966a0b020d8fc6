"""A law of another package: servos that hold the start, and a knee that swings. No states, no gains with names."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import warp as wp

from footfall.control import Abilities, ControllerKind, Integration, Law, Number, Start, Types
from footfall.control.parts.servo import servo_stiffness, servo_torque
from footfall.dynamics.contact import Ground
from footfall.figures import Figure


@dataclass(frozen=True)
class Sway:
    """Its controller: how far the knee swings, radians."""

    name: str
    swing: float = 0.2
    figure: str = "planar-biped"
    law: str = "sway"
    about: str = "a test"
    start: Start | None = None
    ground: Ground | None = None
    integration: Integration | None = None


class SwayLaw(Law):
    """Memory is the time; the one parameter is how far the right knee swings."""

    key: Any = "sway"
    memory = np.zeros(1)

    def __init__(self, swing: float) -> None:
        self._swing = swing

    @property
    def parameters(self) -> np.ndarray:
        return np.array([self._swing])

    def build(self, types: Types) -> wp.Function:
        Sense, Memory, Command, real = types.Sense, types.Memory, types.Command, types.real

        @wp.func
        def sway(
            sense: wp.ref[Sense], memory: wp.ref[Memory], numbers: wp.array2d[real], row: int, command: wp.ref[Command]
        ):
            memory[0] += sense.dt
            kp, kd = real(300.0), real(30.0)
            for j in range(3, 9):
                target = wp.where(j == 4, -numbers[row, 0] * (real(1.0) - wp.cos(real(6.0) * memory[0])), real(0.0))
                command.torque[j] = servo_torque(kp, kd, target - sense.qpos[j], sense.qvel[j], sense.dt)
                command.stiffness[j] = servo_stiffness(kp, kd, sense.dt)
            command.stance = int(memory[0]) % 2

        return sway


class SwayKind(ControllerKind):
    """A kind that only runs."""

    laws = ("sway",)
    usual = Abilities(run=True)

    def parse(self, text: str, where: str) -> Sway:
        return Sway(**tomllib.loads(text))

    def print(self, controller: Sway) -> str:
        return f'name = "{controller.name}"\nlaw = "{controller.law}"\nswing = {controller.swing}\n'

    def law(self, controller: Sway, figure: Figure) -> SwayLaw:
        return SwayLaw(controller.swing)


class EditedSwayKind(SwayKind):
    """The same with a number to change while it runs."""

    laws = ("edited-sway",)

    def numbers(self, controller: Sway) -> Sequence[Number]:
        return (Number("swing", controller.swing, 0.0, 1.0, "Swing (rad)", about="How far the knee swings"),)

    def with_number(self, controller: Sway, name: str, value: float) -> Sway:
        return replace(controller, swing=value)


SWAY, EDITED_SWAY = SwayKind(), EditedSwayKind()
