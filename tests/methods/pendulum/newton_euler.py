"""3LP written out link by link: forces and moments on each leg, the torso and the pelvis, solved as one linear system.

An oracle for ``footfall.methods.pendulum.model``: it shares nothing with it but the body's constants. Frame tied to the
slope, x forward, y left, z normal; ``d`` is +1 when the left leg swings.
"""

from dataclasses import dataclass

import numpy as np

from footfall.methods.pendulum.model import GRAVITY, Person


@dataclass
class Instant:
    """Feet and pelvis in the plane, torques of the swing hip and the ankles about x and y, force; each (2,)."""

    swing: np.ndarray
    pelvis: np.ndarray
    stance: np.ndarray
    hip: np.ndarray
    ankle: np.ndarray
    force: np.ndarray
    d: float = 1.0
    slope: float = 0.0
    tilt: float = 0.0


class _System:
    """Linear equations in named unknowns."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self.rows: list[np.ndarray] = []
        self.right: list[float] = []

    def add(self, terms: dict[str, np.ndarray], known: np.ndarray) -> None:
        """sum of coefficient [3] times unknown + known [3] = 0."""
        for k in range(3):
            row = np.zeros(len(self.names))
            for name, coefficient in terms.items():
                row[self.names.index(name)] += coefficient[k]
            self.rows.append(row)
            self.right.append(-known[k])

    def solve(self) -> dict[str, float]:
        matrix, right = np.array(self.rows), np.array(self.right)
        values, _, _, _ = np.linalg.lstsq(matrix, right, rcond=None)
        assert np.abs(matrix @ values - right).max() < 1e-9
        return dict(zip(self.names, values, strict=True))


_AXES = np.eye(3)


def _vector(name: str, matrix: np.ndarray) -> dict[str, np.ndarray]:
    """The terms matrix @ (unknown vector ``name``)."""
    return {f"{name}{axis}": matrix[:, k] for k, axis in enumerate("xyz")}


def _cross(r: np.ndarray) -> np.ndarray:
    """The matrix of v -> r x v."""
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def _merged(*terms: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    out: dict[str, np.ndarray] = {}
    for part in terms:
        for name, value in part.items():
            out[name] = out.get(name, np.zeros(3)) + value
    return out


def accelerations(body: Person, now: Instant, share: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    """(swing foot, pelvis) accelerations, (2,) each: in single support, or in double support with a ``share`` of the
    load on the stance foot (then ``now.ankle`` is the sum of both ankles' torques and ``now.hip`` arbitrary)."""
    m1, m2, h1, h2, h3 = (float(getattr(body, n)) for n in ("m1", "m2", "h1", "h2", "h3"))
    inertia, half = float(body.inertia), float(body.half_pelvis)
    rho = h2 / h1
    gravity = -GRAVITY * np.array([np.sin(now.slope), 0.0, np.cos(now.slope)])
    pelvis = np.array([*now.pelvis, h1 * np.cos(now.slope)])
    feet = {"2": np.array([*now.swing, 0.0]), "3": np.array([*now.stance, 0.0])}
    aside = np.array([0.0, now.d * half, 0.0])
    hips = {"2": pelvis + aside, "3": pelvis - aside}
    lean = now.tilt + now.slope
    torso = pelvis + h3 * np.array([np.sin(lean), 0.0, np.cos(lean)])
    force = np.array([*now.force, 0.0])
    double = share is not None

    names = [f"{n}{axis}" for n in ("f1", "f2", "f3", "F2", "F3", "t1", "t2", "t3", "T2", "T3") for axis in "xyz"]
    names += ["ax", "ay", "bx", "by"]
    system = _System(names)
    a = {"ax": _AXES[:, 0], "ay": _AXES[:, 1]}
    b = {"bx": _AXES[:, 0], "by": _AXES[:, 1]}

    def scaled(terms: dict[str, np.ndarray], factor: float) -> dict[str, np.ndarray]:
        return {name: factor * value for name, value in terms.items()}

    for leg in ("2", "3"):
        foot, hip = feet[leg], hips[leg]
        com = hip + rho * (foot - hip)
        moving = b if leg == "2" else {}
        acceleration = _merged(scaled(a, 1 - rho), scaled(moving, rho))
        system.add(
            _merged(_vector(f"F{leg}", np.eye(3)), _vector(f"f{leg}", np.eye(3)), scaled(acceleration, -m2)),
            m2 * gravity,
        )
        axis = (foot - hip) / h1
        turning = _merged(scaled(moving, 1 / h1), scaled(a, -1 / h1))
        swing = {name: -inertia * np.cross(axis, value) for name, value in turning.items()}
        system.add(
            _merged(
                _vector(f"F{leg}", _cross(foot - com)),
                _vector(f"f{leg}", _cross(hip - com)),
                _vector(f"t{leg}", np.eye(3)),
                _vector(f"T{leg}", np.eye(3)),
                swing,
            ),
            np.zeros(3),
        )
    system.add(_merged(_vector("f1", np.eye(3)), scaled(a, -m1)), m1 * gravity + force)
    system.add(
        _merged(_vector("f1", _cross(pelvis - torso)), _vector("t1", np.eye(3))), np.cross(pelvis - torso, force)
    )
    system.add(_merged(*(_vector(f"f{k}", np.eye(3)) for k in "123")), np.zeros(3))
    system.add(
        _merged(
            _vector("f2", -_cross(hips["2"] - pelvis)),
            _vector("f3", -_cross(hips["3"] - pelvis)),
            *(_vector(f"t{k}", -np.eye(3)) for k in "123"),
        ),
        np.zeros(3),
    )

    def fix(name: str, value: float) -> None:
        system.add({name: _AXES[:, 0]}, np.array([-value, 0.0, 0.0]))

    if double:
        weight = (m1 + 2 * m2) * GRAVITY * np.cos(now.slope)
        fix("F2z", (1 - share) * weight)
        for name in ("bx", "by", "T2x", "T2y"):
            fix(name, 0.0)
    else:
        for name in ("F2x", "F2y", "F2z", "T2x", "T2y", "T2z"):
            fix(name, 0.0)
    for k, axis in enumerate("xy"):
        fix(f"t2{axis}", now.hip[k])
        fix(f"T3{axis}", now.ankle[k])
    got = system.solve()
    return np.array([got["bx"], got["by"]]), np.array([got["ax"], got["ay"]])
