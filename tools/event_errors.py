"""How far gait events by kinematics are from platforms and contacts, at a clip's own rate and at fewer frames a second.

    python -m tools.event_errors gait-lab-walk walk-3d clip.c3d --rates 60 30

Each clip is cut to a rate at four places of its first frame. Truth is the force platforms of a captured clip, or where
it has none its own events at its own rate; the loads of a simulated walk. Milliseconds: mean with its sign, then
median, 90th percentile and largest size of the differences.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.motion import Motion, load_motion, resampled, trimmed
from footfall.motion.formats.files import readable_suffixes
from footfall.study.gait_lab.analysis import simulated_walk
from footfall.study.gait_lab.ground_forces import feet_on_plates
from footfall.study.measures.cycles import GaitEvents, contact_events, kinematic_events, plate_events


def event_errors(motion: Motion, truth: GaitEvents, rate: float) -> dict[str, list[float]]:
    """ "strike" and "off" -> seconds by which kinematic events within 0.15 s of the true ones differ from them."""
    found: dict[str, list[float]] = {"strike": [], "off": []}
    bare = replace(motion, channels={}, labels={})
    for first in np.linspace(0.0, motion.fps / rate, 4, endpoint=False).round().astype(int):
        begin = float(bare.times[first])
        slow = resampled(trimmed(bare, begin, bare.seconds), rate)
        events = kinematic_events(replace(slow, times=slow.times - slow.times[0] + begin))
        for time, side, kind in truth.rows():
            times = (events.strikes if kind == "strike" else events.offs)[side]
            away = times - time
            if len(away) and np.abs(away).min() < 0.15:
                found[kind].append(float(away[np.abs(away).argmin()]))
    return found


def main() -> None:
    """Print a line for each walk and rate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("walks", nargs="+", help="controllers, or captured clips")
    parser.add_argument("--rates", nargs="+", type=float, default=[60.0, 30.0])
    parser.add_argument("--seconds", type=float, default=12.0)
    given = parser.parse_args()
    for walk in given.walks:
        captured = Path(walk).suffix in readable_suffixes()
        motion = load_motion(walk) if captured else simulated_walk(walk, given.seconds).motion()
        platforms = plate_events(motion, feet_on_plates(motion)) if "plate_force" in motion.channels else None
        truth = platforms or contact_events(motion) or kinematic_events(motion)
        for rate in (motion.fps, *given.rates):
            line = f"{Path(walk).stem[:24]:24} {rate:4.0f} frames a second"
            for kind, errors in event_errors(motion, truth, rate).items():
                if errors:
                    away = 1000.0 * np.array(errors)
                    middle, most, worst = np.percentile(np.abs(away), (50.0, 90.0, 100.0))
                    line += f"  {kind} {len(away)}: {away.mean():+.0f}, {middle:.0f}, {most:.0f}, {worst:.0f} ms"
            print(line)


if __name__ == "__main__":
    main()
