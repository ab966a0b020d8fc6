"""The built-in motion graph ``steered-walk``: steps that footfall makes itself, so that a character can be steered
where there is no captured clip.

The closed-form walker (3LP) walks straight at three speeds, and in other styles; its walks are retargeted onto the
figure of the tracking law. Turning steps are straight ones bent by BEND. The gains are the default ones for steering.

    python -m footfall_reproductions.data_driven.search.made_steps --out FILE          make it
    python -m footfall_reproductions.data_driven.search.made_steps --minutes 20        steer it at random, count falls
"""

import argparse
import json
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import load_controller
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.methods.pendulum import Person, Walk, periodic_gait, record_walk, walk_motion
from footfall.methods.tracking.motion_graph import GraphClip, TrackedGraph, bent_clip
from footfall.methods.tracking.steered_files import print_steered
from footfall.methods.tracking.step_choice import SteeredController
from footfall.motion.conditioning.ground_fit import frames_of
from footfall.motion.synthesis.cuts import cut_frames
from footfall.study.imitation.gain_search import split_set
from footfall.study.imitation.steering import Steering, Stretch, steered_controller, steering_set
from footfall.text_files import write_whole

Array = NDArray[np.float64]
NAME = "steered-walk"
FPS = 30.0
BEND = 0.2
"""Radians that a turning step turns. 0.3 stayed up as well; with 12 degrees of the 3LP walker's own turn it faces 40
degrees away from where it goes."""
STEPS = 4
"""Of a steady clip that are kept."""
STAND = 15
"""Frames of standing before the start."""
USUAL: dict[str, float] = {"frequency": 1.5, "clearance": 0.12, "step_width": 0.16}
"""As tracked-walk."""
WALKS: dict[str, tuple[float, str, dict[str, float]]] = {
    "walk": (0.6, "normal", {}),
    "slow": (0.4, "normal", {}),
    "fast": (0.8, "normal", {}),
    "march": (0.5, "march", {"clearance": 0.2}),
    "lean": (0.6, "lean", {"tilt": math.radians(12.0)}),
}
"""Speed, style and what differs, by clip."""
SIDES = {"left": BEND, "right": -BEND}
ABOUT = (
    "Walks of 0.4, 0.6 and 0.8 m/s, a march and a leaning walk that the closed-form walker (3LP) made, and turns made "
    "of them, to be steered. Made by: python -m footfall_reproductions.data_driven.search.made_steps "
    "--out steered-walk.toml"
)


def _walked(speed: float, seconds: float, figure: Figure, parts: dict[str, float], *, from_rest: bool = False) -> Array:
    """[T, nq] a straight walk of the 3LP walker on the figure, from its first step on the spot where asked."""
    body = Person.of(1.7, 70.0)
    gait = periodic_gait(body, Walk(speed=speed, **(USUAL | parts)))
    first = periodic_gait(body, Walk(speed=0.0, **(USUAL | parts))) if from_rest else gait
    walk = record_walk(first, seconds, fps=FPS, changes={0.05: gait} if from_rest else {})
    return frames_of(walk_motion(walk), figure, along_x=False)


def _steady(frames: Array, figure: Figure) -> Array:
    """A few steps out of a walk, from landing to landing."""
    cuts = [cut for cut in cut_frames(frames, figure) if cut.kind != "stand"]
    return frames[cuts[2].start : cuts[2 + STEPS].start + 1]


def make() -> SteeredController:
    """The motion graph."""
    figure = Figure.load("mocap-biped")
    gains = split_set(steering_set())[0]
    start = _walked(0.6, 4.5, figure, {}, from_rest=True)
    clips = [GraphClip("start", np.concatenate([np.tile(start[0], (STAND, 1)), start]), gains=gains)]
    for name, (speed, style, parts) in WALKS.items():
        straight = GraphClip(name, _steady(_walked(speed, 5.0, figure, parts), figure), style, gains)
        clips += [straight, *(bent_clip(straight, f"{name} {side}", bend, figure) for side, bend in SIDES.items())]
    return steered_controller(TrackedGraph(clips, figure), NAME, ABOUT)


@dataclass(frozen=True)
class Minute:
    """A minute of random steering: whether it fell, after how many seconds, and how far its heading was off in
    degrees."""

    fell: bool
    seconds: float
    heading_error: float


def random_minute(controller: SteeredController, seed: int, noise: float = 1e-3) -> Minute:
    """Steer for a minute: every 3 to 8 s another direction (turns of up to 150 degrees), speed (0.4 to 0.9 m/s) and,
    one time in three, style."""
    rng = np.random.default_rng(seed)
    legs, total, direction, style = [], 0.0, 0.0, controller.graph.styles()[0]
    while total < 60.0:
        seconds = min(float(rng.uniform(3.0, 8.0)), 60.0 - total)
        if rng.random() < 1 / 3:
            style = str(rng.choice(controller.graph.styles()))
        legs.append(Stretch(seconds, direction, float(rng.uniform(0.4, 0.9)), style))
        direction += float(rng.uniform(-150.0, 150.0))
        total += seconds
    ended = Steering(controller, noise=noise, seed=seed, style=legs[0].style).sent(sequence=legs)
    return Minute(ended.fell, round(ended.seconds, 1), round(ended.heading_error, 1))


def main() -> int:
    """Make the file, or try the built-in one, as the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m footfall_reproductions.data_driven.search.made_steps", description=__doc__
    )
    parser.add_argument("--out", type=Path)
    parser.add_argument("--minutes", type=int, default=0)
    parser.add_argument("--noise", type=float, default=1e-3)
    asked = parser.parse_args()
    try:
        controller: Any = make() if asked.out is not None else load_controller(NAME)
        if asked.out is not None:
            write_whole(asked.out, print_steered(controller).encode())
        for seed in range(1, asked.minutes + 1):
            print(json.dumps({"seed": seed} | vars(random_minute(controller, seed, asked.noise))), flush=True)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
