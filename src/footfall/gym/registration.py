"""The ids of footfall's environments, with what each is made of."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Id:
    """An environment's id, what it is, its episodes' length in decisions, and its options."""

    id: str
    about: str
    steps: int
    options: dict[str, Any]


IDS = (
    Id(
        "footfall/PlanarWalk-v0",
        "the planar biped walks at 1 m/s, by torques",
        1000,
        {"figure": "planar-biped", "action": "torques", "strength": 0.2, "decide": 125.0},
    ),
    Id(
        "footfall/PlanarTerrain-v0",
        "the planar biped crosses random steps of up to 10 cm, by corrections of SIMBICON's walk",
        1000,
        {"controller": "walk", "action": "corrections", "decide": 50.0, "terrain": "random-steps:0.1"},
    ),
    Id(
        "footfall/Human28Walk-v0",
        "the human of 28 joint angles walks at 1 m/s, by torques",
        1000,
        {"figure": "human-28", "action": "torques", "strength": 0.4, "decide": 200.0 / 3.0, "dt": 0.0025},
    ),
    Id(
        "footfall/Human28Push-v0",
        "the human keeps its heading under pushes of 300 to 800 N, by corrections of SIMBICON's walk in space",
        1000,
        {
            "controller": "walk-3d",
            "action": "corrections",
            "correct": {"targets": 0.3, "gains": 0.5},
            "heading": 0.0,
            "push": (300.0, 800.0),
        },
    ),
    Id(
        "footfall/Human28Imitate-v0",
        "the human imitates a clip, by default the walk of SIMBICON in space, by targets of its joints' servos",
        500,
        {"figure": "human-28", "controller": "walk-3d", "action": "targets", "clip": "own"},
    ),
    Id(
        "footfall/Human28Follow-v0",
        "the human follows a clip or several, by targets of its joints' servos around the clip's pose",
        300,
        {
            "figure": "human-28",
            "controller": "walk-3d",
            "action": "follow",
            "clip": "own",
            "reach": 0.5,
            "stiffness": 2.0,
            "leash": 0.8,
            "noise": (0.05, 0.3),
            "push": (0.0, 250.0),
            "push_seconds": (0.1, 0.4),
            "push_place": "com",
            "weights": {"speed": 0.0, "alive": 0.0, "smooth": -0.1},
        },
    ),
    Id(
        "footfall/Figure-v0",
        "any figure by name or file walks at 1 m/s, by targets of its joints' servos",
        1000,
        {"figure": "planar-biped", "action": "targets"},
    ),
)


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
