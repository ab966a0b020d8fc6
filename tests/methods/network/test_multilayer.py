"""Networks as values: what they compute, and their files."""

import json
from itertools import pairwise

import numpy as np
import pytest
import warp as wp
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import FootfallError
from footfall.methods.network.deciding import network_function, network_numbers
from footfall.methods.network.multilayer import ACTIVATIONS, Network, read_tensors, write_tensors


def network(sizes: tuple[int, ...], activation: str = "tanh", seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(m, n)) / np.sqrt(n) for n, m in pairwise(sizes)]
    return Network.of(weights, [rng.normal(size=m) for m in sizes[1:]], activation)


def test_one_layer_is_linear():
    rng, made = np.random.default_rng(1), network((5, 3))
    a, b = rng.normal(size=(2, 5))
    assert made(a + b) == pytest.approx(made(a) + made(b) - made(np.zeros(5)))


@pytest.mark.parametrize(("activation", "inputs"), [("relu", 1.0), ("elu", 1.0), ("tanh", 1e-4)])
def test_activations_pass_small_or_positive_numbers(activation: str, inputs: float):
    """Two layers of ones, -1 in between: what an activation does below and above nought."""
    made = Network.of([[[1.0], [-1.0]], [[1.0, 1.0]]], [[0.0, 0.0], [0.0]], activation)
    below = {"relu": 0.0, "elu": np.expm1(-inputs), "tanh": -inputs}[activation]
    assert made([inputs]) == pytest.approx([inputs + below], abs=1e-9)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_standardised_network_takes_plain_numbers(activation: str):
    rng, made = np.random.default_rng(2), network((4, 8, 2), activation)
    mean, deviation, x = rng.normal(size=4), rng.uniform(0.5, 2.0, 4), rng.normal(size=(6, 4))
    assert made.standardised(mean, deviation)(x) == pytest.approx(made((x - mean) / deviation), abs=1e-5)


def test_warp_function_computes_the_network():
    """Layers of odd widths and every activation, against NumPy, far into saturation."""
    sizes = (7, 13, 9, 5)
    Memory, Inputs = (wp.types.vector(length=n, dtype=wp.float64) for n in (9, 7))
    first, second, third = (network_function(sizes, name, 2, Memory, wp.float64) for name in ACTIVATIONS)

    @wp.kernel(enable_backward=False, module="unique")
    def run(inputs: wp.array[Inputs], library: wp.array2d[wp.float64], out: wp.array2d[Memory]):
        given = inputs[wp.tid()]
        memory = Memory()
        first(given, library, memory)
        out[0, wp.tid()] = memory
        second(given, library, memory)
        out[1, wp.tid()] = memory
        third(given, library, memory)
        out[2, wp.tid()] = memory

    rng = np.random.default_rng(3)
    x = rng.normal(size=(20, 7)) * 10.0 ** rng.uniform(-2, 3, (20, 1))
    out = wp.zeros((3, 20), dtype=Memory, device="cpu")
    numbers = wp.array(network_numbers(network(sizes))[None], dtype=wp.float64, device="cpu")
    wp.launch(run, 20, [wp.array(x, dtype=Inputs, device="cpu"), numbers, out], device="cpu")
    for answer, name in zip(out.numpy(), ACTIVATIONS):
        assert answer[:, 2:7] == pytest.approx(network(sizes, name)(x), rel=1e-9, abs=1e-9)
        assert not answer[:, :2].any()
        assert not answer[:, 7:].any()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=4))
def test_safetensors_read_what_was_written(shapes: list[tuple[int, int]]):
    tensors = {f"t{k}": np.arange(n * m, dtype=np.float32).reshape(n, m) for k, (n, m) in enumerate(shapes)}
    found, texts = read_tensors(write_tensors(tensors, {"what": "öäü"}), "file")
    assert texts == {"what": "öäü"}
    assert found.keys() == tensors.keys()
    assert all(np.array_equal(found[name], tensors[name]) for name in tensors)


def test_safetensors_are_laid_out_as_specified():
    data = write_tensors({"a": np.array([[1.0, 2.0]]), "b": np.zeros(3)})
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    assert (8 + size) % 8 == 0
    assert header["a"] == {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]}
    assert header["b"]["data_offsets"] == [8, 20]
    assert data[8 + size : 16 + size] == np.array([1.0, 2.0], dtype="<f4").tobytes()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "header does not fit"),
        (b"\xff" * 40, "header does not fit"),
        ((4).to_bytes(8, "little") + b"[1] ", "JSON object"),
        (write_tensors({"a": np.zeros(4)})[:-4], "does not fit its bytes"),
        (write_tensors({"a": np.zeros(4)}).replace(b"F32", b"I32"), "type 'I32'"),
    ],
)
def test_bad_safetensors_are_refused(data: bytes, words: str):
    with pytest.raises(FootfallError, match=words):
        read_tensors(data, "file")


def test_network_files_read_back():
    made = network((3, 4, 2), "elu")
    found = Network.from_bytes(made.to_bytes(), "file")
    assert found.activation == "elu"
    assert found([1.0, 2.0, 3.0]) == pytest.approx(made([1.0, 2.0, 3.0]), abs=0)


def test_bad_networks_are_refused():
    with pytest.raises(FootfallError, match="layer 1 has weights"):
        Network.of([np.zeros((4, 3)), np.zeros((2, 5))], [np.zeros(4), np.zeros(2)])
    with pytest.raises(FootfallError, match="not finite"):
        Network.of([[[np.nan]]], [[0.0]])
    with pytest.raises(FootfallError, match="'sigmoid'"):
        Network.of([[[1.0]]], [[0.0]], "sigmoid")
    with pytest.raises(FootfallError, match="a pair for each layer"):
        Network.from_bytes(write_tensors({"0.weight": np.zeros((1, 1))}), "file")
