"""The ids of footfall's environments (ids.toml), with what each is made of."""

from dataclasses import dataclass
from typing import Any

from footfall.text_files import packaged_toml


@dataclass(frozen=True)
class Id:
    """An environment's id, what it is, its episodes' length in decisions, and its options."""

    id: str
    about: str
    steps: int
    options: dict[str, Any]


IDS = tuple(Id(f"footfall/{name}", **row) for name, row in packaged_toml("footfall.gym", "ids.toml").items())


def register() -> None:
    """Register the ids that are not there yet."""
    import gymnasium as gym

    for made in IDS:
        if made.id not in gym.registry:
            gym.register(
                made.id,
                entry_point="footfall.gym.environments:WalkEnv",
                vector_entry_point="footfall.gym.environments:WalkVectorEnv",
                max_episode_steps=made.steps,
                kwargs=dict(made.options),
            )
