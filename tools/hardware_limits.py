"""Towards a real robot: what control rates, delays, sensor noise and motors' speeds a controller bears.

Every condition is tried from the same disturbed starts: the answer is how many of them stay up.

    python -m tools.hardware_limits walk walk-3d --starts 12 --seconds 20
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.errors import FootfallError
from footfall.study.sweeps.experiment import Experiment


@dataclass(frozen=True)
class Condition:
    """Values of one name, with what is held beside them; conditions of one ``part`` run in one simulation.

    Attributes:
        part: what is tried, with the step that it is simulated with, seconds.
        name: as :class:`footfall.study.sweeps.experiment.Experiment` has it.
        values: from harmless to hard.
        beside: other names, with one number each.
    """

    part: tuple[str, float]
    name: str
    values: tuple[float, ...]
    beside: Mapping[str, float]


LOOP, SENSORS, MOTORS = ("loop", 0.0005), ("sensors", 0.001), ("motors", 0.001)
CONDITIONS = (
    Condition(LOOP, "control_rate", (2000.0, 1000.0, 500.0, 400.0, 250.0, 200.0), {}),
    Condition(LOOP, "actuator_delay", (0.0005, 0.001, 0.002, 0.004, 0.008), {"control_rate": 2000.0}),
    Condition(SENSORS, "noise.joint_angle", (0.01, 0.02, 0.05, 0.1, 0.2), {}),
    Condition(SENSORS, "noise.joint_speed", (0.5, 1.0, 2.0, 5.0, 10.0), {}),
    Condition(SENSORS, "noise.orientation", (0.02, 0.05, 0.1, 0.2, 0.5), {}),
    Condition(SENSORS, "noise.angular_velocity", (0.5, 1.0, 2.0, 5.0, 10.0), {}),
    Condition(SENSORS, "noise.linear_velocity", (0.2, 0.5, 1.0, 2.0, 5.0), {}),
    Condition(MOTORS, "motor_speed", (20.0, 10.0, 6.0, 5.0, 4.0, 3.0, 2.0), {}),
)
"""What is tried, and in steps of which length."""


def hardware_limits(
    controller: str,
    *,
    starts: int = 12,
    seconds: float = 20.0,
    noise: float = 0.02,
    motor_torque: float | None = None,
    device: str = "cpu",
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> list[tuple[str, dict[float, int]]]:
    """How many of the starts stay up: (name, count by value) for each condition.

    Args:
        controller: its name or file.
        starts: disturbed ones, each with sensor errors of its own.
        seconds: how long each must stay up.
        noise: size of the disturbances of the start, radians.
        motor_torque: N m that every motor gives at rest; by default the figure's limits.
        device: cpu or cuda.
        seed: of starts and errors.
        progress: called with the name of each part before it runs.
    """
    answers = []
    for part in dict.fromkeys(condition.part for condition in CONDITIONS):
        chosen = [c for c in CONDITIONS if c.part == part]
        what, dt = part
        if progress is not None:
            progress(f"{controller}: {what}")
        own = {"start.noise": noise}
        if what == "motors" and motor_torque is not None:
            own["motor_torque"] = motor_torque
        experiment = Experiment(controller, seconds=seconds, dt=dt, set=own, seed=seed, device=device)
        survived = experiment.run(_worlds(chosen, starts))["survived"]
        counts = survived.reshape(-1, starts).sum(axis=1).tolist()
        for condition in chosen:
            answers.append((condition.name, {value: counts.pop(0) for value in condition.values}))
    return answers


def _worlds(conditions: Sequence[Condition], starts: int) -> dict[str, np.ndarray]:
    """Numbers of all worlds: for every condition and value, one for each start."""
    cases = [{**c.beside, c.name: value} for c in conditions for value in c.values]
    names = dict.fromkeys(name for case in cases for name in case)
    values = {n: np.repeat([case.get(n, 0.0) for case in cases], starts) for n in names}
    return values | {"replica": np.tile(1.0 + np.arange(starts), len(cases))}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="tools.hardware_limits", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("controllers", nargs="+")
    parser.add_argument("--starts", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--motor-torque", type=float)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for controller in given.controllers:
        try:
            answers = hardware_limits(
                controller, starts=given.starts, seconds=given.seconds, motor_torque=given.motor_torque,
                device=given.device, seed=given.seed, progress=lambda what: print(what, file=sys.stderr, flush=True),
            )  # fmt: skip
        except FootfallError as error:
            sys.exit(f"footfall: {error}")
        for name, counts in answers:
            row = ", ".join(f"{value:g}: {count}" for value, count in counts.items())
            print(f"{controller}  {name}  {row}  (of {given.starts})", flush=True)


if __name__ == "__main__":
    main()
