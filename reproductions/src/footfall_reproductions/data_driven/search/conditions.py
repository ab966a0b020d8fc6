"""One set of gains that holds under several conditions at once, found by CMA-ES for a time by the clock.

    python -m footfall_reproductions.data_driven.search.conditions variations DIR --out found.toml --minutes 8
    python -m footfall_reproductions.data_driven.search.conditions starts DIR --clip u-turn --out found.toml --minutes 4
    python -m footfall_reproductions.data_driven.search.conditions pushes tracked-walk --out found.toml --minutes 4
    python -m footfall_reproductions.data_driven.search.conditions steering DIR --out found.toml --minutes 5

``variations``: the walk itself, other bodies, slopes and frictions (``data_driven.variations``). ``starts``: one clip
of figure 5 from disturbed starts at three step sizes. ``pushes``: a controller that is pushed from four sides, at
several phases and with several forces, of which the largest are ``--newtons``. ``steering``: walks by chance plans on
a motion graph (:mod:`.steering_plans`). DIR holds the paper's clips.

A candidate costs the mean over the conditions of what :mod:`.clip_worlds` counts, and the share of the time that it
does not stay up under the worst of them. Every condition has a process of its own (``--together`` for none), so that
kernels compile side by side; use that on a machine with many cores. The best set so far is always in the file.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import save_controller
from footfall.errors import FootfallError
from footfall.methods.tracking.controller import TrackingController, load_tracking
from footfall.methods.tracking.repertoire import PAPER_GROUND
from footfall.study.imitation.followers import DEMO, push_limits
from footfall.study.imitation.following import follow
from footfall.study.imitation.gain_search import BLANK, LAW_RANGES, default_sets
from footfall.study.imitation.steering import Stretch, steering_set
from footfall.study.trials.bench import disturbed_worlds
from footfall.study.trials.pushing import PUSH_SIDES
from footfall.text_files import write_whole
from footfall_reproductions.data_driven.figure_5 import clip_folder, found_gains, paper_controller
from footfall_reproductions.data_driven.paper_gains import PAPER_CLIPS
from footfall_reproductions.data_driven.search.clip_worlds import CandidateWorlds, Tried
from footfall_reproductions.data_driven.search.robust import AHEAD, LEVELS, PHASES, Strategy, minimise, toml_of
from footfall_reproductions.data_driven.search.steering_plans import interactive_graph, planned_walk, random_plan
from footfall_reproductions.data_driven.variations import VARIATIONS, Variation

Array = NDArray[np.float64]
Values = Mapping[str, float]
DT = 1.0 / 900.0
"""The paper's step, seconds."""
NOISE = 0.01
"""Of the starts' velocities: more than the rows of ``footfall reproduce data-driven`` have."""


@dataclass(frozen=True)
class TrialCondition:
    """A name, and a function that makes the worlds in which candidates are tried, with a number of threads."""

    name: str
    make: Callable[[int | None], CandidateWorlds]


