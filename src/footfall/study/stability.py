"""The Poincaré return map of a gait, its fixed point, its Floquet multipliers, its basin of attraction; bifurcations.

The section is the left foot's strike: the moment at which the graph's stance passes to the left leg. A state x on it
has the figure's coordinates without the root's position on the ground, and all rates. P carries x to the next strike:
one step on, seen in the mirror, for a symmetric graph; one stride on for another. A gait is a fixed point, P(x*) = x*;
the eigenvalues of DP(x*) are its Floquet multipliers, and it is stable if they all lie inside the unit circle.

DP comes from central differences over parallel worlds, averaged over several sizes: foot strikes fall on whole time
steps, so that P is a staircase seen closely, and the differences must be much larger than a step's worth of motion.

The basin is the set of states on the section from which the gait keeps walking. States lie around the fixed point,
measured in radians (rates divided by 5/s, as everywhere in studies). Sections change two coordinates over a grid; the
volume is estimated from random directions at growing distances.

A bifurcation diagram (SIMBICON, section 7.3) gives each value of a parameter a world of its own, from one fixed start.
After settling, the state at foot strike is noted over many steps: one value is a limit cycle of period one, two a
doubled period, many are chaos or a slow drift, none a fall.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError, check_name
from footfall.figures.mjcf import body_points
from footfall.pictures.page import COLUMN, LINE_COLOURS, dress, empty_figure, save_figure
from footfall.simulation import Outcome, Simulation
from footfall.study.sweeps.conditions import RATE_PER_ANGLE, Conditions
from footfall.study.sweeps.experiment import Experiment, strike_times
from footfall.study.trials.pushing import strict_threshold

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

SIZES = (0.002, 0.003, 0.004)
"""Radians of the differences; rates are changed by five times that a second."""


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """A gait's fixed point.

    Attributes:
        x: [n] the state on the section, relative to the map's base.
        residual: the largest part of P(x) - x, in units of radians (rates divided by 5/s).
        jacobian: [n, n] DP(x), in the same units.
        multipliers: [n] its eigenvalues, largest first. Per step where the map is mirrored, else per stride.
        per: "step" or "stride".
        period: seconds of one such.
    """

    x: Array
    residual: float
    jacobian: Array
    multipliers: NDArray[np.complex128]
    per: str
    period: float

    @property
    def stable(self) -> bool:
        """Whether all multipliers lie inside the unit circle."""
        return bool(np.abs(self.multipliers[0]) < 1.0)


class ReturnMap:
    """P of an experiment's gait, around the state in which it is first found on the section.

    Args:
        experiment: the gait; it must walk for its ``settle`` seconds. Settings hold throughout.
        dt: step of the map; foot strikes are found to within it.
    """

    def __init__(self, experiment: Experiment, dt: float = 0.00005) -> None:
        self.experiment = replace(experiment, dt=dt)
        self.figure = experiment.load_figure()
        self.mirrored = experiment.graph.symmetric
        self.per = "step" if self.mirrored else "stride"
        simulation = self._simulation(1)
        strike, stride, still = strike_times(simulation, experiment.settle)
        if still[0]:
            raise FootfallError(f"controller '{experiment.name}' takes no steps: no gait to map")
        if not np.isfinite(strike[0]):
            raise FootfallError(f"controller '{experiment.name}' falls within {experiment.settle:g} s: no gait to map")
        self.base = simulation.snapshot()
        self.period = float(stride[0]) / (2.0 if self.mirrored else 1.0)
        place = {"planar": [0], "free": [0, 1], "fixed": []}[self.figure.root]
        self.kept = np.array([d for d in range(self.figure.nv) if d not in place])
        self.names = [*(self._name(d) for d in self.kept), *(f"{self._name(d)}.rate" for d in range(self.figure.nv))]
        self.scale = np.r_[np.ones(len(self.kept)), np.full(self.figure.nv, RATE_PER_ANGLE)]

    def run(self, x: ArrayLike, seconds: float, dt: float = 0.001) -> Outcome:
        """The result of states x [N, n] after a time, in steps that may be coarser than the map's."""
        states = np.atleast_2d(np.asarray(x, dtype=float))
        simulation = self._simulation(len(states), dt)
        simulation.restore(self.snapshots(states))
        return simulation.run(seconds)

    def _simulation(self, worlds: int, dt: float | None = None) -> Simulation:
        e = self.experiment if dt is None else replace(self.experiment, dt=dt)
        return Conditions(e, {}, worlds).simulation()

    def _name(self, dof: int) -> str:
        joint = next(j for j in self.figure.joints if j.dof <= dof < j.dof + j.ndof)
        return joint.name if joint.ndof == 1 else f"{joint.name}[{dof - joint.dof}]"

    @property
    def size(self) -> int:
        """n, the length of a state."""
        return len(self.names)

    def coordinate(self, name: str) -> int:
        """The index of a coordinate in a state, by joint name, with ``.rate`` for its rate."""
        check_name("coordinate of the section", name, self.names)
        return self.names.index(name)

    def snapshots(self, x: ArrayLike) -> dict[str, NDArray[Any]]:
        """The worlds of states x [N, n]: the feet's anchors move along the ground with the feet."""
        changes = np.atleast_2d(np.asarray(x, dtype=float)) * self.scale
        n, nv = len(changes), self.figure.nv
        made = {name: np.repeat(array, n, axis=0) for name, array in self.base.items()}
        base = made["qpos"][0].astype(float)
        turn = np.zeros((n, nv))
        turn[:, self.kept] = changes[:, : len(self.kept)]
        qpos = np.tile(base, (n, 1))
        rest = self._points(base)
        for w in range(n):
            mujoco.mj_integratePos(self.figure.model, qpos[w], turn[w], 1.0)
            moved = self._points(qpos[w]) - rest
            moved[:, 2] = 0.0
            made["anchor"][w] += moved.reshape(-1).astype(made["anchor"].dtype)
        made["qpos"][:] = qpos
        made["qvel"][:] = made["qvel"][0] + changes[:, len(self.kept) :]
        return made

    def _points(self, qpos: Array) -> Array:
        """[P, 3] where the points of the engine's ground are."""
        chosen = [p for p in self.figure.points if p.ground and (p.foot is not None or not self.figure.legs)]
        points: Array = body_points(self.figure.model, qpos[None], ((p.body, p.position) for p in chosen))[0]
        return points

    def states(self, snapshot: dict[str, NDArray[Any]], *, in_mirror: bool) -> Array:
        """[N, n] states of worlds on the section, seen in the mirror or not."""
        qpos, qvel = snapshot["qpos"].astype(float), snapshot["qvel"].astype(float)
        if in_mirror:
            qpos, qvel = self.figure.mirror_qpos(qpos), self.figure.mirror_qvel(qvel)
        base_qpos, base_qvel = self.base["qpos"][0].astype(float), self.base["qvel"][0].astype(float)
        turn = np.zeros((len(qpos), self.figure.nv))
        for w in range(len(qpos)):
            mujoco.mj_differentiatePos(self.figure.model, turn[w], 1.0, base_qpos, qpos[w])
        return np.asarray(np.concatenate([turn[:, self.kept], qvel - base_qvel], axis=1) / self.scale)

    def orbit(self, x: ArrayLike, returns: int) -> Array:
        """[returns + 1, N, n] the states of N worlds over the next strikes, by one simulation without a break; NaN from
        where a world fell."""
        start = np.atleast_2d(np.asarray(x, dtype=float))
        simulation = self._simulation(len(start))
        simulation.restore(self.snapshots(start))
        first = int(self.base["tally"][0, 0])
        hop = 1 if self.mirrored else 2
        patience = round(max(5.0 * self.period, 1.0) / self.experiment.dt)
        path = [start]
        for k in range(1, returns + 1):
            simulation.step(patience, footsteps=first + hop * k)
            outcome = simulation.outcome()
            here = self.states(simulation.snapshot(), in_mirror=self.mirrored and k % 2 == 1)
            path.append(np.where((outcome.survived & (outcome.footsteps == first + hop * k))[:, None], here, np.nan))
        return np.array(path)

    def __call__(self, x: ArrayLike) -> Array:
        """P: [N, n] to [N, n]."""
        return np.asarray(self.orbit(x, 1)[1])

    def jacobian(self, x: Array, sizes: tuple[float, ...] = SIZES) -> Array:
        """[n, n] DP at x [n], by central differences averaged over sizes."""
        n = self.size
        around = np.concatenate([s * h * np.eye(n) for h in sizes for s in (1.0, -1.0)]) + x
        image = self(around).reshape(len(sizes), 2, n, n)
        slopes = (image[:, 0] - image[:, 1]) / (2.0 * np.array(sizes)[:, None, None])
        if np.isnan(slopes).any():
            raise FootfallError(
                "return map: a neighbour of the gait falls within a step; the gait is too near its limits"
            )
        return np.asarray(slopes.mean(axis=0).T)

    def fixed_point(
        self, guess: ArrayLike | None = None, iterations: int = 8, progress: Callable[[int], None] | None = None
    ) -> FixedPoint:
        """The gait's fixed point, by Newton's method from a guess [n] (by default the base), to within a time step."""
        x = np.zeros(self.size) if guess is None else np.array(guess, dtype=float)
        best, least = x, np.inf
        for k in range(iterations):
            error = self(x)[0] - x
            size = float(np.max(np.abs(error)))
            if not np.isfinite(size):
                break
            if size < least:
                best, least = x, size
            elif k > 2:
                break
            slope = self.jacobian(x)
            x = x - np.linalg.solve(slope - np.eye(self.size), error)
            if progress is not None:
                progress(k)
        if not np.isfinite(least):
            raise FootfallError("return map: the gait falls within a step of the guess")
        slope = self.jacobian(best)
        values = np.linalg.eigvals(slope)
        order = np.argsort(-np.abs(values))
        return FixedPoint(best, least, slope, values[order].astype(complex), self.per, self.period)

    def decay(self, point: FixedPoint, size: float = 0.004, returns: int = 12) -> tuple[Array, complex]:
        """How a small disturbance along the slowest direction fades in simulation.

        Returns:
            [returns + 1] its share of the slowest mode over the strikes, and the multiplier fitted to it.
        """
        values, right = np.linalg.eig(point.jacobian)
        slow = int(np.argmax(np.abs(values)))
        left = np.linalg.inv(right)[slow]
        along = np.real(right[:, slow])
        along *= size / np.max(np.abs(along))
        path = self.orbit(np.stack([point.x + along, point.x - along]), returns)
        mode = (path[:, 0] - path[:, 1]) @ left / 2.0
        good = np.abs(mode) > 0.05 * np.abs(mode[0])
        count = int(np.argmin(good)) if not good.all() else len(good)
        ratio = np.vdot(mode[: count - 1], mode[1:count]) / np.vdot(mode[: count - 1], mode[: count - 1])
        return np.abs(mode), complex(ratio)


