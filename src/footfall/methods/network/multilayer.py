"""A multilayer perceptron: layers of weights with a non-linearity between them, as a value.

h₀ = x,   hₖ = f(Wₖ hₖ₋₁ + bₖ),   y = W_last h + b_last

Networks are kept as safetensors (https://huggingface.co/docs/safetensors): eight bytes with the length of a header, the
header as JSON, then raw numbers. Little-endian floats of 16, 32 and 64 bits are read, 32 bits are written. The package
``safetensors`` writes tensors sorted by name, and from bytes, which a controller's file holds, it answers them in no
order and without the file's texts, such as the activation. A character's transitions are numbered in the order of its
clips; so the header is read and written here.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError, check_name

TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
LONGEST_HEADER = 100_000_000
"""Bytes, as the specification has it."""
METADATA = "__metadata__"

Tensors = dict[str, NDArray[np.float32]]


def write_tensors(tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a file with tensors by name, and texts by name."""
    header: dict[str, Any] = {METADATA: dict(metadata)} if metadata else {}
    parts, at = [], 0
    for name, tensor in tensors.items():
        part = np.ascontiguousarray(tensor, dtype="<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + len(part)]}
        parts.append(part)
        at += len(part)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(parts)


def read_tensors(data: bytes, where: str) -> tuple[Tensors, dict[str, str]]:
    """Tensors and texts by name from the bytes of a file; errors begin with ``where``."""
    size = int.from_bytes(data[:8], "little") if len(data) >= 8 else -1
    if not 2 <= size <= min(LONGEST_HEADER, len(data) - 8):
        raise FootfallError(f"{where}: not a safetensors file: its header does not fit its {len(data)} bytes")
    try:
        header = json.loads(data[8 : 8 + size])
        if not isinstance(header, dict):
            raise ValueError
    except ValueError:
        raise FootfallError(f"{where}: not a safetensors file: its header is not a JSON object") from None
    metadata = header.pop(METADATA, {})
    body = data[8 + size :]
    return {name: _tensor(name, entry, body, where) for name, entry in header.items()}, {
        str(name): str(text) for name, text in (metadata.items() if isinstance(metadata, dict) else ())
    }


def _tensor(name: str, entry: Any, body: bytes, where: str) -> NDArray[np.float32]:
    place = f"{where}: tensor '{name}'"
    try:
        kind, shape, (begin, end) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
        whole = all(isinstance(n, int) and n >= 0 for n in (*shape, begin, end))
    except (KeyError, TypeError, ValueError):
        raise FootfallError(f"{place} needs dtype, shape and data_offsets") from None
    if kind not in TYPES:
        raise FootfallError(f"{place} is of type {kind!r:.20}; read are: {', '.join(TYPES)}")
    if not whole or end > len(body) or end - begin != math.prod(shape) * np.dtype(TYPES[kind]).itemsize:
        raise FootfallError(f"{place} of shape {list(shape)} does not fit its bytes {begin} to {end} of {len(body)}")
    return np.frombuffer(body[begin:end], dtype=TYPES[kind]).reshape(shape).astype(np.float32)


ACTIVATIONS = ("tanh", "elu", "relu")
MOST_WIDTH = 1024
"""Numbers in a layer: every thread of a kernel holds two layers on its stack."""
MOST_LAYERS = 8

Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Network:
    """A network.

    Attributes:
        weights: [out, in] of each layer. biases: [out] of each layer.
        activation: one of ``ACTIVATIONS``, between layers.
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    activation: str = "tanh"

    def __post_init__(self) -> None:
        check_name("activation", self.activation, ACTIVATIONS)
        if not 1 <= len(self.weights) <= MOST_LAYERS or len(self.weights) != len(self.biases):
            raise FootfallError(
                f"network: {len(self.weights)} weights and {len(self.biases)} biases; give a pair for each of 1 to "
                f"{MOST_LAYERS} layers"
            )
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            into = self.weights[k - 1].shape[0] if k else weight.shape[-1]
            if weight.ndim != 2 or weight.shape[1] != into or bias.shape != weight.shape[:1]:
                raise FootfallError(
                    f"network: layer {k} has weights {weight.shape} and biases {bias.shape}; "
                    f"they must be [out, {into}] and [out]"
                )
            if max(weight.shape) > MOST_WIDTH or not min(weight.shape):
                raise FootfallError(f"network: layer {k} is {weight.shape}; a layer has 1 to {MOST_WIDTH} numbers")
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise FootfallError(f"network: layer {k} holds numbers that are not finite")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of the input, of every hidden layer and of the output."""
        return (self.weights[0].shape[1], *(weight.shape[0] for weight in self.weights))

    def __call__(self, inputs: ArrayLike) -> NDArray[np.float64]:
        """[..., out] the answers to inputs [..., in], in double precision."""
        h = np.asarray(inputs, dtype=float)
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            h = h @ weight.astype(float).T + bias
            if k + 1 < len(self.weights):
                h = _activated(h, self.activation)
        return h

    def standardised(self, mean: ArrayLike, deviation: ArrayLike) -> "Network":
        """The network of (x - mean) / deviation as a network of x."""
        first = self.weights[0].astype(float) / np.asarray(deviation, dtype=float)
        bias = self.biases[0] - first @ np.asarray(mean, dtype=float)
        weights = (first.astype(np.float32), *self.weights[1:])
        return Network(weights, (bias.astype(np.float32), *self.biases[1:]), self.activation)

    def to_bytes(self) -> bytes:
        """The network as a safetensors file, layers named as ``torch.nn.Sequential`` names them."""
        tensors: dict[str, Array] = {}
        for k, (weight, bias) in enumerate(zip(self.weights, self.biases)):
            tensors |= {f"{2 * k}.weight": weight, f"{2 * k}.bias": bias}
        return write_tensors(tensors, {"activation": self.activation})

    @classmethod
    def from_bytes(cls, data: bytes, where: str) -> "Network":
        """A network from a safetensors file: layers in the order of the numbers in their names."""
        tensors, texts = read_tensors(data, where)
        names = sorted((n.removesuffix(".weight") for n in tensors if n.endswith(".weight")), key=_order)
        missing = [name for name in names if f"{name}.bias" not in tensors]
        if not names or missing or len(tensors) != 2 * len(names):
            raise FootfallError(
                f"{where}: a network's file holds '0.weight', '0.bias', '2.weight' …, a pair for each layer; "
                f"this one holds {', '.join(list(tensors)[:8]) or 'nothing'}"
            )
        try:
            return cls.of(
                [tensors[f"{name}.weight"] for name in names],
                [tensors[f"{name}.bias"] for name in names],
                texts.get("activation", "tanh"),
            )
        except FootfallError as error:
            raise FootfallError(f"{where}: {error}") from None

    @classmethod
    def of(cls, weights: Sequence[ArrayLike], biases: Sequence[ArrayLike], activation: str = "tanh") -> "Network":
        """A network from anything like arrays."""
        made = [tuple(np.array(part, dtype=np.float32) for part in parts) for parts in (weights, biases)]
        return cls(made[0], made[1], activation)


def _order(name: str) -> list[int]:
    return [int(part) for part in name.split(".") if part.isdigit()]


def _activated(h: NDArray[np.float64], activation: str) -> NDArray[np.float64]:
    if activation == "tanh":
        return np.tanh(h)
    if activation == "relu":
        return np.maximum(h, 0.0)
    return np.where(h > 0.0, h, np.expm1(np.minimum(h, 0.0)))
