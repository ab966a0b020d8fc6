"""Steps a second of footfall's vector environments beside Gymnasium's own, in the same run on the same machine.

    python -m tools.gym_bench [--worlds 256] [--seconds 2] [--device cuda] [--same-body] [--processes] [--json]

Both take random actions and begin episodes anew at the next step. Gymnasium's environments (``gymnasium[mujoco]``) run
one after the other, as its ``make_vec`` does; with ``--processes`` in a process each as well, and the faster counts.
With ``--same-body`` footfall simulates Gymnasium's own models, brought to its conventions, at the same steps.
Measurements take turns, and each counts its best round, so that other work on the machine slows down all of them alike.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import gymnasium as gym

from footfall.errors import FootfallError
from footfall.gym.registration import register

PAIRS = (("footfall/PlanarWalk-v0", "Walker2d-v5", 20.0), ("footfall/Human28Walk-v0", "Humanoid-v5", 5.0))
"""Ours, Gymnasium's, and how many times faster ours must be at 256 worlds."""
MODELS = {"Walker2d-v5": "walker2d.xml", "Humanoid-v5": "humanoid.xml"}
"""Files of Gymnasium's models."""
ROUNDS = 3


@dataclass(frozen=True)
class Speed:
    """How fast an environment runs.

    Attributes:
        id: of the environment.
        mode: how it is vectorised.
        worlds: how many.
        dt: step of its simulation, seconds.
        period: seconds a decision.
        steps: decisions a second by the clock, all worlds together.
        per_cpu: decisions a second of CPU time, which other work on the machine does not lengthen; 0 where worlds run
            in other processes or on a GPU.
    """

    id: str
    mode: str
    worlds: int
    dt: float
    period: float
    steps: float
    per_cpu: float

    @property
    def real_time(self) -> float:
        """Simulated seconds a second."""
        return self.steps * self.period


def compare(
    worlds: int = 256,
    seconds: float = 2.0,
    device: str = "cpu",
    *,
    same_body: bool = False,
    processes: bool = False,
) -> list[dict[str, Any]]:
    """Each of footfall's environments beside Gymnasium's; the latter only on a CPU.

    Args:
        worlds: of each vector environment.
        seconds: how long each round of a measurement takes.
        device: where footfall's worlds run.
        same_body: whether footfall simulates Gymnasium's own models.
        processes: whether Gymnasium's environments are tried with a process each, too.
    """
    register()
    if worlds < 1 or seconds <= 0:
        raise FootfallError(f"worlds is {worlds} and seconds {seconds:g}; both must be above 0")
    options: dict[str, Any] = {"device": device} if device == "cpu" else {"device": device, "arrays": "warp"}
    rows = []
    for ours, theirs, bound in PAIRS:
        own_body = _same_body(theirs) if same_body else {"id": ours}
        envs = {("native", own_body["id"]): gym.make_vec(num_envs=worlds, **own_body, **options)}
        if device == "cpu":
            modes = ("sync", "async") if processes else ("sync",)
            envs |= {(mode, theirs): gym.make_vec(theirs, worlds, mode) for mode in modes}
        speeds = _measured(envs, worlds, seconds)
        own = speeds.pop("native")
        best = max(speeds.values(), key=lambda s: s.steps) if speeds else None
        row: dict[str, Any] = {"footfall": asdict(own) | {"real_time": own.real_time}}
        if best is not None:
            ratio = own.steps / best.steps
            row |= {"gymnasium": asdict(best) | {"real_time": best.real_time}, "ratio": ratio, "bound": bound}
            row |= {"holds": ratio >= bound, "real_time_ratio": own.real_time / best.real_time}
            row |= {"cpu_ratio": own.per_cpu / best.per_cpu} if best.per_cpu else {}
        rows.append(row)
    return rows


