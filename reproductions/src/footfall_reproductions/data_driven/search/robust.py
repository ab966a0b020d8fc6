"""Gains for many clips, and gains for the push test, found over worlds that are disturbed and pushed.

    python -m footfall_reproductions.data_driven.search.robust sets DIR --out found.toml
    python -m footfall_reproductions.data_driven.search.robust pushes DIR --out found.toml

``sets`` finds the sets of ``default-gains.toml`` one after another: the first holds for as many clips as possible, each
further one for what those before it do worst. A candidate pays, on every training clip (:mod:`.training_clips`), what
the best of the sets so far and the candidate itself pay, and a tenth of what it pays alone.

``pushes`` finds gains for the push test of Data-Driven Biped Control, section 5: worlds are pushed from four sides at
several phases, with the whole force and with smaller ones, which must pass too.

Both use CMA-ES for a time by the clock, on a CPU or a GPU (``--device cuda``).
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.study.imitation.gain_search import BLANK, LAW_RANGES, default_sets
from footfall.study.search.evolution import Budget, Evolution, SearchBox, evolve
from footfall.study.trials.pushing import PUSH_SIDES
from footfall.text_files import write_whole
from footfall.toml_files import key_text, value_text
from footfall_reproductions.data_driven.figure_5 import clip_folder, found_gains, push_controller
from footfall_reproductions.data_driven.push_figure import push_figure
from footfall_reproductions.data_driven.search.clip_worlds import CandidateWorlds, Tried
from footfall_reproductions.data_driven.search.training_clips import (
    clip_files,
    held_out,
    training_controllers,
    unique_files,
)

Array = NDArray[np.float64]
Show = Callable[[str], None]
Keep = Callable[[Sequence[Mapping[str, float]]], None]
AHEAD = {"ahead": 1.0}
WANTED = {"front": 160.0, "rear": 130.0, "right": 80.0, "left": 105.0}
"""Newtons that the paper's push test withstands."""
LEVELS = (1.0, 0.7, 0.4)
"""Shares of the wanted force."""
PHASES, STRIDE = 6, 1.33
FIRST, EVERY = 8.0, 4.0


@dataclass(frozen=True)
class Strategy:
    """How to search: seconds by the clock, candidates a generation, the first steps' size, the seed, most generations
    (0 for no limit)."""

    seconds: float = 60.0
    population: int = 24
    sigma: float = 0.2
    seed: int = 1
    generations: int = 0


def minimise(
    cost: Callable[[list[dict[str, float]]], Array],
    begin: Mapping[str, float],
    strategy: Strategy,
    show: Show,
    keep: Keep | None = None,
) -> tuple[dict[str, float], float]:
    """CMA-ES over LAW_RANGES from a point; the mean of the last distribution counts as a candidate too. ``keep`` gets
    every better one."""
    box = SearchBox(LAW_RANGES)
    first = np.clip(box.to_cube([begin[name] for name in LAW_RANGES]), 0.01, 0.99)
    evolution = Evolution(
        strategy.sigma,
        population=strategy.population,
        seed=strategy.seed,
        boxed=True,
        keep=None if keep is None else lambda best: keep([best]),
    )
    evolution.begin(first)

    def judge(cube: Array, generation: int) -> dict[str, Any]:
        middle = first if generation == 0 else np.clip(evolution.mean, 0.0, 1.0)
        values = [box.named(row) for row in box.from_cube(np.concatenate([cube, [middle]]))]
        costs = cost(values)
        evolution.consider(values, costs)
        show(f"generation {generation}: best {evolution.least:.4f}, this one {costs.min():.4f}, mean {costs[-1]:.4f}")
        return {"costs": costs[:-1], "candidates": values[:-1]}

    if evolve(evolution, judge, Budget(strategy.seconds, strategy.generations or None)):
        raise KeyboardInterrupt
    return dict(begin) if evolution.best is None else evolution.best, evolution.least


