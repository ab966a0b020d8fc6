"""One set of gains for many clips, found over worlds that are disturbed and pushed.

    python -m footfall.study.imitation.robust_search DIR             the default set, over the clips of figure 5
    python -m footfall.study.imitation.robust_search DIR --pushes    gains for the push test of section 5

All clips are put into one library, so that one launch tries every candidate on every clip. A candidate's cost is the
mean over its worlds of

    the share of the time that it did not stay up  +  0.2 |distance - clip's distance| / clip's distance

Worlds start with disturbed velocities; all but the first of a clip are pushed for 0.4 s from changing sides.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.control.tracking.capture import frames_of
from footfall.control.tracking.clips import clip_repertoire
from footfall.control.tracking.controller import Entry, TrackingController
from footfall.control.tracking.gains import Gains
from footfall.control.tracking.law import TrackingLaw
from footfall.control.tracking.layout import GAINS, SETTINGS
from footfall.control.tracking.repertoire import Fragment, Repertoire
from footfall.figures import Figure
from footfall.motion import load_motion
from footfall.push import Push
from footfall.simulation import Simulation
from footfall.study.imitation.gain_search import LAW_RANGES as RANGES
from footfall.study.imitation.gain_search import begins_walking
from footfall.study.imitation.imitate import clip_distance
from footfall.study.imitation.pushes import DIRECTIONS, push_figure

__all__ = ["ClipWorlds", "joined_repertoire"]

Array = NDArray[np.float64]


def joined_repertoire(controllers: Sequence[TrackingController]) -> tuple[Repertoire, list[int]]:
    """All controllers' fragments in one repertoire under one set of gains, and each one's first fragment."""
    fragments: list[Fragment] = []
    starts: list[int] = []
    for controller in controllers:
        first = len(fragments)
        starts.append(first + controller.repertoire.start)
        for fragment in controller.repertoire.fragments:
            after = fragment.successor + first if fragment.successor >= 0 else -1
            fragments.append(replace(fragment, successor=after, gains=0))
    model = controllers[0].repertoire
    return Repertoire(tuple(fragments), (Gains(),), model.settings, model.ground), starts


class ClipWorlds:
    """Worlds that follow different clips, a number of each.

    Args:
        controllers: the clips; their own grounds are kept, their gains are replaced by the candidates'.
        each: worlds of every clip for a candidate.
        seconds: that a walk which repeats should stay up; another clip runs once.
        force: newtons of the pushes on all but the first world of a clip, a number or one from each side of DIRECTIONS.
        mixed: pushes come from changing sides at chance times; otherwise a world is pushed from one side at one phase.
        noise: of the starts' velocities. seed: of starts and pushes. figure: in place of theirs.
    """

    def __init__(
        self,
        controllers: Sequence[TrackingController],
        *,
        each: int = 3,
        seconds: float = 12.0,
        force: float | Sequence[float] = 30.0,
        every: float = 4.0,
        mixed: bool = True,
        noise: float = 0.02,
        seed: int = 1,
        figure: Figure | None = None,
    ) -> None:
        self.figure = Figure.load(controllers[0].figure) if figure is None else figure
        self.controllers, self.each = list(controllers), each
        self.repertoire, self.starts = joined_repertoire(controllers)
        self.law = TrackingLaw(self.repertoire, self.figure)
        loops = [c.repertoire.fragments[-1].successor >= 0 for c in controllers]
        lengths = [sum(len(f.frames) - 1 for f in c.repertoire.fragments) / 30.0 for c in controllers]
        self.seconds = np.array([seconds if loop else min(n, seconds) for loop, n in zip(loops, lengths, strict=True)])
        self.distance = np.array(
            [clip_distance(c.repertoire, s) for c, s in zip(controllers, self.seconds, strict=True)]
        )
        self.random = np.random.default_rng(seed)
        count = len(self.controllers) * each
        self.shaken = self.random.normal(0.0, noise, (count, self.figure.nv))
        self.pushes = self._pushes(force, every, count, mixed=mixed)

    def _pushes(
        self, force: float | Sequence[float], every: float, count: int, *, mixed: bool
    ) -> list[tuple[Array, Array]]:
        """Forces [W, 3] and starts [W], push by push, for the worlds of one candidate."""
        sides = np.broadcast_to(np.asarray(force, dtype=float), (4,))
        directions = np.array(list(DIRECTIONS.values())) * sides[:, None]
        pushed = np.arange(count) % self.each > 0
        made = []
        which = self.random.integers(0, 4, count)
        late = self.random.uniform(0.0, 1.3, count)
        if not mixed:
            number = np.arange(count) % self.each - 1
            which, late = number % 4, 0.65 * (number // 4) / max(1, (self.each - 1) // 4)
        for k in range(int(self.seconds.max() / every)):
            turn, weak = (k, self.random.uniform(0.6, 1.0, count)[:, None]) if mixed else (0, 1.0)
            strength = directions[(which + turn) % 4] * weak
            made.append((strength * pushed[:, None], 3.0 + every * k + late))
        return made

    def costs(self, rows: Array) -> tuple[Array, Array]:
        """[C] costs of candidates' rows [C, NP], and the share of the time each stayed up [C, clips, each]."""
        count, per = len(rows), len(self.controllers) * self.each
        starts = [c.start for c in self.controllers]
        controller = TrackingController("many", self.repertoire, self.controllers[0].figure)
        tile = (count, 1)
        simulation = Simulation(
            controller,
            figure=self.figure,
            qpos=np.tile(np.repeat([s.qpos for s in starts], self.each, axis=0), tile),
            qvel=np.tile(np.repeat([s.qvel for s in starts], self.each, axis=0) + self.shaken, tile),
            worlds=count * per,
            ground=[c.repertoire.ground for c in self.controllers for _ in range(self.each)] * count,
            pushes=[Push(np.tile(f, tile), np.tile(s, count), 0.4) for f, s in self.pushes],
            efforts=False,
            last_states=1,
        )
        snapshot = simulation.snapshot()
        place = self.law.layout.memory()["fragment"]
        snapshot["memory"][:, place] = np.tile(np.repeat(self.starts, self.each), count)
        simulation.restore(snapshot)
        simulation.set_parameters(np.repeat(rows, per, axis=0))
        shape = (count, len(self.controllers), self.each)
        lived, went = np.zeros(shape), np.zeros(shape)
        for seconds in np.unique(self.seconds):
            outcome = simulation.run(float(seconds) - simulation.time)
            ended = self.seconds == seconds
            up = np.where(outcome.survived, seconds, outcome.end_time).reshape(shape)
            far = np.linalg.norm(outcome.qpos[:, :2], axis=1).reshape(shape)
            lived[:, ended], went[:, ended] = up[:, ended] / seconds, far[:, ended]
        off = np.abs(went - self.distance[:, None]) / np.maximum(self.distance[:, None], 1.0)
        off = np.where(lived >= 1.0, np.clip(off, 0.0, 1.0), 1.0)
        return (1.0 - lived + 0.2 * off).mean(axis=(1, 2)), lived

    def row(self, values: dict[str, float]) -> Array:
        """A law's row of parameters with some values replaced; kv goes with kt."""
        values = dict(values)
        if "kt" in values:
            values.setdefault("kv", 2.0 * values["kt"] ** 0.5)
        return np.asarray(self.law.applied(self.law.parameters[None], values)[0])


