"""A multilayer perceptron: layers of weights with a non-linearity between them, as a value.

h₀ = x,   hₖ = f(Wₖ hₖ₋₁ + bₖ),   y = W_last h + b_last

Networks are kept as safetensors (https://huggingface.co/docs/safetensors): eight bytes with the length of a header, the
header as JSON, then raw numbers. Little-endian floats of 16, 32 and 64 bits are read, 32 bits are written. The package
``safetensors`` writes tensors sorted by name, and from bytes, which a controller's file holds, it answers them in no
order and without the file's texts, such as the activation. A character's transitions are numbered in the order of its
clips; so the header is read and written here.

ONNX files are read and written with the ``onnx`` package. What is read: a graph with one input and one output whose
nodes follow each other and are matrix products, sums and products with constants (which a standardisation of inputs
is), and Tanh, Elu or Relu.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from footfall.errors import FootfallError, check_name
from footfall.plugins import optional_module
from footfall.text_files import write_whole

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
Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Network:
    """A network.

    Attributes:
        weights: [out, in] of each layer.
        biases: [out] of each layer.
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


OPSET = 17
FUNCTIONS = {"Tanh": "tanh", "Elu": "elu", "Relu": "relu"}
PASSED = ("Identity", "Dropout", "Flatten", "Cast")


def _onnx(path: Path | str) -> Any:
    return optional_module("onnx", f"{path}: ONNX files need the package onnx: pip install 'footfall[onnx]'")


def save_onnx(network: Network, path: Path) -> None:
    """Write a network as a graph of Gemm and its activation: ``observation`` [batch, in] to ``action`` [batch, out]."""
    onnx = _onnx(path)
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    nodes, constants, value = [], [], "observation"
    activation = {name: operator for operator, name in FUNCTIONS.items()}[network.activation]
    for k, (weight, bias) in enumerate(zip(network.weights, network.biases)):
        last = k + 1 == len(network.weights)
        constants += [onnx.numpy_helper.from_array(weight, f"w{k}"), onnx.numpy_helper.from_array(bias, f"b{k}")]
        out = "action" if last else f"sum{k}"
        nodes.append(helper.make_node("Gemm", [value, f"w{k}", f"b{k}"], [out], transB=1))
        value = out
        if not last:
            nodes.append(helper.make_node(activation, [value], [f"layer{k}"]))
            value = f"layer{k}"
    graph = helper.make_graph(
        nodes,
        "policy",
        [helper.make_tensor_value_info("observation", kind, ["batch", network.sizes[0]])],
        [helper.make_tensor_value_info("action", kind, ["batch", network.sizes[-1]])],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="footfall")
    model.ir_version = 8
    onnx.checker.check_model(model)
    write_whole(Path(path), model.SerializeToString())


def load_onnx(path: Path | str) -> Network:
    """A network from an ONNX file; a graph that is no multilayer perceptron is refused with what it has."""
    onnx, path = _onnx(path), Path(path)
    try:
        graph = onnx.load_model_from_string(path.read_bytes()).graph
    except OSError as error:
        raise FootfallError(f"{path}: {error.strerror}") from None
    except Exception:  # protobuf raises several kinds for bytes that are not its own
        raise FootfallError(f"{path}: not an ONNX file") from None
    known = {part.name: _numbers(part, onnx, path) for part in graph.initializer}
    inputs = [part.name for part in graph.input if part.name not in known]
    if len(inputs) != 1 or len(graph.output) != 1:
        raise FootfallError(f"{path}: it has inputs {inputs} and {len(graph.output)} outputs; a policy has one of each")
    layers, activation = _Chain(path, known, inputs[0]).follow(graph.node, graph.output[0].name, onnx)
    weights, biases = zip(*layers)
    try:
        return Network.of(weights, biases, activation)
    except FootfallError as error:
        raise FootfallError(f"{path}: {error}") from None


def _numbers(part: Any, onnx: Any, path: Path) -> Numbers:
    """A tensor of a graph, or a number of an attribute."""
    try:
        found = onnx.numpy_helper.to_array(part) if isinstance(part, onnx.TensorProto) else np.asarray(part)
        return np.asarray(found, dtype=float)
    except Exception:  # tensors in other files, of kinds without numbers, cut off
        name = getattr(part, "name", "") or "a constant"
        raise FootfallError(
            f"{path}: the numbers of '{name}' cannot be read; export the policy with its weights in one file"
        ) from None


