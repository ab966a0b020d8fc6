"""The gaits of the controller `human`, from footsteps that footfall plans itself, and the controller's file:

python -m tools.made_gaits --out src/footfall/methods/network/library/human.toml
"""

import argparse
import base64
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.figures import Figure
from footfall.methods.network.gaits import Gaits
from footfall.motion.quaternion import Array, conjugate, continuous, from_axis_angle, log, multiply, normalised
from footfall.motion.synthesis.footstep_plan import Style, plan_steady
from footfall.motion.synthesis.random_walks import PLAIN, planned_walk
from footfall.text_files import write_whole

FIGURE = "human-28"
SPEEDS = (-0.6, 0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.6, 3.2)
SPINS = (-1.2, 0.0, 1.2)
SIDES = (-0.4, 0.0, 0.4)
RUNS = 1.9
"""m/s from which on it runs."""
PHASES, RATE = 32, 120.0
"""Of a stride that are kept, and poses a second of the plan's walk."""
WALK = replace(PLAIN, lean=(-0.02, 0.0), crouch=0.0, height=0.11, pace=0.56, width=0.13)
"""The policy leans the trunk a degree further forward than what it follows, and lifts feet less."""
STYLE = replace(WALK, leap=0.34, airy=0.25, kick=0.18, swing=0.4, nimble=9.0)
STAND = replace(STYLE, lean=(-0.02, 0.0), height=0.0)
RUN = replace(STYLE, lean=(0.0, 0.0), arms=np.array([[0.1, 0.15, 0.0, 1.2]] * 2), swing=0.35)
Z = np.array([0.0, 0.0, 1.0])
TEXT = """name = "human"
figure = "human-28"
law = "network"
about = "A person who stands, walks, runs, turns and side-steps as speed and heading ask. Made by: python -m \
tools.made_gaits"
policy = "sure-tracker"
tether = 0.15
goal_speed = 1.2
report = {{}}
gaits = '{gaits}'
"""


def cycle(figure: Figure, style: Style, velocity: tuple[float, float], spin: float) -> tuple[float, Array]:
    """Seconds of a stride, and [PHASES, K] its poses (:mod:`footfall.methods.network.gaits`) from a left landing on."""
    steps = 16 + math.ceil(math.hypot(*velocity) / 0.35)
    plan = plan_steady(style, np.array(velocity), spin, steps, running=velocity[0] > RUNS)
    qpos = planned_walk(figure, style, plan, RATE)
    begin = next(k for k in range(len(plan.lands) - 9, 0, -1) if plan.left[k])
    first, last = plan.lands[begin], plan.lands[begin + 2]
    after = (last - first) * np.arange(PHASES) / PHASES
    times = np.arange(len(qpos)) / RATE
    qpos[:, 3:7] = continuous(qpos[:, 3:7])
    poses = np.stack([np.interp(first + after, times, column) for column in qpos.T], axis=1)
    turned = spin * after
    way = np.cumsum(np.concatenate([[0.0], np.exp(1j * (turned[1:] + turned[:-1]) / 2.0) * np.diff(after)]))
    way = complex(*velocity) * way * np.exp(1j * plan.turns[begin]) + complex(*plan.body[begin])
    off = (poses[:, 0] + 1j * poses[:, 1] - way) * np.exp(-1j * (plan.turns[begin] + turned))
    turns = log(multiply(conjugate(from_axis_angle(Z, plan.turns[begin] + turned)), normalised(poses[:, 3:7])))
    return last - first, np.concatenate([np.stack([off.real, off.imag, poses[:, 2]], axis=1), turns, poses[:, 7:]], 1)


def mirrored(figure: Figure, poses: Array) -> Array:
    """[PHASES, K] the mirror image, which begins with a landing of the left foot as well."""
    turn, size = poses[:, 3:6], np.linalg.norm(poses[:, 3:6], axis=1, keepdims=True)
    quaternion = np.concatenate([np.cos(0.5 * size), np.sinc(0.5 * size / math.pi) * 0.5 * turn], axis=1)
    qpos = figure.mirror_qpos(np.concatenate([poses[:, :3], quaternion, poses[:, 6:]], axis=1))
    turns = log(qpos[:, 3:7] * np.sign(qpos[:, 3:4]))
    return np.roll(np.concatenate([qpos[:, :3], turns, qpos[:, 7:]], axis=1), PHASES // 2, axis=0)


def made_gaits(figure: Figure) -> Gaits:
    """All of them; a turn to the right is one to the left in a mirror."""

    def even(velocity: tuple[float, float], spin: float, style: Style | None = None) -> tuple[float, Array]:
        style = style or (RUN if velocity[0] > RUNS else STYLE)
        seconds, one = cycle(figure, style, velocity, spin)
        other = one if spin == velocity[1] == 0.0 else cycle(figure, style, (velocity[0], -velocity[1]), -spin)[1]
        return seconds, 0.5 * (one + mirrored(figure, other))

    made = []
    for v in SPEEDS:
        right, straight = even((v, 0.0), SPINS[0]), even((v, 0.0), 0.0)
        made.append([right, straight, (right[0], mirrored(figure, right[1]))])
    step, middle = even((0.0, SIDES[0]), 0.0)[1], even((0.0, 0.0), 0.0)[1]
    aside = [step, middle, mirrored(figure, step)]
    stand = even((0.0, 0.0), 0.0, STAND)[1].mean(axis=0)
    return Gaits(
        np.array(SPEEDS),
        np.array(SPINS),
        np.array(SIDES),
        np.array([[seconds for seconds, _ in row] for row in made]),
        np.array([[poses for _, poses in row] for row in made]),
        np.array(aside) - aside[len(SIDES) // 2],
        stand,
    )


def main() -> None:
    """Write the controller's file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    gaits = base64.b64encode(made_gaits(Figure.load(FIGURE)).to_bytes()).decode()
    write_whole(asked.out, TEXT.format(gaits=gaits).encode())


if __name__ == "__main__":
    main()
