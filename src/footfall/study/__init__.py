"""Studies: sweeps, robustness, stability, optimisation, and the papers' tables measured again."""

from typing import TYPE_CHECKING

from footfall.lazy import lazy_names

if TYPE_CHECKING:
    from footfall.study.robustness.push_map import PushMap
    from footfall.study.robustness.pushing import PushLimit, SettledGait, push_limit, strict_threshold, ten_push_limit
    from footfall.study.robustness.report import Margin, RobustnessReport
    from footfall.study.search.cma_search import Found, Range, Search, all_ranges
    from footfall.study.search.continuation import Continued, reshaped_figure
    from footfall.study.search.graph_changes import changed_graph
    from footfall.study.search.measures import MEASURES, Measuring
    from footfall.study.search.objective import Bound, Objective, Term, parse_bound, parse_term
    from footfall.study.stability.basin import Basin, basin_section
    from footfall.study.stability.bifurcation import Bifurcation, multipliers_along
    from footfall.study.stability.return_map import FixedPoint, ReturnMap
    from footfall.study.sweeps.experiment import OUTCOMES, Experiment
    from footfall.study.sweeps.factors import Design, Draw, Grid, parse_assignment, parse_factor
    from footfall.study.sweeps.sweep import Sweep, load_sweep

_HOME = {
    "MEASURES": "search.measures",
    "OUTCOMES": "sweeps.experiment",
    "Basin": "stability.basin",
    "Bifurcation": "stability.bifurcation",
    "Bound": "search.objective",
    "Continued": "search.continuation",
    "Design": "sweeps.factors",
    "Draw": "sweeps.factors",
    "Experiment": "sweeps.experiment",
    "FixedPoint": "stability.return_map",
    "Found": "search.cma_search",
    "Grid": "sweeps.factors",
    "Margin": "robustness.report",
    "Measuring": "search.measures",
    "Objective": "search.objective",
    "PushLimit": "robustness.pushing",
    "PushMap": "robustness.push_map",
    "Range": "search.cma_search",
    "ReturnMap": "stability.return_map",
    "RobustnessReport": "robustness.report",
    "Search": "search.cma_search",
    "SettledGait": "robustness.pushing",
    "Sweep": "sweeps.sweep",
    "Term": "search.objective",
    "all_ranges": "search.cma_search",
    "basin_section": "stability.basin",
    "changed_graph": "search.graph_changes",
    "load_sweep": "sweeps.sweep",
    "multipliers_along": "stability.bifurcation",
    "parse_bound": "search.objective",
    "parse_factor": "sweeps.factors",
    "parse_assignment": "sweeps.factors",
    "parse_term": "search.objective",
    "push_limit": "robustness.pushing",
    "reshaped_figure": "search.continuation",
    "strict_threshold": "robustness.pushing",
    "ten_push_limit": "robustness.pushing",
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
    "parse_assignment",
    "parse_bound",
    "parse_factor",
    "parse_term",
    "push_limit",
    "reshaped_figure",
    "strict_threshold",
    "ten_push_limit",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