RADII = tuple(0.01 * k for k in range(1, 31))


@dataclass(frozen=True, eq=False)
class Basin:
    """How large a basin is.

    Attributes:
        radii: [R] distances from the fixed point, radians (root of the mean of the squares over the coordinates).
        share: [R] of random directions from which the gait went on walking.
        directions: how many at each distance.
        seconds: how long each walked.
        radius: the strict one: from no direction did it fall up to here.
        effective_radius: of the ball with the estimated volume of the basin's part within the largest of ``radii``.
        coordinates: how many.
    """

    radii: Array
    share: Array
    directions: int
    seconds: float
    radius: float
    effective_radius: float
    coordinates: int

    def as_dict(self) -> dict[str, Any]:
        """What a controller file's [basin] says."""
        half = np.flatnonzero(self.share < 0.5)
        return {
            "section": "left foot strike",
            "measure": "root mean square of the coordinates' errors; radians, rates divided by 5/s",
            "radius": round(self.radius, 4),
            "half_radius": round(float(self.radii[half[0]] if len(half) else self.radii[-1]), 4),
            "effective_radius": round(self.effective_radius, 4),
            "within": round(float(self.radii[-1]), 4),
            "coordinates": self.coordinates,
            "directions": self.directions,
            "seconds": self.seconds,
        }


