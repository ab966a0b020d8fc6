"""A policy as other projects have theirs: an ONNX file with joints in another order and numbers in other scales, and
the table that runs it.

    footfall train Figure-v0 --option reach=0.6 --out own.toml --out own.onnx
    python examples/onnx_policy.py own.onnx

The policy of ``own.onnx`` is written again as ``theirs.onnx``: left joints first, joints less a default pose, rates
divided by twenty, actions in quarters of a radian. ``theirs.toml`` is the table that says so;
under it the biped moves as before.
"""

import sys
from pathlib import Path

import numpy as np

import footfall
from footfall.control.registry import save_controller
from footfall.gym.observations import observation_table
from footfall.methods.network.controller import NetworkController
from footfall.methods.network.inputs import Block
from footfall.methods.network.multilayer import Network
from footfall.methods.network.onnx_files import load_onnx, save_onnx
from footfall.methods.network.servo_law import Servos

FIGURE = footfall.Figure.load("planar-biped")
OWN = [joint.name for joint in FIGURE.joints if joint.actuated]
THEIRS = [name for side in ("left", "right") for name in OWN if name.startswith(side)]
DEFAULT = [float(FIGURE.default_qpos[FIGURE.joint(name).qpos]) for name in THEIRS]
OWN_SCALE, SCALE = 0.6, 0.25
BLOCKS = (
    Block(("pitch_rate",), 0.25),
    Block(("pitch",)),
    Block(("velocity_forward", "velocity_up", "goal_speed"), 2.0),
    Block(tuple(THEIRS), offset=tuple(DEFAULT)),
    Block(tuple(f"{name}_rate" for name in THEIRS), 0.05),
    Block(("height", "left_contact", "right_contact")),
)


def rewritten(own: Network) -> Network:
    """The same policy of their numbers."""
    names = [row.name for row in observation_table(FIGURE)]
    columns = [names.index(name) for block in BLOCKS for name in block.names]
    scale = np.concatenate([np.broadcast_to(block.scale, len(block.names)) for block in BLOCKS])
    offset = np.concatenate([np.broadcast_to(block.offset, len(block.names)) for block in BLOCKS])
    plain = own.weights[0][:, columns]
    rows = [OWN.index(name) for name in THEIRS]
    weights = [plain / scale, *own.weights[1:-1], own.weights[-1][rows] * (OWN_SCALE / SCALE)]
    biases = [own.biases[0] + plain @ offset, *own.biases[1:-1], own.biases[-1][rows] * (OWN_SCALE / SCALE)]
    return Network.of(weights, biases, own.activation)


def main(path: str) -> None:
    own = load_onnx(path)
    save_onnx(rewritten(own), Path("theirs.onnx"))
    servos = Servos(tuple(THEIRS), tuple(DEFAULT), SCALE)
    table = NetworkController(
        "theirs", "planar-biped", load_onnx("theirs.onnx"), BLOCKS, servos=servos, clip=OWN_SCALE / SCALE
    )
    save_controller(table, "theirs.toml")
    text = Path("theirs.toml").read_text(encoding="utf-8").splitlines()
    lines = ['network = "theirs.onnx"' if line.startswith("network =") else line for line in text]
    Path("theirs.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(footfall.Simulation("theirs.toml", dt=0.002).run(10.0).summary())
    print("wrote theirs.onnx and theirs.toml; next: footfall robustness theirs.toml")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "own.onnx")
