"""Networks as ONNX files."""

from pathlib import Path

import numpy as np
import pytest

from footfall.errors import FootfallError
from footfall.methods.network.multilayer import ACTIVATIONS, load_onnx, save_onnx
from tests.methods.network.test_multilayer import network

onnx = pytest.importorskip("onnx", reason="ONNX files need the package onnx")


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_files_read_back(tmp_path: Path, activation: str):
    made = network((3, 5, 4, 2), activation)
    save_onnx(made, tmp_path / "policy.onnx")
    found = load_onnx(tmp_path / "policy.onnx")
    assert (found.activation, found.sizes) == (activation, made.sizes)
    x = np.random.default_rng(0).normal(size=(5, 3))
    assert found(x) == pytest.approx(made(x), abs=1e-6)


def test_onnx_computes_the_same(tmp_path: Path):
    from onnx.reference import ReferenceEvaluator

    made, x = network((3, 8, 2), "elu"), np.random.default_rng(1).normal(size=(4, 3))
    save_onnx(made, tmp_path / "policy.onnx")
    (answer,) = ReferenceEvaluator(str(tmp_path / "policy.onnx")).run(None, {"observation": x.astype(np.float32)})
    assert answer == pytest.approx(made(x), abs=1e-5)


def saved(path: Path, nodes: list, constants: dict) -> Path:
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    values = [helper.make_tensor_value_info(name, kind, None) for name in ("x", "y")]
    known = [onnx.numpy_helper.from_array(np.asarray(v, dtype=np.float32), name) for name, v in constants.items()]
    graph = helper.make_graph([helper.make_node(*node) for node in nodes], "g", values[:1], values[1:], known)
    onnx.save(helper.make_model(graph), path)
    return path


def test_standardisation_and_split_layers_become_one_network(tmp_path: Path):
    """(x - m) / s, MatMul and Add apart, a scale at the end: as other projects export them."""
    rng = np.random.default_rng(2)
    m, s, k = rng.normal(size=3), rng.uniform(1.0, 2.0, 3), 2.0
    w, b, v = rng.normal(size=(3, 4)), rng.normal(size=4), rng.normal(size=(4, 2))
    nodes = [
        ("Sub", ["x", "m"], ["a"]),
        ("Div", ["a", "s"], ["c"]),
        ("MatMul", ["c", "w"], ["d"]),
        ("Add", ["b", "d"], ["e"]),
        ("Tanh", ["e"], ["f"]),
        ("MatMul", ["f", "v"], ["g"]),
        ("Mul", ["g", "k"], ["y"]),
    ]
    found = load_onnx(saved(tmp_path / "p.onnx", nodes, {"m": m, "s": s, "w": w, "b": b, "v": v, "k": [k]}))
    x = rng.normal(size=(6, 3))
    assert found(x) == pytest.approx(k * np.tanh((x - m) / s @ w + b) @ v, abs=1e-5)


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([("Conv", ["x", "w"], ["y"])], "no multilayer perceptron has"),
        ([("Tanh", ["x"], ["y"])], "before any layer"),
        ([("MatMul", ["x", "w"], ["a"]), ("Relu", ["a"], ["y"])], "ends in a layer"),
        ([("MatMul", ["x", "w"], ["a"]), ("Add", ["a", "x"], ["y"])], "not a constant"),
        ([("MatMul", ["x", "w"], ["a"]), ("MatMul", ["a", "v"], ["y"])], "do not fit those before it"),
        ([("MatMul", ["x", "w"], ["a"]), ("Add", ["a", "b"], ["y"])], "do not fit those before it"),
        ([("Gemm", ["w", "x"], ["y"])], "turns its input round"),
        ([("MatMul", ["x", "n"], ["y"])], "not finite"),
    ],
)
def test_other_graphs_are_refused(tmp_path: Path, nodes: list, words: str):
    """In one line that names the file."""
    constants = {"w": np.eye(2), "v": np.eye(3), "b": np.ones(3), "n": np.full((2, 2), np.nan)}
    with pytest.raises(FootfallError, match=rf"p\.onnx: .*{words}"):
        load_onnx(saved(tmp_path / "p.onnx", nodes, constants))


def test_weights_in_another_file_are_refused(tmp_path: Path):
    save_onnx(network((3, 5, 2)), tmp_path / "p.onnx")
    model = onnx.load(tmp_path / "p.onnx")
    onnx.save(model, tmp_path / "q.onnx", save_as_external_data=True, location="q.data", size_threshold=0)
    with pytest.raises(FootfallError, match=r"q\.onnx: the numbers of 'w0' cannot be read"):
        load_onnx(tmp_path / "q.onnx")


def test_other_files_are_refused(tmp_path: Path):
    (tmp_path / "p.onnx").write_bytes(b"not onnx at all")
    with pytest.raises(FootfallError, match=r"p\.onnx"):
        load_onnx(tmp_path / "p.onnx")
    with pytest.raises(FootfallError, match="No such file"):
        load_onnx(tmp_path / "q.onnx")
