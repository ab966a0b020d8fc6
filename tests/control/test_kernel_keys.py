"""Laws share a kernel where their Warp functions are the same."""

from dataclasses import replace

import pytest

from footfall.control import load_controller
from footfall.control.law import Law
from footfall.dynamics import CompiledFigure
from footfall.figures import Figure
from footfall.live.source import generated
from footfall.methods.limit_cycle.pose_servo import PoseServoLaw
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.simulation.rollout import build_rollout
from footfall.simulation.step_plan import WorldStepPlan
from footfall.simulation.structures import Structures
from tools.live_modules import digest_of


def longer(graph: PoseControlGraph) -> PoseControlGraph:
    """A graph with one state more."""
    return replace(graph, states=(*graph.states, replace(graph.states[-1], name="more")))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), [("walk", SimbiconLaw), ("human-12-walk", PoseServoLaw)])
def test_a_kernel_does_not_depend_on_the_number_of_states(name: str, kind: type[Law]) -> None:
    graph = load_controller(name)
    figure = Figure.load(graph.figure)
    laws = [kind(g, figure) for g in (graph, longer(graph))]
    one, two = laws
    assert one.key != two.key
    assert one.kernel_key == two.kernel_key
    compiled = CompiledFigure(figure)
    kernels = [
        build_rollout(WorldStepPlan(Structures.of(compiled, law, implicit=True), law), identity=law.kernel_key).kernel
        for law in laws
    ]
    assert len({kernel.module.get_module_hash(1) for kernel in kernels}) == 1
    assert len({digest_of(generated(kernel)) for kernel in kernels}) == 1


def test_several_graphs_do_not_share_it() -> None:
    graph = load_controller("walk")
    figure = Figure.load(graph.figure)
    other = replace(graph, name="other")
    few, many = SimbiconLaw([graph, other], figure), SimbiconLaw([graph, longer(other)], figure)
    assert few.kernel_key != many.kernel_key
