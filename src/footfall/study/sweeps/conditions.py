"""Named numbers turned into the conditions of N worlds: body, ground, terrain, pushes, delays and start."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from footfall.control.registry import law_of
from footfall.dynamics import Ground
from footfall.errors import FootfallError, unknown_name
from footfall.figures import BodyParameters, Figure
from footfall.figures.body_parameters import standing_heights
from footfall.figures.side_names import names_meant
from footfall.simulation import Push, Simulation
from footfall.simulation.hardware import NOISES, Hardware
from footfall.terrain import Terrain, parse_terrain

if TYPE_CHECKING:
    from footfall.study.sweeps.experiment import Experiment

Array = NDArray[np.float64]

NEVER = 1e9
PUSH = {
    "force": 0.0,
    "start": 5.0,
    "phase": 0.0,
    "duration": 0.1,
    "angle": 0.0,
    "elevation": 0.0,
    "count": 1.0,
    "every": 5.0,
}
GROUND = ("friction", "stiffness", "damping")
HARDWARE = ("sensor_delay", "actuator_delay", "control_rate", "motor_speed", "motor_torque", "motor_knee")
PLAIN = (*HARDWARE, *(f"noise.{name}" for name in NOISES), "start.noise", "replica", "dt")
RATE_PER_ANGLE = 5.0
"""1/s: a change of the start by σ radians on every angle comes with 5 σ on every rate."""


@dataclass(frozen=True)
class Pushing:
    """Pushes of N worlds, each by its own numbers, arrays [N]."""

    figure: Figure
    body: str
    place: tuple[float, float, float] | None
    force: Array
    start: Array
    phase: Array
    by_phase: bool
    duration: Array
    angle: Array
    elevation: Array
    every: Array
    count: int

    @property
    def direction(self) -> Array:
        """[N, 3] unit vectors."""
        angle, up = np.radians(self.angle), np.radians(self.elevation)
        if self.figure.root == "planar" and np.any(np.abs(np.sin(angle)) > 1e-9):
            raise FootfallError(
                f"push.angle: figure '{self.figure.name}' is planar: push at 0 or 180 degrees, or use push.elevation"
            )
        return np.stack([np.cos(angle) * np.cos(up), np.sin(angle) * np.cos(up), np.sin(up)], axis=-1)

    @property
    def last(self) -> Array:
        """[N] seconds from the first push's start to the last one's end."""
        return (self.count - 1) * self.every + self.duration

    def pushes(self, start: Array) -> list[Push]:
        """The pushes, the first of them at ``start`` [N]."""
        force = self.force[:, None] * self.direction
        return [Push(force, start + k * self.every, self.duration, self.body, self.place) for k in range(self.count)]


class Conditions:
    """What N worlds of an experiment differ in.

    Random changes of the start: draw number ``replica`` adds a normal error of ``start.noise`` radians to every angle
    and of five times that, per second, to every rate (the root's position stays, its velocity changes); then the figure
    is lifted so that its lowest foot is as high as before. A draw depends on the experiment's seed and its number
    alone. So do the errors of sensors.
    """

    def __init__(self, experiment: "Experiment", values: Mapping[str, Array], worlds: int) -> None:
        self.experiment, self.worlds = experiment, worlds
        self.figure = experiment.load_figure()
        self.law = law_of(experiment.parsed, self.figure)
        self.values = {k: np.full(worlds, float(v)) for k, v in experiment.set.items() if k != "dt"}
        self.values |= {k: np.asarray(v, dtype=float) for k, v in values.items()}
        self.terrain = parse_terrain(experiment.terrain)
        self.parameters = {name: v for name, v in self.values.items() if self._is_parameter(name)}
        self.pushing = self._pushing()
        self.body = self._body()

    def simulation(self, **options: Any) -> Simulation:
        """Worlds under these conditions; ``options`` of the simulation go before the experiment's."""
        e = self.experiment
        usual: dict[str, Any] = {"dt": e.dt, "integrator": e.integrator, "device": e.device, "precision": e.precision}
        own: dict[str, Any] = {"law": self.law, "worlds": self.worlds, "threads": e.threads, "last_states": 1}
        return Simulation(e.parsed, **own | usual | self.arguments() | options)

    def arguments(self) -> dict[str, Any]:
        """What of a simulation the conditions are."""
        qpos, qvel = self._start()
        pushing = self.pushing
        first = None if pushing is None else np.full(self.worlds, NEVER) if pushing.by_phase else pushing.start
        return {
            "figure": self.figure,
            "set": {k: v if np.ptp(v) > 0 else float(v[0]) for k, v in self.parameters.items()},
            "terrain": self._terrains(),
            "ground": self._grounds(),
            "body": self.body,
            "qpos": qpos,
            "qvel": qvel,
            "hardware": Hardware(
                **{name: self.values[name] for name in HARDWARE if name in self.values},
                noise={name: self.values[f"noise.{name}"] for name in NOISES if f"noise.{name}" in self.values},
                noise_seed=(self.experiment.seed << 32) + self._get("replica", 0.0).astype(np.int64),
            ),
            "pushes": [] if pushing is None or first is None else pushing.pushes(first),
        }

    def _is_parameter(self, name: str) -> bool:
        kind, _, rest = name.partition(".")
        if name in PLAIN or (kind == "push" and rest in PUSH) or (kind == "ground" and rest in GROUND):
            return False
        if kind == "terrain" and rest:
            self._field(rest)
            return False
        if kind == "body" and rest:
            self._bodies(rest)
            return False
        if kind == "start" and rest:
            self._coordinate(rest)
            return False
        try:
            self.law.cells(name)
        except FootfallError:
            raise unknown_name("factor", name, self.names()) from None
        return True

    def names(self) -> list[str]:
        """Every name that these worlds know."""
        names = [*PLAIN, *(f"push.{n}" for n in PUSH), *(f"ground.{n}" for n in GROUND), "body.mass", "body.load"]
        names += [f"terrain.{n}" for n in self._terrain_fields()]
        stems = {b.name.removeprefix("left_").removeprefix("right_") for b in self.figure.bodies}
        names += [f"body.{stem}{part}" for stem in sorted(stems) for part in ("", ".mass", ".load")]
        names += [f"start.{n}{part}" for n in self._coordinates() for part in ("", ".rate")]
        return [*names, *self.law.parameter_names]

    def _get(self, name: str, default: float) -> Array:
        return self.values.get(name, np.full(self.worlds, default))

    def _pushing(self) -> Pushing | None:
        if not any(name.startswith("push.") for name in self.values):
            return None
        if "push.start" in self.values and "push.phase" in self.values:
            raise FootfallError("push.start and push.phase are both given; give one of them")
        value = {name: self._get(f"push.{name}", default) for name, default in PUSH.items()}
        counts = np.unique(value.pop("count"))
        if len(counts) != 1 or counts[0] < 1 or counts[0] != round(counts[0]):
            raise FootfallError("push.count: it must be one whole number of at least 1 for all worlds")
        place = self.experiment.push_place
        if place == "com":
            index, _ = Push(0.0, 0.0, 0.0, self.experiment.push_body).place_on(self.figure)
            com = self.figure.bodies[index].com
            at: tuple[float, float, float] | None = tuple(float(x) for x in com)  # type: ignore[assignment]
        elif place == "top":
            at = None
        elif isinstance(place, tuple) and len(place) == 3:
            at = place
        else:
            raise FootfallError(f"push place is {place!r}; choose 'top', 'com' or three metres in the body's frame")
        pushing = Pushing(
            figure=self.figure,
            body=self.experiment.push_body,
            place=at,
            by_phase="push.phase" in self.values,
            count=int(counts[0]),
            **value,
        )
        _ = pushing.direction
        return pushing

    def _terrain_fields(self) -> list[str]:
        return [f.name for f in fields(self.terrain) if f.init] if is_dataclass(self.terrain) else []

    def _field(self, name: str) -> str:
        if name not in self._terrain_fields():
            known = [f"terrain.{n}" for n in self._terrain_fields()] or ["(it has none)"]
            raise unknown_name(f"number of terrain '{self.terrain}'", f"terrain.{name}", known)
        return name

    def _terrains(self) -> Terrain | list[Terrain]:
        names = [n.partition(".")[2] for n in self.values if n.startswith("terrain.")]
        if not names:
            return self.terrain
        whole = {f.name for f in fields(self.terrain) if f.type is int}  # type: ignore[arg-type]
        made: dict[tuple[float, ...], Terrain] = {}
        rows = np.stack([self.values[f"terrain.{n}"] for n in names], axis=-1)
        worlds = []
        for row in map(tuple, rows.tolist()):
            if row not in made:
                parts = {n: int(v) if n in whole else v for n, v in zip(names, row)}
                made[row] = replace(self.terrain, **parts)  # type: ignore[type-var]
            worlds.append(made[row])
        return worlds

    def _grounds(self) -> Ground | list[Ground]:
        names = [n for n in GROUND if f"ground.{n}" in self.values]
        if not names:
            return Ground()
        rows = np.stack([self.values[f"ground.{n}"] for n in names], axis=-1)
        return [Ground(**dict(zip(names, row))) for row in rows.tolist()]

    def _bodies(self, name: str) -> tuple[list[str], str]:
        """Bodies and what of them varies: "length", "mass" or "load"."""
        every = [b.name for b in self.figure.bodies]
        if name == "mass":
            return every, "mass"
        if name == "load":
            return [self.figure.torso], "load"
        for part in ("mass", "load"):
            if name.endswith(f".{part}"):
                return names_meant(name.removesuffix(f".{part}"), every), part
        return names_meant(name, every), "length"

    def _body(self) -> BodyParameters | None:
        edits = {name: v for name, v in self.values.items() if name.startswith("body.")}
        if not edits:
            return None
        body = self.figure.body_parameters()
        for name, factor in edits.items():
            chosen, part = self._bodies(name.removeprefix("body."))
            for each in chosen:
                if part == "length":
                    body = body.scaled(each, factor)
                elif part == "mass":
                    body = body.scaled_mass(factor, each)
                else:
                    body = body.with_load(each, factor)
        return body

    def _coordinates(self) -> dict[str, tuple[int, int]]:
        """Coordinates with one number: name -> (qpos, dof). The planar root's are x, z and pitch."""
        found = {j.name: (j.qpos, j.dof) for j in self.figure.joints if j.ndof == 1}
        if self.figure.root == "planar":
            found |= {name: (k, k) for k, name in enumerate(("x", "z", "pitch"))}
        return found

    def _coordinate(self, name: str) -> tuple[int, int, bool]:
        stem = name.removesuffix(".rate")
        if stem not in self._coordinates():
            raise unknown_name("coordinate of the start", f"start.{name}", [f"start.{n}" for n in self._coordinates()])
        return (*self._coordinates()[stem], stem != name)

    def _start(self) -> tuple[Array, Array]:
        """qpos [N, nq], qvel [N, nv]."""
        start, figure = self.experiment.parsed.start, self.figure
        base = figure.standing_qpos()[0] if start is None else np.array(start.qpos)
        rates = np.zeros(figure.nv) if start is None else np.array(start.qvel)
        qpos, qvel = np.tile(base, (self.worlds, 1)), np.tile(rates, (self.worlds, 1))
        if "start.noise" in self.values or "replica" in self.values:
            noise, replica = self._get("start.noise", 0.02), self._get("replica", 0.0)
            pairs, place = np.unique(np.stack([noise, replica], axis=-1), axis=0, return_inverse=True)
            drawn = perturbed_starts(figure, base, rates, pairs[:, 0], pairs[:, 1].astype(int), self.experiment.seed)
            qpos, qvel = drawn[0][place.reshape(-1)], drawn[1][place.reshape(-1)]
        for name, value in self.values.items():
            if name.startswith("start.") and name != "start.noise":
                at, dof, is_rate = self._coordinate(name.removeprefix("start."))
                if is_rate:
                    qvel[:, dof] += value
                else:
                    qpos[:, at] += value
        if self.body is not None and figure.root != "fixed":
            height = 1 if figure.root == "planar" else 2
            own = standing_heights(figure.model, figure.points, base, figure.body_parameters())
            qpos[:, height] -= standing_heights(figure.model, figure.points, base, self.body) - own
        return qpos, qvel


def perturbed_starts(
    figure: Figure, qpos: Array, qvel: Array, noise: Array, replica: NDArray[np.int64], seed: int = 0
) -> tuple[Array, Array]:
    """Randomly changed starts: qpos [R, nq], qvel [R, nv], for sizes and draws [R] (see :class:`Conditions`)."""
    place = {"planar": 2, "free": 3, "fixed": 0}[figure.root]
    own = figure.body_parameters()
    level = standing_heights(figure.model, figure.points, qpos, own)[0]
    states = []
    for size, number in zip(noise, replica):
        rng = np.random.default_rng([seed, int(number)])
        turn, rate = rng.normal(size=(2, figure.nv)) * size
        turn[:place] = 0.0
        changed = qpos.copy()
        mujoco.mj_integratePos(figure.model, changed, turn, 1.0)
        if figure.root != "fixed":
            height = 1 if figure.root == "planar" else 2
            changed[height] += level - standing_heights(figure.model, figure.points, changed, own)[0]
        states.append((changed, qvel + RATE_PER_ANGLE * rate))
    return np.array([q for q, _ in states]), np.array([v for _, v in states])
