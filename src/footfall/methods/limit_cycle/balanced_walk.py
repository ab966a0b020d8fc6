"""Balanced walks: each step is sampled, modelled, corrected and taken, for many walkers at once (Laszlo's thesis,
section 3.7).

A step's sample simulations are worlds side by side: every walker's, for every sample. Worlds pause where a step ends,
before the stance leg changes, so that all of them are compared at the same event.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.control.rows import MACHINE
from footfall.dynamics.ground import Ground
from footfall.errors import FootfallError, check_name
from footfall.methods.limit_cycle.balance_control import BalanceControl, GaitChange, PathFollowing, SpeedControl
from footfall.methods.limit_cycle.regulation import Posture
from footfall.methods.limit_cycle.system_model import Flags, ModelReuse, Snapshot, SystemModel
from footfall.methods.limit_cycle.walk_record import TakenStep, WalkRecord
from footfall.methods.simbicon.files import load_graph
from footfall.methods.simbicon.graph import PoseControlGraph
from footfall.methods.simbicon.graph_law import GraphLaw
from footfall.simulation.simulation import Simulation
from footfall.simulation.structures import RUNNING, STOPPED

Array = NDArray[np.float64]

THESIS_GROUND = Ground(stiffness=25_000.0, damping=1_500.0, friction=1.0)
"""Laszlo's thesis, appendix C; the friction is that of figure 2.8."""

_USUAL: dict[str, Any] = {"figure": None, "ground": THESIS_GROUND, "dt": 0.001, "integrator": "implicit"}

LONGEST_STEP = 3.0
"""Seconds after which a step that does not end counts as a fall."""

ROUNDS = 3
"""How often a step may be modelled again because it ended outside the tolerance."""


