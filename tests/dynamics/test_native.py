"""Sines and cosines of native functions."""

import numpy as np
import pytest
import warp as wp

from footfall.dynamics.native import native_function
from footfall.simulation.rollout import COMPILER_FLAGS

pytestmark = pytest.mark.usefixtures("optimised_kernels")  # which round less often

ANGLES = np.random.default_rng(0).uniform(-20, 20, 4096)


def evaluated(real, *, quick=False, lanes=1):
    """[4096, 2] sines and cosines of the angles."""
    dtype = {"double": wp.float64, "float": wp.float32}[real]
    loop = (
        "for (int k = 0; k < 4096 / LANES; ++k) { S s, c; Trig::sincos(x[k], s, c); y[2 * k] = s; y[2 * k + 1] = c; }"
    )
    body = f"const S* x = (const S*)angles.data; S* y = (S*)result.data; {loop}".replace("LANES", str(lanes))
    arguments = {"angles": wp.array(dtype=dtype), "result": wp.array(dtype=dtype)}
    function = native_function("angles", arguments, body, dtype, quick=quick, lanes=lanes)

    @wp.kernel(enable_backward=False, module="unique", module_options={"cpu_compiler_flags": COMPILER_FLAGS})
    def kernel(angles: wp.array[dtype], result: wp.array[dtype]):
        function(angles, result)

    result = wp.zeros(2 * len(ANGLES), dtype=dtype, device="cpu")
    wp.launch(kernel, 1, [wp.array(ANGLES, dtype=dtype, device="cpu"), result], device="cpu")
    pairs = result.numpy().reshape(-1, 2, lanes)
    return pairs.transpose(0, 2, 1).reshape(-1, 2)


def test_quick_sines_and_cosines_are_exact_to_few_roundings():
    x = ANGLES.astype(np.float32).astype(float)
    assert np.abs(evaluated("float", quick=True) - np.stack([np.sin(x), np.cos(x)], axis=1)).max() < 2.5e-7


def test_each_lane_has_the_sine_and_cosine_of_its_own_angle():
    wanted = np.stack([np.sin(ANGLES), np.cos(ANGLES)], axis=1)
    np.testing.assert_allclose(evaluated("double", lanes=4), wanted, rtol=0, atol=1e-15)