def search_sets(
    worlds: CandidateWorlds,
    count: int,
    strategy: Strategy,
    show: Show,
    begin: Sequence[Mapping[str, float]],
    keep: Keep | None = None,
) -> tuple[list[dict[str, float]], Array]:
    """Sets of gains, best first, and what the best of them costs on each clip [K]; ``keep`` gets them as they grow."""
    found: list[dict[str, float]] = []
    least = np.full(len(worlds.controllers), np.inf)
    known = _try(worlds, begin)
    for number in range(count):

        def cost(values: list[dict[str, float]], sofar: Array = least) -> Array:
            own = _try(worlds, values).cost
            return np.asarray(np.minimum(own, sofar[None]).mean(axis=1) + 0.1 * own.mean(axis=1))

        joint = np.minimum(known.cost, least[None]).mean(axis=1) + 0.1 * known.cost.mean(axis=1)
        origin = begin[int(np.argmin(joint))]
        plan = replace(strategy, seed=strategy.seed + number)
        best, price = minimise(cost, origin, plan, lambda text, n=number: show(f"set {n}, {text}"))  # type: ignore[misc]
        found.append(best)
        if keep is not None:
            keep(found)
        tried = _try(worlds, [best])
        least = np.minimum(least, tried.cost[0])
        up = np.minimum(tried.lived[0], 1.0).min(axis=1) >= 1.0
        show(f"set {number}: cost {price:.4f}, all worlds up on {int(up.sum())} of {len(up)} clips; sets so far cost "
             f"{least.mean():.4f}")  # fmt: skip
    return found, least


def _try(worlds: CandidateWorlds, values: Sequence[Mapping[str, float]]) -> Tried:
    return worlds.run(np.array([worlds.row({**v, **AHEAD}) for v in values]))


def clip_worlds(folder: Path, *, each: int, device: str, seed: int, variants: bool = True) -> CandidateWorlds:
    """Worlds of all training clips in a folder; all but the first of a clip are pushed for 0.4 s from chance sides."""
    files = [f for f in unique_files(clip_files(folder)) if not held_out(f)]
    controllers = training_controllers(files, variants=variants)
    count = len(controllers) * each
    random = np.random.default_rng(seed)
    side = np.array(list(PUSH_SIDES.values()))[random.integers(0, 4, (count, 4))]
    strength = random.uniform(15.0, 40.0, (count, 4, 1)) * (np.arange(count) % each > 0)[:, None, None]
    times = random.uniform(1.5, 4.5, (count, 1)) + 4.0 * np.arange(4)
    return CandidateWorlds(
        controllers, each=each, seconds=20.0, forces=side * strength, starts=times, seed=seed, device=device
    )


def push_worlds(folder: Path, *, device: str, seed: int, pushes: int = 6, scale: float = 1.0) -> CandidateWorlds:
    """Worlds of the push test: one undisturbed, then every side, phase and level."""
    cases = [(side, phase, level) for side in PUSH_SIDES for phase in range(PHASES) for level in LEVELS]
    forces = np.array([scale * level * WANTED[side] * np.array(PUSH_SIDES[side]) for side, _, level in cases])
    late = np.array([STRIDE * phase / PHASES for _, phase, _ in cases])
    forces = np.concatenate([np.zeros((1, 3)), forces])
    starts = FIRST + np.concatenate([[0.0], late])[:, None] + EVERY * np.arange(pushes)
    return CandidateWorlds(
        [push_controller(clip_folder(folder), found=True)],
        each=len(forces),
        seconds=FIRST + EVERY * pushes,
        forces=np.repeat(forces[:, None], pushes, axis=1),
        starts=starts,
        noise=1e-3,
        seed=seed,
        figure=push_figure(),
        device=device,
    )


