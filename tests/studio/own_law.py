"""A law of another package: servos that hold the start, and a knee that swings. No states, no gains with names."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import warp as wp

from footfall.control import Abilities, ControllerKind, Integration, Law, Number, Start, Types
from footfall.control.parts import servo_stiffness, servo_torque
from footfall.dynamics.contact import Ground
from footfall.figures import Figure


@dataclass(frozen=True)
class Sway:
    """Its controller: how far and how often the knee swings, radians and radians a second."""

    name: str
    swing: float = 0.2
    speed: float = 6.0
    figure: str = "planar-biped"
    law: str = "sway"
    about: str = "a test"
    start: Start | None = None
    ground: Ground | None = None
    integration: Integration | None = None


class SwayLaw(Law):
    """Memory is the time; the parameters are how far and how often the right knee swings."""

    key: Any = "sway"
    memory = np.zeros(1)

    def __init__(self, controller: Sway) -> None:
        self._controller = controller

    @property
    def parameters(self) -> np.ndarray:
        return np.array([self._controller.swing, self._controller.speed])

    def build(self, types: Types) -> wp.Function:
        Sense, Memory, Command, real = types.Sense, types.Memory, types.Command, types.real

        @wp.func
        def sway(
            sense: wp.ref[Sense], memory: wp.ref[Memory], numbers: wp.array2d[real], row: int, command: wp.ref[Command]
        ):
            memory[0] += sense.dt
            kp, kd = real(300.0), real(30.0)
            for j in range(3, 9):
                target = wp.where(
                    j == 4, -numbers[row, 0] * (real(1.0) - wp.cos(numbers[row, 1] * memory[0])), real(0.0)
                )
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
        return SwayLaw(controller)


class EditedSwayKind(SwayKind):
    """The same with a speed, and with another number to change while it runs."""

    laws = ("edited-sway",)
    usual = Abilities(speed=True)

    def numbers(self, controller: Sway) -> Sequence[Number]:
        swing = Number("swing", controller.swing, 0.0, 1.0, "Swing (rad)", about="How far the knee swings")
        return (swing, Number("speed", controller.speed, 0.0, 20.0))

    def with_number(self, controller: Sway, name: str, value: float) -> Sway:
        return replace(controller, **{name: value})


SWAY, EDITED_SWAY = SwayKind(), EditedSwayKind()
