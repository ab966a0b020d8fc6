"""Walks whose limbs touch each other, and landings on the ground's contact laws.

    python -m tools.solid_bodies gaits                  every gait in space, with limbs that pass and that touch
    python -m tools.solid_bodies gaits walk-3d run-3d   some of them
    python -m tools.solid_bodies solid                  the same with limbs that touch alone
    python -m tools.solid_bodies cost walk-3d           time of a step, of one with limbs that pass (DEVICE=cuda: GPU)
    python -m tools.solid_bodies landing                a block that lands: restitution, sink, the first millisecond
    python -m tools.solid_bodies grounds walk-3d walk   gaits on the ground's usual and its smooth law

A gait starts eight times with noise of 1e-3 on joints and velocities and walks for 20 s. Clear: the least distance
between shapes of the two legs in a step, median over steps; closest: the least of all; touching: the share of frames in
which they overlap.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from footfall.control.registry import controller_names, load_controller
from footfall.dynamics import Ground
from footfall.errors import FootfallError
from footfall.figures import Figure
from footfall.figures.solid_shapes import solid_gaps
from footfall.simulation import Record, Simulation
from footfall.simulation.python_law import HeldDrive
from footfall.study.measures.table import measure_walks
from footfall.study.measures.walks import Walks
from footfall.study.trials.bench import disturbed

STARTS, NOISE, SECONDS, RATE = 8, 1e-3, 20.0, 50.0
SLOPE = "slope:20,1.5"
FORCES = Record(1000.0, ("qpos", "qvel", "grf"))


def _walks(name: str, *, record: Record | None = None, seconds: float = SECONDS, **options: Any) -> Simulation:
    simulation = Simulation(name, worlds=STARTS, record=record, **options)
    start = {key: values.copy() for key, values in simulation.snapshot().items()}
    start["qpos"], start["qvel"] = start["qpos"].astype(float), start["qvel"].astype(float)
    simulation.restore(disturbed(start, simulation.figure, np.random.default_rng(7), (NOISE, NOISE)))
    simulation.run(seconds)
    return simulation


def gaits(names: list[str], *, ghosts: bool = True) -> None:
    """Print the table of gaits, with limbs that touch and, besides, with ``ghosts``."""
    chosen = names or [n for n in controller_names() if Figure.load(load_controller(n).figure).root == "free"]
    kinds = ("passing", "solid")[not ghosts :]
    print("| gait | " + " | ".join(f"{kind}: up, clear, closest, touching" for kind in kinds) + " | speed m/s |")
    print("|---" * (2 + len(kinds)) + "|")
    for name in chosen:
        cells, speeds = [], []
        for solid in (False, None)[not ghosts :]:
            try:
                terrain = SLOPE if name.startswith("climb") else "flat"
                simulation = _walks(name, record=Record(RATE, worlds=STARTS), terrain=terrain, solid=solid)
            except FootfallError as error:
                cells.append(str(error))
                continue
            trace, outcome, shapes = simulation.trace(), simulation.outcome(), simulation.figure.solid
            legs = [shapes.pairs[k] for k in shapes.leg_pairs]
            frames = np.concatenate([trace.qpos[: trace.last[w], w] for w in range(STARTS)])
            gaps = solid_gaps(simulation.figure.model, shapes.capsules, legs, frames).min(axis=0)
            walks = Walks(trace, outcome.torque_squared, 4.0)
            clear = 100 * float(np.nanmedian(measure_walks(walks, ["leg_clearance"])["leg_clearance"]))
            up = f"{int(outcome.survived.sum())} of {STARTS}"
            cells.append(f"{up}, {clear:.1f} cm, {100 * gaps.min():.1f} cm, {np.mean(gaps < 0):.0%}")
            speeds.append(f"{np.mean(outcome.speed[outcome.survived]):.2f}" if outcome.survived.any() else "-")
        print(f"| `{name}` | {' | '.join(cells)} | {', '.join(speeds)} |", flush=True)


BLOCK = """<mujoco model="block"><option gravity="0 0 -9.81"/><worldbody>
<body name="block"><freejoint/><inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/>
<site name="a" pos="0.1 0.1 -1"/><site name="b" pos="0.1 -0.1 -1"/>
<site name="c" pos="-0.1 0.1 -1"/><site name="d" pos="-0.1 -0.1 -1"/>
</body></worldbody></mujoco>"""


def landing(masses: tuple[float, ...] = (8.0, 30.0, 80.0), speeds: tuple[float, ...] = (0.2, 0.5, 1.0, 2.0)) -> None:
    """Print what the ground's laws do to a block that lands on four points."""
    print("| law | kg | m/s | restitution | deepest mm | first ms / peak | peak at ms |\n|---|---|---|---|---|---|---|")
    for law in ("anchor", "smooth"):
        for mass in masses:
            figure = Figure.load(BLOCK.format(mass=mass))
            for speed in speeds:
                simulation = Simulation(
                    law=HeldDrive(figure), figure=figure, qpos=[0, 0, 1, 1, 0, 0, 0], qvel=[0, 0, -speed, 0, 0, 0],
                    ground=Ground(law=law), dt=1e-3, record=FORCES,
                )  # fmt: skip
                simulation.run(0.2)
                trace = simulation.trace()
                force, z, rise = trace.grf[:, 0, :, 2].sum(axis=-1), trace.qpos[:, 0, 2] - 1.0, trace.qvel[:, 0, 2]
                landed = int(np.argmax(force > 0))
                peak = int(np.argmax(force))
                print(
                    f"| {law} | {mass:g} | {speed:g} | {max(0.0, rise.max()) / speed:.2f} | {-1000 * z.min():.1f} "
                    f"| {force[landed] / force[peak]:.2f} | {peak - landed} |"
                )


