"""Balanced walks: each step is sampled, modelled, corrected and taken, for many walkers at once (Laszlo's thesis,
section 3.7).

A step's sample simulations are worlds side by side: every walker's, for every sample. Worlds pause where a step ends,
before the stance leg changes, so that all of them are compared at the same event.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.control.rows import MACHINE
from footfall.dynamics.ground import Ground
from footfall.errors import FootfallError, unknown_name
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
            if one.dimension not in names:
                raise unknown_name("regulation variable of this control", one.dimension, names)
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

    def _sampled(
        self, dimensions: Sequence[int], start: Snapshot, base: Array, centre: Array, number: int
    ) -> list[SystemModel]:
        """Lines through two samples in each of some dimensions, about scalings ``centre`` [W, N]."""
        w, samples = self.walkers, 2 * len(dimensions)
        who = np.repeat(np.arange(w), samples)
        offsets = np.zeros((samples, len(self.deltas)))
        for i, j in enumerate(dimensions):
            offsets[2 * i, j], offsets[2 * i + 1, j] = (s * self.control.dimensions[j].sample for s in (-1.0, 1.0))
        scalings = centre[who] + np.tile(offsets, (w, 1))
        self.sampler.restore(start, who)
        values, _ = self.finish(self.sampler, base[who] + scalings @ self.deltas, number)
        values = values.reshape(w, samples, -1)
        return [
            SystemModel.line(j, centre, self.control.dimensions[j].sample, values[:, 2 * i], values[:, 2 * i + 1])
            for i, j in enumerate(dimensions)
        ]

    def _modelled(
        self, start: Snapshot, base: Array, target: Array, centre: Array, number: int
    ) -> tuple[SystemModel, Array, SystemModel]:
        """A step's model, the scalings [W, N] that should reach the target, and the model with all that was sampled."""
        n = len(self.control.dimensions)
        limit = np.array([d.limit for d in self.control.dimensions])
        if self.control.sampling != "sequential":
            lines = self._sampled(range(n), start, base, centre, number)
            full = SystemModel.superposed(lines, full=True)
            model = full if self.control.sampling == "jacobian" else SystemModel.superposed(lines, full=False)
            return model, np.clip(model.scalings(target), -limit, limit), full
        scalings, lines = centre, []
        for j in range(n):
            line = self._sampled([j], start, base, scalings, number)[0]
            lines.append(line)
            scalings = np.clip(line.scalings(target), -limit, limit)
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
        start = _only(start, alive)
        self.main.restore(start)
        scalings, predicted, samples, values, stands = self._taken(start, base, target, number, alive)
        for _ in range(ROUNDS - 1):
            error = np.abs(values - target)
            again = alive & (error > [d.tolerance for d in self.control.dimensions]).any(axis=1)
            if not again.any():
                break
            scalings, values, stands, more = self._again(start, base, target, scalings, values, again, number)
            samples = samples + more
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

    def _taken(
        self, start: Snapshot, base: Array, target: Array, number: int, alive: Flags
    ) -> tuple[Array, Array, NDArray[np.int64], Array, Flags]:
        """Model a step and take it: scalings and predictions [W, N], sample simulations [W], values [W, N], who
        stands."""
        cost = 2 * len(self.control.dimensions)
        if self.reuse is None:
            model, scalings, _ = self._modelled(start, base, target, np.zeros_like(target), number)
            values, stands = self.finish(self.main, base + scalings @ self.deltas, number)
            return scalings, model.predicted(scalings), np.where(alive, cost, 0), values, stands
        kept = self.reuse.lookup(self.figure, start, self._stance(start, coming=True), alive)
        fresh = alive & ~kept
        samples = np.where(fresh, cost, 0)
        limit = np.array([d.limit for d in self.control.dimensions])
        found = predicted = np.zeros_like(target)
        if fresh.any():
            model, found, full = self._modelled(_only(start, fresh), base, target, np.zeros_like(target), number)
            predicted = model.predicted(found)
            self.reuse.store(fresh, full)
        aim = np.where(kept[:, None], target + self.reuse.misses(), target)
        model = self.reuse.models()
        scalings = np.where(kept[:, None], np.clip(model.scalings(aim), -limit, limit), found)
        predicted = np.where(kept[:, None], model.predicted(scalings), predicted)
        self.main.restore(_only(start, alive))
        values, stands = self.finish(self.main, base + scalings @ self.deltas, number)
        for allowed in (self.reuse.accept, self.reuse.tolerance):
            redo = kept & (np.abs(values - aim).max(axis=1) > allowed)
            if not redo.any():
                break
            centred = SystemModel(scalings, values, self.reuse.models().jacobian)
            corrected = np.clip(centred.scalings(aim), -limit, limit)
            scalings = np.where(redo[:, None], corrected, scalings)
            predicted = np.where(redo[:, None], centred.predicted(scalings), predicted)
            new, stands = self._retaken(start, redo, base + scalings @ self.deltas, number, values, stands)
            self.reuse.learn(redo, scalings - centred.centre, new - values)
            values, samples = new, samples + redo
        missed = kept & (np.abs(values - aim).max(axis=1) > self.reuse.tolerance)
        if missed.any():
            model, found, full = self._modelled(_only(start, missed), base, target, np.zeros_like(target), number)
            self.reuse.store(missed, full)
            scalings = np.where(missed[:, None], found, scalings)
            predicted = np.where(missed[:, None], model.predicted(found), predicted)
            values, stands = self._retaken(start, missed, base + scalings @ self.deltas, number, values, stands)
            samples = samples + np.where(missed, cost, 0)
        self.reuse.observe(
            alive, scalings, values, predicted, np.where((fresh | missed)[:, None], values - target, np.nan)
        )
        return scalings, predicted, samples, values, stands

    def _retaken(
        self, start: Snapshot, redo: Flags, rows: Array, number: int, values: Array, stands: Flags
    ) -> tuple[Array, Flags]:
        """Take the step of some walkers once more, with other rows; the rest stay where they are."""
        before = self.main.snapshot()
        self.main.restore(_only(start, redo))
        new, standing = self.finish(self.main, rows, number)
        after = self.main.snapshot()
        self.main.restore({k: np.where(_tall(redo, before[k]), after[k], before[k]) for k in before})
        return np.where(redo[:, None], new, values), np.where(redo, standing, stands)

    def _again(
        self,
        start: Snapshot,
        base: Array,
        target: Array,
        scalings: Array,
        values: Array,
        again: Flags,
        number: int,
    ) -> tuple[Array, Array, Flags, NDArray[np.int64]]:
        """Model the steps of some walkers again about the scalings they used, and keep what came closer."""
        _, found, _ = self._modelled(_only(start, again), base, target, scalings, number)
        self.main.restore(start)
        tried = np.where(again[:, None], found, scalings)
        new, _ = self.finish(self.main, base + tried @ self.deltas, number)
        better = again & (np.abs(new - target).sum(axis=1) < np.abs(values - target).sum(axis=1))
        chosen = np.where(better[:, None], found, scalings)
        self.main.restore(start)
        final, stands = self.finish(self.main, base + chosen @ self.deltas, number)
        return chosen, final, stands, np.where(again, 2 * len(self.control.dimensions), 0)


def _only(snapshot: Snapshot, chosen: Flags) -> Snapshot:
    """The snapshot with all other worlds stopped."""
    status = snapshot["status"]
    return dict(snapshot, status=np.where(chosen, status, STOPPED).astype(status.dtype))


def _tall(flags: Flags, array: NDArray[Any]) -> Flags:
    """Flags [W] shaped to choose rows of an array [W, …]."""
    return flags.reshape(-1, *(1,) * (array.ndim - 1))
