"""A policy of another project's kind: an ONNX file that observes as legged_gym's policies do, with the table that runs it.

    pip install 'footfall[onnx]'
    python examples/onnx_policy.py

The policy stands: ankles and hips answer gravity and turn rates. It is one layer, written by hand, so that everything in
the table can be seen; a trained one is used in the same way.
"""

from pathlib import Path

import numpy as np

import footfall
from footfall.methods.network.multilayer import Network
from footfall.methods.network.onnx_files import save_onnx

JOINTS = [f"{side}_{joint}" for side in ("left", "right") for joint in ("hip_roll", "hip_pitch", "knee", "ankle_pitch", "ankle_roll")]
"""The policy's own order."""
TURN, GRAVITY, COMMAND, POSITION, RATE, LAST = 3, 3, 1, len(JOINTS), len(JOINTS), len(JOINTS)
ANSWERS = {"ankle_pitch": (1, 0, -2.4), "hip_pitch": (1, 0, 0.8), "ankle_roll": (0, 1, 2.4), "hip_roll": (0, 1, -0.8)}
"""Of each joint: the axis of the turn rate and of gravity that it answers, and the gain on gravity."""


def policy() -> Network:
    """action = gain · (gravity + turn rate / 4 …), one layer."""
    weights = np.zeros((len(JOINTS), TURN + GRAVITY + COMMAND + POSITION + RATE + LAST))
    for k, joint in enumerate(JOINTS):
        for name, (turn, gravity, gain) in ANSWERS.items():
            if joint.endswith(name):
                weights[k, TURN + gravity] = gain
                weights[k, turn] = 0.8 * gain * (-1.0 if turn == 1 else 1.0)
    return Network.of([weights], [np.zeros(len(JOINTS))])


def table(network: str) -> str:
    """The controller's file."""
    names = {
        "positions": JOINTS,
        "rates": [f"{joint}_rate" for joint in JOINTS],
        "actions": [f"action_{k}" for k in range(len(JOINTS))],
    }
    quoted = {key: ", ".join(f'"{name}"' for name in value) for key, value in names.items()}
    return f"""
name = "balance"
figure = "human-28"
law = "network"
about = "One layer that stands, in the words of legged_gym."
network = "{network}"
rate = 50.0
clip = 100.0
goal_speed = 0.0

[[observations]]
names = ["turn_rate_x", "turn_rate_y", "turn_rate_z"]
scale = 0.25

[[observations]]
names = ["up_x", "up_y", "up_z"]
scale = -1.0

[[observations]]
names = ["goal_speed"]
scale = 2.0

[[observations]]
names = [{quoted["positions"]}]
offset = 0.0
clip = 100.0

[[observations]]
names = [{quoted["rates"]}]
scale = 0.05

[[observations]]
names = [{quoted["actions"]}]

[servos]
joints = [{quoted["positions"]}]
default = 0.0
scale = 0.25
"""


def main() -> None:
    save_onnx(policy(), Path("balance.onnx"))
    Path("balance.toml").write_text(table("balance.onnx"), encoding="utf-8")
    forces = np.linspace(-300.0, 300.0, 25)
    push = footfall.Push(np.column_stack([forces, 0 * forces, 0 * forces]), 1.0, 0.1)
    outcome = footfall.Simulation("balance.toml", worlds=len(forces), pushes=[push]).run(6.0)
    stood = forces[~outcome.fell]
    print(f"balance stands pushes of 0.1 s from {stood.min():g} to {stood.max():g} N: {len(stood)} of {len(forces)}")
    print("wrote balance.onnx and balance.toml; next: footfall run balance.toml --out stand.html")


if __name__ == "__main__":
    main()
