"""The policy that follows clips and comes with footfall.

It was trained on motion that footfall made itself (:mod:`footfall.gym.made_clips`); docs/learning.md has the command.
"""

from pathlib import Path


def tracker_file() -> Path:
    """Its controller's file."""
    return Path(__file__).with_name("clip-tracker.toml")