def basin(
    gait: ReturnMap,
    point: FixedPoint,
    *,
    radii: ArrayLike = RADII,
    directions: int = 200,
    seconds: float = 10.0,
    seed: int = 0,
) -> Basin:
    """Estimate a basin's size from random directions.

    Volume: in n coordinates ∫ share(r) n r^(n-1) dr is the n-th power of the effective radius.
    """
    distance = np.asarray(radii, dtype=float)
    if distance.ndim != 1 or np.any(np.diff(distance) <= 0) or distance[0] <= 0:
        raise FootfallError("basin: radii must rise from above 0")
    n = gait.size
    ways = np.random.default_rng(seed).normal(size=(directions, n))
    ways /= np.sqrt(np.mean(ways**2, axis=1, keepdims=True))
    states = point.x + distance[:, None, None] * ways
    stood = _walks(gait, states.reshape(-1, n), seconds).reshape(len(distance), directions)
    share = stood.mean(axis=1)
    r = np.concatenate([[0.0], distance]) / distance[-1]
    level = np.concatenate([[1.0], share])
    shells = np.diff(r**n) * (level[1:] + level[:-1]) / 2.0
    effective = float(distance[-1] * shells.sum() ** (1.0 / n))
    return Basin(distance, share, directions, seconds, strict_threshold(distance, stood), effective, n)