class TrialConditions:
    """Conditions under which candidates are tried, each in a process of its own or all in this one.

    Args:
        conditions: them.
        together: in this process.
        threads: of each; by default all cores, shared twice over.
    """

    def __init__(
        self, conditions: Sequence[TrialCondition], *, together: bool = False, threads: int | None = None
    ) -> None:
        self.conditions = list(conditions)
        cores = os.cpu_count() or 1
        threads = threads or (None if together else max(1, min(cores, 2 * cores // len(conditions))))
        if together:
            self._here = [condition.make(threads) for condition in self.conditions]
            self._apart = []
        else:
            self._apart = [
                ProcessPoolExecutor(1, get_context("spawn"), partial(_begin, condition, threads))
                for condition in self.conditions
            ]

    def run(self, values: Sequence[Values]) -> list[Tried]:
        """What comes of candidates under each condition."""
        wanted = [dict(v) for v in values]
        if not self._apart:
            return [_try(worlds, wanted) for worlds in self._here]
        return [future.result() for future in [pool.submit(_run, wanted) for pool in self._apart]]

    def cost(self, values: Sequence[Values]) -> Array:
        """[C]"""
        tried = self.run(values)
        price = np.mean([t.cost.mean(axis=1) for t in tried], axis=0)
        lost = np.max([1.0 - t.lived.mean(axis=(1, 2)) for t in tried], axis=0)
        return np.asarray(price + lost)

    def report(self, values: Values) -> str:
        """How many worlds stay up under each condition, as text."""
        tried = self.run([values])
        counts = [(int((t.lived >= 1.0).sum()), t.lived.size) for t in tried]
        return ", ".join(f"{c.name} {up} of {n}" for c, (up, n) in zip(self.conditions, counts, strict=True))

    def close(self) -> None:
        """End the processes."""
        for pool in self._apart:
            pool.shutdown()


_worlds: dict[str, CandidateWorlds] = {}


def _begin(condition: TrialCondition, threads: int | None) -> None:
    _worlds["own"] = condition.make(threads)


def _run(values: Sequence[Values]) -> Tried:
    return _try(_worlds["own"], values)


def _try(worlds: CandidateWorlds, values: Sequence[Values]) -> Tried:
    return worlds.run(np.array([worlds.row({**v, **AHEAD}) for v in values]))


def _varied(
    folder: Path,
    clip: str,
    variation: Variation,
    seconds: float,
    each: int,
    seed: int,
    device: str,
    threads: int | None,
) -> CandidateWorlds:
    walk = paper_controller(clip, folder, fitted=True)
    return CandidateWorlds(
        [variation.controller(walk)],
        each=each,
        seconds=seconds,
        noise=NOISE,
        seed=seed,
        figure=variation.figure(walk),
        terrain=variation.terrain,
        device=device,
        threads=threads,
    )


def variation_conditions(
    folder: Path,
    clip: str = "walk-normal",
    *,
    seconds: float = 20.0,
    each: int = 3,
    seed: int = 1,
    device: str = "cpu",
) -> list[TrialCondition]:
    """The walk under every variation."""
    return [TrialCondition(v.name, partial(_varied, folder, clip, v, seconds, each, seed, device)) for v in VARIATIONS]


def _disturbed(
    folder: Path, clip: str, dt: float, seconds: float, each: int, seed: int, device: str, threads: int | None
) -> CandidateWorlds:
    controller = paper_controller(clip, folder, fitted=True)
    return CandidateWorlds(
        [controller], each=each, seconds=seconds, noise=NOISE, seed=seed, dt=dt, device=device, threads=threads
    )


def start_conditions(
    folder: Path, clip: str, *, seconds: float = 60.0, each: int = 4, seed: int = 1, device: str = "cpu"
) -> list[TrialCondition]:
    """A clip of figure 5 from disturbed starts at three step sizes."""
    if clip not in PAPER_CLIPS:
        raise FootfallError(f"clip '{clip}': choose one of: {', '.join(PAPER_CLIPS)}")
    return [
        TrialCondition(f"{f:g} x 1/900 s", partial(_disturbed, folder, clip, f * DT, seconds, each, seed + k, device))
        for k, f in enumerate((0.5, 1.0, 2.0))
    ]


def _pushed(
    source: str, side: str, newtons: float, pushes: int, seed: int, device: str, threads: int | None
) -> CandidateWorlds:
    cases = [(phase, level) for phase in range(PHASES) for level in LEVELS]
    forces = np.array([level * newtons * np.array(PUSH_SIDES[side]) for _, level in cases])
    late = np.array([1.4 * phase / PHASES for phase, _ in cases])
    return CandidateWorlds(
        [load_tracking(source)],
        each=len(cases),
        seconds=6.0 + 4.0 * pushes,
        forces=np.repeat(forces[:, None], pushes, axis=1),
        starts=6.0 + late[:, None] + 4.0 * np.arange(pushes),
        noise=1e-3,
        seed=seed,
        device=device,
        threads=threads,
    )


def push_conditions(
    source: str, newtons: float, *, pushes: int = 4, seed: int = 1, device: str = "cpu"
) -> list[TrialCondition]:
    """A controller that is pushed from every side, at several phases and with several forces."""
    return [TrialCondition(side, partial(_pushed, source, side, newtons, pushes, seed, device)) for side in PUSH_SIDES]


def _steered(folder: Path, number: int, each: int, seed: int, device: str, threads: int | None) -> CandidateWorlds:
    graph = interactive_graph(folder)
    if graph is None:
        raise FootfallError(
            f"{folder}: the clips of the interactive set (woddy2_walk_normal_left_90.bvh …) are not here"
        )
    plan = random_plan(graph.styles(), seed + number) if number else [Stretch(30.0, 0.0, 0.9)]
    walk = planned_walk(graph, plan, f"plan {number}", replace(PAPER_GROUND, friction=DEMO["friction"]))
    return CandidateWorlds(
        [walk],
        each=each,
        seconds=20.0,
        noise=NOISE,
        seed=seed,
        distance_weight=1.0,
        device=device,
        threads=threads,
    )


def steering_conditions(
    folder: Path, *, plans: int = 8, each: int = 3, seed: int = 1, device: str = "cpu"
) -> list[TrialCondition]:
    """A walk straight on, and walks that turn, hurry and change their style by chance. How far they go counts more than
    for other clips: a character that marches on the spot stays up, too."""
    return [TrialCondition(f"plan {k}", partial(_steered, folder, k, each, seed, device)) for k in range(plans)]


def first_sets(what: str, source: str, clip: str) -> list[dict[str, float]]:
    """Sets to begin from: the default ones, and what is known for the case itself."""
    sets = default_sets()
    if what == "pushes":
        own = load_tracking(source).repertoire
        values = vars(own.settings) | vars(own.gains[0])
        sets.append({n: float(values[n]) for n in LAW_RANGES})
    known = found_gains() | {"steering": steering_set()}
    for name in {"variations": ("variations",), "starts": (clip,), "pushes": ()}.get(what, tuple(known)):
        if "kt" in known.get(name, {}):
            sets.append(BLANK | {n: known[name][n] for n in LAW_RANGES if n in known[name]})
    return sets


def improved_controller(source: str, values: Values) -> TrackingController:
    """A controller that goes on for ever with another set of gains, and what is measured of it then."""
    own = load_tracking(source)
    made = own.changed(**values, ahead=True, kv=None)
    seen = follow(made, 60.0)
    limits = push_limits(made, first=6.0, count=4, forces=np.arange(10.0, 151.0, 10.0))
    unseen = disturbed_worlds(made, worlds=8, noise=0.03, seed=101, last_states=1).run(60.0)
    report = dict(own.report) | {
        "fell": seen.fell,
        "seconds": round(seen.time, 3),
        "joint_error_deg": round(seen.joint_error, 2),
        "correlation": round(seen.correlation, 3),
        "pace": round(float(seen.speed), 3),
        "disturbed_up": int(unseen.survived[1:].sum()),
        "push_limits": limits,
    }
    return replace(made, report=report)


def main() -> None:
    """Search and write the set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("variations", "starts", "pushes", "steering"))
    parser.add_argument("source", help="folder of the paper's clips; for pushes, a controller's name or file")
    parser.add_argument("--out", type=Path, required=True, help="the best set so far, as TOML")
    parser.add_argument("--minutes", type=float, default=5.0, help="by the clock")
    parser.add_argument("--clip", default="walk-normal", help="of figure 5")
    parser.add_argument("--population", type=int, default=24)
    parser.add_argument("--generations", type=int, default=0, help="at most; 0 for no limit")
    parser.add_argument("--sigma", type=float, default=0.12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=3, help="starts under each condition")
    parser.add_argument("--newtons", type=float, default=100.0, help="the largest push")
    parser.add_argument("--begin", type=Path, help="TOML with sets to begin from; default: the shipped ones")
    parser.add_argument("--save", type=Path, help="for pushes: the controller with the set, and with what is measured")
    parser.add_argument("--seconds", type=float, default=20.0, help="that a varied walk should stay up")
    parser.add_argument("--together", action="store_true", help="all conditions in one process")
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    rest = {"seed": asked.seed, "device": asked.device}
    if asked.what == "pushes":
        listed = push_conditions(asked.source, asked.newtons, **rest)
    elif asked.what == "steering":
        listed = steering_conditions(clip_folder(Path(asked.source)), each=asked.each, **rest)
    elif asked.what == "starts":
        listed = start_conditions(clip_folder(Path(asked.source)), asked.clip, each=asked.each, **rest)
    else:
        listed = variation_conditions(
            clip_folder(Path(asked.source)), asked.clip, seconds=asked.seconds, each=asked.each, **rest
        )
    title = {"variations": "[variations]", "starts": f"[{asked.clip}]", "pushes": "[pushes]"}.get(
        asked.what, "[steering]"
    )
    comment = f"python -m footfall_reproductions.data_driven.search.conditions {' '.join(sys.argv[1:])}"

    def show(text: str) -> None:
        print(text, flush=True)

    def keep(found: Sequence[Values], note: str = "") -> None:
        write_whole(asked.out, toml_of(found, title, comment + note).encode())

    conditions = TrialConditions(listed, together=asked.together or asked.device != "cpu")
    begin = first_sets(asked.what, asked.source, asked.clip) if asked.begin is None else default_sets(asked.begin)
    costs = conditions.cost(begin)
    show(f"begin: {costs.round(3).tolist()}")
    best = begin[int(np.argmin(costs))]
    keep([best], f"\ncost {costs.min():.4f} at the beginning")
    show(conditions.report(best))
    strategy = Strategy(60.0 * asked.minutes, asked.population, asked.sigma, asked.seed, asked.generations)
    found, least = minimise(lambda v: conditions.cost(v), best, strategy, show, keep)
    words = conditions.report(found)
    show(words)
    keep([found], f"\ncost {least:.4f}; {words}")
    conditions.close()
    if asked.what == "pushes" and asked.save is not None:
        save_controller(improved_controller(asked.source, found), asked.save)


if __name__ == "__main__":
    main()
