"""Improving SIMBICON (Zhang): its claims measured again, its figures drawn again."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from footfall.dynamics import Ground
from footfall.figures import Figure
from footfall.methods.simbicon.editing import with_pose
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.law import SimbiconLaw
from footfall.methods.simbicon.sequence import request
from footfall.motion.synthesis.principal_components import PrincipalComponents, principal_components
from footfall.simulation import Outcome, Record, Simulation
from footfall.study.sweeps.experiment import Experiment
from footfall.study.trials.pushing import ten_push_limit
from footfall_reproductions.improving_simbicon import claims, terrain
from footfall_reproductions.improving_simbicon.stable_steps import largest_stable_steps
from footfall_reproductions.part import Part, measure_parts
from footfall_reproductions.row import Row
from footfall_reproductions.tables import paper_table
from footfall_reproductions.trials import WALKS, run_trials, still_walking

if TYPE_CHECKING:
    from footfall_reproductions import Progress

APPLET_DT = 5e-5
APPLET_GROUND = Ground(friction=1e9)
_TABLES = paper_table("improving_simbicon")
EFFORT: dict[str, dict[str, dict[str, list[float]]]] = _TABLES["effort"]
"""Tables I and II: gait -> ground -> pd or spd -> torque and acceleration."""
APPLET_TORSO: dict[str, list[float]] = _TABLES["applet_torso"]
EIGENVALUES: list[float] = _TABLES["components"]["eigenvalues"]
PCA_POSE: dict[str, float] = _TABLES["components"]["pose"]
STABILITY = (
    "an acceleration fed back one step late holds only while kd h stays below the lightest link's inertia "
    "(foot about the ankle: 0.012 kg m², h < 0.4 ms at kd 30), plain PD up to twice that; friction 0.65 or none and "
    "both explicit integrators give the same order"
)


def parts() -> tuple[Part, ...]:
    """Rows that are measured together."""
    return (
        *terrain.parts(),
        Part("pushes", "pushes", ("push-forwards-*", "push-backwards-*"), _push_rows),
        Part("largest-steps", "largest stable steps", ("largest-step-*",), _step_rows),
        Part("tables", "tables I and II", ("torque-*", "acceleration-*", "spd-below-pd"), _table_rows),
        Part("components", "principal components", ("component*", "eigenvalue-*"), _component_rows),
        *claims.parts(),
    )


def rows(progress: "Progress | None" = None) -> list[Row]:
    """Every number and claim, judged by the rule that its row states."""
    return measure_parts(parts(), progress)


def _push_rows() -> list[Row]:
    walk, sight = load_graph("walk"), load_graph("ground-sight-walk")
    same = walk.changed(balance=replace(walk.balance, sensor=sight.balance.sensor))
    graphs = {"walk": walk, "same": same, "sight": sight, "generalised": load_graph("generalised-walk")}
    limits = {
        (name, way): ten_push_limit(Experiment(graph), angle=angle).limit
        for name, graph in graphs.items()
        for way, angle in (("forwards", 0.0), ("backwards", 180.0))
    }
    how = "ten pushes of 0.1 s, 5 s apart, at the torso; largest size such that all smaller pass, in steps of 10 N"
    found = []
    for way, paper in (("forwards", 600), ("backwards", 500)):
        sighted, plain = limits["sight", way], limits["same", way]
        found.append(
            Row(
                f"push-{way}-sighted",
                f"pushes {way}: the ground-sighted walk's limit is that of the walk with the same sensor, within 10 %",
                paper,
                sighted,
                "N",
                bool(abs(sighted - plain) <= 0.1 * plain),
                f"{how}; the walk whose states end at heel or toe: {plain:g} N, at the heel alone: "
                f"{limits['walk', way]:g} N",
            )
        )
    for way, paper in (("forwards", 200), ("backwards", 100)):
        limit = limits["generalised", way]
        found.append(
            Row(
                f"push-{way}-generalised",
                f"pushes {way}: the generalised walk's limit is about the paper's, within 30 %",
                paper,
                limit,
                "N",
                bool(abs(limit - paper) <= 0.3 * paper),
                f"{how}; walk: {limits['walk', way]:g} N",
            )
        )
    return found


def _step_rows() -> list[Row]:
    gains = (200.0, 300.0, 400.0, 600.0)
    found = []
    plain = largest_stable_steps(gains, "explicit", "")
    previous = largest_stable_steps(gains, "explicit", "previous")
    exact = largest_stable_steps(gains, "implicit", "exact")
    for name, kind, paper in (("pd", plain, 0.27), ("spd", previous, 0.38)):
        measured = round(1e3 * float(kind[gains.index(300.0)]), 3)
        found.append(
            Row(
                f"largest-step-{name}",
                f"largest step at kp 300, kd 30 with {name.upper()}: within 25 % of the paper's",
                paper,
                measured,
                "ms",
                bool(abs(measured - paper) <= 0.25 * paper),
                f"bisection; stable: the walk stays up 10 s at that step and at every smaller one tried; {STABILITY}",
            )
        )
    found.append(
        Row(
            "largest-step-order",
            "at every gain from 200 to 600 the paper's SPD allows a larger step than plain PD",
            "0.00035 s against 0.0002 s",
            ", ".join(f"{1e3 * b:.2f} against {1e3 * a:.2f}" for a, b in zip(plain, previous, strict=True)),
            "ms",
            bool(np.all(previous > plain)),
            f"kp {', '.join(f'{g:g}' for g in gains)}, kd = kp / 10",
        )
    )
    found.append(
        Row(
            "largest-step-exact",
            "exact implicit servos and ground allow steps of at least 4 ms at kp 300",
            None,
            round(1e3 * float(exact[gains.index(300.0)]), 2),
            "ms",
            bool(exact[gains.index(300.0)] >= 0.004),
            f"at kp {', '.join(f'{g:g}' for g in gains)}: {', '.join(f'{1e3 * e:.1f}' for e in exact)} ms",
        )
    )
    return found


def applet_run(name: str, terrain: str, stable: Literal["", "previous"]) -> Outcome:
    """The first 100 000 steps of a gait as the paper's program ran it.

    The program starts in the walk and switches to the gait chosen at the first transition; kp 350, kd 35, steps of
    0.05 ms, no limit on friction, torso angles with one more digit than the table's.
    """
    figure = Figure.load("planar-biped")
    walk = load_graph("walk")

    def as_applet(graph: PoseControlGraph) -> PoseControlGraph:
        servo = replace(graph.servo, kp=350.0, kd=35.0, stable=stable, joint_limits=False, torque_limit=1000.0)
        states = list(graph.states)
        for k, angle in enumerate(APPLET_TORSO.get(graph.name, ())):
            targets = dict(states[k].targets)
            targets["torso"] = replace(targets["torso"], angle=angle)
            states[k] = replace(states[k], targets=targets)
        return replace(graph, servo=servo, balance=walk.balance, states=tuple(states), start=walk.start)

    graphs = (as_applet(walk),) if name == "walk" else (as_applet(walk), as_applet(load_graph(name)))
    assert walk.start is not None
    simulation = Simulation(
        law=SimbiconLaw(graphs, figure),
        figure=figure,
        qpos=walk.start.qpos,
        qvel=walk.start.qvel,
        dt=APPLET_DT,
        integrator="explicit",
        ground=APPLET_GROUND,
        terrain=terrain,
    )
    if name != "walk":
        request(simulation, name)
    return simulation.run(5.0)


def _table_rows() -> list[Row]:
    found = []
    lower = 0
    cases = [(name, ground, paper) for name, grounds in EFFORT.items() for ground, paper in grounds.items()]
    kinds: tuple[tuple[Literal["", "previous"], str], ...] = (("", "pd"), ("previous", "spd"))
    for name, ground, papers in cases:
        both = []
        for stable, kind in kinds:
            torque, acceleration = papers[kind]
            outcome = applet_run(name, ground, stable)
            both.append((float(outcome.torque_squared[0]), float(outcome.acceleration_squared[0])))
            servo = kind.upper()
            rule = 0.01 if servo == "PD" and ground == "flat" else 0.03
            for table, paper, measured in (
                ("torque", torque, float(outcome.torque_squared[0])),
                ("acceleration", acceleration, float(outcome.acceleration_squared[0])),
            ):
                unit = "(N m)²" if table == "torque" else "(rad/s², m/s²)²"
                found.append(
                    Row(
                        f"{table}-{name}-{ground}-{kind}",
                        f"mean squared {table}, {name} on {ground} ground with {servo}: within {100 * rule:g} %",
                        paper,
                        round(measured, 1),
                        unit,
                        bool(abs(measured - paper) <= rule * paper),
                        "the paper's 'fast walk' is the applet's run" if name == "run" else "",
                    )
                )
        lower += sum(spd < pd for pd, spd in zip(*both, strict=True))
    found.append(
        Row(
            "spd-below-pd",
            "torques and accelerations of both tables that are lower with SPD than with PD; holds if all are",
            2 * len(cases),
            lower,
            "",
            lower == 2 * len(cases),
        )
    )
    return found


def components_of(graph: PoseControlGraph | str, *, applet: bool = False) -> PrincipalComponents:
    """The components of 10 000 frames of a gait, 5.4 ms apart."""
    if applet:
        simulation = Simulation(
            graph, dt=APPLET_DT, integrator="explicit", ground=APPLET_GROUND, record=Record(rate=1 / 0.0054)
        )
    else:
        simulation = Simulation(graph, record=Record(rate=1 / 0.005))
    simulation.run(54.0)
    return principal_components(simulation.trace().motion())


def component_walk(name: str, amount: float = 1.0) -> PoseControlGraph:
    """A gait whose state 0 (and 2) is its first component, or goes that ``amount`` of the way."""
    graph = load_graph(name)
    components = components_of(graph)
    aimed = with_pose(graph, Figure.load(graph.figure), 0, components.named(components.pose(0)))
    state, new = graph.states[0], aimed.states[0]
    targets = {
        role: replace(target, angle=(1 - amount) * target.angle + amount * new.targets[role].angle)
        for role, target in state.targets.items()
    }
    return replace(graph, states=(replace(state, targets=targets), *graph.states[1:]))


def _component_rows() -> list[Row]:
    components = components_of("walk", applet=True)
    values = components.values
    firm = load_graph("walk")
    firm = replace(firm, servo=replace(firm.servo, kp=350.0, kd=35.0))
    stiff = components_of(firm, applet=True)
    pose = with_pose(firm, Figure.load("planar-biped"), 0, stiff.named(stiff.pose(0))).states[0].targets
    worst = max(abs(pose[role].angle - angle) for role, angle in PCA_POSE.items())
    found = [
        Row(
            "components-needed",
            "two components of the walk reach 90 % of its variance",
            2,
            components.needed(0.9),
            "",
            components.needed(0.9) == 2,
            "10 000 frames, 5.4 ms apart",
        ),
        *(
            Row(
                f"eigenvalue-{k + 1}",
                f"eigenvalue {k + 1} of the walk within 3 % of the published one",
                paper,
                float(f"{values[k]:.5g}"),
                "rad²",
                bool(abs(values[k] - paper) <= 0.03 * paper),
                "kp 300, the applet's step and ground",
            )
            for k, paper in enumerate(EIGENVALUES[:4])
        ),
        Row(
            "component-pose",
            "the first component's pose is that of the paper's PCA walk, all angles within 0.01 rad",
            "0.007, 0.651, -1.113, 0.198, -0.026",
            ", ".join(f"{pose[role].angle:.3f}" for role in PCA_POSE),
            "rad",
            bool(worst <= 0.01),
            "kp 350; torso, swing hip, knee and ankle, stance knee",
        ),
    ]
    for name in ("walk", "fast-walk", "crouch-walk"):
        trials = run_trials(component_walk(name), 20.0, still_walking(20))
        stands = name != "crouch-walk"
        last = trials.outcomes[1]
        found.append(
            Row(
                f"component-{name}",
                f"{name} with its first component for states 0 and 2: runs of 20 s that stay up; holds at "
                + (f"{WALKS:.0%} or more" if stands else f"{1 - WALKS:.0%} or fewer"),
                "walks" if stands else "fails",
                f"{trials.passed} of {trials.tried}",
                "",
                trials.rate >= WALKS if stands else trials.rate <= 1 - WALKS,
                f"{trials.words}. Undisturbed: {last.distance[0]:.1f} m in {last.time[0]:.1f} s",
                **trials.fields(WALKS if stands else 1 - WALKS),
            )
        )
    partly = run_trials(component_walk("crouch-walk", 0.6), 20.0, still_walking(20))
    found.append(
        Row(
            "component-crouch-walk-partly",
            f"crouch-walk 60 % of the way to its first component: runs of 20 s that stay up; holds at {WALKS:.0%}",
            None,
            f"{partly.passed} of {partly.tried}",
            "",
            partly.rate >= WALKS,
            f"{partly.words}. Interpolated between its own state and the component's pose; from 80 % on it falls",
            **partly.fields(),
        )
    )
    return found


def figures(out_dir: Path) -> list[Path]:
    """The paper's figures 2 and 3 (walks on steps), 5 (components) and 6 (largest steps), drawn again."""
    from footfall.pictures import save
    from footfall_reproductions.improving_simbicon.figures import draw_components, draw_stable_steps

    written = []
    for name, steps in (("generalised-walk", "steps:0.1,1.2,3"), ("ground-sight-walk", "steps:0.15,1.2,4")):
        simulation = Simulation(name, terrain=steps, record=Record(rate=50.0))
        simulation.run(8.0)
        path = out_dir / f"{name}-on-steps.png"
        save(simulation.trace().motion(), path)
        written.append(path)
    written.append(draw_components(components_of("walk"), out_dir / "components-of-walk.png"))
    written.append(draw_stable_steps(out_dir / "largest-stable-steps.png"))
    return written