def basin_section(
    gait: ReturnMap,
    point: FixedPoint,
    first: tuple[str, ArrayLike],
    second: tuple[str, ArrayLike],
    *,
    seconds: float = 10.0,
) -> NDArray[np.bool_]:
    """[A, B] whether the gait keeps walking, with two coordinates changed from the fixed point.

    Args:
        gait, point: the gait.
        first, second: a coordinate's name (``torso_pitch``, ``root_x.rate``) and its changes in its units, [A] and [B].
    """
    (name_a, a), (name_b, b) = first, second
    grid_a, grid_b = np.meshgrid(np.asarray(a, dtype=float), np.asarray(b, dtype=float), indexing="ij")
    states = np.tile(point.x, (grid_a.size, 1))
    for name, change in ((name_a, grid_a), (name_b, grid_b)):
        at = gait.coordinate(name)
        states[:, at] += change.reshape(-1) / gait.scale[at]
    return _walks(gait, states, seconds).reshape(grid_a.shape)


def _walks(gait: ReturnMap, states: Array, seconds: float, batch: int = 1000) -> NDArray[np.bool_]:
    """[N] whether worlds are up after a time and have taken steps."""
    stood = np.zeros(len(states), dtype=bool)
    needed = 0.5 * seconds / (gait.period * (1.0 if gait.mirrored else 0.5))
    for k in range(0, len(states), batch):
        part = slice(k, min(k + batch, len(states)))
        outcome = gait.run(states[part], seconds)
        steps = outcome.footsteps - int(gait.base["tally"][0, 0])
        stood[part] = outcome.survived & (steps > needed)
    return stood


LONGEST_PERIOD = 8
SETTLED = 1e-4
"""Radians: a residual above it is not a fixed point."""


@dataclass(frozen=True, eq=False)
class Bifurcation:
    """A diagram over V values of one parameter, with K foot strikes at each.

    Attributes:
        name: of the parameter.
        values: [V].
        speed: [V, K] the hip's forward speed at the strikes, m/s; NaN after a fall.
        step_length: [V, K] how far the hip came since the strike before, m.
        step_time: [V, K] how long that took, s.
        period: [V] steps after which the gait repeats; 0 if not within eight, -1 if it fell.
    """

    name: str
    values: Array
    speed: Array
    step_length: Array
    step_time: Array
    period: NDArray[np.int64]

    @property
    def stable_range(self) -> tuple[float, float] | None:
        """The longest unbroken range of values at which the gait does not fall; None if there is none."""
        stood = np.concatenate([[False], self.period >= 0, [False]])
        begins, ends = np.flatnonzero(~stood[:-1] & stood[1:]), np.flatnonzero(stood[:-1] & ~stood[1:])
        if not len(begins):
            return None
        best = int(np.argmax(ends - begins))
        return float(self.values[begins[best]]), float(self.values[ends[best] - 1])