def search(
    worlds: ClipWorlds,
    begin: dict[str, float],
    fixed: dict[str, float],
    *,
    generations: int,
    population: int,
    seed: int,
) -> tuple[dict[str, float], float]:
    """CMA-ES from a point; prints as it goes."""
    import cma

    low, high = np.array(list(RANGES.values())).T
    first = np.array([begin[name] for name in RANGES])
    strategy = cma.CMAEvolutionStrategy(
        np.clip((first - low) / (high - low), 0.01, 0.99),
        0.15,
        {"bounds": [0.0, 1.0], "popsize": population, "seed": seed, "verbose": -9},
    )
    best, least = dict(begin), np.inf
    for generation in range(generations):
        cube = np.array(strategy.ask())
        if generation == 0:
            cube[0] = (first - low) / (high - low)
        points = np.round(low + cube * (high - low), 4)
        values = [dict(zip(RANGES, map(float, p), strict=True)) | fixed for p in points]
        costs, lived = worlds.costs(np.array([worlds.row(v) for v in values]))
        strategy.tell(cube, costs)
        k = int(np.argmin(costs))
        if costs[k] < least:
            best, least = values[k], float(costs[k])
            print(f"# generation {generation}: cost {least:.4f}, up {lived[k].mean(axis=1).round(2).tolist()}")
            print(f"# {best}", flush=True)
    return best, least


def _controller(file: Path) -> TrackingController:
    """A clip to be followed once."""
    figure = Figure.load("mocap-biped")
    controller = TrackingController(file.stem, clip_repertoire(frames_of(load_motion(file), figure), figure))
    return replace(controller, entry=Entry(0.9, 1.0, 0.012, 0.0)) if begins_walking(controller) else controller


def main() -> None:
    """Search and print the set."""
    from footfall.study.imitation.figure_5 import clip_folder, paper_controller
    from footfall.study.imitation.paper_gains import PAPER_CLIPS

    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--pushes", action="store_true")
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--population", type=int, default=12)
    parser.add_argument("--clips", nargs="*", default=None)
    parser.add_argument("--files", nargs="*", type=Path, default=[], help="more clips, followed once")
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--begin", default="")
    parser.add_argument("--present", action="store_true", help="track the present frame, as the authors' code does")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    folder = clip_folder(asked.folder)
    names = asked.clips or (["walk-normal"] if asked.pushes else list(PAPER_CLIPS))
    controllers = [paper_controller(name, folder) for name in names]
    controllers += [_controller(file) for file in asked.files]
    begin = {name: getattr(Gains(), name) for name in RANGES if name in GAINS}
    begin |= {"clearance": 0.01, "kt": 40.0, "feedforward": 1.0}
    begin |= {k: float(v) for k, v in (pair.split("=") for pair in asked.begin.split(",") if pair)}
    fixed = {"ahead": 0.0 if asked.present else 1.0}
    if asked.pushes:
        ground = replace(controllers[0].repertoire.ground, stiffness=3000.0, damping=2 * 3000.0**0.5, friction=1.5)
        controllers = [replace(c, repertoire=replace(c.repertoire, ground=ground)) for c in controllers]
        worlds = ClipWorlds(
            controllers,
            each=17,
            seconds=20.0,
            force=(165.0, 135.0, 85.0, 110.0),
            mixed=False,
            seed=asked.seed,
            figure=push_figure(),
        )
    else:
        worlds = ClipWorlds(controllers, each=asked.each, seconds=12.0, force=30.0, seed=asked.seed)
    best, least = search(
        worlds, begin, fixed, generations=asked.generations, population=asked.population, seed=asked.seed
    )
    print(f"# cost {least:.4f}; python -m footfall.study.imitation.robust_search {' '.join(sys.argv[1:])}")
    for name in (*GAINS, *SETTINGS):
        if name in best:
            print(f"{name} = {best[name]}")


if __name__ == "__main__":
    main()
