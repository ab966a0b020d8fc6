"""Studies: sweeps, robustness, stability, optimisation, and the papers' tables measured again."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.study.basin import Basin, basin_section
    from footfall.study.bifurcation import Bifurcation, multipliers_along
    from footfall.study.continuation import Continued, reshaped_figure
    from footfall.study.experiment import OUTCOMES, Experiment
    from footfall.study.factors import Design, Draw, Grid, parse_factor, parse_setting
    from footfall.study.graph_changes import changed_graph
    from footfall.study.measures import MEASURES, Measuring
    from footfall.study.objective import Bound, Objective, Term, parse_bound, parse_term
    from footfall.study.push_map import PushMap
    from footfall.study.pushing import PushLimit, SettledGait, push_limit, strict_threshold, ten_push_limit
    from footfall.study.return_map import FixedPoint, ReturnMap
    from footfall.study.robustness import Margin, RobustnessReport
    from footfall.study.search import Found, Range, Search, all_ranges
    from footfall.study.sweep import Sweep, load_sweep

_HOME = {
    "MEASURES": "measures",
    "OUTCOMES": "experiment",
    "Basin": "basin",
    "Bifurcation": "bifurcation",
    "Bound": "objective",
    "Continued": "continuation",
    "Design": "factors",
    "Draw": "factors",
    "Experiment": "experiment",
    "FixedPoint": "return_map",
    "Found": "search",
    "Grid": "factors",
    "Margin": "robustness",
    "Measuring": "measures",
    "Objective": "objective",
    "PushLimit": "pushing",
    "PushMap": "push_map",
    "Range": "search",
    "ReturnMap": "return_map",
    "RobustnessReport": "robustness",
    "Search": "search",
    "SettledGait": "pushing",
    "Sweep": "sweep",
    "Term": "objective",
    "all_ranges": "search",
    "basin_section": "basin",
    "changed_graph": "graph_changes",
    "load_sweep": "sweep",
    "multipliers_along": "bifurcation",
    "parse_bound": "objective",
    "parse_factor": "factors",
    "parse_setting": "factors",
    "parse_term": "objective",
    "push_limit": "pushing",
    "reshaped_figure": "continuation",
    "strict_threshold": "pushing",
    "ten_push_limit": "pushing",
}

__all__ = [
    "MEASURES",
    "OUTCOMES",
    "Basin",
    "Bifurcation",
    "Bound",
    "Continued",
    "Design",
    "Draw",
    "Experiment",
    "FixedPoint",
    "Found",
    "Grid",
    "Margin",
    "Measuring",
    "Objective",
    "PushLimit",
    "PushMap",
    "Range",
    "ReturnMap",
    "RobustnessReport",
    "Search",
    "SettledGait",
    "Sweep",
    "Term",
    "all_ranges",
    "basin_section",
    "changed_graph",
    "load_sweep",
    "multipliers_along",
    "parse_bound",
    "parse_factor",
    "parse_setting",
    "parse_term",
    "push_limit",
    "reshaped_figure",
    "strict_threshold",
    "ten_push_limit",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"footfall.study.{_HOME[name]}"), name)
    raise AttributeError(f"module 'footfall.study' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