class _Chain:
    """A graph that is followed from its input: layers that are complete, and the sums of the one that is not."""

    def __init__(self, path: Path, known: dict[str, Numbers], value: str) -> None:
        self.path, self.known, self.value = path, known, value
        self.layers: list[tuple[Numbers, Numbers]] = []
        self.matrix: Numbers | None = None
        self.scale: Numbers = np.ones(1)
        self.shift: Numbers = np.zeros(1)
        self.activations: set[str] = set()

    def follow(self, nodes: Any, output: str, onnx: Any) -> tuple[list[tuple[Numbers, Numbers]], str]:
        """Weights and biases up to an output, and the activation between them."""
        for node in nodes:
            if node.op_type == "Constant":
                value = onnx.helper.get_attribute_value(node.attribute[0])
                self.known[node.output[0]] = _numbers(value, onnx, self.path)
                continue
            if self.value not in node.input:
                raise self._wrong(node, "which does not follow the one before it")
            try:
                self._take(node, {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute})
            except ValueError:  # numpy's, of arrays that do not go together
                raise self._wrong(node, "whose numbers do not fit those before it") from None
            self.value = node.output[0]
        if self.value != output or self.matrix is None or len(self.activations) > 1:
            raise FootfallError(
                f"{self.path}: it ends in '{output}' with activations {sorted(self.activations)}; a policy is layers "
                "with one kind of activation between them, and ends in a layer"
            )
        self._close()
        return self.layers, next(iter(self.activations), "tanh")

    def _take(self, node: Any, attributes: dict[str, Any]) -> None:
        kind = node.op_type
        operands = [name for name in node.input if name != self.value]
        if kind in FUNCTIONS:
            if kind == "Elu" and float(attributes.get("alpha", 1.0)) != 1.0:
                raise self._wrong(node, f"with alpha {attributes['alpha']}; alpha must be 1")
            self._close(node)
            self.activations.add(FUNCTIONS[kind])
        elif kind == "Gemm":
            if attributes.get("transA", 0) or node.input[0] != self.value:
                raise self._wrong(node, "which transposes its input, or has it as the second operand")
            weight, *bias = (self._constant(node, name) for name in operands)
            factor = float(attributes.get("alpha", 1.0))
            self._multiply(factor * (weight if attributes.get("transB", 0) else weight.T), node)
            if bias:
                self._affine(1.0, float(attributes.get("beta", 1.0)) * bias[0])
        elif kind == "MatMul":
            self._multiply(self._constant(node, operands[0]).T, node)
        elif kind in ("Add", "Sub", "Mul", "Div"):
            second = node.input[0] == self.value
            self._arithmetic(kind, self._constant(node, operands[0]).ravel(), node, second)
        elif kind not in PASSED:
            raise self._wrong(node, "which no multilayer perceptron has")

    def _arithmetic(self, kind: str, number: Numbers, node: Any, second: bool) -> None:
        if kind == "Div" and not second:
            raise self._wrong(node, "which divides a constant by a layer")
        rules: dict[str, Callable[[], None]] = {
            "Add": lambda: self._affine(1.0, number),
            "Sub": lambda: self._affine(1.0, -number) if second else self._affine(-1.0, number),
            "Mul": lambda: self._affine(number, 0.0),
            "Div": lambda: self._affine(1.0 / number, 0.0),
        }
        rules[kind]()

    def _multiply(self, weight: Numbers, node: Any) -> None:
        if weight.ndim != 2:
            raise self._wrong(node, f"with a constant of shape {weight.shape}")
        if self.matrix is None:
            self.matrix, self.shift = weight * self.scale, weight @ np.broadcast_to(self.shift, weight.shape[1])
        else:
            self.matrix, self.shift = weight @ self.matrix, weight @ np.broadcast_to(self.shift, weight.shape[1])
        self.scale = np.ones(1)

    def _affine(self, factor: Any, number: Any) -> None:
        """x becomes factor x + number."""
        if self.matrix is None:
            self.scale = self.scale * factor
            self.shift = self.shift * factor + number
        else:
            self.matrix = self.matrix * np.reshape(factor, (-1, 1))
            self.shift = np.broadcast_to(self.shift * factor + number, len(self.matrix))

    def _close(self, node: Any = None) -> None:
        if self.matrix is None:
            raise self._wrong(node, "before any layer")
        self.layers.append((self.matrix, np.broadcast_to(self.shift, len(self.matrix)).astype(float)))
        self.matrix, self.scale, self.shift = None, np.ones(1), np.zeros(1)

    def _constant(self, node: Any, name: str) -> Numbers:
        if name not in self.known:
            raise self._wrong(node, f"whose input '{name}' is not a constant")
        return self.known[name]

    def _wrong(self, node: Any, why: str) -> FootfallError:
        name = f"node '{node.name or node.output[0]}' ({node.op_type})" if node is not None else "a node"
        return FootfallError(
            f"{self.path}: {name}, {why}; read are: Gemm, MatMul, Add, Sub, Mul, Div, {', '.join(FUNCTIONS)}"
        )
