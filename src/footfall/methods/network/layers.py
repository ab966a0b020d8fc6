"""A network as a Warp function over the numbers that a law's worlds share (:attr:`footfall.control.law.Law.library`).

A layer's numbers are its weights [in, out] and then its biases [out], so that the innermost loop runs over numbers that
lie side by side.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from footfall.dynamics.native import native_function
from footfall.methods.network.multilayer import Network

_ACTIVATION = {
    "tanh": "S(1) - S(2) / (wp::exp(S(2) * x) + S(1))",
    "elu": "x > S(0) ? x : wp::exp(x) - S(1)",
    "relu": "x > S(0) ? x : S(0)",
}
_LAYER = """
{{ const S* w = &library.data[{at}];
  const S* bias = w + {n} * {m};
#if defined(__CUDA_ARCH__)
  for (int j = 0; j < {m}; j += 8) {{
    S sum[8];
    for (int k = 0; k < 8; ++k) sum[k] = bias[j + k < {m} ? j + k : 0];
    for (int i = 0; i < {n}; ++i) {{
      const S x = {source}[i];
      for (int k = 0; k < 8; ++k) sum[k] += x * w[i * {m} + (j + k < {m} ? j + k : 0)];
    }}
    for (int k = 0; k < 8; ++k) if (j + k < {m}) {target}[j + k] = sum[k];
  }}
#else
  for (int j = 0; j < {m}; ++j) {target}[j] = bias[j];
  for (int i = 0; i < {n}; ++i) {{
    const S x = {source}[i];
    for (int j = 0; j < {m}; ++j) {target}[j] += x * w[i * {m} + j];
  }}
#endif
{activate} }}
"""
_ACTIVATE = "  for (int j = 0; j < {m}; ++j) {{ const S x = {target}[j]; {target}[j] = {formula}; }}"


def network_numbers(network: Network) -> NDArray[np.float64]:
    """The numbers that the function reads, [W]."""
    parts = [(w.T.ravel(), b) for w, b in zip(network.weights, network.biases)]
    return np.concatenate([np.concatenate(part) for part in parts]).astype(float)


def network_function(sizes: tuple[int, ...], activation: str, at: int, Memory: Any, real: Any) -> wp.Function:
    """A Warp function (inputs, library, memory): the network's answer to ``inputs`` [in], put into ``memory`` from
    ``at`` on. Its numbers are the first ones of the library."""
    Inputs = wp.types.vector(length=sizes[0], dtype=real)
    widest = max(sizes[1:])
    kinds = f"// {Inputs._length_} numbers in, {Memory._length_} remembered"
    lines = [kinds, f"S first[{widest}], second[{widest}];", "const S* source = &inputs[0];"]
    place, names = 0, ("first", "second")
    for k, (n, m) in enumerate(pairwise(sizes)):
        source, target = ("source" if k == 0 else names[(k - 1) % 2]), names[k % 2]
        last = k + 2 == len(sizes)
        activate = "" if last else _ACTIVATE.format(m=m, target=target, formula=_ACTIVATION[activation])
        lines.append(_LAYER.format(at=place, n=n, m=m, source=source, target=target, activate=activate))
        place += n * m + m
    answer = names[(len(sizes) - 2) % 2]
    lines.append(f"for (int j = 0; j < {sizes[-1]}; ++j) memory[{at} + j] = {answer}[j];")
    arguments = {"inputs": wp.ref[Inputs], "library": wp.array2d[real], "memory": wp.ref[Memory]}
    return native_function("network", arguments, "\n".join(lines), real)