def _same_body(theirs: str) -> dict[str, Any]:
    """An environment of the body that one of Gymnasium's has, with its steps and decisions."""
    file = Path(str(resources.files("gymnasium.envs.mujoco") / "assets" / MODELS[theirs]))
    dt, period = _steps_of(theirs)
    return {"id": "footfall/Figure-v0", "figure": file, "action": "torques", "dt": dt, "decide": 1.0 / period}


def _measured(envs: dict[tuple[str, str], Any], worlds: int, seconds: float) -> dict[str, Speed]:
    """The best round of each, taken in turns."""
    best: dict[str, tuple[float, float]] = {}
    for env in envs.values():
        env.reset(seed=0)
    for _ in range(ROUNDS):
        for (mode, _), env in envs.items():
            taken, known = _rate(env, worlds, seconds), best.get(mode, (0.0, 0.0))
            best[mode] = max(known[0], taken[0]), max(known[1], taken[1])
    speeds = {}
    for (mode, name), env in envs.items():
        speeds[mode] = Speed(name, mode, worlds, *_times(env, name, mode), *best[mode])
        env.close()
    return speeds


def _rate(env: Any, worlds: int, seconds: float) -> tuple[float, float]:
    """Decisions a second by the clock and by CPU time. Actions are drawn before: that is not the environment's work."""
    actions = [_actions(env) for _ in range(16)]
    for action in actions[:2]:
        env.step(action)
    _wait(env)
    count, began, cpu = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        for action in actions:
            env.step(action)
        count += len(actions)
        _wait(env)
    elapsed, used = time.perf_counter() - began, time.process_time() - cpu
    alone = isinstance(env, gym.vector.AsyncVectorEnv) or (hasattr(env, "worlds") and not env.worlds.device.is_cpu)
    return count * worlds / elapsed, 0.0 if alone else count * worlds / used


def _actions(env: Any) -> Any:
    sampled = env.action_space.sample()
    worlds = getattr(env, "worlds", None)
    if worlds is None or worlds.device.is_cpu:
        return sampled
    import warp as wp

    return wp.array(sampled, dtype=wp.float32, device=worlds.device)


def _wait(env: Any) -> None:
    if hasattr(env, "worlds"):
        env.worlds.synchronise()


def _times(env: Any, name: str, mode: str) -> tuple[float, float]:
    """Step of the simulation and seconds a decision."""
    return (float(env.worlds.simulation.dt), float(env.worlds.period)) if mode == "native" else _steps_of(name)


def _steps_of(name: str) -> tuple[float, float]:
    """The same of one of Gymnasium's environments."""
    one = gym.make(name).unwrapped
    dt = float(one.model.opt.timestep)  # type: ignore[attr-defined]
    period = dt * int(one.frame_skip)  # type: ignore[attr-defined]
    one.close()
    return dt, period


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.gym_bench", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round of a measurement")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--same-body", action="store_true", help="simulate Gymnasium's own models")
    parser.add_argument("--processes", action="store_true", help="try Gymnasium's with a process for each world, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args(arguments)
    try:
        rows = compare(given.worlds, given.seconds, given.device, same_body=given.same_body, processes=given.processes)
    except FootfallError as error:
        print(f"footfall: {error}", file=sys.stderr)
        return 2
    if given.json:
        print(json.dumps({"rows": rows}))
        return 0
    for row in rows:
        for s in (row[key] for key in ("footfall", "gymnasium") if key in row):
            print(
                f"{s['id']:26} {s['worlds']:6} worlds, {s['mode']:6}: {s['steps']:12,.0f} decisions/s of "
                f"{1e3 * s['period']:g} ms (steps of {1e3 * s['dt']:g} ms), {s['real_time']:,.0f} times real time"
            )
        if "ratio" in row:
            by_cpu = f", {row['cpu_ratio']:.1f} by CPU time" if "cpu_ratio" in row else ""
            print(f"{'':26} {row['ratio']:.1f} times as many{by_cpu}; at least {row['bound']:g} asked for")
    return 0


if __name__ == "__main__":
    sys.exit(main())
