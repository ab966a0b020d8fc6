"""Searches that end in a controller: for a goal, for another body, for another gait."""

import math
from collections.abc import Mapping
from typing import Any

from footfall.control.registry import parse_controller, print_controller
from footfall.studio.core.markup import plot
from footfall.studio.core.studies.study import Progress, Result, Subject

GOALS: Mapping[str, tuple[str, float]] = {
    "less torque": ("torque", 1.0),
    "less power": ("power", 1.0),
    "a lower cost of transport": ("transport", 1.0),
    "a smoother motion": ("smoothness", 1.0),
    "a steadier torso": ("torso_sway", 1.0),
    "harder pushes forward": ("push_forward", -1.0),
    "harder pushes backward": ("push_backward", -1.0),
    "more speed": ("speed", -1.0),
}
"""What a controller may be searched for: the measure, and whether it is to be small (1) or large (-1)."""


def optimize_study(
    subject: Subject,
    progress: Progress,
    *,
    goal: str = "less torque",
    keep: str = "",
    generations: int = 20,
    population: int = 16,
    name: str = "",
) -> Result:
    """Search the controller's angles, gains and times for a goal; speed and kind of gait stay.

    Args:
        subject: what it begins with, and on what. progress: called as it goes on.
        goal: one of :data:`GOALS`. keep: a bound, such as ``push_forward>=430``; empty for none.
        generations: of the search. population: candidates in each. name: of the new controller.
    """
    from footfall.study.search.in_words import broken_bounds, change_rows
    from footfall.study.search.objective import Objective, Term, parse_bound
    from footfall.study.search.optimizing import judged, prepared_search
    from footfall.study.search.search_picture import plot_search

    subject.unbalanced("optimise")
    objective = Objective((Term(*GOALS[goal]),), (parse_bound(keep),) if keep.strip() else ())
    experiment = subject.experiment(recovery=4.0)
    progress(0.01, "measuring the controller as it is")
    search, base, kept = prepared_search(
        experiment, objective, any_speed=goal == "more speed", generations=generations, population=population
    )
    found = search.run(
        progress=lambda done, of, cost: progress(0.95 * done / of, f"generation {done} of {of}, cost {cost:.3f}"),
        base=base,
    )
    progress(0.96, "trying it from disturbed starts")
    found, (up, tried) = judged(found, search, experiment, experiment.name, name or f"{experiment.name}-optimised")
    broken = broken_bounds(search.objective, found.measures)
    words = "keeps every bound" if not broken else f"does NOT keep {'; '.join(broken)}"
    return Result(
        picture=plot(plot_search(found), "search"),
        words=f"{words}; up for 20 s from {up} of {tried} disturbed starts",
        rows=tuple(change_rows(found)),
        controller=print_controller(found.controller),
        numbers={"measures": found.measures, "base": found.base, "holds": found.holds, "kept": len(kept)},
    )


def adapt_study(
    subject: Subject, progress: Progress, *, figure: str = "", seconds: float = 120.0, generations: int | None = None
) -> Result:
    """Carry the controller to another body: scaled, then searched until it walks there.

    Args:
        subject: the controller; the studio's setting does not count here. progress: called as it goes on.
        figure: a built-in figure, or the file of a body. seconds: of searching. generations: at most.
    """
    from footfall.study.adaptation.adapting import adapt
    from footfall.study.search.search_picture import plot_generations

    graph: Any = parse_controller(subject.controller)

    def watch(row: Mapping[str, Any], _: Any) -> None:
        share = row["seconds"] / seconds if generations is None else row["generation"] / generations
        pushed = f", pushes of {row['push']:.0f} N" if row["push"] else ""
        words = f"{row['stage']}: {row['up']:.1f} s up, {row['speed']:.2f} m/s{pushed}"
        progress(0.05 + 0.7 * min(share, 1.0), words)

    progress(0.02, "scaling the controller, and compiling for the body where that is new")
    found = adapt(
        graph,
        figure,
        seconds=seconds if generations is None else None,
        generations=generations,
        watch=watch,
        progress=lambda share, what: progress((0.87 if what.startswith("push") else 0.75) + 0.12 * share, what),
    )
    answer = found.as_dict()
    rows = [
        ("hips higher by", f"{answer['length_ratio']:.2f} times"),
        ("heavier by", f"{answer['mass_ratio']:.2f} times"),
        ("scaled alone", f"up for {answer['scaled']['seconds_up']:.1f} of {answer['scaled']['of_seconds']:g} s"),
        ("generations", str(answer["generations"])),
        ("speed", f"{answer['speed_mps']:.2f} m/s of {answer['wanted_speed_mps']:.2f} asked for"),
    ]
    rows += [(f"pushes {way}", f"{limit:.0f} N") for way, limit in (answer["push_limits_n"] or {}).items()]
    judged = [f"{one['up']} of {one['tried']} disturbed starts stay up for 60 s" for one in answer["trials"]]
    columns = {"cost": "cost", "up": "up [s]", "speed": "pace [m/s]", "push": "push [N]"}
    return Result(
        picture=plot(plot_generations(found.history, columns), "generations") if found.history else "",
        words="; ".join([*(judged or ["ended early, so it was not judged"]), *answer["notes"]]),
        rows=tuple(rows),
        controller=print_controller(found.controller),
        numbers={"trials": answer["trials"], "scaled": answer["scaled"]},
    )


def find_gait_study(
    subject: Subject,
    progress: Progress,
    *,
    goal: str = "walk-3d",
    data: str = "",
    own: bool = False,
    seconds: float = 120.0,
    population: int = 64,
) -> Result:
    """Search for a gait in space that meets a goal: natural first, then as sturdy as it can be.

    Args:
        subject: begins the search where ``own`` is set, else the goal's own controller does.
        progress: called as it goes on. goal: one of footfall's. data: a folder with people's tables, for
            goals that compare with them. seconds: of searching. population: candidates.
    """
    from footfall.study.gaits.find import find_gait
    from footfall.study.gaits.goal import load_goal
    from footfall.study.search.search_picture import plot_generations

    base: Any = parse_controller(subject.controller) if own else None

    def told(spent: float, row: Mapping[str, float]) -> None:
        words = f"cost {row['cost']:.0f}, {row['speed']:.2f} m/s, {100 * row['pushes_survived']:.0f} % of pushes"
        progress(0.02 + 0.95 * min(spent / seconds, 1.0), words)

    progress(0.01, "compiling for the search where that is new")
    found = find_gait(
        load_goal(goal), seconds=seconds, population=population, data=data or None, base=base, progress=told
    )
    measures = found.measures
    known = [
        ("speed", "speed", "m/s", 1.0),
        ("step_time", "step time", "s", 1.0),
        ("step_width", "step width", "m", 1.0),
        ("double_support", "double support", "% of time", 100.0),
        ("pushes_survived", f"pushes of {found.scale:.2f} times the paper's", "% survived", 100.0),
    ]
    rows = [
        (label, f"{factor * measures[name]:.3g}" if math.isfinite(measures[name]) else "—", unit)
        for name, label, unit, factor in known
        if name in measures
    ]
    early = "; ended early" if found.interrupted else ""
    columns = {"cost": "cost", "speed": "speed [m/s]", "scale": "pushes"}
    return Result(
        picture=plot(plot_generations(found.history, columns), "generations"),
        words=f"the best of {len(found.history)} generations of {population}{early}",
        rows=tuple(rows),
        controller=print_controller(found.controller),
        numbers={"measures": dict(measures), "generations": len(found.history)},
    )
