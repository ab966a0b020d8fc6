"""``footfall imitate`` over folders of clips, as a table.

    python -m footfall_reproductions.data_driven.sweep DIR … [--pushes] [--jobs 14] [--out FOLDER] [--names NAME …]
                                                             [--policy TRACKER.toml [--practice] [--search]]

Every motion file under the folders is imitated, or refused with the reason, by several processes of one core each. With
``--out`` every clip's report (.json) and controller (.toml) is written. With ``--policy`` a trained policy
follows every clip, and no gains are searched but with ``--search``, where it falls; with ``--practice`` it practises
those with which it falls or from which it strays first. Both together are what ``footfall imitate`` does. (Lively walks
that no policy was trained on: ``python -m tools.made_clips``.) The last lines say what shares of those that were not
refused stay up, keep to the path, and so on.
"""

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from footfall.control.registry import load_controller, save_controller
from footfall.errors import FootfallError
from footfall.motion import load_motion
from footfall.study.imitation.followers import EitherFollower, Follower, TrackingFollower, controller_name
from footfall.study.imitation.gain_search import GainSearch
from footfall.study.imitation.network_follower import NetworkFollower, check_policy

SUFFIXES = (".bvh", ".amc", ".c3d", ".glb", ".npz")


@dataclass(frozen=True)
class SweepRow:
    """A clip's line: how it ended, or why it was refused; report: as JSON has it."""

    clip: str
    seconds: float = 0.0
    up: float = 0.0
    disturbed: str = ""
    joint_error: float = 0.0
    pace: float = 0.0
    took: float = 0.0
    refused: str = ""
    fell: bool = False
    report: dict[str, Any] = field(default_factory=dict)

    @property
    def stays_up(self) -> bool:
        """Whether it was up at the end of the clip."""
        return not self.refused and not self.fell