def search_pushes(
    worlds: CandidateWorlds, strategy: Strategy, show: Show, begin: Mapping[str, float], keep: Keep | None = None
) -> tuple[dict[str, float], float]:
    """Gains for the push test. A side's worst share counts as much as the mean."""

    def cost(values: list[dict[str, float]]) -> Array:
        tried = _try(worlds, values)
        lost = 1.0 - tried.lived[:, 0, 1:].reshape(len(values), len(PUSH_SIDES), -1)
        return np.asarray(tried.cost[:, 0] + lost.mean(axis=2).max(axis=1) + (1.0 - tried.lived[:, 0, 0]))

    return minimise(cost, begin, strategy, show, keep)


def toml_of(sets: Sequence[Mapping[str, float]], title: str, comment: str) -> str:
    """Sets as a TOML file."""
    lines = [f"# {line}" for line in comment.splitlines()]
    for values in sets:
        lines += ["", title, *(f"{key_text(name)} = {value_text(value)}" for name, value in values.items())]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Search and write the sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("sets", "pushes"))
    parser.add_argument("folder", type=Path, help="of clips; for pushes, of the paper's")
    parser.add_argument("--out", type=Path, required=True, help="the sets as TOML")
    parser.add_argument("--seconds", type=float, default=60.0, help="by the clock, for each set")
    parser.add_argument("--generations", type=int, default=0, help="at most, for each set; 0 for no limit")
    parser.add_argument("--population", type=int, default=24)
    parser.add_argument("--sigma", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sets", type=int, default=4)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--scale", type=float, default=1.0, help="of the wanted pushes")
    parser.add_argument("--pushes", type=int, default=6, help="in a row")
    parser.add_argument("--no-variants", action="store_true", help="clips as they are only")
    parser.add_argument("--begin", type=Path, help="TOML or JSON with sets to begin from; default: the shipped ones")
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    strategy = Strategy(asked.seconds, asked.population, asked.sigma, asked.seed, asked.generations)
    comment = f"python -m footfall_reproductions.data_driven.search.robust {' '.join(sys.argv[1:])}"

    def show(text: str) -> None:
        print(text, flush=True)

    def keep(found: Sequence[Mapping[str, float]]) -> None:
        title = "[[sets]]" if asked.what == "sets" else "[push-test]"
        write_whole(asked.out, toml_of(found, title, comment).encode())

    begin = default_sets() if asked.begin is None else default_sets(asked.begin)
    if asked.what == "sets":
        worlds = clip_worlds(
            asked.folder, each=asked.each, device=asked.device, seed=asked.seed, variants=not asked.no_variants
        )
        show(f"{len(worlds.controllers)} clips, {len(worlds.repertoire.fragments)} fragments")
        sets, least = search_sets(worlds, asked.sets, strategy, show, begin, keep)
        worst = sorted(zip(least, (c.name for c in worlds.controllers), strict=True), reverse=True)[:20]
        show(json.dumps([(round(float(cost), 3), name) for cost, name in worst]))
        comment += f"\ncost {least.mean():.4f} on {len(least)} training clips"
        keep(sets)
        return
    worlds = push_worlds(asked.folder, device=asked.device, seed=asked.seed, pushes=asked.pushes, scale=asked.scale)
    if asked.begin is None:
        begin.append(BLANK | {k: v for k, v in found_gains()["push-test"].items() if k in LAW_RANGES})
    costs = _try(worlds, begin).cost[:, 0]
    show(f"begin: {costs.round(3).tolist()}")
    best, least_cost = search_pushes(worlds, strategy, show, begin[int(np.argmin(costs))], keep)
    lived = _try(worlds, [best]).lived[0, 0, 1:].reshape(len(PUSH_SIDES), PHASES, len(LEVELS))
    passed = {side: (lived[k] >= 1.0).sum(axis=0).tolist() for k, side in enumerate(PUSH_SIDES)}
    show(f"phases of {PHASES} that pass at {LEVELS}: {passed}")
    comment += f"\ncost {least_cost:.4f}; phases of {PHASES} that pass at {LEVELS}: {passed}"
    keep([best])


if __name__ == "__main__":
    main()
