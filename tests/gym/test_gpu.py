"""Environments on a GPU: the kernels compile for one anywhere; where there is one, worlds stay on it."""

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium", reason="NO GYMNASIUM: footfall's environments were not tested")

import warp as wp

import footfall.gym
from footfall.figures import Figure
from footfall.kernels.start import start_warp
from footfall.learning.measures import measuring_kernels
from footfall.learning.options import Options
from footfall.learning.worlds import EnvironmentWorlds
from footfall.terrain import TerrainHeightField
from tests.learning.test_worlds import actions_of

gym.register_envs(footfall.gym)
start_warp()
_skipped = pytest.mark.skipif(not wp.is_cuda_available(), reason="NO CUDA: worlds on a GPU were not tested")


def on_gpu(test):
    """Mark a test that needs a GPU; skip it where there is none."""
    return pytest.mark.gpu(_skipped(test))


PLANAR = "footfall/PlanarTerrain-v0"
WIDTH = 7


@pytest.mark.slow
@pytest.mark.parametrize(
    "terrain", ["flat", "random-steps:0.1", TerrainHeightField(np.zeros((3, 3)), (2.0, 2.0), (-1.0, -1.0))]
)
def test_the_kernels_compile_for_a_gpu(terrain, tmp_path):
    options = Options.of(figure="human-28", action="torques", terrain=terrain, push=100.0, precision="float32")
    begin, _, _ = EnvironmentWorlds(options, 1).kernels
    kernels = begin, *measuring_kernels(Figure.load("human-28"), wp.float32)
    for kernel in kernels:
        wp.compile_aot_module(kernel.module, device=None, arch=90, module_dir=str(tmp_path), use_ptx=True)
    assert len(list(tmp_path.glob("*.ptx"))) == len(kernels)


@on_gpu
def test_worlds_on_a_gpu_do_not_depend_on_their_number():
    actions = actions_of(1000, WIDTH, 20)
    runs = []
    for count in (1, 7, 1000):
        env = gym.make_vec(PLANAR, count, device="cuda", arrays="warp", autoreset_mode="SameStep")
        env.reset(seed=0)
        answers = [env.step(wp.array(action[:count], device="cuda")) for action in actions]
        assert all(array.device.is_cuda for array in answers[-1][:4])
        runs.append([np.array([answer[k].numpy() for answer in answers]) for k in range(4)])
    for few in runs[:2]:
        for a, b in zip(few, runs[2], strict=True):
            np.testing.assert_array_equal(a, b[:, : a.shape[1]])


@on_gpu
def test_worlds_on_a_gpu_are_those_on_a_cpu():
    """In single precision, for a while."""
    cpu, cuda = (gym.make_vec(PLANAR, 5, device=name, precision="float32") for name in ("cpu", "cuda"))
    np.testing.assert_allclose(cpu.reset(seed=0)[0], cuda.reset(seed=0)[0], atol=1e-5)
    for action in actions_of(5, WIDTH, 5):
        a, b = cpu.step(action), cuda.step(action)
        np.testing.assert_allclose(a[0], b[0], atol=1e-2)
        np.testing.assert_allclose(a[1], b[1], atol=1e-3)


@on_gpu
@pytest.mark.parametrize("library", ["torch", "jax"])
def test_tensors_stay_on_the_gpu(library):
    """Observations are tensors on the GPU, and actions computed from them go straight back."""
    pytest.importorskip(library, reason=f"NO {library.upper()}: tensors on a GPU were not tested")
    env = gym.make_vec(PLANAR, 64, device="cuda", arrays=library)
    observations, _ = env.reset(seed=0)
    for _ in range(10):
        observations, rewards, terminated, _, _ = env.step(0.1 * observations[:, :WIDTH])
    for array in (observations, rewards, terminated):
        where = str(array.device)
        assert "cuda" in where.lower() or "gpu" in where.lower()
    assert np.isfinite(np.asarray(observations.cpu() if library == "torch" else observations)).all()