def imitated(
    file: Path,
    pushes: bool,
    search: GainSearch | None,
    out: Path | None = None,
    policy: Path | None = None,
    practice: int | None = 0,
    either: bool = False,
) -> SweepRow:
    """A clip's row, and its files where a folder is given."""
    began = time.process_time()
    follower: Follower = TrackingFollower(search=search or GainSearch())
    if policy is not None:
        network = NetworkFollower(check_policy(load_controller(policy)), practice)
        follower = EitherFollower(network, follower) if either else network
    name = file.stem if policy is not None else controller_name(Path(file.stem))
    try:
        made = follower.imitate(load_motion(file), name, pushes=pushes)
    except FootfallError as error:
        return SweepRow(file.stem, refused=str(error), took=time.process_time() - began)
    f, took = made.following, time.process_time() - began
    cost = None if made.search is None else made.search.cost
    report = made.as_dict() | {"clip": str(file), "cpu_seconds": took, "cost": cost}
    report |= {"practised": dict(made.controller.report).get("practised_decisions", 0)}
    if out is not None:
        name = f"{file.parent.name}-{file.stem}"
        (out / f"{name}.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
        save_controller(made.controller, out / f"{name}.toml")
    disturbed = f"{made.up} of {made.tried}"
    return SweepRow(file.stem, f.seconds, f.time, disturbed, f.joint_error, f.speed, took, "", f.fell, report)


def sweep(files: Sequence[Path], *, pushes: bool = False, search: GainSearch | None = None) -> Iterator[SweepRow]:
    """Imitate clips one after another."""
    for file in files:
        yield imitated(file, pushes, search)


def sweep_table(rows: Sequence[SweepRow]) -> str:
    """The last lines: what share stays up, and how near the clips they are."""
    tracked = [row for row in rows if not row.refused]
    up = [row for row in tracked if row.stays_up]
    if not tracked:
        return f"no clip could be tracked; {len(rows)} refused"
    longest = max(row.took for row in tracked)
    error = sum(row.joint_error for row in tracked) / len(tracked)
    lines = [
        f"{len(up)} of {len(tracked)} clips stay up ({len(up) / len(tracked):.0%}), "
        f"{len(rows) - len(tracked)} refused; joints {error:.1f} degrees off on average; "
        f"the longest took {longest:.0f} s"
    ]
    reports = [row.report for row in up if row.report]
    if reports:
        ratios = [r["distance_ratio"] for r in reports if r["distance_ratio"] is not None]
        starts = [sum(r[f"disturbed_{what}"] for row in tracked if (r := row.report)) for what in ("up", "tried")]
        lines += [
            f"disturbed starts: {starts[0]} of {starts[1]}; distance within 5 % in "
            f"{sum(0.95 <= ratio <= 1.05 for ratio in ratios)} of {len(ratios)}, off the path by at most 5 cm a metre "
            f"in {sum(r['off_path'] <= 0.05 for r in reports)} of {len(reports)}; success within 0.5 m "
            f"{sum(r['within_half_a_metre'] for r in reports)} of {len(tracked)}",
            "medians: "
            + ", ".join(
                f"{name} {np.median([r[key] for r in reports if r[key] is not None]):.3g}"
                for name, key in (
                    ("distance", "distance_ratio"),
                    ("off path m/m", "off_path"),
                    ("heading deg", "heading_error_deg"),
                    ("MPJPE mm", "mpjpe_root_mm"),
                    ("global mm", "mpjpe_global_mm"),
                    ("slide cm", "stance_slide_cm"),
                    ("sink mm", "sink_mm"),
                    ("vibration", "vibration"),
                    ("hip N m/kg", "hip_torque_per_kg"),
                    ("CPU s", "cpu_seconds"),
                )
            ),
        ]
        lines += _pushes([r["push_limits"] for r in reports if r["push_limits"]])
    return "\n".join(lines)


def _pushes(limits: Sequence[dict[str, float]]) -> list[str]:
    """What pushes of 0.4 s the clips that are long enough withstand."""
    if not limits:
        return []
    sides = ", ".join(f"{np.median([one[side] for one in limits]):.0f} N from the {side}" for side in limits[0])
    weakest = [min(one.values()) for one in limits]
    return [
        f"pushes of 0.4 s, medians of {len(limits)} clips: {sides}; from the weakest side {np.median(weakest):.0f} N, "
        f"at least 100 N from every side in {sum(n >= 100.0 for n in weakest)}"
    ]


def _line(row: SweepRow) -> str:
    if row.refused:
        return f"{row.clip[:40]:40} {row.refused}"
    r = row.report
    return (
        f"{row.clip[:40]:40} {row.seconds:8.1f} {row.up:7.1f} {row.disturbed:>8} {row.joint_error:6.1f} "
        f"{r['distance_ratio'] or float('nan'):8.2f} {r['duration']:5.2f} {r['off_path']:6.3f} "
        f"{r['mpjpe_root_mm']:5.0f} {r['mpjpe_global_mm']:6.0f} {r['stance_slide_cm']:5.1f} {r['sink_mm']:5.1f} "
        f"{r['hip_torque_per_kg']:5.1f} {row.took:7.1f}{'' if row.stays_up else '   fell'}"
    )


def _one_core(queue: "multiprocessing.Queue[int]") -> None:
    """A process of the pool keeps to a core of its own, where the system has that."""
    core = queue.get()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def main() -> None:
    """Run the sweep and print the table, line by line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--names", nargs="*", default=())
    parser.add_argument("--pushes", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--policy", type=Path)
    parser.add_argument("--practice", action="store_true")
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--generations", type=int, default=GainSearch().generations)
    asked = parser.parse_args()
    files = sorted({f for folder in asked.folders for f in folder.rglob("*") if f.suffix.lower() in SUFFIXES})
    files = [f for f in files if not asked.names or any(name in f.stem for name in asked.names)]
    files.sort(key=lambda f: -f.stat().st_size)
    if asked.out is not None:
        asked.out.mkdir(parents=True, exist_ok=True)
    print(
        f"{'clip':40} {'asked s':>8} {'up s':>7} {'starts':>8} {'error':>6} {'distance':>8} {'time':>5} {'off':>6} "
        f"{'mpjpe':>5} {'global':>6} {'slide':>5} {'sink':>5} {'hips':>5} {'CPU s':>7}"
    )
    search, rows = GainSearch(generations=asked.generations), []
    context = multiprocessing.get_context("spawn")
    cores: multiprocessing.Queue[int] = context.Queue()
    for k in range(asked.jobs):
        cores.put(k % (os.cpu_count() or 1))
    with ProcessPoolExecutor(asked.jobs, context, _one_core, (cores,)) as pool:
        chosen = asked.pushes, search, asked.out, asked.policy, None if asked.practice else 0, asked.search
        waiting = [pool.submit(imitated, file, *chosen) for file in files]
        for done in as_completed(waiting):
            rows.append(done.result())
            print(_line(rows[-1]), flush=True)
    print(sweep_table(rows))


if __name__ == "__main__":
    main()