def grounds(names: list[str]) -> None:
    """Print how gaits walk on the usual and the smooth ground, and the peaks of their ground forces."""
    print("| gait | law | up | speed m/s | first peak BW (1 ms mean) | landings whose first ms is the peak |")
    print("|---|---|---|---|---|---|")
    for name in names:
        own = load_controller(name).ground or Ground()
        for law in ("anchor", "smooth"):
            simulation = _walks(name, ground=replace(own, law=law))
            outcome = simulation.outcome()
            watched = Simulation(name, ground=replace(own, law=law), record=FORCES)
            watched.run(10.0)
            peak, early = _landings(watched)
            speed = np.mean(outcome.speed[outcome.survived]) if outcome.survived.any() else np.nan
            print(
                f"| `{name}` | {law} | {int(outcome.survived.sum())} of {STARTS} | {speed:.2f} | {peak:.2f} | {early} |"
            )


def cost(names: list[str]) -> None:
    """Print how long a step with limbs that touch takes, of one with limbs that pass; and one whose whole surface may
    touch the ground, too: the shortest of several runs in turns."""
    device = os.environ.get("DEVICE", "cpu")
    worlds, seconds = (1 << 17, 1.0) if device != "cpu" else (8, 10.0)
    for name in names:
        bodies: dict[str, dict[str, Any]] = {"passing": {"solid": False}, "solid": {}, "surface": {"surface": True}}
        all_ = {kind: Simulation(name, worlds=worlds, device=device, **options) for kind, options in bodies.items()}
        times: dict[str, list[float]] = {kind: [] for kind in all_}
        for simulation in all_.values():
            simulation.run(0.2)
        for _ in range(5):
            for kind, simulation in all_.items():
                began = time.perf_counter()
                simulation.run(seconds)
                times[kind].append(time.perf_counter() - began)
        solid, surface = (min(times[kind]) / min(times["passing"]) for kind in ("solid", "surface"))
        print(f"{name} on {device}: limbs that touch {solid:.2f}, and the whole surface {surface:.2f}")


def _landings(simulation: Simulation) -> tuple[float, str]:
    """The median over landings of the largest force in the first 40 % of a foot's stance, in body weights; and in how
    many landings the first millisecond has it within the first 50 ms."""
    trace, figure = simulation.trace(), simulation.figure
    weight = float(figure.model.body_mass.sum()) * 9.81
    points = [p for p in figure.points if p.ground]
    peaks, early, count = [], 0, 0
    for side in ("left", "right"):
        force = trace.grf[: trace.last[0], 0, [k for k, p in enumerate(points) if p.foot == side], 2].sum(axis=-1)
        on = force > 0.0
        starts = np.flatnonzero(on[1:] & ~on[:-1]) + 1
        ends = np.flatnonzero(~on[1:] & on[:-1]) + 1
        for start in starts[starts > 2000]:
            later = ends[ends > start]
            if not len(later) or later[0] - start < 100:
                continue
            stance = force[start : later[0]]
            peaks.append(stance[: int(0.4 * len(stance))].max() / weight)
            early += int(np.argmax(stance[:50]) == 0)
            count += 1
    return float(np.median(peaks)) if peaks else np.nan, f"{early} of {count}"


def main() -> None:
    """What is asked for on the command line."""
    what, *names = sys.argv[1:] or ["gaits"]
    if what == "landing":
        landing()
    else:
        ask: dict[str, Callable[[list[str]], None]]
        ask = {"gaits": gaits, "solid": partial(gaits, ghosts=False), "grounds": grounds, "cost": cost}
        ask[what](names)


if __name__ == "__main__":
    main()