class BalancedWalk:
    """Walkers that limit-cycle control balances.

    Args:
        controller: the base graph, its name or its file.
        control: regulation variables, perturbations, sampling and targets.
        walkers: W, each a world.
        targets: Q_d, [N] or [W, N], or for each step [S, W, N] (the last one stays), instead of the control's.
        gaits: perturbations of the base graph that come and go.
        speed: speed control, at most one for each control dimension.
        path: points to walk to.
        reuse: when to keep a step's model; None to build one for every step.
        qpos, qvel: start, [nq] or [W, nq], [nv] or [W, nv]; by default the controller's.
        options: as of :class:`~footfall.simulation.Simulation`; ``figure`` is by default the controller's own,
            ``ground`` the thesis's, ``dt`` 0.001, ``integrator`` implicit.
    """

    def __init__(
        self,
        controller: str | Path | PoseControlGraph,
        control: BalanceControl,
        *,
        walkers: int = 1,
        targets: ArrayLike | None = None,
        gaits: Sequence[GaitChange] = (),
        speed: Sequence[SpeedControl] = (),
        path: PathFollowing | None = None,
        reuse: ModelReuse | None = None,
        qpos: ArrayLike | None = None,
        qvel: ArrayLike | None = None,
        **options: Any,
    ) -> None:
        self.graph = graph = load_graph(controller)
        self.control, self.gaits, self.path, self.reuse = control, tuple(gaits), path, reuse
        self.options = _USUAL | options
        self.main = Simulation(graph, worlds=walkers, qpos=qpos, qvel=qvel, **self.options)
        self.figure, self.walkers = self.main.figure, walkers
        if not isinstance(self.main.law, GraphLaw):
            raise FootfallError("limit-cycle control needs a pose control graph")
        self.table = self.main.law.table
        self.deltas = np.array([d.perturbation.delta(self.table) for d in control.dimensions])
        self.speed = self._speeds(speed)
        n = len(control.dimensions)
        given = np.asarray([d.target for d in control.dimensions] if targets is None else targets, dtype=float)
        try:
            self.targets = np.broadcast_to(given, (*given.shape[:-2], walkers, n))
        except ValueError:
            raise FootfallError(f"targets have shape {given.shape}; give [{n}] or [{walkers}, {n}]") from None
        per_round = 2 if control.sampling == "sequential" else 2 * n
        self.sampler = Simulation(graph, worlds=walkers * per_round, **self.options)
        self._gait_deltas = [gait.perturbation.delta(self.table) for gait in self.gaits]
        self._turns = [] if path is None else [p.delta(self.table) for p in (path.right, path.left)]

    def _speeds(self, speed: Sequence[SpeedControl]) -> dict[int, SpeedControl]:
        names = [d.variable.name for d in self.control.dimensions]
        for one in speed:
            check_name("regulation variable of this control", one.dimension, names)
        return {names.index(one.dimension): one for one in speed}

    # -- one step ------------------------------------------------------------------------------------------------------

    def finish(self, simulation: Simulation, rows: Array, number: int) -> tuple[Array, Flags]:
        """Run worlds to the end of step ``number``: the regulation variables [worlds, N] there and whether they
        stand."""
        before = simulation.snapshot()
        simulation.set_parameters(rows)
        most = round(LONGEST_STEP / simulation.dt)
        simulation.step(most, footsteps=number)
        after = simulation.snapshot()
        stands = (after["status"] == RUNNING) & (after["step_count"] < before["step_count"] + most)
        return self.variables(after), stands

    def _states(self, snapshot: Snapshot) -> Array:
        """[worlds] the states that worlds are in."""
        return np.asarray(snapshot["memory"][:, MACHINE.index("state")])

    def _stance(self, snapshot: Snapshot, *, coming: bool) -> NDArray[np.int64]:
        """[worlds] the stance leg of the state that a world is in, or the one it leaves behind."""
        states = self._states(snapshot).astype(int)
        now = np.array([int(self.table.states[k].state.stance == "right") for k in states], dtype=np.int64)
        return now if coming else np.where(snapshot["stance"] >= 0, snapshot["stance"], now).astype(np.int64)

    def posture(self, snapshot: Snapshot) -> Posture:
        """The posture of worlds where a step ends, before the legs exchange roles."""
        return Posture(self.figure, snapshot["qpos"].astype(float), self._stance(snapshot, coming=False))

    def variables(self, snapshot: Snapshot) -> Array:
        """[worlds, N] the regulation variables where a step ends."""
        posture = self.posture(snapshot)
        return np.stack([d.variable(posture) for d in self.control.dimensions], axis=1)

    def _ended(self, step: "_Step", scalings: Array) -> tuple[Array, Flags]:
        """Take a step with scalings [W, N] from where the walkers are: Q [W, N] at its end, and who stands."""
        return self.finish(self.main, step.base + scalings @ self.deltas, step.number)

    def _clipped(self, scalings: Array) -> Array:
        limit = np.array([d.limit for d in self.control.dimensions])
        return np.clip(scalings, -limit, limit)

    def _sampled(self, dimensions: Sequence[int], step: "_Step", centre: Array) -> list[SystemModel]:
        """Lines through two samples in each of some dimensions, about scalings ``centre`` [W, N]."""
        w, samples = self.walkers, 2 * len(dimensions)
        who = np.repeat(np.arange(w), samples)
        offsets = np.zeros((samples, len(self.deltas)))
        for i, j in enumerate(dimensions):
            offsets[2 * i, j], offsets[2 * i + 1, j] = (s * self.control.dimensions[j].sample for s in (-1.0, 1.0))
        scalings = centre[who] + np.tile(offsets, (w, 1))
        self.sampler.restore(step.start, who)
        values, _ = self.finish(self.sampler, step.base[who] + scalings @ self.deltas, step.number)
        values = values.reshape(w, samples, -1)
        return [
            SystemModel.line(j, centre, self.control.dimensions[j].sample, values[:, 2 * i], values[:, 2 * i + 1])
            for i, j in enumerate(dimensions)
        ]

    def _modelled(self, step: "_Step", centre: Array) -> tuple[SystemModel, Array, SystemModel]:
        """A step's model, the scalings [W, N] that should reach the target, and the model with all that was sampled."""
        n = len(self.control.dimensions)
        if self.control.sampling != "sequential":
            lines = self._sampled(range(n), step, centre)
            full = SystemModel.superposed(lines, full=True)
            model = full if self.control.sampling == "jacobian" else SystemModel.superposed(lines, full=False)
            return model, self._clipped(model.scalings(step.target)), full
        scalings, lines = centre, []
        for j in range(n):
            line = self._sampled([j], step, scalings)[0]
            lines.append(line)
            scalings = self._clipped(line.scalings(step.target))
        jacobian = np.sum([line.jacobian for line in lines], axis=0)
        model = SystemModel(scalings, lines[-1].predicted(scalings), jacobian)
        return model, scalings, model

    def take(self, start: Snapshot, base: Array, target: Array, number: int, alive: Flags | None = None) -> TakenStep:
        """Sample, model and take one step; :attr:`main` is at its end afterwards.

        Args:
            start: a snapshot of the walkers where the step begins.
            base: [W, NP] the base graph of this step.
            target: [W, N] Q_d of this step (see :meth:`aimed`).
            number: how many steps were taken before, as counted by the simulation that the snapshot is of.
            alive: [W] which walkers take it; by default all.
        """
        alive = np.ones(self.walkers, dtype=bool) if alive is None else alive
        step = _Step(start, base, target, number).only(alive)
        self.main.restore(step.start)
        scalings, predicted, samples, values, stands = self._taken(step, alive)
        for _ in range(ROUNDS - 1):
            error = np.abs(values - target)
            again = alive & (error > [d.tolerance for d in self.control.dimensions]).any(axis=1)
            if not again.any():
                break
            scalings, values, stands = self._again(step, scalings, values, again)
            samples = samples + np.where(again, self._cost, 0)
        return TakenStep(scalings, values, predicted, samples, base + scalings @ self.deltas, stands)

    def aimed(self, start: Snapshot, wanted: Array, went: Mapping[str, Array]) -> Array:
        """[W, N] Q_d of a step: mirrored variables take the sign of its stance leg, speed control moves its own.

        Args:
            start: a snapshot where the step begins.
            wanted: [W, N] targets meant for steps on the left leg.
            went: how far the walkers went over their last step, "forward" and "lateral" [W].
        """
        target = np.array(wanted, dtype=float)
        side = np.where(self._stance(start, coming=True) == 1, -1.0, 1.0)
        for j, dimension in enumerate(self.control.dimensions):
            if dimension.variable.mirrored:
                target[:, j] *= side
            if j in self.speed:
                target[:, j] += self.speed[j].correction(went[self.speed[j].axis])
        return target

    # -- the walk ------------------------------------------------------------------------------------------------------

    def walk(self, steps: int, progress: Callable[[int], None] | None = None) -> WalkRecord:
        """Take a number of steps from the start.

        Args:
            steps: how many.
            progress: called with the number of steps taken.
        """
        if steps < 1:
            raise FootfallError(f"steps is {steps}; it must be at least 1")
        self.main.reset()
        record = WalkRecord.empty(
            steps, self.main, self.control, controller=self.graph, table=self.table, options=self.options
        )
        if self.reuse is not None:
            self.reuse.begin(self.walkers, len(self.control.dimensions))
        record.mark(0, self.main, self.posture(self.main.snapshot()))
        for number in range(steps):
            start = self.main.snapshot()
            base = self._base(number, record)
            went = {axis: record.displacement(number, axis) for axis in ("forward", "lateral")}
            target = self.aimed(start, self._wanted(number), went)
            taken = self.take(start, base, target, number, ~record.fell)
            record.take(number, target, taken, self._states(start))
            record.mark(number + 1, self.main, self.posture(self.main.snapshot()))
            if progress is not None:
                progress(number + 1)
            if record.fell.all():
                break
        return record

    def _base(self, number: int, record: WalkRecord) -> Array:
        """[W, NP] the base graph of this step, with gaits and turns in it; notes the path's points reached."""
        base = np.tile(self.table.row, (self.walkers, 1))
        for gait, delta in zip(self.gaits, self._gait_deltas, strict=True):
            base += gait.scaling(number, self.walkers)[:, None] * delta
        if self.path is not None:
            k, record.reached[:] = self.path.scaling(record.pelvis[number], record.heading[number], record.reached)
            base += np.maximum(k, 0.0)[:, None] * self._turns[0] + np.maximum(-k, 0.0)[:, None] * self._turns[1]
        return base

    def _wanted(self, number: int) -> Array:
        """[W, N] the targets given for a step."""
        steps = self.targets.reshape(-1, *self.targets.shape[-2:])
        return np.asarray(steps[min(number, len(steps) - 1)])

    @property
    def _cost(self) -> int:
        """Sample simulations of a step's model."""
        return 2 * len(self.control.dimensions)

    def _taken(self, step: "_Step", alive: Flags) -> tuple[Array, Array, NDArray[np.int64], Array, Flags]:
        """Model a step and take it: scalings and predictions [W, N], sample simulations [W], values [W, N], who
        stands."""
        target, zeros, reuse = step.target, np.zeros_like(step.target), self.reuse
        if reuse is None:
            model, scalings, _ = self._modelled(step, zeros)
            values, stands = self._ended(step, scalings)
            return scalings, model.predicted(scalings), np.where(alive, self._cost, 0), values, stands
        kept = reuse.lookup(self.figure, step.start, self._stance(step.start, coming=True), alive)
        fresh = alive & ~kept
        samples = np.where(fresh, self._cost, 0)
        found = predicted = zeros
        if fresh.any():
            model, found, full = self._modelled(step.only(fresh), zeros)
            predicted = model.predicted(found)
            reuse.store(fresh, full)
        aim = np.where(kept[:, None], target + reuse.misses(), target)
        model = reuse.models()
        scalings = np.where(kept[:, None], self._clipped(model.scalings(aim)), found)
        predicted = np.where(kept[:, None], model.predicted(scalings), predicted)
        self.main.restore(step.start)
        values, stands = self._ended(step, scalings)
        for allowed in (reuse.accept, reuse.tolerance):
            redo = kept & (np.abs(values - aim).max(axis=1) > allowed)
            if not redo.any():
                break
            centred = SystemModel(scalings, values, reuse.models().jacobian)
            scalings = np.where(redo[:, None], self._clipped(centred.scalings(aim)), scalings)
            predicted = np.where(redo[:, None], centred.predicted(scalings), predicted)
            new, stands = self._retaken(step, redo, scalings, values, stands)
            reuse.learn(redo, scalings - centred.centre, new - values)
            values, samples = new, samples + redo
        missed = kept & (np.abs(values - aim).max(axis=1) > reuse.tolerance)
        if missed.any():
            model, found, full = self._modelled(step.only(missed), zeros)
            reuse.store(missed, full)
            scalings = np.where(missed[:, None], found, scalings)
            predicted = np.where(missed[:, None], model.predicted(found), predicted)
            values, stands = self._retaken(step, missed, scalings, values, stands)
            samples = samples + np.where(missed, self._cost, 0)
        misses = np.where((fresh | missed)[:, None], values - target, np.nan)
        reuse.observe(alive, scalings, values, predicted, misses)
        return scalings, predicted, samples, values, stands

    def _retaken(
        self, step: "_Step", redo: Flags, scalings: Array, values: Array, stands: Flags
    ) -> tuple[Array, Flags]:
        """Take the step of some walkers once more, with other scalings; the rest stay where they are."""
        before = self.main.snapshot()
        self.main.restore(step.only(redo).start)
        new, standing = self._ended(step, scalings)
        after = self.main.snapshot()
        chosen = {k: redo.reshape(-1, *(1,) * (before[k].ndim - 1)) for k in before}
        self.main.restore({k: np.where(chosen[k], after[k], before[k]) for k in before})
        return np.where(redo[:, None], new, values), np.where(redo, standing, stands)

    def _again(self, step: "_Step", scalings: Array, values: Array, again: Flags) -> tuple[Array, Array, Flags]:
        """Model the steps of some walkers again about the scalings they used, and keep what came closer."""
        _, found, _ = self._modelled(step.only(again), scalings)
        self.main.restore(step.start)
        new, _ = self._ended(step, np.where(again[:, None], found, scalings))
        better = again & (np.abs(new - step.target).sum(axis=1) < np.abs(values - step.target).sum(axis=1))
        chosen = np.where(better[:, None], found, scalings)
        self.main.restore(step.start)
        return chosen, *self._ended(step, chosen)


@dataclass(frozen=True, eq=False)
class _Step:
    """A step to be taken, as :meth:`BalancedWalk.take` gets it."""

    start: Snapshot
    base: Array
    target: Array
    number: int

    def only(self, chosen: Flags) -> "_Step":
        """The step with all other walkers stopped."""
        status = self.start["status"]
        stopped = np.where(chosen, status, STOPPED).astype(status.dtype)
        return replace(self, start=dict(self.start, status=stopped))