def bifurcation(
    experiment: Experiment,
    name: str,
    values: ArrayLike,
    *,
    settle: float = 30.0,
    strikes: int = 64,
    dt: float = 0.0005,
    tolerance: float = 0.002,
) -> Bifurcation:
    """The diagram over one parameter.

    Args:
        experiment: the gait.
        name: of any factor.
        values: [V].
        settle: seconds before strikes are noted.
        strikes: K.
        tolerance: m/s; strikes whose speeds differ by less are the same (foot strikes fall on whole steps).
    """
    grid = np.asarray(values, dtype=float).reshape(-1)
    e = replace(experiment, dt=dt)
    simulation = Conditions(e, {name: grid}, len(grid)).simulation()
    first = simulation.run(settle).footsteps
    patience = round(3.0 / dt)
    rows = []
    for k in range(strikes + 1):
        simulation.step(patience, footsteps=first + k)
        outcome, state = simulation.outcome(), simulation.snapshot()
        there = outcome.survived & (outcome.footsteps == first + k)
        row = np.stack([state["qvel"][:, 0], state["qpos"][:, 0], state["step_count"] * dt], axis=-1).astype(float)
        rows.append(np.where(there[:, None], row, np.nan))
    path = np.array(rows)
    speed = path[1:, :, 0].T
    period = np.array([_period(s, tolerance) for s in speed])
    length, time = np.diff(path[:, :, 1], axis=0).T, np.diff(path[:, :, 2], axis=0).T
    return Bifurcation(name, grid, speed, length, time, period)


def multipliers_along(
    experiment: Experiment, name: str, values: ArrayLike, progress: Callable[[int, int], None] | None = None
) -> tuple[Array, Array]:
    """The largest Floquet multiplier along a branch of gaits: values [M] at which the gait settles, and magnitudes."""
    found: list[tuple[float, float]] = []
    grid = np.asarray(values, dtype=float).reshape(-1)
    for k, value in enumerate(grid):
        one = replace(experiment, set={**experiment.set, name: float(value)})
        try:
            point = ReturnMap(one).fixed_point()
        except FootfallError:
            continue
        finally:
            if progress is not None:
                progress(k + 1, len(grid))
        if point.residual < SETTLED:
            found.append((float(value), float(np.abs(point.multipliers[0]))))
    pairs = np.array(found).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _period(speed: Array, tolerance: float) -> int:
    if np.isnan(speed).any():
        return -1
    for p in range(1, LONGEST_PERIOD + 1):
        if np.max(np.abs(speed[p:] - speed[:-p])) < tolerance:
            return p
    return 0


def save_multipliers_picture(name: str, point: FixedPoint, decay: Array, fitted: complex, path: str | Path) -> Path:
    """Save :func:`plot_multipliers`, wide."""
    figure = plot_multipliers(point, decay, fitted, wide=True)
    figure.axes[0].set_title(f"{name}: Floquet multipliers per {point.per}", fontsize=10, loc="left")
    return save_figure(figure, path)


def plot_multipliers(point: FixedPoint, decay: Array, fitted: complex, *, wide: bool = False) -> "Figure":
    """The multipliers in the unit circle, and a small disturbance that fades beside what the largest one predicts; one
    beside the other where there is room, else one above the other."""
    figure = empty_figure(*((9.5, 4.3) if wide else (COLUMN, 5.2)))
    circle, fading = figure.subplots(1, 2) if wide else figure.subplots(2, 1, height_ratios=[1.5, 1.0])
    turn = np.linspace(0.0, 2.0 * np.pi, 200)
    circle.plot(np.cos(turn), np.sin(turn), color="#9AA5B1", linewidth=1.0)
    circle.plot(point.multipliers.real, point.multipliers.imag, "o", color=LINE_COLOURS[0], markersize=5)
    circle.axhline(0, color="#E5E9ED", zorder=0)
    circle.axvline(0, color="#E5E9ED", zorder=0)
    circle.set_aspect("equal")
    circle.set_xlabel("real part")
    circle.set_ylabel("imaginary part")
    count = np.arange(len(decay))
    largest = float(np.abs(point.multipliers[0]))
    fading.semilogy(
        count, decay / decay[0], "o", color=LINE_COLOURS[1], label=f"simulated: ×{abs(fitted):.3f} a {point.per}"
    )
    fading.semilogy(count, largest**count, color=LINE_COLOURS[0], label=f"multiplier: ×{largest:.3f} a {point.per}")
    fading.set_xlabel(f"{point.per}s after the disturbance")
    fading.set_ylabel("size of the slowest mode, of its first" if wide else "slowest mode, of its first")
    fading.legend(fontsize=8, frameon=False)
    fading.grid(color="#E5E9ED", linewidth=0.7)
    if not wide:
        dress(circle, fading)
    return figure


