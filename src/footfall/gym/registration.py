"""The ids of footfall's environments (ids.toml), with what each is made of."""

from dataclasses import dataclass
from importlib import resources
from typing import Any

from footfall.text_files import parse_toml


@dataclass(frozen=True)
class Id:
    """An environment's id, what it is, its episodes' length in decisions, and its options."""

    id: str
    about: str
    steps: int
    options: dict[str, Any]

    @classmethod
    def of(cls, name: str, about: str, steps: int, options: dict[str, Any]) -> "Id":
        """An id from its table in the file; ranges are pairs."""
        pairs = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items()}
        return cls(f"footfall/{name}", about, steps, pairs)


_FILE = resources.files("footfall.gym") / "ids.toml"
IDS = tuple(Id.of(name, **row) for name, row in parse_toml(_FILE.read_text(encoding="utf-8"), "ids.toml").items())


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
