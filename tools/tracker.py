"""The tracker that comes with footfall, on: it practises motion that footfall makes itself, on a CPU.

    python -m tools.tracker --decisions 2e7 --out tracker.toml [--begin FILE] [--walks 120] [--seed 1]

It was begun on a GPU (docs/learning.md). A line is printed every minute, and the policy so far is written.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.control.registry import load_controller, save_controller
from footfall.figures import Figure
from footfall.gym.made_clips import made_clips
from footfall.gym.practice import Practice, PracticeSettings
from footfall.gym.practised import tracker_options
from footfall.methods.network.controller import NetworkController
from footfall.study.imitation.policy import check_policy
from footfall.study.imitation.tracker import tracker_file

SETTINGS = PracticeSettings(worlds=1024, divergence=0.02)


def main() -> None:
    """Let it practise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decisions", type=float, default=2e7)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--begin", type=Path, default=tracker_file())
    parser.add_argument("--walks", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    policy = check_policy(load_controller(asked.begin))
    began = time.monotonic()
    clips = made_clips(Figure.load(policy.figure), policy.rate, walks=asked.walks, seed=asked.seed)
    seconds = sum(clip.seconds for clip in clips)
    print(f"{len(clips)} clips of {seconds:.0f} s in all, made in {time.monotonic() - began:.0f} s", flush=True)
    options = replace(tracker_options(policy, clips), push=(0.0, 250.0))
    practice = Practice(policy.network, options, SETTINGS, asked.seed)
    began = told = time.monotonic()
    while practice.decisions < asked.decisions:
        practice.iterate()
        if time.monotonic() - told > 60.0 or practice.decisions >= asked.decisions:
            told = time.monotonic()
            passed, fallen = practice.parts.counts()
            rate = fallen.sum() / np.maximum(passed.sum(), 1.0)
            print(
                f"{told - began:6.0f} s {practice.decisions:10d} decisions, a fall every {1 / rate:.1f} s", flush=True
            )
            save_controller(_saved(policy, practice, told - began), asked.out)
    practice.close()


def _saved(policy: NetworkController, practice: Practice, seconds: float) -> NetworkController:
    report = dict(policy.report) | {"practised_decisions": practice.decisions, "practised_seconds": round(seconds)}
    return replace(policy, network=practice.network(), report=report)


if __name__ == "__main__":
    main()