def save_bifurcation_picture(
    controller: str, diagram: Bifurcation, path: str | Path, largest: tuple[Array, Array] | None = None
) -> Path:
    """Speeds at foot strike over the parameter; below, if given, the largest multiplier (values, magnitudes)."""
    figure = empty_figure(9.0, 4.8 if largest is None else 6.6)
    ratios = [1.0] if largest is None else [2.2, 1.0]
    panels = figure.subplots(len(ratios), 1, sharex=True, squeeze=False, height_ratios=ratios)[:, 0]
    values = np.repeat(diagram.values, diagram.speed.shape[1])
    panels[0].plot(values, diagram.speed.reshape(-1), ".", color=LINE_COLOURS[0], markersize=1.6)
    spans = [diagram.values[0], diagram.values[-1]]
    stable = diagram.stable_range
    if stable is not None:
        spans = [spans[0], stable[0], stable[1], spans[1]]
        for a, b in ((spans[0], spans[1]), (spans[2], spans[3])):
            for panel in panels:
                panel.axvspan(a, b, color="#F3D9D0", linewidth=0, zorder=0)
        panels[0].set_title(
            f"{controller}: stays up for {diagram.name} from {stable[0]:.3g} to {stable[1]:.3g} (shaded: falls)",
            fontsize=10,
            loc="left",
        )
    panels[0].set_ylabel("hip speed at foot strike [m/s]")
    if largest is not None:
        panels[1].plot(*largest, "o-", color=LINE_COLOURS[1], markersize=3, linewidth=1.0)
        panels[1].axhline(1.0, color="#46505C", linewidth=0.8)
        panels[1].set_ylabel("largest multiplier")
    panels[-1].set_xlabel(diagram.name)
    for panel in panels:
        panel.grid(color="#E5E9ED", linewidth=0.7)
    return save_figure(figure, path)


def save_basin_picture(
    controller: str,
    basin: Basin,
    sections: Sequence[tuple[tuple[str, Array], tuple[str, Array], NDArray[np.bool_]]],
    path: str | Path,
) -> Path:
    """Sections through the basin, and the share of directions from which the gait recovers over distance."""
    figure = empty_figure(4.4 * (1 + len(sections)), 4.2)
    panels = figure.subplots(1, 1 + len(sections), squeeze=False)[0]
    for panel, ((name_a, a), (name_b, b), stood) in zip(panels, sections):
        panel.pcolormesh(b, a, stood.astype(float), shading="nearest", cmap="viridis", vmin=0.0, vmax=1.0)
        panel.plot(0.0, 0.0, "+", color="black")
        panel.set_xlabel(f"change of {name_b}")
        panel.set_ylabel(f"change of {name_a}")
    panels[0].set_title(f"{controller}: keeps walking (yellow) from the strike", fontsize=9, loc="left")
    panels[-1].plot(basin.radii, basin.share, "o-", color=LINE_COLOURS[0], markersize=3)
    panels[-1].axvline(basin.radius, color=LINE_COLOURS[2], linewidth=1.0, label=f"strict radius {basin.radius:.3g}")
    panels[-1].axvline(
        basin.effective_radius, color=LINE_COLOURS[1], linewidth=1.0, label=f"effective {basin.effective_radius:.3g}"
    )
    panels[-1].set_xlabel("distance [rad, rates / 5/s, r.m.s.]")
    panels[-1].set_ylabel("share that keeps walking")
    panels[-1].legend(fontsize=8, frameon=False)
    panels[-1].grid(color="#E5E9ED", linewidth=0.7)
    return save_figure(figure, path)
