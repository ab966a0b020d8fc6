"""Networks as ONNX files, read and written with the ``onnx`` package.

What is read: a graph with one input and one output whose nodes follow each other and are matrix products, sums and
products with constants (which a standardisation of inputs is), and Tanh, Elu or Relu.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from footfall.errors import FootfallError
from footfall.methods.network.multilayer import Network
from footfall.plugins import optional_module
from footfall.text_files import write_whole

OPSET = 17
FUNCTIONS = {"Tanh": "tanh", "Elu": "elu", "Relu": "relu"}
PASSED = ("Identity", "Dropout", "Flatten", "Cast")

Array = NDArray[np.float64]


def _onnx() -> Any:
    return optional_module("onnx", "ONNX files need the package onnx: pip install 'footfall[onnx]'")


def save_onnx(network: Network, path: Path) -> None:
    """Write a network as a graph of Gemm and its activation: ``observation`` [batch, in] to ``action`` [batch, out]."""
    onnx = _onnx()
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
    onnx, path = _onnx(), Path(path)
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


def _numbers(part: Any, onnx: Any, path: Path) -> Array:
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

    def __init__(self, path: Path, known: dict[str, Array], value: str) -> None:
        self.path, self.known, self.value = path, known, value
        self.layers: list[tuple[Array, Array]] = []
        self.matrix: Array | None = None
        self.scale: Array = np.ones(1)
        self.shift: Array = np.zeros(1)
        self.activations: set[str] = set()

    def follow(self, nodes: Any, output: str, onnx: Any) -> tuple[list[tuple[Array, Array]], str]:
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
                raise self._wrong(node, "which turns its input round")
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

    def _arithmetic(self, kind: str, number: Array, node: Any, second: bool) -> None:
        if kind == "Div" and not second:
            raise self._wrong(node, "which divides a constant by a layer")
        rules: dict[str, Callable[[], None]] = {
            "Add": lambda: self._affine(1.0, number),
            "Sub": lambda: self._affine(1.0, -number) if second else self._affine(-1.0, number),
            "Mul": lambda: self._affine(number, 0.0),
            "Div": lambda: self._affine(1.0 / number, 0.0),
        }
        rules[kind]()

    def _multiply(self, weight: Array, node: Any) -> None:
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

    def _constant(self, node: Any, name: str) -> Array:
        if name not in self.known:
            raise self._wrong(node, f"whose input '{name}' is not a constant")
        return self.known[name]

    def _wrong(self, node: Any, why: str) -> FootfallError:
        name = f"node '{node.name or node.output[0]}' ({node.op_type})" if node is not None else "a node"
        return FootfallError(
            f"{self.path}: {name}, {why}; read are: Gemm, MatMul, Add, Sub, Mul, Div, {', '.join(FUNCTIONS)}"
        )
